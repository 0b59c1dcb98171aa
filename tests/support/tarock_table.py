"""Illustrated Tarock told a second time: auction with duels, announcements and contra."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tests.support.card_rules import TAROCK
from tests.support.tables import Event, Table

CONTRACTS: Final = ["dreiblatt", "zweiblatt", "einblatt", "solo"]
PORTIONS: Final[dict[str, list[tuple[int, ...]]]] = {
    "dreiblatt": [(0, 1, 2), (3, 4, 5)],
    "zweiblatt": [(0, 1), (2, 3), (4, 5)],
    "einblatt": [(0,), (1,), (2,), (3,), (4,), (5,)],
}
_BEFORE, _AFTER = "before_pickup", "after_pickup"
_BOTH: Final = (_BEFORE, _AFTER)


@dataclass(frozen=True)
class Book:
    """What a rule set lets be said (IT-4.5, IT-7.25, IT-7.32, IT-7.33)."""

    takeable: tuple[str, ...]
    announced: dict[str, tuple[str, ...]]
    """The stages of every bonus that the declarer may announce."""
    by_defenders: tuple[str, ...] = ()
    game_contra: tuple[str, ...] = _BOTH
    recontra: bool = False
    retaking: bool = False
    trischaken: bool = False
    no_tarock_redeal: bool = False


BOOKS: Final = {
    "illustrated-loew-1954": Book(
        takeable=("dreiblatt", "zweiblatt", "einblatt"),
        announced={"pagat": (_AFTER,), "uhu": (_AFTER,), "forty": (_BEFORE,), "fifty": (_AFTER,)},
        by_defenders=("pagat", "uhu"),
        game_contra=(_AFTER,),
        retaking=True,
        no_tarock_redeal=True,
    ),
    "illustrated-beck": Book(
        takeable=("dreiblatt",),
        announced=dict.fromkeys(
            ("pagat", "uhu", "forty", "fifty", "without_trull", "without_kings", "valat"), _BOTH
        ),
        trischaken=True,
    ),
    "illustrated-mayr-sedlaczek-2016": Book(
        takeable=(),
        announced=dict.fromkeys(
            ("pagat", "forty", "fifty", "without_trull", "without_kings", "valat"), _BOTH
        ),
        recontra=True,
    ),
}


@dataclass
class Auction:
    """Who may still speak, in order, and the bid that stands (IT-4)."""

    waiting: list[int] = field(default_factory=lambda: [0, 1, 2])
    out: set[int] = field(default_factory=set)
    bid: str | None = None
    bidder: int = -1
    claimant: int = -1
    unanswered: bool = False
    duel: str | None = None
    stake: str = "called"


class TarockTable(Table):
    """A hand of Illustrated Tarock under one of the three rule sets."""

    cards = TAROCK

    def __init__(self, *deal: Any) -> None:
        super().__init__(*deal)
        self.book = BOOKS[self.variant]
        self.auction = Auction()
        self.trischaken = False
        self.stages: dict[tuple[int, str], str] = {}
        """The stage of every announcement."""
        self.answers: dict[tuple[str, str, bool], str] = {}
        """``contra`` or ``recontra``, by target, its stage, and whether it is the declarer's."""

    @property
    def void(self) -> bool:
        none = any(not TAROCK.of_suit(hand, "T") for hand in self.dealt)
        return none and self.book.no_tarock_redeal

    @property
    def solo(self) -> bool:
        return self.contract == "solo"

    def playable(self) -> list[str]:
        rule = TAROCK.playable_in_trischaken if self.trischaken else TAROCK.playable
        return rule(self.hands[self.turn], self.trick)

    def _allowed(self) -> Iterator[Event]:
        if self.phase == "auction":
            yield from self._words()
        if self.phase == "talon":
            assert self.declarer is not None
            yield from self._announcements(_BEFORE)
            for portion in PORTIONS[str(self.contract)]:
                cards = [self.talon[place] for place in portion]
                yield self.event("talon_taken", self.declarer, cards=cards)
        if self.phase == "discard":
            yield self._discard()
        if self.phase == "play":
            if self.nothing_played and not self.trischaken:
                yield from self._announcements(_AFTER)
            yield from self._plays()

    # --- The auction -----------------------------------------------------------------------------

    def _words(self) -> Iterator[Event]:
        now = self.auction
        speaker = now.waiting[0]
        yield self.event("passed", speaker)
        if now.bid is not None:
            yield self.event("bid_accepted", speaker)
        if now.duel is not None:
            yield self.event("bid_held" if now.duel == "taken_over" else "bid_retaken", speaker)
            return
        lowest = 0 if now.bid is None else CONTRACTS.index(now.bid) + 1
        for contract in CONTRACTS[lowest:]:
            yield self.event("bid_made", speaker, contract=contract)
        if now.unanswered and now.bid in self.book.takeable:
            yield self.event("bid_taken_over", speaker)

    def _speak(self, event: Event) -> None:
        now = self.auction
        speaker = now.waiting.pop(0)
        kind = event["type"]
        now.unanswered = False
        if kind in ("passed", "bid_accepted"):
            now.out.add(speaker)
            now.duel = None
        elif kind == "bid_made":
            now.bid, now.bidder, now.stake, now.unanswered = event["contract"], speaker, "called", True
            now.waiting = [seat for seat in self.after(speaker) if seat not in now.out]
        elif kind == "bid_taken_over":
            now.waiting.insert(0, now.bidder)
            now.claimant, now.bidder, now.stake, now.duel = speaker, speaker, "taken_over", "taken_over"
        elif kind == "bid_held":
            now.bidder, now.stake = speaker, "held"
            now.duel = "held" if self.book.retaking else None
            if self.book.retaking:
                now.waiting.insert(0, now.claimant)
            else:
                now.out.add(now.claimant)
        else:
            now.out.add(now.bidder)
            now.bidder, now.stake, now.duel = speaker, "retaken", None
        if now.bid == "solo" or not now.waiting:
            self._close()

    def _close(self) -> None:
        now = self.auction
        if now.bid is None:
            self.trischaken = self.book.trischaken
            self.phase = "play" if self.trischaken else "passed_out"
            return
        self.declarer, self.contract = now.bidder, now.bid
        self.phase = "play" if self.solo else "talon"

    # --- Announcements and contra ----------------------------------------------------------------

    def _announcements(self, stage: str) -> Iterator[Event]:
        for seat in range(3):
            for bonus, stages in self.book.announced.items():
                by_any = bonus in self.book.by_defenders or seat == self.declarer
                # A Solo has one stage, at which every value counts (IT-7.22).
                if by_any and (stage in stages or self.solo) and (seat, bonus) not in self.stages:
                    yield self.event("announced", seat, bonus=bonus)
            yield from self._contras(seat, stage)

    def _contras(self, seat: int, stage: str) -> Iterator[Event]:
        defending = seat != self.declarer
        game = {at: level for (target, at, _), level in self.answers.items() if target == "game"}
        if defending and not game and (stage in self.book.game_contra or self.solo):
            yield self.event("contra_called", seat, target="game", level="contra")
        if not defending and self.book.recontra and game.get(stage) == "contra":
            yield self.event("contra_called", seat, target="game", level="recontra")
        said = {
            (bonus, by == self.declarer)
            for (by, bonus), when in self.stages.items()
            if when == stage
        }  # fmt: skip
        for bonus, declarers in sorted(said):
            level = self.answers.get((bonus, stage, declarers))
            if declarers == defending and level is None:
                yield self.event("contra_called", seat, target=bonus, level="contra")
            if declarers != defending and level == "contra" and self.book.recontra:
                yield self.event("contra_called", seat, target=bonus, level="recontra")

    def _tell(self, event: Event) -> None:
        kind = event["type"]
        stage = _BEFORE if self.phase == "talon" else _AFTER
        if self.phase == "auction":
            self._speak(event)
        elif kind == "announced":
            self.announced.append((self.seat_of(event), event["bonus"]))
            self.stages[self.seat_of(event), event["bonus"]] = stage
        elif kind == "contra_called":
            by_declarer = self.seat_of(event) == self.declarer
            declarers = by_declarer == (event["level"] == "recontra")
            self.answers[event["target"], stage, declarers] = event["level"]
        elif kind == "card_played":
            self._play(event)
        else:
            self._exchange(event)
