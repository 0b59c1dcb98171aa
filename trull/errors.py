"""Refusals: every broken rule is a `RulesError` with the contract's code, its place and its clause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

# Behind the number stands a word joiner, which is not seen and which no player key can hold: a player
# who is called "seat 1 (counted from 0)" is not taken for one.
_SEAT: Final = re.compile("[Ss]eat (\\d)\u2060 \\(counted from 0\\)")


def named(seat: int, *, first: bool = False) -> str:
    """How a refusal speaks of a seat, until `RulesError.told` puts the player's name there.

    ``first``: whether its sentence begins so.
    """
    return f"{'Seat' if first else 'seat'} {seat}\u2060 (counted from 0)"


def counted(number: float, noun: str) -> str:
    """A number of things in words: ``1 card``, ``2 cards``."""
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"


def any_of(choices: Iterable[str]) -> str:
    """The choices in words: ``10, 13 or 15``."""
    *most, last = choices
    return f"{', '.join(most)} or {last}" if most else last


class RulesError(Exception):
    """A rule is broken by an event.

    ``index`` counts the events of the record from 0 (``-1`` until `replay` has set it), ``path``
    leads from that event to the faulty part (``("cards", 1)``), ``clause`` is the rule's id in
    ``docs/rules``. ``seq`` (from 1) names the event at fault where another one exposed it.
    ``discreet`` is the detail for one who may not see the cards that it gives away. ``without`` is
    the event (from 1) whose retraction exposed it.
    """

    code: ClassVar[str]

    def __init__(
        self, detail: str, clause: str, path: Sequence[str | int] = (), discreet: str | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.discreet = detail if discreet is None else discreet
        self.clause = clause
        self.path: tuple[str | int, ...] = tuple(path)
        self.index = -1
        self.seq: int | None = None
        self.without: int | None = None

    def __str__(self) -> str:
        return self._in_full(self.detail)

    def told(self, players: Sequence[str], *, discreetly: bool = False) -> str:
        """The whole detail, with the players' names in place of their seats."""
        return self._in_full(_with_names(self.discreet if discreetly else self.detail, players))

    def name(self, players: Sequence[str]) -> None:
        """Put the players' names in place of their seats for good."""
        self.detail, self.discreet = _with_names(self.detail, players), _with_names(self.discreet, players)

    def _in_full(self, said: str) -> str:
        if self.without is None:
            return said
        return f"Without event {self.without}, event {self.seq} breaks a rule: {said}"


def _with_names(said: str, players: Sequence[str]) -> str:
    return _SEAT.sub(lambda found: players[int(found[1])], said)


class EventOutOfPlace(RulesError):
    """The hand is not at the point where such an event may come."""

    code = "event-out-of-place"


class WrongTurn(RulesError):
    """Another player is to act."""

    code = "wrong-turn"


class CardNotHeld(RulesError):
    """The player does not hold the card."""

    code = "card-not-held"


class IllegalBid(RulesError):
    """The auction does not allow the call."""

    code = "illegal-bid"


class IllegalCall(RulesError):
    """The card may not be called (French Tarot for five)."""

    code = "illegal-call"


class IllegalAnnouncement(RulesError):
    """The bonus may not be announced by this player, at this stage, or once more."""

    code = "illegal-announcement"


class IllegalContra(RulesError):
    """There is nothing that this player may answer so."""

    code = "illegal-contra"


class IllegalTalon(RulesError):
    """The contract does not take these cards of the talon."""

    code = "illegal-talon"


class IllegalDiscard(RulesError):
    """The cards may not be discarded."""

    code = "illegal-discard"


class IllegalPlay(RulesError):
    """The card may not be played to this trick."""

    code = "illegal-play"


class IncompleteDeck(RulesError):
    """The deal lacks a card of the pack, has a foreign one, or a wrong count."""

    code = "incomplete-deck"


class DuplicateCard(RulesError):
    """A card of the pack is there twice."""

    code = "duplicate-card"


class RedealRequired(RulesError):
    """The deal is void, and the record goes on."""

    code = "redeal-required"


class InconsistentResult(RulesError):
    """The facts of a score sheet's result cannot be true together."""

    code = "inconsistent-result"


REFUSALS: tuple[type[RulesError], ...] = (
    EventOutOfPlace,
    WrongTurn,
    CardNotHeld,
    IllegalBid,
    IllegalCall,
    IllegalAnnouncement,
    IllegalContra,
    IllegalTalon,
    IllegalDiscard,
    IllegalPlay,
    IncompleteDeck,
    DuplicateCard,
    RedealRequired,
    InconsistentResult,
)
"""Every kind of refusal; their codes are the contract's codes of broken rules."""
