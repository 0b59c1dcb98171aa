"""Variants as values: their rows, their revision, and how they are shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace

import pytest

from tests.rules.scenes import BECK, FIVE, FOUR, LOEW, MAYR, THREE
from trull import model
from trull.games import FRENCH_TAROT, ILLUSTRATED_TAROCK
from trull.model import Bonus, Contract, Ruling, Variant
from trull.variants import VARIANTS


def test_the_six_variants() -> None:
    assert list(VARIANTS) == [
        "illustrated-loew-1954",
        "illustrated-beck",
        "illustrated-mayr-sedlaczek-2016",
        "french-tarot-3",
        "french-tarot-4",
        "french-tarot-5",
    ]
    for name, variant in VARIANTS.items():
        assert variant.id == name
        assert variant.name
        assert variant.source
    assert [variant.players for variant in VARIANTS.values()] == [3, 3, 3, 3, 4, 5]
    assert {variant.family for variant in (LOEW, BECK, MAYR)} == {"illustrated-tarock"}
    assert {variant.family for variant in (THREE, FOUR, FIVE)} == {"french-tarot"}
    with pytest.raises(TypeError):
        VARIANTS["mine"] = LOEW  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        LOEW.players = 4  # type: ignore[misc]


def test_it_4_1_it_4_12_the_contracts() -> None:
    table = {
        name: [(row.id, row.multiplier, row.exchange, dict(row.stakes)) for row in variant.contracts.values()]
        for name, variant in (("loew", LOEW), ("beck", BECK), ("mayr", MAYR))
    }
    duels = {"called": 3, "taken_over": 4, "held": 4, "retaken": 5}
    assert table["loew"] == [
        ("dreiblatt", 1, 3, duels),
        ("zweiblatt", 2, 2, duels),
        ("einblatt", 3, 1, duels),
        ("solo", 4, 0, {"called": 8}),
    ]
    assert table["beck"] == [
        ("dreiblatt", 1, 3, {"called": 3, "taken_over": 4, "held": 5}),
        ("zweiblatt", 2, 2, {"called": 3}),
        ("einblatt", 3, 1, {"called": 3}),
        ("solo", 4, 0, {"called": 3}),
    ]
    assert table["mayr"] == [
        ("dreiblatt", 1, 3, {"called": 3}),
        ("zweiblatt", 2, 2, {"called": 5}),
        ("einblatt", 3, 1, {"called": 7}),
        ("solo", 4, 0, {"called": 10}),
    ]


BONUSES = {
    LOEW.id: """
        pagat anyone anyone - 10 5
        uhu anyone anyone - 10 5
        forty declarer nobody 5 - -
        fifty declarer nobody - 15 -
        without_trull nobody declarer - - 5
        without_kings nobody declarer - - 5
        tarock_trull nobody anyone - - 3
        royal_trull nobody anyone - - 3
        two_honours nobody anyone - - 1""",
    BECK.id: """
        pagat declarer anyone 20 10 5
        uhu declarer anyone 20 10 5
        forty declarer nobody 10 5 -
        fifty declarer nobody 40 20 -
        without_trull declarer declarer 16 8 4
        without_kings declarer declarer 15 10 5
        tarock_trull nobody anyone - - 4
        royal_trull nobody anyone - - 5
        two_honours nobody anyone - - 2
        valat declarer declarer 48 24 12""",
    MAYR.id: """
        pagat declarer declarer 20 10 5
        forty declarer nobody 10 5 -
        fifty declarer nobody 40 20 -
        without_trull declarer nobody 20 10 -
        without_kings declarer nobody 20 10 -
        tarock_trull nobody anyone - - 3
        royal_trull nobody anyone - - 3
        valat declarer declarer 80 40 20""",
}
"""IT-7.25: announced by, silent by, before, after, silent."""


@pytest.mark.parametrize("name", BONUSES)
def test_it_7_25_the_bonuses(name: str) -> None:
    table = [line.split() for line in BONUSES[name].strip().splitlines()]
    rows = VARIANTS[name].bonuses
    assert list(rows) == [row[0] for row in table]
    for bonus, announced_by, silent_by, *values in table:
        row = rows[bonus]
        assert (row.announced_by, row.silent_by) == (announced_by, silent_by), bonus
        known = zip(("before", "after", "silent"), values, strict=True)
        assert row.values == {stage: int(value) for stage, value in known if value != "-"}, bonus


def test_ft_2_2_ft_3_5_the_contracts_of_french_tarot() -> None:
    for variant in (THREE, FOUR, FIVE):
        rows = variant.contracts.values()
        chien = 3 if variant is FIVE else 6
        assert [(row.id, row.multiplier, row.exchange) for row in rows] == [
            ("prise", 1, chien),
            ("garde", 2, chien),
            ("garde_sans", 4, 0),
            ("garde_contre", 6, 0),
        ]
        assert [row.untaken_to for row in rows][2:] == ["declarer", "defenders"]
        assert [row.ends_auction for row in rows] == [False, False, False, True]


@pytest.mark.parametrize(
    ("variant", "sizes"), [(THREE, (13, 15, 18)), (FOUR, (10, 13, 15)), (FIVE, (8, 10, 13))]
)
def test_ft_4_3_the_handfuls(variant: Variant, sizes: tuple[int, int, int]) -> None:
    row = variant.bonuses["handful"]
    assert row.shown == dict(zip(("single", "double", "triple"), sizes, strict=True))
    assert row.values == {"single": 20, "double": 30, "triple": 40}
    assert not row.multiplied


def test_it_5_1_portions_of_the_talon() -> None:
    takes = {row.id: row.takes for row in MAYR.contracts.values()}
    assert takes["dreiblatt"] == ((0, 1, 2), (3, 4, 5))
    assert takes["zweiblatt"] == ((0, 1), (2, 3), (4, 5))
    assert takes["einblatt"] == ((0,), (1,), (2,), (3,), (4,), (5,))
    assert takes["solo"] == ()


def test_it_10_3_what_is_held_is_worth_what_the_ruling_says() -> None:
    row = LOEW.contracts["einblatt"]
    assert [LOEW.game_value(row, stake) for stake in ("called", "taken_over", "held", "retaken")] == [
        3,
        4,
        4,
        5,
    ]
    other = replace(LOEW, rulings={**LOEW.rulings, "held_value": 7})
    assert [other.game_value(row, stake) for stake in ("called", "held")] == [3, 7]


def test_a_ruling_allows_its_values_and_no_others() -> None:
    choice = Ruling("which", ("one", "two"), "because", "IT-10.1")
    assert choice.allows("one")
    assert not any(choice.allows(value) for value in ("three", 1, None, True))
    flag = Ruling("whether", (True, False), "because", "IT-10.2")
    assert flag.allows(False)
    assert not any(flag.allows(value) for value in (1, 0, "true", None)), "1 is no True"
    number = Ruling("how many", None, "because", "IT-10.3")
    assert number.allows(-3)
    assert not any(number.allows(value) for value in (True, "3", None))


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_every_variant_sets_every_ruling_of_its_game(name: str) -> None:
    variant = VARIANTS[name]
    assert set(variant.rulings) == {ruling.name for ruling in variant.game.rulings}
    for ruling in variant.game.rulings:
        value = variant.rulings[ruling.name]
        # None: nothing in this variant asks for it.
        unasked = {"held_value": variant is MAYR, "trischaken_tie": variant is not BECK}
        assert ruling.allows(value) or (value is None and unasked.get(ruling.name, False))
        assert ruling.why


OTHERS: list[tuple[str, Callable[[Variant], Variant]]] = [
    ("id", lambda variant: replace(variant, id="other")),
    ("players", lambda variant: replace(variant, players=7)),
    ("game", lambda variant: replace(variant, game=FRENCH_TAROT)),
    ("rulings", lambda variant: replace(variant, rulings={**variant.rulings, "contra_after": 3})),
    (
        "multiplier",
        lambda variant: replace(
            variant, contracts={**variant.contracts, "solo": replace(variant.contracts["solo"], multiplier=5)}
        ),
    ),
    (
        "order of contracts",
        lambda variant: replace(variant, contracts=dict([*variant.contracts.items()][::-1])),
    ),
    (
        "bonus",
        lambda variant: replace(variant, bonuses={**variant.bonuses, "uhu": Bonus("uhu", {"silent": 1})}),
    ),
]


@pytest.mark.parametrize(("what", "change"), OTHERS, ids=[what for what, _ in OTHERS])
def test_the_revision_tells_what_can_change_a_sheet(what: str, change: Callable[[Variant], Variant]) -> None:
    assert change(BECK).revision != BECK.revision


def test_the_revision_is_a_digest_of_the_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert BECK.revision.startswith("sha256:")
    assert len(BECK.revision) == len("sha256:") + 64
    assert replace(BECK, name="Another name", source="Another source").revision == BECK.revision
    assert len({variant.revision for variant in VARIANTS.values()}) == 6
    before = BECK.revision
    monkeypatch.setattr(model, "RULES_VERSION", "later")
    assert replace(BECK).revision != before, "a change of the rules' own code changes it too"


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_a_variant_describes_itself(name: str) -> None:
    variant = VARIANTS[name]
    shown = json.loads(json.dumps(variant.describe()))
    assert shown["id"] == name
    assert (shown["name"], shown["source"]) == (variant.name, variant.source)
    assert (shown["family"], shown["players"]) == (variant.family, variant.players)
    assert shown["revision"] == variant.revision
    tarock = variant.game is ILLUSTRATED_TAROCK
    assert (shown["pack"]["cards"], shown["pack"]["points"]) == ((54, 70) if tarock else (78, 91))
    assert shown["pack"]["units_per_point"] == (3 if tarock else 2)
    assert shown["pack"]["name"] == variant.game.pack.name
    cards = shown["cards_each"] * variant.players + shown["talon"]
    assert cards == shown["pack"]["cards"]
    assert [row["contract"] for row in shown["contracts"]] == list(variant.contracts)
    assert [row["bonus"] for row in shown["bonuses"]] == list(variant.bonuses)
    assert {row["ruling"]: row["value"] for row in shown["rulings"]} == dict(variant.rulings)
    for row, ruling in zip(shown["rulings"], variant.game.rulings, strict=True):
        assert row["values"] == ("integer" if ruling.values is None else list(ruling.values))
        assert (row["why"], row["clause"]) == (ruling.why, ruling.clause)


def test_rows_describe_themselves() -> None:
    row = Contract("zweiblatt", 2, ((0, 1), (2, 3)), {"called": 3}, takeable=True, untaken_to="declarer")
    assert row.describe() == {
        "contract": "zweiblatt",
        "multiplier": 2,
        "takes": [[0, 1], [2, 3]],
        "stakes": {"called": 3},
        "may_be_taken_over": True,
        "untaken_to": "declarer",
    }
    assert (row.exchange, Contract("solo", 4).exchange) == (2, 0)
    bonus = Bonus("handful", {"single": 20}, "anyone", "nobody", False, {"single": 10})
    assert bonus.describe() == {
        "bonus": "handful",
        "values": {"single": 20},
        "announced_by": "anyone",
        "silent_by": "nobody",
        "multiplied": False,
        "shown": {"single": 10},
    }
    assert "shown" not in Bonus("pagat", {"silent": 5}).describe()
    assert bonus.announceable
    assert not Bonus("pagat", {"silent": 5}).announceable
