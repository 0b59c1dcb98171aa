"""Sheets as tests read them: the cells of a page of HTML, the words of a PDF, the rows of files."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser
from typing import Any

import openpyxl
import pypdf

from tests.service.clients import CheckedClient

LANGUAGES = ("en", "de", "fr", "ru")


class Page(HTMLParser):
    """A page: its tables as rows of cells, the tags that it has, and what stands outside of the tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._in_cell = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1] += data
        else:
            self.text += data


def get(client: CheckedClient, path: str, how: str, lang: str | None = "en") -> bytes:
    """A sheet in one of its forms."""
    query = {"format": how, **({} if lang is None else {"lang": lang})}
    response = client.get(path, query_string=query)
    assert response.status_code == 200, response.get_data(as_text=True)
    return response.get_data()


def page_of(body: bytes) -> Page:
    return Page(body.decode())


def pdf_of(body: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(body), strict=True)


def words_of(body: bytes) -> str:
    """The text of a PDF, its lines joined."""
    return " ".join(" ".join(page.extract_text().split()) for page in pdf_of(body).pages)


def csv_of(body: bytes, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""), delimiter=delimiter))


def book_of(body: bytes) -> Any:
    return openpyxl.load_workbook(io.BytesIO(body))
