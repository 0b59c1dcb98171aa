"""The rules as pages: docs/rules of the repository as HTML, with an anchor for each clause."""

from __future__ import annotations

import itertools
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

from flask import Blueprint, Response
from markdown_it import MarkdownIt
from markdown_it.token import Token
from werkzeug.exceptions import NotFound

from service.docs import CONTENT_POLICY
from trull.variants import VARIANTS

RULES: Final = Path(__file__).parent.parent / "docs" / "rules"
PAGES: Final = ("french-tarot", "illustrated-tarock", *VARIANTS)
"""Of the families of games, and of the rule sets."""

_CLAUSE: Final = re.compile(r"(?:\*\*)?([A-Z]{2}-\d+(?:\.\d+)?)(?:\*\*)? ")
"""How a clause and a section begin."""
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>{title}</title>
  <link rel="icon" href="../favicon-32x32.png">
  <link rel="stylesheet" href="../rules.css">
</head>
<body>
{text}</body>
</html>
"""

blueprint = Blueprint("rulebook", __name__, url_prefix="/docs/rules")


@blueprint.get("/<page>")
def rules(page: str) -> Response:
    """The rules of a family of games, or a rule set."""
    if page not in PAGES:
        raise NotFound
    headers = {"Content-Security-Policy": CONTENT_POLICY}
    return Response(_html(page), headers=headers, content_type="text/html; charset=utf-8")


@cache
def _html(page: str) -> bytes:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse((RULES / f"{page}.md").read_text(encoding="utf-8"))
    title = next(token.content for token in tokens if token.type == "inline")
    _anchor(tokens)
    _lead_to_pages(tokens)
    text = reader.renderer.render(tokens, reader.options, {})
    return _PAGE.format(title=escape(title), text=text).encode()


def _anchor(tokens: list[Token]) -> None:
    """Give headings and paragraphs that begin with a clause its id."""
    for opening, inline in itertools.pairwise(tokens):
        begins = _CLAUSE.match(inline.content) if inline.type == "inline" else None
        if begins and opening.type in ("heading_open", "paragraph_open"):
            opening.attrSet("id", begins[1])


def _lead_to_pages(tokens: list[Token]) -> None:
    """Make links to other files of the folder links to their pages."""
    for inline in tokens:
        for token in inline.children or ():
            if token.type == "link_open":
                token.attrSet("href", str(token.attrGet("href")).replace(".md", ""))
