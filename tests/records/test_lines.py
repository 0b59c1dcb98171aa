"""NDJSON cut into blocks: the same lines however they come, and never too much of them at once."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.lines import MAX_LINE, Block, blocks


def lines_of(pieces: list[bytes], size: int) -> list[tuple[int, bytes]]:
    return [line for block in blocks(pieces, size) for line in block.lines()]


LINES = st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=30)


@given(LINES, st.integers(1, 40), st.integers(1, 100), st.booleans())
def test_lines_are_the_same_in_whatever_pieces_they_come(
    lines: list[bytes], piece: int, size: int, ends: bool
) -> None:
    body = b"\n".join(lines) + (b"\n" if ends else b"")
    expected = [
        (number, line)
        for number, line in enumerate(body.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)
        if line.strip()
    ]
    pieces = [body[at : at + piece] for at in range(0, len(body), piece)]
    assert lines_of(pieces, size) == expected


@given(LINES, st.integers(1, 40), st.integers(1, 100))
def test_blocks_are_of_whole_lines_and_know_where_they_begin(
    lines: list[bytes], piece: int, size: int
) -> None:
    body = b"x" + b"\n".join(lines)
    pieces = [body[at : at + piece] for at in range(0, len(body), piece)]
    first = 1
    found = list(blocks(pieces, size))
    assert b"".join(block.data for block in found) == body
    for block in found:
        assert block.first == first
        first += block.data.count(b"\n")
    assert all(block.data.endswith(b"\n") for block in found[:-1])


def test_a_byte_order_mark_is_left_out() -> None:
    assert lines_of([b"\xef", b"\xbb\xbf{}\n", b"\xef\xbb\xbf{}"], 1) == [(1, b"{}"), (2, b"\xef\xbb\xbf{}")]


@pytest.mark.parametrize("blank", [b"", b" ", b"\r", b"\t \r"])
def test_blank_lines_are_counted_and_left_out(blank: bytes) -> None:
    assert lines_of([b"a\n" + blank + b"\nb\n" + blank], 1) == [(1, b"a"), (3, b"b")]


def test_a_line_that_is_too_long_is_cut_and_the_next_one_whole() -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"a": 1}\n'
        for _ in range(30):
            yield b"x" * 1_000_000
        yield b'x\n{"b": 2}\n'

    found = [line for block in blocks(pieces(), 1) for line in block.lines()]
    assert [(number, len(line)) for number, line in found] == [(1, 8), (2, MAX_LINE + 1), (3, 8)]


def test_a_line_just_within_the_limit_is_whole() -> None:
    line = b"x" * MAX_LINE
    pieces = [line[at : at + 65_536] for at in range(0, len(line), 65_536)]
    assert lines_of([*pieces, b"\ny"], 1) == [(1, line), (2, b"y")]


def test_an_endless_line_takes_no_endless_memory() -> None:
    piece = b"x" * 65_536
    tracemalloc.start()
    for _ in blocks((piece for _ in range(1_600)), 512_000):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * MAX_LINE


def test_nothing() -> None:
    assert list(blocks([], 1)) == []
    assert list(blocks([b""], 1)) == []
    assert list(Block(1, b"\n\n").lines()) == []
