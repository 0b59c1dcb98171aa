"""French Tarot told a second time: one round of bids, a called card, handfuls and slams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.support.card_rules import TAROCKS, TAROT, Card, halves
from tests.support.tables import Event, Table

CONTRACTS: Final = ["prise", "garde", "garde_sans", "garde_contre"]
HANDFULS: Final = {3: (13, 15, 18), 4: (10, 13, 15), 5: (8, 10, 13)}


class TarotTable(Table):
    """A hand of French Tarot for three, four or five."""

    cards = TAROT

    def __init__(self, *deal: Any) -> None:
        super().__init__(*deal)
        self.spoken = 0
        self.called: Card | None = None
        self.shown: dict[int, list[Card]] = {}
        """The handfuls."""

    @property
    def void(self) -> bool:
        return any([card for card in hand if card[0] in "TF"] == ["T1"] for hand in self.dealt)

    @property
    def partner(self) -> int | None:
        """With five players the holder of the called card, the taker himself when alone (FT-2.8)."""
        if self.called is None:
            return None
        holders = [seat for seat, hand in enumerate(self.dealt) if self.called in hand]
        return holders[0] if holders else self.declarer

    def takers_halves(self) -> int:
        """The half points of the taker's side in the end (FT-3.5, FT-5.7 to FT-5.9)."""
        assert self.declarer is not None
        takers = {self.declarer} if self.partner is None else {self.declarer, self.partner}
        pile = self.pile(takers) + self.discarded
        pile += self.talon if self.contract == "garde_sans" else []
        return halves(pile) + self._moved_by_the_excuse(takers)

    def _moved_by_the_excuse(self, takers: set[int]) -> int:
        """What comes to the taker's side, or goes, because the Excuse does not stay where it fell."""
        for number, (leader, winner, trick) in enumerate(self.tricks):
            if "F" not in trick:
                continue
            owners = (leader + trick.index("F")) % self.seats in takers
            winners = winner in takers
            sign = 1 if owners else -1
            last = number == len(self.tricks) - 1
            if last and {at in takers for _, at, _ in self.tricks[:number]} == {owners}:
                return sign * halves(trick) * (owners != winners)  # wins the trick with it
            if last:  # changes sides: against half a point where its own side won the trick
                return -sign * 8 * (owners == winners)
            return sign * 8 * (owners != winners)
        return 0

    def playable(self) -> list[Card]:
        hand = self.hands[self.turn]
        if self.nothing_played:
            return TAROT.first_leads(hand, self.called)
        return TAROT.playable(hand, self.trick)

    def _allowed(self) -> Iterator[Event]:
        """The passes after a garde contre may be left out (FT-2.4)."""
        if self.phase == "auction":
            yield from self._words()
        if self.phase == "auction" and self.contract != "garde_contre":
            return
        assert self.declarer is not None
        if self._must_call():
            for card in self._callable():
                yield self.event("king_called", self.declarer, card=card)
        elif self.phase == "talon":
            chien = self.chance.sample(self.talon, len(self.talon))
            yield self.event("talon_taken", self.declarer, cards=chien)
        elif self.phase == "discard":
            yield self._discard()
        else:
            yield from self._announcements()
            yield from self._plays()

    # --- The auction and the call ----------------------------------------------------------------

    def _words(self) -> Iterator[Event]:
        yield self.event("passed", self.spoken)
        higher = 0 if self.contract is None else CONTRACTS.index(self.contract) + 1
        for contract in CONTRACTS[higher:]:
            yield self.event("bid_made", self.spoken, contract=contract)

    def _speak(self, event: Event) -> None:
        if event["type"] == "bid_made":
            self.contract, self.declarer = event["contract"], self.spoken
        self.spoken += 1
        if self.spoken == self.seats:
            self.phase = "passed_out" if self.declarer is None else self._next_phase()

    def _must_call(self) -> bool:
        return self.seats == 5 and self.called is None

    def _next_phase(self) -> str:
        if self._must_call():
            return "call"
        return "talon" if self.contract in ("prise", "garde") else "play"

    def _callable(self) -> list[Card]:
        """Kings, and a lower rank where every higher card is in hand (FT-2.7)."""
        assert self.declarer is not None
        own = self.dealt[self.declarer]
        found: list[Card] = []
        for rank in "KQCJ":
            if all(card in own for card in found):
                found += [suit + rank for suit in "SHDC"]
        return found

    # --- Slams and handfuls ----------------------------------------------------------------------

    def _announcements(self) -> Iterator[Event]:
        assert self.declarer is not None
        if self.nothing_played and (self.declarer, "slam") not in self.announced:
            yield self.event("announced", self.declarer, bonus="slam")
        for seat in range(self.seats):
            turns_gone = [(self.leader + step) % self.seats for step in range(len(self.trick))]
            if self.tricks or seat in turns_gone or seat in self.shown:
                continue
            for size in HANDFULS[self.seats]:
                yield from self._handful(seat, size)

    def _handful(self, seat: int, size: int) -> Iterator[Event]:
        """Trumps by chance; the Excuse among them only with every other trump (FT-4.5)."""
        trumps = [card for card in self.hands[seat] if card in TAROCKS]
        if len(trumps) >= size:
            yield self.event("announced", seat, bonus="handful", cards=self.chance.sample(trumps, size))
        elif len(trumps) + 1 == size and "F" in self.hands[seat]:
            yield self.event("announced", seat, bonus="handful", cards=[*trumps, "F"])

    def _tell(self, event: Event) -> None:
        kind = event["type"]
        if kind in ("passed", "bid_made"):
            self._speak(event)
        elif kind == "king_called":
            self.called = event["card"]
            self.phase = self._next_phase()
        elif kind == "announced":
            seat = self.seat_of(event)
            self.announced.append((seat, event["bonus"]))
            self.phase = "play"
            if event["bonus"] == "slam":
                self.leader = seat
            else:
                self.shown[seat] = event["cards"]
        elif kind == "card_played":
            self._play(event)
        else:
            self._exchange(event)
