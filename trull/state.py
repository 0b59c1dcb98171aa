"""A hand as far as it has gone: what `step` and `replay` fold the events into."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from trull.events import Event, ResultReported
from trull.model import Contract, Variant

DEAL: Final = "deal"
AUCTION: Final = "auction"
KING_CALL: Final = "king_call"
TALON: Final = "talon"
DISCARD: Final = "discard"
PLAY: Final = "play"
FINISHED: Final = "finished"
PASSED_OUT: Final = "passed_out"
ANNULLED: Final = "annulled"

PHASES: Final = (DEAL, AUCTION, KING_CALL, TALON, DISCARD, PLAY, FINISHED, PASSED_OUT, ANNULLED)
"""Where a hand can be. Announcements before pick-up belong to ``talon``, later ones to ``play``."""

NOBODY: Final = -1


class Hand:
    """The state of a hand. Treat it as a value: `trull.hand.step` gives a new one.

    Seats are integers from forehand (0); sets of cards are bits. ``dealt``, ``held`` are by seat,
    ``None`` while the deal is not known; ``talon`` is ``None`` where its order never becomes known.
    """

    __slots__ = (
        "announced",
        "annulled",
        "answered",
        "best",
        "best_seat",
        "bidder",
        "called",
        "contract",
        "contras",
        "dealt",
        "declarer",
        "discarded",
        "duel",
        "events",
        "game_contra",
        "held",
        "inferred",
        "leader",
        "led",
        "out",
        "passed",
        "penalties",
        "phase",
        "result",
        "retracted",
        "seats",
        "seen",
        "stake",
        "standing",
        "taken",
        "taker",
        "talon",
        "trick",
        "tricks",
        "tricks_left",
        "trischaken",
        "turn",
        "variant",
        "void",
        "winners",
    )

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.seats = variant.players
        self.events: list[Event] = []
        """Every event so far, retracted ones and retractions too."""
        self.retracted: frozenset[int] = frozenset()
        """The places in `events` that are undone."""
        self.phase = DEAL
        self.turn = 0

        self.dealt: tuple[int, ...] | None = None
        self.held: list[int] | None = None
        self.talon: tuple[int, ...] | None = None
        self.inferred = False
        self.void = False
        """The deal itself does not stand (no tarock under Löw, *petit sec*)."""
        self.seen = 0
        """Without the deal: the cards that have been played or discarded."""

        self.standing: Contract | None = None
        self.bidder = NOBODY
        self.stake = "called"
        self.out = 0
        self.passed = 0
        self.answered = False
        self.duel: str | None = None
        """``taken_over`` while the bidder must answer, ``held`` while the taker may retake."""
        self.taker = NOBODY

        self.contract: Contract | None = None
        self.declarer = NOBODY
        self.trischaken = False
        self.called = NOBODY
        self.taken = 0
        self.discarded = 0
        self.announced: dict[tuple[int, str], tuple[str, tuple[int, ...]]] = {}
        """Stage and shown cards by seat and bonus, in order."""
        self.contras: dict[tuple[str, str, bool], int] = {}
        """1 for contra, 2 for recontra, by bonus, stage and whether it is the declarer's."""
        self.game_contra: tuple[str, int] | None = None

        self.leader = 0
        self.led = NOBODY
        self.best = NOBODY
        self.best_seat = NOBODY
        self.trick: list[int] = []
        self.tricks_left = variant.game.deals[variant.players].cards_each
        self.tricks: list[tuple[int, ...]] = []
        """The cards of each trick, in order from its leader."""
        self.winners: list[int] = []

        self.penalties: list[tuple[int, int]] = []
        self.annulled: str | None = None
        self.result: ResultReported | None = None

    def copy(self) -> Hand:
        """An independent copy."""
        twin = Hand.__new__(Hand)
        for name in Hand.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value.copy() if type(value) in (list, dict) else value)
        return twin

    @property
    def nothing_played(self) -> bool:
        """Whether the first card is still to come."""
        return not self.tricks and not self.trick

    def pile(self, side: Container[int]) -> int:
        """The cards of the tricks that those seats have won, as a set."""
        pile = 0
        for cards, winner in zip(self.tricks, self.winners, strict=True):
            if winner in side:
                for card in cards:
                    pile |= 1 << card
        return pile

    @property
    def first_leader(self) -> int:
        """Who leads to the first trick: forehand, or the announcer of a slam (IT-6.1, FT-4.2)."""
        return self.declarer if (self.declarer, "slam") in self.announced else 0

    @property
    def status(self) -> str:
        """``scored``, ``annulled``, ``incomplete`` or ``void``, as a sheet under its own variant says it."""
        if self.annulled is not None or self.phase == PASSED_OUT:
            return "annulled"
        if self.void:
            return "void"
        if self.phase == FINISHED:
            return "scored"
        return "annulled" if self.trischaken and self.nothing_played else "incomplete"
