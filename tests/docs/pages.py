"""The fenced blocks of a page, run in their order in one shell, and what they print held against the page.

A block's kind is the first word behind its fence:

- ``sh``: commands. They run in the folder of a reader who stands in a checkout, one shell for the whole page.
- ``python``, ``js``, ``json``, … with a second word: the file of that name, as the reader saves it. Python
  with ``>>>`` is an example for doctest.
- ``json``, ``jsonl`` and ``text`` without one: what the commands just before print, shortened where ``…``
  stands.

A comment ``<!-- not run: reason -->`` before a block keeps it from being run.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from markdown_it import MarkdownIt

SHOWN: Final = ("json", "jsonl", "text")
ADDRESS: Final = "127.0.0.1:8000"
REST: Final = "…"
_NOT_RUN: Final = re.compile(r"<!-- not run: (\S.*) -->")


@dataclass(frozen=True)
class Block:
    """A fenced block: its page's name and its line there, kind, file name if it is a file, and content."""

    page: str
    line: int
    kind: str
    file: str
    content: str
    not_run: str | None = None

    @property
    def is_shown(self) -> bool:
        """Whether it is what commands print."""
        return self.kind in SHOWN and not self.file

    @property
    def is_example(self) -> bool:
        """Whether it is an example for doctest."""
        return self.kind == "python" and not self.file and ">>>" in self.content

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Step:
    """Commands, or a file to save, and what is shown of the output."""

    block: Block
    shown: tuple[Block, ...] = ()

    @property
    def needs_node(self) -> bool:
        """Whether its commands are for node."""
        return self.block.kind == "sh" and re.search(r"^node ", self.block.content, re.M) is not None

    def script(self) -> str:
        """What the shell is given for it."""
        if self.block.kind == "sh":
            return self.block.content
        end = f"END OF {self.block.file}"
        return f"cat > {self.block.file} <<'{end}'\n{self.block.content}{end}\n"


def blocks_of(path: Path) -> Iterator[Block]:
    """The blocks of a page, in order."""
    reason = None
    for token in MarkdownIt("commonmark").parse(path.read_text()):
        if token.type == "html_block":
            said = _NOT_RUN.fullmatch(token.content.strip())
            reason = said[1] if said else None
        elif token.type == "fence":
            assert token.map is not None
            kind, _, file = token.info.partition(" ")
            yield Block(path.name, token.map[0] + 1, kind, file, token.content, reason)
            reason = None


def steps_of(path: Path) -> list[Step]:
    """What is to be done on the page, one after the other. Fails for a block of which nothing is known."""
    steps: list[Step] = []
    for block in blocks_of(path):
        if block.not_run or block.is_example:
            continue
        if block.is_shown:
            assert steps, f"{block} is shown, and nothing was run before"
            assert steps[-1].block.kind == "sh", f"{block} is shown, and a file prints nothing"
            steps[-1] = Step(steps[-1].block, (*steps[-1].shown, block))
        else:
            assert block.kind == "sh" or block.file, f"{block} is neither commands, a file nor what is shown"
            steps.append(Step(block))
    return steps


def run(steps: list[Step], folder: Path, env: Mapping[str, str], address: str) -> list[str]:
    """Run them in one shell, and answer what each has printed. Fails where commands fail.

    The address of the pages stands for that of the service that runs here.
    """
    mark = "=== the end of a step ==="
    parts = [f"{step.script().rstrip()}\nprintf '%s%s\\n' '{mark}' $?\n" for step in steps]
    script = folder / ".page.sh"
    script.write_text("".join(parts).replace(ADDRESS, address))
    done = subprocess.run(
        ["bash", script.name], cwd=folder, env=env, capture_output=True, text=True, timeout=100
    )
    printed = re.split(rf"{mark}(\d+)\n", done.stdout.replace(address, ADDRESS))
    outputs = printed[0:-1:2]
    for step, output, code in zip(steps, outputs, printed[1::2], strict=False):
        assert code == "0", f"{step.block}: exit code {code}\n{output}\n{done.stderr}"
    assert len(outputs) == len(steps), f"the shell ended early:\n{done.stdout}\n{done.stderr}"
    return outputs


def check(step: Step, output: str) -> None:
    """Fail unless what is shown is what was printed."""
    if not step.shown:
        assert '"urn:trull:problem:' not in output, f"{step.block}: refused, and nobody says so\n{output}"
        return
    [block] = step.shown
    if block.kind == "text":
        found = output if output.endswith("\n") else f"{output}\n"
        assert _pattern(block.content).fullmatch(found), f"{block} is shown, but this was printed:\n{output}"
        return
    read = json.loads if block.kind == "json" else _lines
    difference = differs(read(block.content), read(output))
    assert difference is None, f"{block}: {difference}\n{output}"


def _lines(text: str) -> list[Any]:
    """The values of lines of JSON; a line of nothing but ``…`` is itself."""
    return [line if line == REST else json.loads(line) for line in text.splitlines()]


def differs(shown: Any, told: Any, at: str = "") -> str | None:
    """Where JSON that is shown is not that which was told, or ``None``.

    An object may lack names, a list that ends with ``…`` may go on, and in a string ``…`` is anything.
    """
    if isinstance(shown, dict) and isinstance(told, dict):
        for name, value in shown.items():
            if name not in told:
                return f"{at}/{name} is not there"
            found = differs(value, told[name], f"{at}/{name}")
            if found:
                return found
        return None
    if isinstance(shown, list) and isinstance(told, list):
        begins = shown[:-1] if shown[-1:] == [REST] else shown
        if len(begins) > len(told) or (begins is shown and len(begins) != len(told)):
            return f"{at} has {len(told)} items"
        pairs = enumerate(zip(begins, told, strict=False))
        return next(filter(None, (differs(*pair, f"{at}/{index}") for index, pair in pairs)), None)
    if isinstance(shown, str) and isinstance(told, str) and REST in shown:
        return None if _pattern(shown).fullmatch(told) else f"{at} is {told!r}"
    return None if type(shown) is type(told) and shown == told else f"{at} is {told!r}"


def _pattern(shown: str) -> re.Pattern[str]:
    """A line of nothing but ``…`` is any lines; elsewhere it is anything in its line."""
    lines = (
        "(?:.*\n)*" if line == f"{REST}\n" else re.escape(line).replace(REST, ".*")
        for line in shown.splitlines(keepends=True)
    )
    return re.compile("".join(lines))
