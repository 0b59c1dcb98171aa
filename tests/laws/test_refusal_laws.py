"""Laws of refusal: what is wrong by construction is refused for what it is, at its place."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given

from tests.laws.lawbook import KINDS, SEEDS, each_kind, hand_of, law, read, refusal_of, table_of
from tests.laws.wrongs import wrongs
from tests.support.hands import Telling, record, told
from tests.support.sentences import is_sentence
from tests.support.tables import Event, Table
from trull import RulesError


def events_of(table: Table) -> list[Event]:
    return [event for _, event in table.story]


@each_kind
@law(40)
@given(SEEDS)
def test_a_wrong_event_is_refused_for_what_it_is(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    whole = table_of(kind, seed)
    early = [at for at in range(1, len(whole.story)) if whole.story[at][1]["type"] != "card_played"]
    places = {chance.randint(1, len(whole.story)), *chance.sample(early, min(2, len(early)))}
    for place in sorted(places):
        table = whole.upto(place)
        known = wrongs(table)
        for wrong in chance.sample(known, min(len(known), 25)):
            # What follows the faulty event makes no difference.
            loaded = read(record(table, [*events_of(table), wrong.event, *events_of(whole)[place:]]))
            refusal = refusal_of(loaded.variant, loaded.events)
            assert refusal is not None, wrong
            assert (refusal.code, refusal.index) == (wrong.code, place), f"{wrong}: {refusal}"
            assert refusal.path == wrong.path or not wrong.path, f"{wrong}: {refusal.path}"
            assert refusal.seq is None
            assert refusal.clause
            assert wrong.clause in (None, refusal.clause), f"{wrong}: {refusal.clause}"
            assert is_sentence(refusal.detail), refusal.detail


def test_every_code_is_met() -> None:
    """The wrong events between them bring all refusals but those of deals and results."""
    codes: Counter[str] = Counter()
    for kind in KINDS:
        for seed in range(20):
            table = table_of(kind, seed)
            for place in range(1, min(15, len(table.story))):
                codes.update(wrong.code for wrong in wrongs(table.upto(place)))
    of_play = ("illegal-bid", "illegal-call", "illegal-talon", "illegal-discard", "illegal-play")
    of_words = ("illegal-announcement", "illegal-contra", "event-out-of-place", "wrong-turn", "card-not-held")
    assert set(codes) == {*of_play, *of_words}
    assert min(codes.values()) > 20


@each_kind
@law(40)
@given(SEEDS)
def test_a_deal_is_the_pack_once(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    table = table_of(kind, seed)
    deal = table.story[0][1]
    first, second = chance.sample(table.players, 2)
    hands = deal["hands"]
    foreign = "S2" if table.variant.startswith("illustrated") else None

    def dealt(changes: dict[str, list[str]], talon: list[str] | None = None) -> RulesError:
        made = {**deal, "hands": {**hands, **changes}, "talon": deal["talon"] if talon is None else talon}
        with pytest.raises(RulesError) as caught:
            hand_of(record(table, [made]))
        assert caught.value.index == 0
        return caught.value

    doubled = dealt({second: [hands[first][0], *hands[second][1:]]})
    later = max(first, second, key=table.players.index)
    assert (doubled.code, doubled.path) == ("duplicate-card", ("hands", table.players.index(later), 0))
    in_talon = dealt({}, [*deal["talon"][:-1], hands[first][-1]])
    assert (in_talon.code, in_talon.path) == ("duplicate-card", ("talon", len(table.talon) - 1))
    short = dealt({first: hands[first][1:]})
    assert (short.code, short.path) == ("incomplete-deck", ("hands", table.players.index(first)))
    less = dealt({}, deal["talon"][1:])
    assert (less.code, less.path) == ("incomplete-deck", ("talon",))
    moved = dealt({first: hands[first][1:], second: [*hands[second], hands[first][0]]})
    assert moved.code == "incomplete-deck"
    if foreign is not None:
        other = dealt({first: [foreign, *hands[first][1:]]})
        assert (other.code, other.path) == ("incomplete-deck", ())


@each_kind
@law(25)
@given(SEEDS)
def test_a_revoke_shows_when_the_hand_is_whole(kind: str, seed: int) -> None:
    """Without the deal the rules of play are judged in the end, at the card that broke them."""
    whole = table_of(kind, seed)
    chance = random.Random(seed)
    place, wrong = _revoke(whole, chance)
    assume(wrong is not None)
    table = whole.upto(place)
    table._tell(wrong)
    table.story.append(([], wrong))
    while not table.over:
        plays = [event for event in table.allowed() if event["type"] == "card_played"]
        table.tell(chance.choice(plays))
    tricks = chance.choice((0.0, 1.0))
    bare = told(table, chance, Telling(tricks=tricks, deal=False))
    hand_of(record(table, bare["events"][:-1]))
    with pytest.raises(RulesError) as caught:
        hand_of(bare)
    refused = caught.value
    assert refused.code == "illegal-play"
    at = bare["events"][refused.index]
    assert (at.get("card") or at["cards"][_place(refused)]) == wrong["card"]
    assert refused.seq == refused.index + 1


def _place(refusal: RulesError) -> int:
    name, place = refusal.path
    assert name == "cards"
    assert isinstance(place, int)
    return place


def _revoke(whole: Table, chance: random.Random) -> tuple[int, Any]:
    """A place in the story and a card, held but not legal there."""
    plays = [at for at, (_, event) in enumerate(whole.story) if event["type"] == "card_played"]
    for place in chance.sample(plays, len(plays)):
        table = whole.upto(place)
        if table.phase != "play":
            continue
        bad = [card for card in table.hands[table.turn] if card not in table.playable()]
        if bad:
            return place, table.event("card_played", table.turn, card=chance.choice(bad))
    return 0, None
