"""The files of the pages, as far as they can be judged without a browser (tests/browser has one)."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from service.boards import ASSETS
from service.docs import CONTENT_POLICY, OWN
from service.terms import LANGUAGES, as_script
from tests.service.clients import CheckedClient
from tests.service.page_words import known_to, said_by


class Tags(HTMLParser):
    """All tags of a page, and what stands in its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.inline += data if self.tags and self.tags[-1][0] in ("script", "style") else ""


def test_a_board_needs_nothing_that_its_policy_forbids(client: CheckedClient) -> None:
    response = client.get("/boards/whatever")
    assert response.headers["Content-Security-Policy"] == CONTENT_POLICY
    assert response.headers["Referrer-Policy"] == "no-referrer"
    page = Tags(response.get_data(as_text=True))
    assert page.inline.strip() == ""
    names = {name for _, attributes in page.tags for name in attributes}
    assert not [name for name in names if name == "style" or name.startswith("on")]
    asked = [found for _, tag in page.tags if (found := tag.get("src") or tag.get("href"))]
    assert sorted(asked) == sorted(f"/boards/assets/{name}" for name in ASSETS)


@pytest.mark.parametrize("name", ASSETS)
def test_every_file_is_served_as_what_it_is(client: CheckedClient, name: str) -> None:
    response = client.get(f"/boards/assets/{name}")
    assert response.data == (as_script() if name == "terms.js" else (OWN / name).read_bytes())
    assert response.headers["Content-Type"] == ASSETS[name]
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_every_word_is_said_in_every_language() -> None:
    said = said_by("words.js")
    assert list(said) == list(LANGUAGES)
    for language in LANGUAGES:
        assert list(said[language]) == list(said["en"])
        for name, text in said[language].items():
            assert text, f"{language}.{name}"
            assert re.findall(r"\{\d\}", text) == re.findall(r"\{\d\}", said["en"][name]), name


def test_every_word_that_a_page_asks_for_is_there(client: CheckedClient) -> None:
    page = Tags(client.get("/boards/whatever").get_data(as_text=True))
    asked = {attributes["data-word"] for _, attributes in page.tags if "data-word" in attributes}
    asked |= set(re.findall(r'word\("(\w+)"', (OWN / "board.js").read_text()))
    asked |= set(re.findall(r'word\("(\w+)"', (OWN / "tournament.js").read_text()))
    assert len(asked) > 30
    assert asked - known_to("words.js") == set()
