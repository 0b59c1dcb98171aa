"""Results as a score sheet tells them: of real hands, made up, and such as no hand can have."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from tests.laws.lawbook import sheet_of
from tests.support.card_rules import face
from tests.support.hands import penalty, record, told
from tests.support.tables import Event, Table
from tests.support.tarock_table import CONTRACTS as TAROCK_CONTRACTS
from tests.support.tarock_table import TarockTable
from tests.support.tarot_table import CONTRACTS as TAROT_CONTRACTS

FALSE: Final = "inconsistent-result"
SHAPE: Final = "invalid-record"
NEEDED: Final = (56, 51, 41, 36)
"""Card points that win, by oudlers (FT-1.3)."""

Change = tuple[str, dict[str, Any], str]


def cases(table: Table, chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Name, record, code, place, and the scores where they are known."""
    if table.phase == "finished":
        sheet = sheet_of(told(table, chance))
        of_hand = result_of(table, sheet)
        yield "the result of a hand", record(table, [of_hand]), None, None, sheet["scores"]
    right, changes = _tarock(table, chance) if isinstance(table, TarockTable) else _tarot(table, chance)
    yield "a result", record(table, [right])
    for name, change, code in chance.sample(changes, min(len(changes), 3)):
        yield name, record(table, [{**right, **change}]), code, 0
    fine = penalty(table, chance)
    story = [event for _, event in table.story]
    yield "a result after all", record(table, [fine, right]), "event-out-of-place", 1
    yield "a result and a hand", record(table, [right, story[-1]]), "event-out-of-place", 1
    undone = {"type": "event_retracted", "seq": 1}
    yield "a result undone", record(table, [fine, undone, right, fine])


# --- Of real hands -------------------------------------------------------------------------------


