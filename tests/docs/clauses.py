"""What docs/rules says, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.support.processes import ROOT

RULES: Final = ROOT / "docs" / "rules"


@dataclass(frozen=True)
class Clause:
    """A clause of a family's page: its title, what it says, and the tags of its sources."""

    id: str
    title: str
    text: str
    sources: tuple[str, ...]


@cache
def clauses_of(family: str) -> Mapping[str, Clause]:
    """The clauses of a family's page by id, in their order; tables inside them are left out."""
    page = (RULES / f"{family}.md").read_text()
    found = {}
    for part in re.split(r"^(?=\*\*[A-Z]{2}-\d+\.\d+\*\*)|^#+ .*$", page, flags=re.M)[1:]:
        head = re.match(r"\*\*([A-Z]{2}-\d+\.\d+)\*\* \*(.+?)\.\* ", part)
        if head is None:
            continue
        told = " ".join(line for line in part[head.end() :].splitlines() if not line.startswith("|"))
        text, _, tags = " ".join(told.split()).rpartition(" [")
        found[head[1]] = Clause(head[1], head[2], text, tuple(tags.rstrip("] ").split("; ")))
    return found


@cache
def tags_of(family: str) -> Mapping[str, str]:
    """The sources of a family by the tag that its page has for them."""
    page = (RULES / f"{family}.md").read_text()
    table = page[page.index("| tag | source |") :].split("\n\n")[0]
    return dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", table, re.M))
