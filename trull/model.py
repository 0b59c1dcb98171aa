"""The columns of a variant: contracts, bonuses and rulings as plain data.

A variant is one frozen value. Rows say what a rule set pays and allows; what its games do is in
the named functions of its `trull.games.Game`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from trull.games import Game

RULES_VERSION: Final = "2026-11-30.2"
"""The version of the rules' own code: raised with every change that can change a sheet."""

RulingValue = bool | int | str | None
By = Literal["declarer", "anyone", "nobody"]
UntakenTo = Literal["declarer", "defenders"]


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract: what it takes from the talon and what it is worth.

    ``takes`` lists the portions of the talon that may be taken, as positions from its top card;
    without any there is no exchange. ``stakes`` are the game values G by the way the contract was
    won, in points before the multiplier (Illustrated Tarock). ``untaken_to`` is the side whose
    pile gets the talon cards that nobody took. ``ends_auction``: nothing can be bid after it.
    """

    id: str
    multiplier: int
    takes: tuple[tuple[int, ...], ...] = ()
    stakes: Mapping[str, int] = field(default_factory=dict)
    takeable: bool = False
    untaken_to: UntakenTo = "defenders"
    ends_auction: bool = False

    @property
    def exchange(self) -> int:
        """How many cards of the talon are taken, and how many discarded."""
        return len(self.takes[0]) if self.takes else 0

    def describe(self) -> dict[str, object]:
        """The row as `GET /v1/variants/{id}` shows it."""
        return {
            "contract": self.id,
            "multiplier": self.multiplier,
            "takes": [list(portion) for portion in self.takes],
            "stakes": dict(self.stakes),
            "may_be_taken_over": self.takeable,
            "untaken_to": self.untaken_to,
        }


@dataclass(frozen=True, slots=True)
class Bonus:
    """A bonus: its raw values in points, and who may announce it or make it silently.

    Illustrated Tarock prices it by stage (``before``, ``after``, ``silent``; a stage that is not
    there does not exist). French Tarot has one ``value``, a value by size of handful, or a slam's
    ``announced``, ``silent`` and ``failed``; ``shown`` are the trumps of each size of handful.
    """

    id: str
    values: Mapping[str, int]
    announced_by: By = "nobody"
    silent_by: By = "nobody"
    multiplied: bool = True
    shown: Mapping[str, int] = field(default_factory=dict)

    @property
    def announceable(self) -> bool:
        """Whether anybody can announce it at any stage."""
        return self.announced_by != "nobody"

    def describe(self) -> dict[str, object]:
        """The row as `GET /v1/variants/{id}` shows it."""
        row: dict[str, object] = {
            "bonus": self.id,
            "values": dict(self.values),
            "announced_by": self.announced_by,
            "silent_by": self.silent_by,
            "multiplied": self.multiplied,
        }
        if self.shown:
            row["shown"] = dict(self.shown)
        return row


@dataclass(frozen=True, slots=True)
class Ruling:
    """A setting where the sources are silent or differ: its possible values and why there is one.

    ``values`` lists the possible values; ``None`` in their place means any whole number.
    """

    name: str
    values: tuple[RulingValue, ...] | None
    why: str
    clause: str

    def allows(self, value: RulingValue) -> bool:
        """Whether the ruling can have that value."""
        if self.values is None:
            return type(value) is int
        return any(value == known and type(value) is type(known) for known in self.values)


@dataclass(frozen=True)
class Variant:
    """A rule set under which a hand can be played and scored."""

    id: str
    name: str
    source: str
    game: Game
    players: int
    contracts: Mapping[str, Contract]
    bonuses: Mapping[str, Bonus]
    rulings: Mapping[str, RulingValue]

    @property
    def family(self) -> str:
        """The id of the variant's game."""
        return self.game.id

    def game_value(self, contract: Contract, stake: str) -> int:
        """The game value G of the contract as it was won, in points before the multiplier (IT-4.12)."""
        if stake == "held":
            held = self.rulings["held_value"]
            assert isinstance(held, int)
            return held
        return contract.stakes[stake]

    @cached_property
    def revision(self) -> str:
        """``sha256:`` and a digest of all that can change a sheet of this variant."""
        facts = json.dumps([RULES_VERSION, self._facts()], sort_keys=True, ensure_ascii=True)
        return "sha256:" + hashlib.sha256(facts.encode()).hexdigest()

    def _facts(self) -> dict[str, object]:
        return {
            "id": self.id,
            "family": self.family,
            "players": self.players,
            "contracts": [row.describe() for row in self.contracts.values()],
            "bonuses": [row.describe() for row in self.bonuses.values()],
            "rulings": dict(self.rulings),
        }

    def describe(self) -> dict[str, object]:
        """The variant as `GET /v1/variants/{id}` answers it."""
        pack = self.game.pack
        return {
            **self._facts(),
            "name": self.name,
            "source": self.source,
            "revision": self.revision,
            "pack": {
                "name": pack.name,
                "cards": pack.cards.bit_count(),
                "points": pack.total_units // pack.units_per_point,
                "units_per_point": pack.units_per_point,
            },
            "cards_each": self.game.deals[self.players].cards_each,
            "talon": self.game.deals[self.players].talon,
            "rulings": [
                {
                    "ruling": ruling.name,
                    "value": self.rulings[ruling.name],
                    "values": "integer" if ruling.values is None else list(ruling.values),
                    "why": ruling.why,
                    "clause": ruling.clause,
                }
                for ruling in self.game.rulings
            ],
        }
