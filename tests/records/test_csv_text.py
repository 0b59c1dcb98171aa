"""CSV that every spreadsheet opens, and in which nothing is a formula."""

from __future__ import annotations

import csv

import pytest

from records.csv_text import Cell, harmless, write_csv

ROWS: list[list[Cell]] = [["name", "points"], ["Béla, the 2nd", -25.5], ['say "x"; y', 100], [None, 0]]


def test_with_commas() -> None:
    text = write_csv(ROWS)
    assert text == 'name,points\r\n"Béla, the 2nd",-25.5\r\n"say ""x""; y",100\r\n,0\r\n'.encode()


def test_with_semicolons_decimal_commas_and_a_mark() -> None:
    text = write_csv(ROWS, excel=True)
    assert text.startswith(b"\xef\xbb\xbf")
    assert text[3:] == 'name;points\r\nBéla, the 2nd;-25,5\r\n"say ""x""; y";100\r\n;0\r\n'.encode()


@pytest.mark.parametrize("text", ["=1+1", "+49 30", "-x", "@SUM(A1)", "\t=1", "\r=1", "＝1", "＠x"])
def test_no_text_is_a_formula(text: str) -> None:
    assert harmless(text) == f"'{text}"
    (row,) = csv.reader(write_csv([[text]]).decode().splitlines())
    assert row[0][0] == "'"


@pytest.mark.parametrize("text", ["", "Anna", "a=b", "1-2", "'=x"])
def test_other_texts_are_as_they_are(text: str) -> None:
    assert harmless(text) == text


def test_numbers_are_no_texts() -> None:
    assert write_csv([[-446, -0.5]]) == b"-446,-0.5\r\n"
