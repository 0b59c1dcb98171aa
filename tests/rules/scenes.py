"""Short ways to write hands and results down, and to see what the rules make of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from records.schemas import load_record
from tests.support.card_rules import PACK_54, PACK_78
from tests.support.sentences import is_sentence
from trull import Hand, RulesError, Variant, replay, score
from trull.variants import VARIANTS

Sent = dict[str, Any]

LOEW: Final = VARIANTS["illustrated-loew-1954"]
BECK: Final = VARIANTS["illustrated-beck"]
MAYR: Final = VARIANTS["illustrated-mayr-sedlaczek-2016"]
THREE: Final = VARIANTS["french-tarot-3"]
FOUR: Final = VARIANTS["french-tarot-4"]
FIVE: Final = VARIANTS["french-tarot-5"]
TAROCKS: Final = [LOEW, BECK, MAYR]
TAROTS: Final = [THREE, FOUR, FIVE]
NAMES: Final = ["A", "B", "C", "D", "E"]


def players_of(variant: Variant) -> list[str]:
    """A, B, C and so on; A is forehand."""
    return NAMES[: variant.players]


def hand_of(variant: Variant, *events: Sent) -> Hand:
    """The hand after these events."""
    body = {"variant": variant.id, "players": players_of(variant), "events": list(events)}
    record = load_record(body, {variant.id: variant})
    return replay(record.variant, record.events)


def refusal(variant: Variant, *events: Sent) -> RulesError:
    """How the last of these events is refused; the others are legal."""
    if len(events) > 1:
        hand_of(variant, *events[:-1])
    with pytest.raises(RulesError) as caught:
        hand_of(variant, *events)
    assert caught.value.index == len(events) - 1, caught.value.detail
    assert is_sentence(caught.value.detail), caught.value.detail
    return caught.value


def refused(variant: Variant, *events: Sent) -> tuple[str, str]:
    """The code and the clause with which the last of these events is refused."""
    error = refusal(variant, *events)
    return error.code, error.clause


def sheet_of(variant: Variant, *events: Sent, under: Variant | None = None) -> Sent:
    """The wire sheet of these events."""
    hand = hand_of(variant, *events)
    assert all(is_sentence(note.detail) for note in score(hand, under).draft.notes)
    return score(hand, under).as_dict(players_of(variant), "h1", len(events))


def points(sheet: Sent) -> list[int]:
    """The scores by seat."""
    return list(sheet["scores"].values())


def lines(sheet: Sent) -> dict[str, list[int]]:
    """What each kind of item gave, by seat."""
    found: dict[str, list[int]] = {}
    for item in sheet["items"]:
        share = list(item["points"].values())
        known = found.get(item["item"], [0] * len(share))
        found[item["item"]] = [sum(pair) for pair in zip(known, share, strict=True)]
    return found


# --- Events --------------------------------------------------------------------------------------


def deal(variant: Variant, *own: str, talon: str = "") -> Sent:
    """A deal in which each player has at least these cards and the talon begins with its own.

    The rest is dealt out in the order of the pack, and tarocks never make a void deal of it.
    """
    pack = PACK_54 if variant in TAROCKS or variant.family == "illustrated-tarock" else PACK_78
    places = variant.game.deals[variant.players]
    piles = [own[seat].split() if seat < len(own) else [] for seat in range(variant.players)]
    piles.append(talon.split())
    sizes = [places.cards_each] * variant.players + [places.talon]
    named = [card for pile in piles for card in pile]
    assert len(set(named)) == len(named), "a card is named twice"
    assert all(len(pile) <= size for pile, size in zip(piles, sizes, strict=True)), "too many cards"
    rest = [card for card in pack if not any(card in pile for pile in piles)]
    # Dealt round, so that everyone gets some of each kind.
    while rest:
        for pile, size in zip(piles, sizes, strict=True):
            if len(pile) < size and rest:
                pile.append(rest.pop())
    hands = dict(zip(players_of(variant), piles[:-1], strict=True))
    return {"type": "cards_dealt", "hands": hands, "talon": piles[-1]}


def say(word: str, player: str, **fields: Any) -> Sent:
    """Any event of a player."""
    return {"type": word, "player": player, **fields}


def passed(player: str) -> Sent:
    return say("passed", player)


def bid(player: str, contract: str) -> Sent:
    return say("bid_made", player, contract=contract)


def gut(*players: str) -> list[Sent]:
    return [say("bid_accepted", player) for player in players]


def announce(player: str, bonus: str, cards: str = "", **fields: Any) -> Sent:
    shown = {"cards": cards.split()} if cards else {}
    return say("announced", player, bonus=bonus, **shown, **fields)


def contra(player: str, target: str = "game", level: str = "contra") -> Sent:
    return say("contra_called", player, target=target, level=level)


def take(player: str, cards: str) -> Sent:
    return say("talon_taken", player, cards=cards.split())


def lay(player: str, cards: str) -> Sent:
    return say("cards_discarded", player, cards=cards.split())


def play(player: str, card: str) -> Sent:
    return say("card_played", player, card=card)


def trick(cards: str) -> Sent:
    return {"type": "trick_played", "cards": cards.split()}


def annul(reason: str) -> Sent:
    return {"type": "hand_annulled", "reason": reason}


def retract(seq: int) -> Sent:
    return {"type": "event_retracted", "seq": seq}


def fine(player: str, amount: int) -> Sent:
    return {"type": "penalty_assessed", "player": player, "points": amount}


# --- Results -------------------------------------------------------------------------------------


def result(**facts: Any) -> Sent:
    """A score sheet's result of A's game."""
    return {"type": "result_reported", "declarer": "A", **facts}


def tarock_result(card_points: int, *bonuses: Sent, contract: str = "zweiblatt", **facts: Any) -> Sent:
    """A result of Illustrated Tarock, A's Zweiblatt."""
    return result(contract=contract, card_points=card_points, bonuses=list(bonuses), **facts)


def tarot_result(
    card_points: float, oudlers: int, *bonuses: Sent, contract: str = "garde", **facts: Any
) -> Sent:
    """A result of French Tarot, A's garde."""
    return result(contract=contract, card_points=card_points, oudlers=oudlers, bonuses=list(bonuses), **facts)


def bonus(name: str, player: str = "A", stage: str = "after_pickup", made: bool = True, **more: Any) -> Sent:
    """A bonus of Illustrated Tarock on a score sheet."""
    return {"bonus": name, "player": player, "stage": stage, "made": made, **more}


def silent(name: str, player: str = "A", made: bool = True) -> Sent:
    return bonus(name, player, "silent", made)


def petit(player: str) -> Sent:
    return {"bonus": "petit_au_bout", "player": player}


def handful(player: str, size: str = "single") -> Sent:
    return {"bonus": "handful", "player": player, "size": size}


def slam(announced: bool, made: bool, player: str | None = None) -> Sent:
    more = {} if player is None else {"player": player}
    return {"bonus": "slam", "announced": announced, "made": made, **more}


def trischaken_result(card_points: Sequence[int], tricks: Sequence[int]) -> Sent:
    return {
        "type": "result_reported",
        "contract": "trischaken",
        "card_points_by_player": dict(zip("ABC", card_points, strict=True)),
        "tricks_by_player": dict(zip("ABC", tricks, strict=True)),
    }
