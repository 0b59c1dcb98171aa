"""The rules as pages: docs/rules of the repository as HTML, with an anchor for each clause."""

from __future__ import annotations

import itertools
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, request
from markdown_it import MarkdownIt
from markdown_it.token import Token
from werkzeug.exceptions import NotFound

from service.docs import CONTENT_POLICY, lead_to
from trull.variants import VARIANTS

RULES: Final = Path(__file__).parent.parent / "docs" / "rules"
PAGES: Final = ("french-tarot", "illustrated-tarock", "tournaments", *VARIANTS)
"""Of the families of games, of tournaments, and of the rule sets."""

_CLAUSE: Final = re.compile(r"(?:\*\*)?([A-Z]{2}-\d+(?:\.\d+)?)(?:\*\*)? ")
"""How a clause and a section begin."""
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>{title}</title>
  <link rel="icon" href="{assets}favicon-32x32.png">
  <link rel="stylesheet" href="{assets}rules.css">
</head>
<body>
{way}{text}</body>
</html>
"""

blueprint = Blueprint("rulebook", __name__, url_prefix="/docs/rules")


@blueprint.get("", strict_slashes=False)
def index() -> Response:
    """What pages there are; its own links are relative to the path without a slash at the end."""
    if request.path.endswith("/"):
        return lead_to("../rules")
    return _page_of("README", assets="", pages="rules/")


@blueprint.get("/<page>", strict_slashes=False)
def rules(page: str) -> Response:
    """The rules of a family of games or of tournaments, or a rule set."""
    if page not in PAGES:
        raise NotFound
    if request.path.endswith("/"):
        return lead_to(f"../{page}")
    return _page_of(page, assets="../", pages="")


def _page_of(name: str, assets: str, pages: str) -> Response:
    headers = {"Content-Security-Policy": CONTENT_POLICY}
    return Response(_html(name, assets, pages), headers=headers, content_type="text/html; charset=utf-8")


@cache
def _html(name: str, assets: str, pages: str) -> bytes:
    """A page with the ways from it to the files that it is made of, and to the other pages."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse((RULES / f"{name}.md").read_text(encoding="utf-8"))
    title = next(token.content for token in tokens if token.type == "inline")
    _anchor(tokens)
    _lead_to_pages(tokens, pages)
    text = reader.renderer.render(tokens, reader.options, {})
    way = (
        '<nav><a href="../rules">All rules</a> · <a href="../../docs">All calls</a></nav>\n' if assets else ""
    )
    return _PAGE.format(title=escape(title), assets=assets, way=way, text=text).encode()


def _anchor(tokens: list[Token]) -> None:
    """Give headings and paragraphs that begin with a clause its id."""
    for opening, inline in itertools.pairwise(tokens):
        begins = _CLAUSE.match(inline.content) if inline.type == "inline" else None
        if begins and opening.type in ("heading_open", "paragraph_open"):
            opening.attrSet("id", begins[1])


def _lead_to_pages(tokens: list[Token], pages: str) -> None:
    """Make links to other files of the folder links to their pages."""
    for inline in tokens:
        for token in inline.children or ():
            if token.type == "link_open":
                token.attrSet("href", pages + str(token.attrGet("href")).replace(".md", ""))
