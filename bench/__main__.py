"""`python -m bench [SECTION…]`: one table of ratios; ends with 1 where a bound is not kept.

A section is a module of this folder with a function `lines()`, and has a line in `SECTIONS`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Final

from bench.timing import Line

SECTIONS: Final = ("boundary", "rules", "http", "posts", "memory", "drain", "imports", "rescore")


def main(wanted: list[str]) -> int:
    """Run the sections, all of them by default, and print each line when it is known."""
    unknown = set(wanted).difference(SECTIONS)
    if unknown:
        print(f"No section {', '.join(sorted(unknown))}; there are: {', '.join(SECTIONS)}.", file=sys.stderr)
        return 2
    all_kept = True
    for section in wanted or SECTIONS:
        print(f"\n{section}", flush=True)
        for line in lines_of(section):
            print(shown(line), flush=True)
            all_kept &= line.passed
    return 0 if all_kept else 1


def lines_of(section: str) -> Iterator[Line]:
    """The lines of a section, as they are measured."""
    found: Iterator[Line] = importlib.import_module(f"bench.{section}").lines()
    return found


def shown(line: Line) -> str:
    """A line of the table: mark, value, bound and name."""
    mark = "  " if line.bound is None else "ok" if line.passed else "NO"
    bound = "" if line.bound is None else f"{line.kept} {line.bound:g}"
    return f"  {mark}  {line.value:10,.2f} {line.unit:<6} {bound:<14} {line.name}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
