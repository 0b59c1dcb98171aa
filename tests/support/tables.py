"""A table at which a hand is played: what may be said and played next, told a second time.

`Table.allowed` lists every legal event of a player as the wire has it; of discards and handfuls,
which have too many forms, a few by chance. Nothing here looks into `trull`.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from tests.support.card_rules import TAROCKS, Card, Tarock

Event = dict[str, Any]


class Table(ABC):
    """A hand from its deal to its last trick. Seats count from forehand; events name players."""

    cards: ClassVar[Tarock]

    def __init__(
        self,
        variant: str,
        players: list[str],
        hands: list[list[Card]],
        talon: list[Card],
        chance: random.Random,
    ) -> None:
        self.variant = variant
        self.players = players
        self.dealt = [list(hand) for hand in hands]
        self.hands = [list(hand) for hand in hands]
        self.talon = list(talon)
        self.chance = chance
        self.phase = "auction"
        self.declarer: int | None = None
        self.contract: str | None = None
        self.discarded: list[Card] = []
        self.taken: list[Card] = []
        self.announced: list[tuple[int, str]] = []
        self.leader = 0
        self.trick: list[Card] = []
        self.tricks: list[tuple[int, int, list[Card]]] = []
        """Leader, winner and cards of every trick."""
        deal = {player: list(hand) for player, hand in zip(players, hands, strict=True)}
        self.story: list[tuple[list[Event], Event]] = [
            ([], {"type": "cards_dealt", "hands": deal, "talon": list(talon)})
        ]
        """Every event, with all that had been allowed in its place."""

    # --- What every table has --------------------------------------------------------------------

    @property
    def seats(self) -> int:
        return len(self.players)

    @property
    def nothing_played(self) -> bool:
        return not self.trick and not self.tricks

    @property
    def turn(self) -> int:
        """Whose card is due."""
        return (self.leader + len(self.trick)) % self.seats

    @property
    def over(self) -> bool:
        """Whether no player may do anything more."""
        return self.phase in ("finished", "passed_out") or self.void

    def after(self, seat: int) -> list[int]:
        """The other seats in order of play, beginning with the next one."""
        return [(seat + step) % self.seats for step in range(1, self.seats)]

    def event(self, kind: str, seat: int, **fields: Any) -> Event:
        return {"type": kind, "player": self.players[seat], **fields}

    def seat_of(self, event: Event) -> int:
        return self.players.index(event["player"])

    def allowed(self) -> list[Event]:
        """Every event of a player that may come next."""
        return [] if self.over else list(self._allowed())

    def tell(self, event: Event) -> None:
        """Let the event happen. It is one of those allowed."""
        self.story.append((self.allowed(), event))
        self._tell(event)

    def upto(self, count: int) -> Table:
        """The same hand after its first events."""
        deal = (self.variant, self.players, self.dealt, self.talon, random.Random(count))
        again = type(self)(*deal)
        for _, event in self.story[1:count]:
            again.tell(event)
        return again

    def pile(self, side: set[int]) -> list[Card]:
        """The cards of the tricks that these seats have won."""
        return [card for _, winner, trick in self.tricks if winner in side for card in trick]

    # --- The exchange, the same in both games ----------------------------------------------------

    def _discard(self) -> Event:
        """A discard by chance: no Kings and honours, tarocks only of need (IT-5.2, FT-3.2).

        As many are laid away as were taken.
        """
        assert self.declarer is not None
        hand = self.hands[self.declarer]
        count = len(self.taken)
        suits = [card for card in hand if card[0] not in "TF" and card[1] != "K"]
        tarocks = [card for card in hand if card in TAROCKS and card not in ("T1", "T21")]
        of_need = max(0, count - len(suits))
        laid = self.chance.sample(suits, count - of_need) + self.chance.sample(tarocks, of_need)
        return self.event("cards_discarded", self.declarer, cards=laid)

    def _exchange(self, event: Event) -> None:
        assert self.declarer is not None
        if event["type"] == "talon_taken":
            self.taken = list(event["cards"])
            self.hands[self.declarer] += event["cards"]
            self.phase = "discard"
        else:
            self.discarded = list(event["cards"])
            self.hands[self.declarer] = [
                card for card in self.hands[self.declarer] if card not in self.discarded
            ]
            self.phase = "play"

    # --- The tricks ------------------------------------------------------------------------------

    def _plays(self) -> Iterator[Event]:
        for card in self.playable():
            yield self.event("card_played", self.turn, card=card)

    def _play(self, event: Event) -> None:
        self.phase = "play"
        self.hands[self.turn].remove(event["card"])
        self.trick.append(event["card"])
        if len(self.trick) == self.seats:
            winner = (self.leader + self.cards.winner(self.trick)) % self.seats
            self.tricks.append((self.leader, winner, self.trick))
            self.leader = winner
            self.trick = []
            if not any(self.hands):
                self.phase = "finished"

    # --- What each game has of its own -----------------------------------------------------------

    @property
    @abstractmethod
    def void(self) -> bool:
        """Whether the deal does not stand."""

    @abstractmethod
    def playable(self) -> list[Card]:
        """The cards that the player whose turn it is may play."""

    @abstractmethod
    def _allowed(self) -> Iterator[Event]: ...

    @abstractmethod
    def _tell(self, event: Event) -> None: ...
