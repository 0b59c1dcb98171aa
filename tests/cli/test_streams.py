"""Pipes, terminals and large inputs."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import termios
from pathlib import Path

from tests.cli.command import COMMAND, ndjson, objects, run, season
from tests.support.processes import ROOT

TAROCK = ("illustrated-beck", "illustrated-mayr-sedlaczek-2016")


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    records = tmp_path / "records"
    records.write_bytes(ndjson(season(3_000, TAROCK)))
    for jobs in ("1", "2"):
        command = [*COMMAND, "score", "--jobs", jobs, str(records)]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        ) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            assert running.stdout.read(100)
            running.stdout.close()
            assert running.stderr.read() == b""
        assert running.returncode == 141  # what a shell shows for a program that a closed pipe has ended
    listing = subprocess.run(
        f"{' '.join(COMMAND)} variants illustrated-beck | true; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        cwd=ROOT,
        capture_output=True,
    )
    assert listing.stderr == b""
    assert listing.stdout.strip() in (b"0", b"141")


def test_records_that_come_one_by_one_are_answered_at_once() -> None:
    with subprocess.Popen(
        [*COMMAND, "score", "-"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for record in season(3):
            running.stdin.write(ndjson([record]))
            assert select.select([running.stdout], [], [], 20)[0], "no answer while the pipe is open"
            assert objects(running.stdout.readline())[0]["hand_id"] == record["hand_id"]
        running.stdin.close()
        assert running.stdout.read() == b""
    assert running.returncode == 0


def test_a_pipe_gives_what_a_file_gives(tmp_path: Path) -> None:
    records = tmp_path / "records"
    records.write_bytes(ndjson(season(1_500)))
    with subprocess.Popen(
        [*COMMAND, "score", "--jobs", "2", "-"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        told, _ = running.communicate(records.read_bytes())
    assert told == run("score", "--jobs", "1", records).stdout


def test_the_bar_is_for_terminals(tmp_path: Path) -> None:
    records, out = tmp_path / "records", tmp_path / "out"
    records.write_bytes(ndjson([*season(2_000, TAROCK), b"{}"]))
    shown = on_terminal("rescore", "--variant", TAROCK[0], "--out", out, records)
    assert "100%" in shown
    assert re.search(r"2,001 hands, 1 refused", shown)
    assert "trull rescore: 2,001 records, 1 refused" in shown
    out.unlink()
    assert on_terminal("rescore", "--quiet", "--variant", TAROCK[0], "--out", out, records) == ""


def on_terminal(*words: str | Path) -> str:
    """What the command shows on a terminal that its messages go to."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    with subprocess.Popen(
        [*COMMAND, *map(str, words)], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ) as running:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # how the other end's closing reads on Linux
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    assert running.returncode == 1
    return shown.decode()


PEAK = """
import os, resource, sys
code = os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-m", "cli", *sys.argv[1:]])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def peak(*words: str | Path) -> int:
    """The most memory that any process of the command took, in KiB."""
    done = subprocess.run([sys.executable, "-c", PEAK, *map(str, words)], cwd=ROOT, capture_output=True)
    assert done.returncode == 1, done.stderr
    return int(done.stdout)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    records = [*season(2_000, TAROCK), {"hand_id": "bad"}]
    few, many, out = tmp_path / "few", tmp_path / "many", tmp_path / "out"
    few.write_bytes(ndjson(records))
    times = 20
    with many.open("wb") as file:
        for _ in range(times):
            file.write(few.read_bytes())
    words = ("rescore", "--jobs", "2", "--variant", TAROCK[0], "--out", out)
    small = peak(*words, few)
    # How many chunks are on their way at once is chance; that is all that may differ.
    most = small + (many.stat().st_size - few.stat().st_size) // 1024 // 4
    out.unlink()
    assert peak(*words, many) < most
    with out.open("rb") as answers:
        assert sum(1 for _ in answers) == times * len(records)
    # To find out that there is nothing more to do takes no more either.
    assert peak(*words, many) < most
