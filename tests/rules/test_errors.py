"""Refusals: a class for each code of broken rules."""

from __future__ import annotations

from trull import errors
from trull.errors import REFUSALS, RulesError, WrongTurn, named

CODES = {
    *("illegal-bid", "illegal-announcement", "illegal-contra", "illegal-talon", "illegal-discard"),
    *("illegal-play", "wrong-turn", "card-not-held", "incomplete-deck", "duplicate-card", "illegal-call"),
    *("redeal-required", "event-out-of-place", "inconsistent-result"),
}


def test_the_codes_are_those_of_the_interface() -> None:
    assert {kind.code for kind in REFUSALS} == CODES
    assert len(REFUSALS) == len(CODES)


def test_every_class_is_listed() -> None:
    defined = {
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, RulesError) and value is not RulesError
    }
    assert defined == set(REFUSALS)


def test_a_refusal_has_its_detail_clause_and_place() -> None:
    for kind in REFUSALS:
        refusal = kind("why not", "IT-6.2", ["cards", 1])
        assert str(refusal) == refusal.detail == "why not"
        assert (refusal.clause, refusal.path) == ("IT-6.2", ("cards", 1))
        assert (refusal.index, refusal.seq) == (-1, None)
        assert kind("why not", "IT-6.2").path == ()


def test_a_refusal_is_told_with_the_players_names() -> None:
    refusal = WrongTurn(f"it is the turn of {named(1)}, not of {named(0)}", "IT-6.1")
    assert "seat 1" in refusal.detail
    assert refusal.told(["Anna", "Béla", "Cyril"]) == "it is the turn of Béla, not of Anna"
    assert refusal.told(["Anna", named(2).replace("\u2060", ""), "Cyril"]) == (
        "it is the turn of seat 2 (counted from 0), not of Anna"
    )
    assert WrongTurn("nobody's name is seat 9", "IT-6.1").told(["Anna"]) == "nobody's name is seat 9"
