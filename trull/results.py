"""What results of both games have in common: a contract that is there, and how they are refused."""

from __future__ import annotations

from trull.errors import InconsistentResult
from trull.events import ResultReported
from trull.model import Contract
from trull.state import Hand

Path = tuple[str | int, ...]


def refuse(clause: str, detail: str, *path: str | int) -> InconsistentResult:
    """The refusal of facts that cannot be true together; ``path`` leads to one of them."""
    return InconsistentResult(detail, clause, path)


def contract_of(hand: Hand, result: ResultReported, clause: str) -> Contract:
    """The row of the contract, whose result names declarer and card points."""
    row = hand.variant.contracts.get(result.contract)
    if row is None:
        raise refuse(clause, f"{hand.variant.id} has no contract {result.contract}.", "contract")
    if result.declarer is None or result.half_points is None:
        missing = "declarer" if result.declarer is None else "card_points"
        raise refuse(clause, f"A result of {row.id} names its {missing}.", missing)
    if result.points_by_seat is not None or result.tricks_by_seat is not None:
        raise refuse(clause, "Points and tricks by player belong to Trischaken.", "contract")
    return row
