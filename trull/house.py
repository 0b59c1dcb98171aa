"""House rules: a variant made from another by overriding rulings, contract rows and bonus rows (IT-10.17).

What a club writes is checked as strictly as the built-in rule sets are: names that the game does not
know, values that it cannot have, and what has to go together. Every fault is found at once, and a
variant is made only where there is none, so that none can fail while a hand is replayed or priced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from trull import house_rows
from trull.announcements import HAND_BONUSES
from trull.house_forms import POINTS, RULING_SPANS, Book, HouseFault, Overrides, shown
from trull.model import Bonus, Contract, RulingValue, Variant

__all__ = ["HouseFault", "ImpossibleVariant", "Overrides", "build", "rulings_only"]


class ImpossibleVariant(Exception):
    """Overrides that make no variant. Holds every fault, up to some more than a thousand."""

    def __init__(self, faults: Iterable[HouseFault]) -> None:
        self.faults = list(faults)
        super().__init__(" ".join(fault.detail for fault in self.faults[:3]))


def build(base: Variant, variant_id: str, name: str, overrides: Overrides) -> Variant:
    """The variant that the overrides make of ``base``. Raises `ImpossibleVariant` with every fault.

    The overrides may be any JSON values. A bonus, a value of a bonus or a stake that is set to null is
    dropped; a bonus that the base lacks is added where its game knows it.
    """
    source = f"House rules on {base.name}: {base.source}"
    return replace(_overridden(base, overrides), id=variant_id, name=name, source=source)


def rulings_only(base: Variant, rulings: object) -> Variant:
    """``base`` with other rulings, under its own id and another revision: for a question asked once.

    Raises `ImpossibleVariant` with every fault, whose paths begin with ``rulings``.
    """
    return _overridden(base, Overrides(rulings=rulings))


def _overridden(base: Variant, overrides: Overrides) -> Variant:
    book = Book(base, overrides)
    rulings = _rulings(book)
    contracts = house_rows.contracts(book)
    bonuses = house_rows.bonuses(book)
    contracts = _with_held_value(book, rulings, contracts)
    _check_trischaken(book, rulings)
    _check_claims(book, rulings, bonuses)
    if book.faults:
        raise ImpossibleVariant(book.faults)
    return replace(
        base,
        rulings=MappingProxyType(rulings),
        contracts=MappingProxyType(contracts),
        bonuses=MappingProxyType(bonuses),
    )


def _rulings(book: Book) -> dict[str, RulingValue]:
    made = dict(book.base.rulings)
    known = {ruling.name: ruling for ruling in book.base.game.rulings}
    for name, value in book.entries("rulings").items():
        path = ("rulings", name)
        ruling = known.get(name)
        if ruling is None:
            book.unknown(f"ruling of {book.base.game.name}", known, *path)
        elif value is None and made[name] is None:
            pass  # as in the base, where nothing asks for a value
        elif ruling.values is None:
            made[name] = book.whole(value, RULING_SPANS.get(name, POINTS), *path)
        elif ruling.allows(value):
            made[name] = value
        else:
            choices = ", ".join(map(shown, ruling.values))
            book.refuse(f"{name}: one of {choices}, not {shown(value)}.", *path)
    return made


def _with_held_value(
    book: Book, rulings: Mapping[str, RulingValue], contracts: Mapping[str, Contract]
) -> dict[str, Contract]:
    """Every contract that was held is worth the ruling ``held_value``, whatever its row says (IT-10.3)."""
    made = dict(contracts)
    value = rulings.get("held_value")
    for row in contracts.values():
        path = ("contracts", row.id, "stakes", "held")
        if row.stakes.get("held") == value or "held" not in row.stakes:
            continue
        if book.faulty("rulings", "held_value") or book.faulty("contracts", row.id):
            continue
        if not isinstance(value, int) or book.says(*path):
            worth = "needs a value too" if value is None else f"is {value}"
            book.refuse(f"held: the ruling held_value says what it is worth, and {worth}.", *book.place(path))
        else:
            made[row.id] = replace(row, stakes={**row.stakes, "held": value})
    return made


def _check_trischaken(book: Book, rulings: Mapping[str, RulingValue]) -> None:
    """Where Trischaken is played there is a ruling for its ties (IT-8.5)."""
    if rulings.get("pass_out") != "trischaken" or rulings["trischaken_tie"] is not None:
        return
    if not book.faulty("rulings", "trischaken_tie"):
        where = book.place(("rulings", "pass_out"))
        book.refuse("pass_out: Trischaken needs the ruling trischaken_tie too.", *where)


def _check_claims(book: Book, rulings: Mapping[str, RulingValue], bonuses: Mapping[str, Bonus]) -> None:
    """A hand bonus that must be claimed is anyone's who claims it (IT-7.24, IT-10.10)."""
    if rulings.get("hand_bonuses") != "claimed":
        return
    for bonus in HAND_BONUSES:
        if bonus in bonuses and bonuses[bonus].silent_by == "declarer" and not book.faulty("bonuses", bonus):
            where = book.place(("bonuses", bonus, "silent_by"), ("rulings", "hand_bonuses"))
            book.refuse(f"{bonus}: where hand bonuses are claimed, anyone who holds the cards may.", *where)
