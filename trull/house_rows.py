"""Contract rows and bonus rows as a house writes them over its base's (IT-4, IT-7, FT-2, FT-6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trull.house_forms import BONUSES, FACTORS, POINTS, STAKES, BonusForm, Book, shown
from trull.model import Bonus, Contract

_PRICED_BY = {"announced_by": ("before", "after"), "silent_by": ("silent",)}
"""The values that a column of players goes with."""


def contracts(book: Book) -> dict[str, Contract]:
    """The rows in the order of the base, which is the order of bidding."""
    made = dict(book.base.contracts)
    for name, given in book.entries("contracts").items():
        path = ("contracts", name)
        if name not in made:
            book.unknown(f"contract of {book.base.id}", made, *path)
        elif given is None:
            book.refuse(f"{name}: a contract cannot be dropped.", *path)
        else:
            made[name] = _contract(book, made[name])
    return made


def _contract(book: Book, row: Contract) -> Contract:
    path = ("contracts", row.id)
    known = STAKES[book.base.family]
    columns = ("multiplier", "stakes", "may_be_taken_over") if known else ("multiplier",)
    given = book.entries(*path)
    for column in given:
        if column not in columns:
            book.unknown(f"column of a contract of {book.base.game.name}", columns, *path, column)
    multiplier: int | None = row.multiplier
    if given.get("multiplier") is not None:
        multiplier = book.whole(given["multiplier"], FACTORS, *path, "multiplier")
    stakes = dict(row.stakes)
    if known and given.get("stakes") is not None:
        stakes = _stakes(book, row, known)
    takeable = "taken_over" in stakes
    if not book.faulty(*path):
        _check_duel(book, row, stakes)
        if known and given.get("may_be_taken_over") not in (None, takeable):
            has = "a" if takeable else "no"
            where = (*path, "may_be_taken_over")
            book.refuse(f"may_be_taken_over: {row.id} has {has} stake taken_over, which decides it.", *where)
    return replace(row, multiplier=multiplier or 1, stakes=stakes, takeable=takeable)


def _stakes(book: Book, row: Contract, known: tuple[str, ...]) -> dict[str, int]:
    """The stakes of a contract; one that is set to null does not exist any more."""
    path = ("contracts", row.id, "stakes")
    made = dict(row.stakes)
    for stake, value in book.entries(*path).items():
        if stake not in known:
            book.unknown("stake", known, *path, stake)
        elif value is None and stake != "called":
            made.pop(stake, None)
        elif (points := book.whole(value, POINTS, *path, stake)) is not None:
            made[stake] = points
    return {stake: made[stake] for stake in known if stake in made}


def _check_duel(book: Book, row: Contract, stakes: Mapping[str, int]) -> None:
    """The stakes of a duel go together (IT-4.5 to IT-4.7); a bid that ends the auction has none (IT-4.9)."""
    path = ("contracts", row.id, "stakes")
    if row.ends_auction and len(stakes) > 1:
        book.refuse(f"stakes: nobody answers a {row.id}, so called is its only one.", *path)
    elif ("taken_over" in stakes) != ("held" in stakes):
        book.refuse(
            "stakes: taken_over and held go together, as a bid that is taken over may be held.", *path
        )
    elif "retaken" in stakes and "held" not in stakes:
        book.refuse("stakes: only what was taken over and held can be retaken.", *path)


def bonuses(book: Book) -> dict[str, Bonus]:
    """The rows in the order of the game, so that the order of writing changes nothing."""
    forms = BONUSES[book.base.family]
    made = dict(book.base.bonuses)
    for name, given in book.entries("bonuses").items():
        path = ("bonuses", name)
        if name not in forms:
            book.unknown(f"bonus of {book.base.game.name}", forms, *path)
        elif given is not None:
            made[name] = _bonus(book, forms[name], made.get(name) or Bonus(name, {}))
        elif name in made:
            del made[name]
        else:
            book.refuse(f"{name}: {book.base.id} has no such bonus to drop.", *path)
    return {name: made[name] for name in forms if name in made}


def _bonus(book: Book, form: BonusForm, row: Bonus) -> Bonus:
    path = ("bonuses", row.id)
    given = book.entries(*path)
    for column in given:
        if column not in form.columns:
            book.unknown(f"column of {row.id} that can be set", form.columns, *path, column)
    values = _values(book, form, row)
    changes: dict[str, Any] = {"values": values}
    for column, choices in form.who.items():
        changes[column] = _who(book, row, column, choices, values)
    if form.multiplied and given.get("multiplied") is not None:
        changes["multiplied"] = given["multiplied"]
        if type(given["multiplied"]) is not bool:
            where = (*path, "multiplied")
            book.refuse(f"multiplied: true or false, not {shown(given['multiplied'])}.", *where)
    if form.sizes:
        changes["shown"] = _shown(book, form, row)
    if not values and not book.faulty(*path):
        book.refuse(f"{row.id}: no value is left; a bonus that is set to null is dropped.", *path)
    return replace(row, **changes)


def _values(book: Book, form: BonusForm, row: Bonus) -> dict[str, int]:
    """The values of a bonus; one that is set to null does not exist any more."""
    path = ("bonuses", row.id, "values")
    made = dict(row.values)
    for name, value in book.entries(*path).items() if book.says(*path) else ():
        span = form.values.get(name)
        if span is None:
            book.unknown(f"value of {row.id}", form.values, *path, name)
        elif value is None and not form.complete:
            made.pop(name, None)
        elif (points := book.whole(value, span, *path, name)) is not None:
            made[name] = points
    return {name: made[name] for name in form.values if name in made}


def _who(book: Book, row: Bonus, column: str, choices: tuple[str, ...], values: Mapping[str, int]) -> str:
    """Who may announce a bonus, or make it silently: somebody exactly where there is a value for it.

    What is not written follows from the values where there is no choice.
    """
    path = ("bonuses", row.id, column)
    names = [name for name in _PRICED_BY[column] if name in values]
    if book.says(*path):
        value: object = book.entries(*path[:2])[column]
        if value not in choices:
            book.refuse(f"{column}: one of {', '.join(choices)}, not {shown(value)}.", *path)
    elif not names:
        value = "nobody"
    elif getattr(row, column) == "nobody" and choices[1:] == ("declarer",):
        value = "declarer"
    else:
        value = getattr(row, column)
    if bool(names) == (value == "nobody") and not book.faulty(*path[:2]):
        there = f"nobody, but it has a value: {', '.join(names)}. Name somebody, or set that to null."
        not_there = f"nobody, since it has no value: {' or '.join(_PRICED_BY[column])}."
        book.refuse(f"{column}: {there if names else not_there}", *book.place(path, path[:2]))
    return str(value)


def _shown(book: Book, form: BonusForm, row: Bonus) -> dict[str, int]:
    """How many trumps each size of handful shows: more for each, and no more than can be held (FT-4.3)."""
    path = ("bonuses", row.id, "shown")
    made = dict(row.shown)
    game = book.base.game
    # The Excuse may be among them.
    most = min(game.pack.tarocks.bit_count() + 1, game.deals[book.base.players].cards_each)
    for size, value in book.entries(*path).items() if book.says(*path) else ():
        if size not in form.sizes:
            book.unknown("size of handful", form.sizes, *path, size)
        elif (count := book.whole(value, (1, most), *path, size)) is not None:
            made[size] = count
    counts = [made[size] for size in form.sizes]
    if counts != sorted(set(counts)) and not book.faulty(*path):
        book.refuse("shown: a double shows more trumps than a single, a triple more than a double.", *path)
    return made
