"""What the page of a table is made of, as far as that can be told without a browser."""

from __future__ import annotations

import re

from service.docs import OWN
from tests.service.clients import CheckedClient
from trull.events import BONUSES, CONTRA_LEVELS, CONTRACTS, HANDFULS, STAGES, STAKES
from trull.forms import WAYS
from trull.variants import VARIANTS

LANGUAGES = ("en", "de", "fr", "ru")


def words(file: str) -> dict[str, set[str]]:
    """The names of the words of each language."""
    text = (OWN / file).read_text()
    found = {}
    for language in LANGUAGES:
        section = re.search(rf"^  {language}: {{\n(.*?)^  }},\n", text, re.M | re.S)
        assert section is not None, language
        without_texts = re.sub(r'"(?:[^"\\]|\\.)*"', '""', section[1])
        found[language] = set(re.findall(r"(\w+): \"\"", without_texts))
    return found


def test_all_it_asks_for_is_served(client: CheckedClient) -> None:
    response = client.get("/tables/whatever")
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
    assert response.headers["Referrer-Policy"] == "no-referrer"
    text = response.get_data(as_text=True)
    links = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert len(links) == 6
    for link in links:
        assert client.get(link).status_code == 200, link
    assert "://" not in text
    assert client.get("/tables/assets/table.html").status_code == 404


def test_it_says_the_same_in_all_languages() -> None:
    own, shared = words("table-words.js"), words("words.js")
    assert len(own["en"]) > 75
    for language in LANGUAGES:
        assert own[language] == own["en"], language
    used = set()
    for file in ("table.js", "table-form.js"):
        used |= set(re.findall(r'\b(?:word|named|say|button)\("(\w+)"', (OWN / file).read_text()))
    used |= set(re.findall(r'data-word="(\w+)"', (OWN / "table.html").read_text()))
    assert used - own["en"] - shared["en"] == set()


def test_it_has_a_word_for_all_that_the_form_names() -> None:
    known = words("table-words.js")["en"] | words("words.js")["en"]
    said = {
        str(part)
        for variant in VARIANTS.values()
        for form in variant.game.result_form(variant)
        for field in [*form.fields, *(own for _, ways in form.bonuses for way in ways for own in way.fields)]
        for part in [field["name"], *(says for one in field.get("choices", ()) for says in one["says"])]  # type: ignore[attr-defined]
    }
    ids = {*CONTRACTS, *BONUSES, *CONTRA_LEVELS, *HANDFULS, *STAGES, *STAKES, *(way for way in WAYS if way)}
    assert {name for name in said | ids if not name.isdecimal()} - known == set()
