"""The real command, run as a program, and files of records for it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.service.golden import load_cases
from tests.support.processes import ROOT

COMMAND = [sys.executable, "-m", "cli"]
Object = dict[str, Any]

GOLDEN: list[Object] = [case.record for case in load_cases("full", "result", "published", "real-french")]


def run(
    *arguments: str | Path, given: bytes = b"", timeout: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """Run the command to its end, with these bytes as its standard input."""
    words = [*COMMAND, *map(str, arguments)]
    return subprocess.run(words, input=given, capture_output=True, cwd=ROOT, timeout=timeout)


def objects(lines: bytes) -> list[Object]:
    """The lines as JSON; the last one has its end too."""
    assert not lines or lines.endswith(b"\n")
    return [json.loads(line) for line in lines.split(b"\n")[:-1]]


def ndjson(records: Iterable[object]) -> bytes:
    """A line for each; what is bytes already is a line as it is."""
    return b"".join(
        (record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode()) + b"\n"
        for record in records
    )


def season(count: int, variants: Sequence[str] = ()) -> list[Object]:
    """So many records, each with an id of its own: the golden ones of these variants over and over."""
    hands = [record for record in GOLDEN if not variants or record["variant"] in variants]
    return [{**hands[at % len(hands)], "hand_id": f"h{at}"} for at in range(count)]