def result_of(table: Table, sheet: dict[str, Any]) -> Event:
    """The result that the sheet of a played hand tells."""
    if isinstance(table, TarockTable) and table.trischaken:
        seats = range(table.seats)
        piles = [table.pile({seat}) for seat in seats]
        points = {
            table.players[seat]: sum(map(face, piles[seat])) - len(piles[seat]) // 3 * 2 for seat in seats
        }
        tricks = {table.players[seat]: len(piles[seat]) // 3 for seat in seats}
        made = {"contract": "trischaken", "card_points_by_player": points, "tricks_by_player": tricks}
        return {"type": "result_reported", **made}
    event: Event = {
        "type": "result_reported",
        "declarer": sheet["declarer"],
        "contract": sheet["contract"],
        "card_points": sheet["card_points"]["declarer"],
    }
    if isinstance(table, TarockTable):
        return {**event, **_of_tarock(table, sheet)}
    return {**event, **_of_tarot(table, sheet)}


def _of_tarock(table: TarockTable, sheet: dict[str, Any]) -> dict[str, Any]:
    said = {
        (table.players[seat], bonus): table.answers.get((bonus, stage, seat == table.declarer), "none")
        for (seat, bonus), stage in table.stages.items()
    }
    bonuses = [
        {name: item[name] for name in ("player", "stage", "made")}
        | {"bonus": item["item"], "contra": said.get((item["player"], item["item"]), "none")}
        for item in sheet["items"]
        if "stage" in item
    ]
    stages = [stage for target, stage, _ in table.answers if target == "game"]
    game: dict[str, Any] = {"level": "none"}
    if stages:
        levels = [level for (target, _, _), level in table.answers.items() if target == "game"]
        game = {"level": "recontra" if "recontra" in levels else "contra", "stage": stages[0]}
    return {"stake": sheet["stake"], "contra": game, "bonuses": bonuses}


def _of_tarot(table: Table, sheet: dict[str, Any]) -> dict[str, Any]:
    points, base = sheet["card_points"]["declarer"], sheet["items"][0]["base"]
    [oudlers] = [
        count
        for count, needed in enumerate(NEEDED)
        if -(-abs(points - needed) // 1) == base - 25 and (points >= needed) == (sheet["outcome"] == "won")
    ]
    taken_by = {sheet["declarer"], sheet["partner"]}
    bonuses: list[dict[str, Any]] = []
    slams = [item for item in sheet["items"] if item["item"] == "slam"]
    if slams:
        # Announced, and made by the other side instead: two items of one fact.
        slam = {name: any(item[name] for item in slams) for name in ("announced", "made")}
        defended = slam["made"] and slams[-1]["points"][sheet["declarer"]] < 0
        theirs = {"player": next(name for name in table.players if name not in taken_by)}
        bonuses.append({"bonus": "slam", **slam, **(theirs if defended else {})})
    for item in sheet["items"][1:]:
        if item["item"] != "slam":
            names = ("player", "size") if item["item"] == "handful" else ("player",)
            bonuses.append({"bonus": item["item"], **{name: item[name] for name in names}})
    partner = {"partner": sheet["partner"]} if table.seats == 5 else {}
    return {"oudlers": oudlers, "bonuses": bonuses, **partner}


# --- Made up -------------------------------------------------------------------------------------


def _tarock(table: TarockTable, chance: random.Random) -> tuple[Event, list[Change]]:
    """A result of Illustrated Tarock, and what makes it false."""
    points = chance.randint(0, 70)
    contract = chance.choice(TAROCK_CONTRACTS)
    first, second, third = chance.sample(table.players, 3)
    book = table.book
    made = {"bonus": "forty", "player": first, "stage": "before_pickup", "made": points >= 40}
    right = {
        "type": "result_reported",
        "declarer": first,
        "contract": contract,
        "card_points": points,
        "bonuses": [made] * chance.randint(0, 1),
    }

    def bonus(**other: Any) -> dict[str, Any]:
        return {"bonuses": [{**made, **other}]}

    def both(name: str) -> dict[str, Any]:
        shown = {"bonus": name, "stage": "silent", "made": True}
        return {"bonuses": [{**shown, "player": second}, {**shown, "player": third}]}

    changes: list[Change] = [
        ("too many card points", {"card_points": chance.choice((71, 500, -1, 70.5))}, FALSE),
        ("half a point", {"card_points": 35.5}, FALSE),
        ("a bonus against the points", bonus(made=points < 40), FALSE),
        ("a bonus of nobody", bonus(player=second), FALSE),
        ("a bonus that is never silent", bonus(bonus="fifty", stage="silent", contra="contra"), FALSE),
        ("a bonus twice", {"bonuses": [made, made]}, FALSE),
        ("a bonus of the other game", bonus(bonus="slam"), SHAPE),
        ("two trulls", both("tarock_trull"), FALSE),
        ("four honours", both("two_honours"), FALSE),
        ("oudlers", {"oudlers": 2}, SHAPE),
        ("a partner", {"partner": second}, SHAPE),
        ("a contract of the other game", {"contract": "garde"}, SHAPE),
        ("no such player", {"declarer": "Nobody"}, SHAPE),
    ]
    if points < 36:
        changes.append(
            ("a valat in a lost game", bonus(bonus="valat", stage="after_pickup", made=True), FALSE)
        )
    if not book.recontra:
        contra = {"level": "recontra", "stage": "after_pickup"}
        changes.append(("no recontra", {"contra": contra}, FALSE))
    if not book.retaking:
        changes.append(("a stake that is not there", {"stake": "retaken"}, FALSE))
    if not book.takeable or contract not in book.takeable:
        changes.append(("nobody takes over", {"stake": "taken_over"}, FALSE))
    if "uhu" not in book.announced:
        changes.append(("a bonus that is not there", bonus(bonus="uhu"), FALSE))
    if not book.trischaken:
        tricks = dict(zip(table.players, (5, 5, 6), strict=True))
        made_up = _trischaken(dict.fromkeys(table.players, 20), tricks)
        changes.append(("no Trischaken", {**_NO_DECLARER, **made_up}, FALSE))
    return right, changes


_NO_DECLARER: Final = {"declarer": None, "card_points": None, "bonuses": None}


def _trischaken(points: dict[str, int], tricks: dict[str, int]) -> dict[str, Any]:
    return {"contract": "trischaken", "card_points_by_player": points, "tricks_by_player": tricks}


def _tarot(table: Table, chance: random.Random) -> tuple[Event, list[Change]]:
    """A result of French Tarot, and what makes it false."""
    oudlers = chance.randint(0, 3)
    least, most = 9 * oudlers, 182 - 9 * (3 - oudlers)
    halves = chance.randint(least, most)
    halves -= halves % 2 if table.seats == 4 and halves > least else 0
    halves += halves % 2 if table.seats == 4 else 0
    first, second, third = chance.sample(table.players, 3)
    sizes = ("single", "double", "triple")
    handful = {"bonus": "handful", "player": second, "size": chance.choice(sizes)}
    petit = {"bonus": "petit_au_bout", "player": third}
    right = {
        "type": "result_reported",
        "declarer": first,
        "contract": chance.choice(TAROT_CONTRACTS),
        "card_points": halves / 2,
        "oudlers": oudlers,
        "bonuses": chance.sample([handful, petit], chance.randint(0, 2)),
    }
    right |= {"partner": chance.choice((first, second))} if table.seats == 5 else {}
    lost = halves < 2 * NEEDED[oudlers]
    slam = {"bonus": "slam", "announced": False, "made": True}
    wrong_slam = slam if lost else {**slam, "player": third}
    triples = [{**handful, "player": name, "size": "triple"} for name in (first, second, third)]
    pagat = {"bonus": "pagat", "player": first, "stage": "silent", "made": True}
    changes: list[Change] = [
        ("too many card points", {"card_points": chance.choice((91.5, 500, -0.5))}, FALSE),
        ("too few for the oudlers", {"oudlers": 3, "card_points": 13}, FALSE),
        ("too many for the oudlers", {"oudlers": 0, "card_points": 80}, FALSE),
        ("two slams", {"bonuses": [slam | {"made": False}] * 2}, FALSE),
        ("a slam of the side that lost", {"bonuses": [wrong_slam]}, FALSE),
        ("two handfuls of one", {"bonuses": [handful, handful]}, FALSE),
        ("more trumps than there are", {"bonuses": triples}, FALSE),
        ("a bonus of the other game", {"bonuses": [pagat]}, FALSE),
        ("a contra", {"contra": {"level": "contra", "stage": "after_pickup"}}, FALSE),
        ("a stake", {"stake": "held"}, FALSE),
        ("four oudlers", {"oudlers": 4}, SHAPE),
        ("quarter points", {"card_points": 40.25}, SHAPE),
        ("a handful of no size", {"bonuses": [{**handful, "size": "huge"}]}, SHAPE),
    ]
    if table.seats == 4:
        changes.append(("half a point", {"card_points": 45.5, "oudlers": 2, "bonuses": []}, FALSE))
    if table.seats < 5:
        changes.append(("a partner", {"partner": second}, SHAPE))
    return right, changes
