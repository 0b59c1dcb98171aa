"""A run that was stopped is continued: the files come out as if it never had been."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from cli.main import main
from tests.cli.command import COMMAND, Object, ndjson, objects, run, season
from tests.support.processes import ROOT, wait_until

TAROCK = ("illustrated-beck", "illustrated-loew-1954", "illustrated-mayr-sedlaczek-2016")
UNDER = ("--variant", TAROCK[0], "--variant", TAROCK[1])
SHORT: list[Object] = season(200, TAROCK)[80:85]
LINES: list[Object | bytes] = [
    b"{}",
    SHORT[0],
    b"",
    SHORT[1],
    b'{"hand_id": "bad", "variant": "x"}',
    b"[1]",
    SHORT[2],
    SHORT[3],
    b"7",
]


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_bytes(ndjson(LINES))
    return path


def rescore(records: Path, out: Path, *more: str | Path) -> int:
    """The command within this process: many short runs."""
    return main(["rescore", "--quiet", *UNDER, "--out", str(out), *map(str, more), str(records)])


def test_wherever_it_was_stopped(records: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert rescore(records, out) == 1
    whole = out.read_bytes()
    assert [answer.get("line") for answer in objects(whole)] == [1, *[None] * 4, 5, 6, *[None] * 4, 9]
    ends = [place for place, byte in enumerate(whole, 1) if byte == ord("\n")]
    for end in {*range(0, len(whole), 89), *ends, *(end - 1 for end in ends)}:
        out.write_bytes(whole[:end])
        assert rescore(records, out) == 1
        assert out.read_bytes() == whole


def test_wherever_it_was_stopped_with_refusals_apart(records: Path, tmp_path: Path) -> None:
    out, errors = tmp_path / "out", tmp_path / "errors"
    assert rescore(records, out, "--errors", errors) == 1
    sheets, refusals = out.read_bytes(), errors.read_bytes()
    lines = [answer["line"] for answer in objects(refusals)]
    assert lines == [1, 5, 6, 9]
    # Refusals are written first: whatever comes before the last sheet is there, and perhaps more.
    before = [1, 1, 3, 3]
    ends = [0, *(place for place, byte in enumerate(refusals, 1) if byte == ord("\n"))]
    for end in range(0, len(sheets) + 1, 97):
        least = ends[before[sheets[: end - 1].count(b"\n") // 2]] if end else 0
        for torn in (least, min(least + 20, len(refusals)), len(refusals) - 1, len(refusals)):
            out.write_bytes(sheets[:end])
            errors.write_bytes(refusals[:torn])
            assert rescore(records, out, "--errors", errors) == 1
            assert (out.read_bytes(), errors.read_bytes()) == (sheets, refusals)


def test_a_run_that_was_finished_has_nothing_to_do(records: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for lines, code in ((LINES, 1), (SHORT, 0)):
        records.write_bytes(ndjson(lines))
        out.unlink(missing_ok=True)
        assert rescore(records, out) == code
        before = out.read_bytes()
        assert rescore(records, out) == code
        assert out.read_bytes() == before


def test_records_that_came_later_are_added(records: Path, tmp_path: Path) -> None:
    out, afresh = tmp_path / "out", tmp_path / "afresh"
    rescore(records, out)
    records.write_bytes(ndjson([*LINES, SHORT[4], b"{"]))
    rescore(records, out)
    rescore(records, afresh)
    assert out.read_bytes() == afresh.read_bytes()


def test_lists_and_several_files(tmp_path: Path) -> None:
    first, second, out = tmp_path / "a.json", tmp_path / "b.jsonl", tmp_path / "out"
    first.write_text(json.dumps([SHORT[0], {}, SHORT[1]], indent=1))
    second.write_bytes(ndjson([b"{", SHORT[2], SHORT[3]]))
    errors = tmp_path / "errors"
    for more in ((), ("--errors", errors)):
        out.unlink(missing_ok=True)
        assert rescore(second, out, *more, first) == 1
        whole = out.read_bytes()
        for end in range(0, len(whole), 101):
            out.write_bytes(whole[:end])
            assert rescore(second, out, *more, first) == 1
            assert out.read_bytes() == whole
    assert [(told["file"], told["line"]) for told in objects(errors.read_bytes())] == [
        (str(first), 2),
        (str(second), 1),
    ]


@pytest.mark.parametrize(
    "there",
    [
        b"notes of mine",
        b'{"hand_id": "h"}\n',
        b'{"hand_id":"h1","variant":"illustrated-beck"}\n',
        b'{"line":1}\n' * 20,
        ndjson(SHORT),
    ],
    ids=["text", "json", "record", "too-many", "records"],
)
def test_a_file_of_something_else_stays_as_it_is(records: Path, tmp_path: Path, there: bytes) -> None:
    out = tmp_path / "out"
    out.write_bytes(there)
    assert rescore(records, out) == 2
    assert out.read_bytes() == there


def test_what_no_longer_fits_is_refused(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    rescore(records, out)
    whole = out.read_bytes()

    def refused(*words: str | Path) -> str:
        assert main([*map(str, words), "--out", str(out), str(records)]) == 2
        assert out.read_bytes() == whole
        return capsys.readouterr().err

    assert "illustrated-loew-1954" in refused("rescore", "--variant", TAROCK[1], "--variant", TAROCK[0])
    assert "errors among its sheets" in refused("rescore", *UNDER, "--errors", tmp_path / "errors")
    out.write_bytes(whole := whole.replace(b"sha256:", b"sha256:0"))
    assert "have changed" in refused("rescore", *UNDER)
    out.write_bytes(whole := whole.replace(b"sha256:0", b"sha256:"))
    out.write_bytes(whole := whole[: whole.rindex(b'{"line"')])
    records.write_bytes(ndjson([*LINES[:6], SHORT[3], SHORT[2]]))
    said = refused("rescore", *UNDER)
    assert "line 7 is not as it was when it was answered; choose another --out, or delete it" in said


@pytest.mark.parametrize("apart", [False, True])
def test_an_answer_to_a_record_that_has_changed_is_not_kept(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], apart: bool
) -> None:
    out, errors = tmp_path / "out", tmp_path / "errors"
    more = ("--errors", errors) if apart else ()
    rescore(records, out, *more)
    files = [out, *([errors] if apart else []), tmp_path / "out.answered"]
    before = [file.read_bytes() for file in files]
    for place, line in enumerate(LINES):
        if line == b"":
            continue
        other = {**line, "played_at": "2026-11-29T20:15:00Z"} if isinstance(line, dict) else b"8"
        records.write_bytes(ndjson([*LINES[:place], other, *LINES[place + 1 :]]))
        assert rescore(records, out, *more) == 2
        assert f"line {place + 1} is not as it was" in capsys.readouterr().err
        assert [file.read_bytes() for file in files] == before
    records.write_bytes(ndjson(LINES[1:]))
    assert rescore(records, out, *more) == 2
    records.write_bytes(ndjson(LINES[:-1]))
    assert rescore(records, out, *more) == (2 if not apart else 1)
    records.write_bytes(ndjson(LINES).replace(b"\n", b"\r\n"))
    assert rescore(records, out, *more) == 1
    assert [file.read_bytes() for file in files] == before


def test_an_element_of_a_list_that_has_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records, out = tmp_path / "records.json", tmp_path / "out"
    records.write_text(json.dumps(SHORT[:3], indent=1))
    rescore(records, out)
    before = out.read_bytes()
    records.write_text(json.dumps([SHORT[0], {**SHORT[1], "table": 3}, *SHORT[2:]], indent=1))
    assert rescore(records, out) == 2
    assert "line 2 is not as it was" in capsys.readouterr().err
    assert out.read_bytes() == before
    records.write_text(json.dumps(SHORT[:3]))
    assert rescore(records, out) == 0
    assert out.read_bytes() == before


def test_answers_to_nobody_knows_what(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, answered = tmp_path / "out", tmp_path / "out.answered"
    rescore(records, out)
    whole = answered.read_bytes()
    assert len(whole) == 8 * sum(line != b"" for line in LINES)
    for left in (0, 1, len(whole) - 1):
        answered.write_bytes(whole[:left])
        assert rescore(records, out) == 2
        assert ".answered file beside it does not tell which records it answers" in capsys.readouterr().err
    out.unlink()
    assert rescore(records, out) == 1
    assert answered.read_bytes() == whole
    assert rescore(records, tmp_path / "more", "--errors", tmp_path / "more.answered") == 2


def test_the_last_line_tells_of_both_runs(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["rescore", *UNDER, "--out", str(tmp_path / "out"), str(records)]
    told = []
    for lines in (LINES[:2], LINES[:2], LINES):
        records.write_bytes(ndjson(lines))
        assert main(words) == 1
        told.append(capsys.readouterr().err)
    assert told == [
        "trull rescore: 2 records, 1 refused\n",
        "trull rescore: 2 records answered before, 0 now; 1 refused in all\n",
        "trull rescore: 2 records answered before, 6 now; 4 refused in all\n",
    ]
    records.write_bytes(ndjson(SHORT[:1]))
    main([*words[:-2], str(tmp_path / "one"), str(records)])
    assert capsys.readouterr().err == "trull rescore: 1 record, 0 refused\n"


def test_files_that_would_be_overwritten(records: Path, tmp_path: Path) -> None:
    before = records.read_bytes()
    link = tmp_path / "link"
    link.symlink_to(records)
    for name in (records, link):
        assert rescore(records, name) == 2
        assert rescore(records, tmp_path / "out", "--errors", name) == 2
    assert rescore(records, tmp_path / "out", "--errors", tmp_path / "out") == 2
    assert records.read_bytes() == before
    assert not (tmp_path / "out").exists()


def test_a_file_that_another_run_is_writing(records: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with out.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        done = run("rescore", *UNDER, "--out", out, records)
    assert done.returncode == 2
    assert b"another process" in done.stderr


def grown(path: Path, least: int) -> Callable[[], bool]:
    """Whether the file has more than so many bytes."""
    return lambda: path.exists() and path.stat().st_size > least


@pytest.mark.parametrize("apart", [False, True])
def test_killed_and_run_again(tmp_path: Path, apart: bool) -> None:
    records, out, errors = tmp_path / "records", tmp_path / "out", tmp_path / "errors"
    bad = [b'{"hand_id": "torn', b"", b"null"]
    lines = [bad[at % 3] if at % 70 == 69 else record for at, record in enumerate(season(4_000, TAROCK))]
    records.write_bytes(ndjson(lines))
    words = ["rescore", *UNDER, "--jobs", "2", "--quiet", *(("--errors", str(errors)) if apart else ())]
    expected = run(*words, records)
    assert expected.returncode == 1
    told = errors.read_bytes() if apart else b""
    errors.unlink(missing_ok=True)

    command = [*COMMAND, *words, "--out", str(out), str(records)]
    for stop in (0.2, 0.5):
        with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as running:
            wait_until(grown(out, int(len(expected.stdout) * stop)), "the sheets to stop at")
            helpers = psutil.Process(running.pid).children(recursive=True)
            assert len(helpers) == 2
            os.kill(running.pid, signal.SIGKILL)
        assert len(out.read_bytes()) < len(expected.stdout)
        _, alive = psutil.wait_procs(helpers, timeout=10)
        assert not alive, "helpers outlived the killed command"
    again = run(*words, "--out", out, records)
    assert (again.returncode, again.stdout, again.stderr) == (1, b"", b"")
    assert out.read_bytes() == expected.stdout
    assert (errors.read_bytes() if apart else b"") == told


def test_interrupted_and_run_again(tmp_path: Path) -> None:
    records, out = tmp_path / "records", tmp_path / "out"
    records.write_bytes(ndjson(season(4_000, TAROCK)))
    words = ["score", "--jobs", "2", "--out", str(out), str(records)]
    with subprocess.Popen(
        [*COMMAND, *words], cwd=ROOT, start_new_session=True, stderr=subprocess.PIPE
    ) as running:
        wait_until(grown(out, 0), "the first sheets")
        helpers = psutil.Process(running.pid).children(recursive=True)
        begun = time.monotonic()
        os.killpg(running.pid, signal.SIGINT)  # as the terminal does
        _, told = running.communicate()
    assert time.monotonic() - begun < 5
    assert running.returncode == 130
    assert told == b"\ntrull: stopped. The same command goes on where it stopped.\n"
    assert not psutil.wait_procs(helpers, timeout=10)[1]
    assert run(*words).returncode == 0
    assert out.read_bytes() == run("score", records).stdout


def test_the_installed_command_is_this_one() -> None:
    installed = Path(sys.executable).parent / "trull"
    done = subprocess.run([installed, "--version"], capture_output=True)
    assert done.returncode == 0
    assert done.stdout.startswith(b"trull ")
