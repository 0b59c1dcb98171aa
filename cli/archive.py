"""`trull archive`: old hands out of Redis into a file, and back. The only command that needs the store."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

DESCRIPTION: Final = """\
write takes the hands that are finished and had no new event for N days into
FILE (gzipped NDJSON, one readable line a hand), reads the file back, and then
takes each hand out of Redis, unless it has changed meanwhile. Stopped on the
way, it goes on when the same command is given again. restore puts the hands of
a file back where they were; what is there already stays as it is.

The store is that of TRULL_REDIS_URL, or else that of `make run` on the data
in TRULL_DATA_DIR (default ./data), which has to be running.
"""
EXITS: Final = """\
exit codes:
  0  all of it is done
  1  some hands were left as they are, and are named
  2  the command cannot be carried out
"""


def add_to(commands: Any) -> None:
    """Add the command and its three actions to the parsers of `trull`."""
    raw = argparse.RawDescriptionHelpFormatter
    what = "take old hands out of Redis into a file, and put them back"
    archive = commands.add_parser(
        "archive", help=what, description=DESCRIPTION, epilog=EXITS, formatter_class=raw
    )
    actions = archive.add_subparsers(metavar="ACTION", dest="action", required=True)
    write = actions.add_parser("write", help="take old hands out of Redis into a new FILE")
    write.add_argument("file", metavar="FILE", type=Path)
    write.add_argument(
        "--older-than", metavar="DAYS", type=_days, required=True, help="days since the last event was added"
    )
    write.add_argument("--keep", action="store_true", help="write the file, and take nothing out of Redis")
    write.add_argument("--tenant", default="default", help=argparse.SUPPRESS)
    check = actions.add_parser("check", help="read FILE to its end, and say whether it is whole")
    check.add_argument("file", metavar="FILE", type=Path)
    restore = actions.add_parser("restore", help="put the hands of FILE back into Redis")
    restore.add_argument("file", metavar="FILE", type=Path)
    archive.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry out `trull archive`. Gives the exit code."""
    # Only here: nobody else who calls `trull` should wait for the client of a store.
    from cli import archiving

    return archiving.run(given)


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1
    if not 0 <= days <= 36_525:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days from 0 to 36525")
    return days
