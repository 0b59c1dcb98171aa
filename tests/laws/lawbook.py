"""What the laws have in common: hands of every kind, and how a record is read and scored."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from records.record import HandRecord
from records.schemas import load_record
from tests.support.hands import PLAIN, VARIANT_IDS, Telling, play_out, told, trischaken
from tests.support.tables import Event as Sent
from tests.support.tables import Table
from trull import Hand, RulesError, Variant, replay, score
from trull.events import Event
from trull.variants import VARIANTS

KINDS: Final = [*VARIANT_IDS, "trischaken"]
"""Every variant, and Beck's Trischaken."""

each_kind: Final = pytest.mark.parametrize("kind", KINDS)

SEEDS: Final = st.integers(0, 2**32 - 1)
"""Of the chance that deals, plays and tells a hand."""

TELLINGS: Final = st.builds(
    Telling,
    tricks=st.sampled_from((0.0, 0.5, 1.0)),
    deal=st.sampled_from((True, True, False)),
    slips=st.sampled_from((0, 0, 3)),
    penalties=st.sampled_from((0, 0, 2)),
    cut=st.just(1.0) | st.floats(0.02, 1),
    annulled=st.sampled_from((False,) * 7 + (True,)),
)


def law(examples: int) -> settings:
    """So many examples, the same ones in every run."""
    return settings(settings.get_profile("ci"), max_examples=examples)


def table_of(kind: str, seed: int) -> Table:
    """A hand of that kind, played to its end or passed out."""
    chance = random.Random(seed)
    return trischaken("illustrated-beck", chance) if kind == "trischaken" else play_out(kind, chance)


def record_of(kind: str, seed: int, telling: Telling = PLAIN) -> dict[str, Any]:
    """The wire record of a hand of that kind."""
    return told(table_of(kind, seed), random.Random(seed), telling)


def read(record: dict[str, Any]) -> HandRecord:
    """The record as the rules take it; one without any event too."""
    return load_record(record, fewest_events=0)


def hand_of(record: dict[str, Any]) -> Hand:
    loaded = read(record)
    return replay(loaded.variant, loaded.events)


def refusal_of(variant: Variant, events: Sequence[Event]) -> RulesError | None:
    """How the rules refuse these events, if they do."""
    try:
        replay(variant, events)
    except RulesError as refusal:
        return refusal
    return None


def sheet_of(record: dict[str, Any], under: str | None = None) -> dict[str, Any]:
    """The wire sheet of a wire record."""
    loaded = read(record)
    hand = replay(loaded.variant, loaded.events)
    sheet = score(hand, None if under is None else VARIANTS[under])
    return sheet.as_dict(loaded.players, loaded.hand_id, len(loaded.events))


def cards_of(event: Sent) -> list[str]:
    """Every card that an event names."""
    named = list(event.get("cards", ())) + list(event.get("talon", ()))
    named += [event["card"]] if "card" in event else []
    return named + [card for hand in event.get("hands", {}).values() for card in hand]


def state(hand: Hand) -> dict[str, Any]:
    """All that a hand remembers."""
    return {name: getattr(hand, name) for name in Hand.__slots__}
