"""Section posts: whole hands posted one by one to a running service, against a Flask echo of the same.

Each append is on disk before its answer; sheets are made at the same time, on the same cores.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench.hands import club
from bench.http import ROOT, echoing, rate
from bench.running import whole_service
from bench.timing import Line
from records.wire import dumps

VARIANT: Final = "illustrated-mayr-sedlaczek-2016"
RECORDS: Final = 300
BOUND: Final = 0.35
ROUNDS: Final = 9
SECONDS: Final = 2.0


def lines() -> Iterator[Line]:
    """The rates, in turns."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records, one = write_records(folder)
        with echoing() as echo, whole_service(folder) as running:
            rate(echo, one)
            post(running.port, records, "warm", SECONDS)
            turns = []
            for number in range(ROUNDS):
                told = post(running.port, records, f"round-{number}", SECONDS)
                turns.append((rate(echo, one), told["answered"] / told["seconds"]))
    ratio = statistics.median(posted / echoed for echoed, posted in turns)
    best = max(posted for _, posted in turns)
    yield Line(f"POST /v1/hands, one by one / echo ({best:,.0f} a second)", ratio, BOUND, "at least")


def write_records(folder: Path) -> tuple[Path, Path]:
    """Files of hands to post, a line each, and of the one whose size is in the middle, for the echo."""
    whole = [_anonymous(hand.as_dict()) for hand in club(VARIANT, RECORDS)]
    records, one = folder / "posts.ndjson", folder / "post.json"
    records.write_bytes(b"".join(record + b"\n" for record in whole))
    one.write_bytes(sorted(whole, key=len)[RECORDS // 2])
    return records, one


def post(
    port: int, records: Path, prefix: str, seconds: float, hands_a_second: float = 0
) -> dict[str, float]:
    """Post hands from another process; what `bench.posting` tells of it."""
    words = [str(port), str(records), prefix, str(seconds), str(hands_a_second)]
    command = [sys.executable, "-m", "bench.posting", *words]
    # What went wrong is said on standard error, which is ours.
    found = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    told: dict[str, float] = json.loads(found.stdout)
    return told


def _anonymous(record: dict[str, Any]) -> bytes:
    """The record without what tells it from others."""
    return dumps({name: value for name, value in record.items() if name not in ("hand_id", "session_id")})
