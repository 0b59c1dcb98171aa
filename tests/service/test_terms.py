"""The names of the game's things: one for each id, in every language, and each of them said once."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

import pytest

from records.session_view import WHY
from records.table_hands import annulments
from service.paper.words import WORDS, name_of
from service.terms import LANGUAGES, TERMS, Said, as_script
from tests.service.document import load_document
from tests.service.page_words import said_by
from trull.events import ANNULMENTS, BONUSES, CONTRA_LEVELS, CONTRACTS, HANDFULS, STAGES, STAKES
from trull.forms import WAYS
from trull.standings import RANKINGS, TIE_BREAKS
from trull.tournament import REASONS
from trull.variants import VARIANTS

NAMED = {
    "result": (*CONTRACTS, *STAKES, *BONUSES, *CONTRA_LEVELS, *STAGES, *HANDFULS, *ANNULMENTS),
    "way": tuple(way for way in WAYS if way),
    "why": (*WHY, *REASONS),
    "role": ("declarer", "partner", "defender", "player"),
    "ranking": (*RANKINGS, *TIE_BREAKS),
    "of": ("won", "lost", "open", "closed"),
}
"""What the interface has ids for. A name of a place of its own begins with the place."""


def items() -> set[str]:
    """What the lines of a score sheet are for, as the document lists them."""
    described = load_document().raw["components"]["schemas"]["Item"]["properties"]["item"]["description"]
    return {*re.findall(r"`(\w+)`", described), *BONUSES}


def names_in_forms() -> Iterator[str]:
    """All that the form of a table asks for or offers, under any variant."""
    for variant in VARIANTS.values():
        yield from annulments(variant)
        for contract, fields, bonuses in variant.game.result_form(variant):
            ways = [way for bonus in bonuses for way in bonus.ways]
            yield from (contract, *(bonus.bonus for bonus in bonuses), *(way.way for way in ways if way.way))
            for field in chain(fields, *(way.fields for way in ways)):
                yield str(field["name"])
                choices = field.get("choices", ())
                assert isinstance(choices, (list, tuple))
                yield from (name for one in choices for name in one["says"])


def test_all_that_a_form_can_send_has_a_name() -> None:
    told = {name for name in names_in_forms() if not name.isdecimal()}
    assert len(told) > 40
    assert told - set(TERMS) == set()


def test_all_lines_of_a_sheet_have_a_name() -> None:
    assert {"undershoot", "contract", "penalty", "pagat"} <= items()
    assert items() - set(TERMS) == set()


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_id_has_a_name(kind: str, language: str) -> None:
    assert all(name_of(language, kind, value) for value in NAMED[kind])


def test_why_a_hand_does_not_count_is_said_with_its_place() -> None:
    """Pages ask for it so; and a hand that has failed is none that the declarer has."""
    assert {f"why_{why}" for why in NAMED["why"]} == {name for name in TERMS if name.startswith("why_")}


@pytest.mark.parametrize("words", [TERMS, WORDS], ids=["terms", "sheets"])
def test_each_word_is_there_in_every_language(words: dict[str, Said]) -> None:
    for name, said in words.items():
        places = [re.findall(r"\{\d\}", one) for one in said]
        assert all(one.strip() == one != "" for one in said), name
        assert places == [places[0]] * len(LANGUAGES), name
        assert re.search("[А-яЁё№]", said.ru), name  # nothing was left in another language


def test_nothing_has_two_names() -> None:
    """Neither the same id in two places, nor the same words under two names."""
    pages = [said_by(file) for file in ("words.js", "table-words.js")]
    assert all(page["en"] for page in pages)
    names = Counter(chain(TERMS, WORDS, *(page["en"] for page in pages)))
    assert [name for name, times in names.items() if times > 1] == []
    terms = set(TERMS.values())
    elsewhere = {name: said for name, said in WORDS.items() if said in terms}
    for page in pages:
        said = {name: Said(*(page[language][name] for language in LANGUAGES)) for name in page["en"]}
        elsewhere |= {name: one for name, one in said.items() if one in terms}
    assert elsewhere == {}


def test_the_script_tells_them_all() -> None:
    told = re.fullmatch(r'"use strict";\nconst TERMS = (.*);\n', as_script().decode(), re.S)
    assert told is not None
    assert json.loads(told[1]) == {
        language: {name: getattr(said, language) for name, said in TERMS.items()} for language in LANGUAGES
    }
    assert as_script() is as_script()
