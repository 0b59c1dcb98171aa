"""Sessions worked out: half points, variants of one game, places in halves and whole numbers."""

from __future__ import annotations

from typing import Any

import pytest

from records.codec import Opening
from records.faults import InvalidRecord
from records.session_log import About, Rate
from records.session_schemas import load_change, load_session
from records.session_view import SessionView, view_of
from records.tallies import Tally
from trull.house import Overrides, build
from trull.variants import VARIANTS

FRENCH = "french-tarot-3"
KEEPS = "house-halves"
KNOWN = {**VARIANTS, KEEPS: build(VARIANTS[FRENCH], KEEPS, "Halves", Overrides({"half_points": "keep"}))}
THREE = ("Anna", "Béla", "Cyril")
BODY: dict[str, Any] = {"players": [*THREE], "variant": KEEPS}


def rated(minor_units: int) -> dict[str, Any]:
    return {"minor_units_per_point": minor_units, "currency": "EUR"}


def hand(hand_id: str, variant: str, scores: dict[str, float]) -> Tally:
    """A scored hand of three, whose payments are those of its scores: the first one wins from each other."""
    winner, *others = scores
    sheet = {
        "variant_revision": "sha256:" + "0" * 64,
        "items": [],
        "scores": scores,
        "payments": [{"from": other, "to": winner, "points": -scores[other]} for other in others],
    }
    opening = Opening(variant, tuple(scores), session_id="s")
    return Tally(hand_id, 1, opening, "scored", due=False, sheet=sheet, recorded_at="", arrival=0)


def halves(variant: str) -> Tally:
    return hand("halves", variant, {"Anna": 51, "Béla": -25.5, "Cyril": -25.5})


def view(variant: str, *tallies: Tally, rate: int = 2) -> SessionView:
    return view_of(About(THREE, variant, rate=Rate(rate, "EUR")), tallies, {}, KNOWN)


def test_half_points_are_exact_in_points_and_money() -> None:
    settled = view(KEEPS, halves(KEEPS)).settlement_dict()
    assert settled["points"] == {"Anna": 51, "Béla": -25.5, "Cyril": -25.5}
    assert settled["money"] == {"Anna": 102, "Béla": -51, "Cyril": -51}
    assert settled["transfers"] == settled["pairwise"]
    assert [(one["points"], one["amount"]) for one in settled["pairwise"]] == [(25.5, 51), (25.5, 51)]
    assert all(type(amount) is int for amount in settled["money"].values())


def test_whole_points_are_integers() -> None:
    told = view(KEEPS, halves(KEEPS), halves(KEEPS)).as_dict()
    assert told["totals"] == {"Anna": 102, "Béla": -51, "Cyril": -51}
    assert {type(points) for points in told["totals"].values()} == {int}
    assert told["hands"][0]["totals"]["Béla"] == -25.5


def test_half_points_do_not_count_where_the_session_has_none() -> None:
    whole = hand("whole", KEEPS, {"Anna": 50, "Béla": -25, "Cyril": -25})
    told = view(FRENCH, halves(KEEPS), whole, rate=3).as_dict()
    assert [(one["hand_id"], one["why"]) for one in told["hands"]] == [
        ("halves", "half_points"),
        ("whole", None),
    ]
    assert told["totals"] == {"Anna": 50, "Béla": -25, "Cyril": -25}


def test_another_variant_of_the_same_game_counts_and_an_unknown_one_does_not() -> None:
    same = hand("same", "french-tarot-3", {"Anna": 50, "Béla": -25, "Cyril": -25})
    unknown = hand("unknown", "house-of-later", {"Anna": 50, "Béla": -25, "Cyril": -25})
    told = view(KEEPS, same, unknown).as_dict()
    assert [one["why"] for one in told["hands"]] == [None, "other_game"]


def pointers(refused: pytest.ExceptionInfo[InvalidRecord]) -> list[str]:
    return [fault.pointer for fault in refused.value.faults]


def test_where_half_points_are_kept_the_rate_is_even() -> None:
    assert load_session({**BODY, "rate": rated(4)}, KNOWN).about.rate == Rate(4, "EUR")
    with pytest.raises(InvalidRecord) as refused:
        load_session({**BODY, "rate": rated(3)}, KNOWN)
    assert pointers(refused) == ["/rate/minor_units_per_point"]
    about = load_session(BODY, KNOWN).about
    assert load_change({"rate": rated(6)}, about, KNOWN).rate == Rate(6, "EUR")
    with pytest.raises(InvalidRecord) as refused:
        load_change({"rate": rated(1)}, about, KNOWN)
    assert pointers(refused) == ["/rate/minor_units_per_point"]
    assert load_session({**BODY, "variant": FRENCH, "rate": rated(3)}, KNOWN).about.rate == Rate(3, "EUR")
