"""The golden records through the command: sheets, refusals, and sheets under other rules."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from service.app import create_app
from service.config import Settings
from tests.cli.command import Object, ndjson, objects, run
from tests.service.conftest import NOWHERE, checked_client
from tests.service.golden import Case, check_refusal, check_sheet, load_cases

SCORED = load_cases("full", "result", "published", "real-french")
ILLEGAL = load_cases("illegal")
RESCORED = load_cases("rescored")


def written(folder: Path, cases: list[Case]) -> Path:
    path = folder / "records.jsonl"
    path.write_bytes(ndjson(case.record for case in cases))
    return path


def test_every_golden_record_has_its_sheet(tmp_path: Path) -> None:
    done = run("score", written(tmp_path, SCORED))
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    for sheet, case in zip(objects(done.stdout), SCORED, strict=True):
        check_sheet(sheet, case)
        assert sheet["hand_id"] == case.record.get("hand_id")


def test_every_broken_rule_is_found_and_stops_nothing(tmp_path: Path) -> None:
    mixed = [case for pair in zip(ILLEGAL, SCORED, strict=False) for case in pair]
    done = run("score", written(tmp_path, mixed))
    assert done.returncode == 1
    for line, (answer, case) in enumerate(zip(objects(done.stdout), mixed, strict=True), 1):
        if "expected_error" in case.line:
            told = {"line": line, "hand_id": case.record.get("hand_id"), "status": 422}
            assert {name: answer[name] for name in answer if name != "problem"} == told
            check_refusal(answer["problem"], case)
        else:
            check_sheet(answer, case)
    refused = len(mixed) // 2
    assert f"{len(mixed)} records, {refused} refused".encode() in done.stderr


def test_every_golden_record_under_another_rule_set(tmp_path: Path) -> None:
    by_target: dict[str, list[Case]] = defaultdict(list)
    for case in RESCORED:
        by_target[case.variant].append(case)
    assert len(by_target) > 2
    for target, cases in by_target.items():
        done = run("rescore", "--variant", target, written(tmp_path, cases))
        assert done.returncode == 0, done.stderr
        for sheet, case in zip(objects(done.stdout), cases, strict=True):
            check_sheet(sheet, case)


def test_several_rule_sets_give_a_sheet_each_in_their_order(tmp_path: Path) -> None:
    records = written(tmp_path, RESCORED)
    targets = ["illustrated-beck", "french-tarot-4", "illustrated-loew-1954"]
    done = run("rescore", *(word for target in targets for word in ("--variant", target)), records)
    assert done.returncode == 0
    sheets = objects(done.stdout)
    assert [sheet["variant"] for sheet in sheets] == targets * len(RESCORED)
    alone = [objects(run("rescore", "--variant", target, records).stdout) for target in targets]
    assert sheets == [sheet for together in zip(*alone, strict=True) for sheet in together]
    assert {sheet["status"] for sheet in alone[1]} == {"void"}


BAD_LINES = [
    b'{"hand_id": "x", "hand_id": "y"}',
    b'{"hand_id": "x", ',
    b"7",
    b"null",
    b'"text"',
    b'{"hand_id": 7, "variant": "nobody", "players": ["A", "A", "B"], "extra": 1}',
    b'{"hand_id": "x", "variant": "french-tarot-4", "players": ["A", "B", "C", "D"], "events": []}',
]


def test_the_problem_is_that_of_the_service(tmp_path: Path) -> None:
    service = checked_client(create_app(Settings(redis_url=NOWHERE)))
    lines = [*ndjson(case.record for case in ILLEGAL).splitlines(), *BAD_LINES]
    # A good one first, as a first line that is no JSON might begin a text of several lines.
    done = run("score", "-", given=ndjson([SCORED[0].record, *lines]))
    assert done.returncode == 1
    for answer, line in zip(objects(done.stdout)[1:], lines, strict=True):
        response = service.post("/v1/score", data=line, content_type="application/json")
        expected: Object = response.get_json(force=True)
        assert answer["status"] == response.status_code
        del expected["title"], expected["instance"], expected["request_id"]
        expected["detail"] = expected["detail"].replace("The body is no JSON", "The line is no JSON")
        assert answer["problem"] == expected


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_the_number_of_processes_changes_nothing(tmp_path: Path, jobs: int) -> None:
    cases = (SCORED + ILLEGAL) * 2
    assert written(tmp_path, cases).stat().st_size > 4_000_000
    done = run("rescore", "--jobs", str(jobs), "--variant", "illustrated-beck", tmp_path / "records.jsonl")
    answers = objects(done.stdout)
    assert [answer["hand_id"] for answer in answers] == [case.record.get("hand_id") for case in cases]
    half = len(answers) // 2
    assert [answer.get("scores") for answer in answers[:half]] == [
        answer.get("scores") for answer in answers[half:]
    ]
    lines = [place for place, case in enumerate(cases, 1) if "expected_error" in case.line]
    assert [answer["line"] for answer in answers if "problem" in answer] == lines
