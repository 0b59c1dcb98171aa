"""What the page of a table is made of, as far as that can be told without a browser."""

from __future__ import annotations

import re

from service.docs import OWN
from service.terms import LANGUAGES
from tests.service.clients import CheckedClient
from tests.service.page_words import known_to, said_by


def test_all_it_asks_for_is_served(client: CheckedClient) -> None:
    response = client.get("/tables/whatever")
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert response.headers["Referrer-Policy"] == "no-referrer"
    text = response.get_data(as_text=True)
    links = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert len(links) == 7
    for link in links:
        assert client.get(link).status_code == 200, link
    assert "://" not in text
    assert client.get("/tables/assets/table.html").status_code == 404


def test_it_says_the_same_in_all_languages() -> None:
    own = said_by("table-words.js")
    assert list(own) == list(LANGUAGES)
    assert len(own["en"]) > 40
    for language in LANGUAGES:
        assert list(own[language]) == list(own["en"]), language
    used = set()
    for file in ("table.js", "table-form.js"):
        used |= set(re.findall(r'\b(?:word|named|say|button)\("(\w+)"', (OWN / file).read_text()))
    used |= set(re.findall(r'data-word="(\w+)"', (OWN / "table.html").read_text()))
    assert used - known_to("words.js", "table-words.js") == set()
