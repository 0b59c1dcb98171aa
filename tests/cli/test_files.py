"""What files may look like, and where the answers go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from records.limits import MAX_BODY
from tests.cli.command import GOLDEN, Object, ndjson, objects, run, season

HOUSE: Object = {
    "id": "house-club",
    "name": "Club",
    "base": "illustrated-mayr-sedlaczek-2016",
    "contracts": {"zweiblatt": {"multiplier": 3}},
}
FORTY_MADE: Object = {
    "hand_id": "it-7.45",
    "variant": "illustrated-mayr-sedlaczek-2016",
    "players": ["Anna", "Béla", "Cyril"],
    "events": [
        {
            "type": "result_reported",
            "declarer": "Anna",
            "contract": "zweiblatt",
            "card_points": 41,
            "bonuses": [{"bonus": "forty", "player": "Anna", "stage": "before_pickup", "made": True}],
        }
    ],
}
THREE = season(3)
EXPECTED = run("score", "-", given=ndjson(THREE)).stdout


def numbers(lines: bytes) -> list[tuple[int, str | None, int]]:
    """Line, hand and status of each refusal."""
    return [
        (answer["line"], answer["hand_id"], answer["status"])
        for answer in objects(lines)
        if "problem" in answer
    ]


@pytest.mark.parametrize(
    "text",
    [
        ndjson(THREE),
        ndjson(THREE)[:-1],
        b"\n \r\n\t\n" + b"\n\n".join(ndjson(THREE).split(b"\n")),
        ndjson(THREE).replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + ndjson(THREE),
        json.dumps(THREE).encode(),
        json.dumps(THREE, indent=2).encode(),
        b"\xef\xbb\xbf\n" + json.dumps(THREE, indent="\t", ensure_ascii=False).encode() + b"\n\n",
    ],
    ids=["lines", "no-last-end", "blank-lines", "crlf", "bom", "list", "pretty-list", "bom-and-tabs"],
)
def test_the_same_records_in_any_form(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "records"
    path.write_bytes(text)
    for done in (run("score", path), run("score", "-", given=text)):
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout == EXPECTED


def test_one_record_over_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "hand.json"
    path.write_text(json.dumps(THREE[0], indent=2))
    assert run("score", path).stdout == EXPECTED.split(b"\n")[0] + b"\n"


def test_no_records_at_all(tmp_path: Path) -> None:
    for text in (b"", b"\n\n", b"[]", b"[\n]"):
        done = run("score", "-", given=text)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_several_files_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(ndjson([THREE[0], {"hand_id": "bad"}]))
    (tmp_path / "b.json").write_text(json.dumps([{"hand_id": "worse"}, THREE[1]], indent=1))
    done = run("score", tmp_path / "a.jsonl", "-", tmp_path / "b.json", given=ndjson([THREE[2], b"oh"]))
    assert done.returncode == 1
    told = [(answer.get("file"), answer.get("line"), answer["hand_id"]) for answer in objects(done.stdout)]
    assert told == [
        (None, None, "h0"),
        (str(tmp_path / "a.jsonl"), 2, "bad"),
        (None, None, "h2"),
        ("-", 2, None),
        (str(tmp_path / "b.json"), 1, "worse"),
        (None, None, "h1"),
    ]


def test_refusals_in_a_file_of_their_own(tmp_path: Path) -> None:
    lines = [THREE[0], b"", b"{}", THREE[1], b"[1]", {**THREE[2], "players": 4}, THREE[2]]
    done = run("score", "--errors", tmp_path / "errors", "-", given=ndjson(lines))
    assert done.returncode == 1
    assert done.stdout == EXPECTED
    assert numbers((tmp_path / "errors").read_bytes()) == [(3, None, 422), (5, None, 422), (6, "h2", 422)]
    run("score", "--errors", tmp_path / "errors", "-", given=ndjson(THREE))
    assert (tmp_path / "errors").read_bytes() == b""


def test_a_first_line_that_is_no_record_spoils_no_other() -> None:
    for first in (b"{", b"[1, 2]", b"what", b'{"hand_id": "a"'):
        done = run("score", "-", given=first + b"\n" + ndjson(THREE))
        assert done.returncode == 1
        assert done.stdout.split(b"\n", 1)[1] == EXPECTED
        assert [line for line, _, _ in numbers(done.stdout)] == [1]


def test_a_broken_list_is_refused_once() -> None:
    broken = json.dumps(THREE, indent=1).encode()[:-10]
    done = run("score", "-", given=broken)
    assert done.returncode == 1
    assert numbers(done.stdout) == [(1, None, 400)]


def test_several_records_over_many_lines_are_refused_once() -> None:
    for records in (THREE[:2], THREE):
        many = b"\n".join(json.dumps(record, indent=2).encode() for record in records)
        done = run("score", "-", given=many)
        assert done.returncode == 1
        [refusal] = objects(done.stdout)
        assert (refusal["line"], refusal["problem"]["type"]) == (1, "urn:trull:problem:malformed-json")
        assert "`jq -c . FILE`" in refusal["problem"]["detail"]


def test_where_a_text_is_no_json() -> None:
    broken = json.dumps(THREE[0], indent=1).replace('"players"', "players").encode()
    place = broken[: broken.index(b"players")].count(b"\n") + 1
    done = run("score", "-", given=broken)
    [refusal] = objects(done.stdout)
    assert refusal["problem"]["detail"].startswith("The file is no JSON: ")
    assert refusal["problem"]["detail"].endswith(f" at line {place}, column 2.")
    done = run("score", "-", given=ndjson([THREE[0], b'{"hand_id" 3}']))
    told = objects(done.stdout)[1]
    assert told["line"] == 2
    assert told["problem"]["detail"].startswith("The line is no JSON: ")
    assert told["problem"]["detail"].endswith(" at column 12.")


def test_lines_and_lists_that_are_too_long(tmp_path: Path) -> None:
    long = json.dumps({**THREE[1], "labels": ["x" * (MAX_BODY + 1)]}).encode()
    longer = b'{"hand_id": "' + b"x" * (2 * MAX_BODY) + b'"}'
    done = run("score", "-", given=ndjson([THREE[0], long, THREE[1], longer, THREE[2]]))
    assert done.returncode == 1
    assert numbers(done.stdout) == [(2, None, 413), (4, None, 413)]
    assert b"".join(line + b"\n" for line in done.stdout.splitlines() if b'"problem"' not in line) == EXPECTED
    listed = b"[\n" + b",\n".join([json.dumps(THREE[0]).encode()] * (MAX_BODY // 2_000)) + b"\n]"
    assert len(listed) > MAX_BODY
    done = run("score", "-", given=listed)
    assert numbers(done.stdout) == [(1, None, 413)]
    assert "one record a line" in objects(done.stdout)[0]["problem"]["detail"]


def test_house_rules(tmp_path: Path) -> None:
    house = tmp_path / "club.json"
    house.write_text(json.dumps(HOUSE))
    played = {**FORTY_MADE, "variant": "house-club"}
    sheets = []
    for words in (("score",), ("rescore",), ("rescore", "--variant", "house-club")):
        done = run(*words, "--house", house, "-", given=ndjson([played]))
        assert done.returncode == 0, done.stderr
        sheets += objects(done.stdout)
    done = run("rescore", "--house", house, "-", given=ndjson([FORTY_MADE]))
    sheets += objects(done.stdout)
    for sheet in sheets:
        # IT-7.45, with another multiplier
        assert sheet["scores"] == {"Anna": (5 + 6 + 10) * 3, "Béla": 0, "Cyril": 0}
        assert sheet["variant"] == "house-club"
    assert len({sheet["variant_revision"] for sheet in sheets}) == 1
    own = run("rescore", "--variant", FORTY_MADE["variant"], "--house", house, "-", given=ndjson([played]))
    assert objects(own.stdout)[0]["scores"]["Anna"] == (5 + 6 + 10) * 2
    unknown = run("score", "-", given=ndjson([played]))
    assert unknown.returncode == 1
    assert objects(unknown.stdout)[0]["problem"]["errors"][0]["pointer"] == "/variant"


def test_a_house_over_a_house(tmp_path: Path) -> None:
    over = {"id": "house-over", "name": "Over", "base": "house-club", "bonuses": {"forty": None}}
    for name, body in (("club.json", HOUSE), ("over.json", over)):
        (tmp_path / name).write_text(json.dumps(body))
    both = ("--house", tmp_path / "club.json", "--house", tmp_path / "over.json")
    done = run("rescore", *both, "-", given=ndjson([FORTY_MADE]))
    assert [sheet["scores"]["Anna"] for sheet in objects(done.stdout)] == [63, (5 + 6) * 3]
    assert run("rescore", *both[2:], "-", given=ndjson([FORTY_MADE])).returncode == 2


def test_versions_count_all_events() -> None:
    sheets = objects(run("score", "-", given=ndjson(GOLDEN[:50])).stdout)
    assert [sheet["version"] for sheet in sheets] == [len(record["events"]) for record in GOLDEN[:50]]
