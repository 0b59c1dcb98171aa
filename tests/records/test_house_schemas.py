"""Bodies of house-rule variants: what they make, and every fault by its pointer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from records import wire
from records.faults import INVALID_RECORD, InvalidRecord
from records.house_schemas import load_house
from records.limits import MAX_FAULTS
from tests.records.strategies import JSON
from trull.house import Overrides, build
from trull.variants import VARIANTS

BASE = "illustrated-mayr-sedlaczek-2016"
BODY: dict[str, Any] = {
    "id": "house-stammtisch-3",
    "name": "Stammtisch im Café Weidinger",
    "base": BASE,
    "rulings": {"recontra": False},
    "contracts": {"zweiblatt": {"multiplier": 3}},
    "bonuses": {"without_trull": None, "pagat": {"values": {"before": 25, "silent": None}}},
}


def faults(body: object) -> dict[str, str]:
    with pytest.raises(InvalidRecord) as caught:
        load_house(body)
    assert {fault.code for fault in caught.value.faults} == {INVALID_RECORD}
    return {fault.pointer: fault.detail for fault in caught.value.faults}


def test_a_body_makes_the_variant_that_its_overrides_say() -> None:
    house = load_house(BODY)
    sections = Overrides(BODY["rulings"], BODY["contracts"], BODY["bonuses"])
    assert house.variant == build(VARIANTS[BASE], BODY["id"], BODY["name"], sections)
    assert house.variant.name == BODY["name"]
    assert house.base == BASE
    assert house.as_dict() == BODY


def test_it_is_the_same_when_it_is_stored_and_read_again() -> None:
    stored = load_house(wire.load(wire.dumps(load_house(BODY).as_dict())))
    assert stored == load_house(BODY)
    assert stored.variant.revision == load_house(BODY).variant.revision


def test_bodies_that_say_the_same_are_equal() -> None:
    short = {"id": "house-a", "name": "A", "base": "illustrated-loew-1954"}
    bonuses = {"uhu": None, "pagat": {"values": {"silent": None}}}
    plain = {**short, "rulings": {"held_value": 5}, "contracts": {}, "bonuses": bonuses}
    assert load_house(plain).as_dict() == plain
    wordy: dict[str, Any] = {
        "contracts": None,
        "bonuses": {
            "pagat": {"values": {"silent": None}, "announced_by": None},
            "uhu": None,
            "forty": {},
            "fifty": {"values": {}},
        },
        "rulings": {"held_value": 5.0, "trischaken_tie": None},
        **short,
    }
    assert load_house(wordy).as_dict() == plain
    assert type(load_house(wordy).rulings["held_value"]) is int
    assert load_house({**plain, "bonuses": {}}).as_dict() != plain


def test_a_house_of_the_club_can_be_the_base_where_it_is_known() -> None:
    first = load_house(BODY).variant
    body = {"id": "house-b", "name": "B", "base": first.id}
    assert list(faults(body)) == ["/base"]
    second = load_house(body, {**VARIANTS, first.id: first})
    assert second.variant.contracts == first.contracts
    assert second.base == first.id


@pytest.mark.parametrize(
    ("change", "pointer", "says"),
    [
        ({"id": "club"}, "/id", "house-"),
        ({"id": "house-"}, "/id", "house-"),
        ({"id": "house-Club"}, "/id", "a-z"),
        ({"id": "house-" + "a" * 59}, "/id", "58"),
        ({"id": "house-a\n"}, "/id", "house-"),
        ({"id": 7}, "/id", "string"),
        ({"id": None}, "/id", "Missing"),
        ({"name": ""}, "/name", "1 to 128"),
        ({"name": " A"}, "/name", "space"),
        ({"name": "A\u202eB"}, "/name", "U+202E"),
        ({"name": ["A"]}, "/name", "string"),
        ({"base": "illustrated-beck-2"}, "/base", "illustrated-beck,"),
        ({"base": {}}, "/base", "string"),
        ({"rulings": []}, "/rulings", "an object"),
        ({"rulings": {"recontra": 0}}, "/rulings/recontra", "true, false"),
        ({"contracts": {"a/b~": {}}}, "/contracts/a~1b~0", "no contract"),
        ({"contracts": {"solo": {"stakes": {"called": -4}}}}, "/contracts/solo/stakes/called", "-4"),
        ({"bonuses": {"pagat": {"values": {"before": 2**63}}}}, "/bonuses/pagat/values/before", "10000"),
        ({"payment": 1}, "/payment", "a house-rule variant has id, name, base"),
    ],
    ids=str,
)
def test_a_fault(change: dict[str, Any], pointer: str, says: str) -> None:
    found = faults({**BODY, **change})
    assert list(found) == [pointer]
    assert says in found[pointer]


def test_all_faults_at_once_in_the_order_of_the_body() -> None:
    body = {
        "bonuses": {"pagat": 3},
        "id": "x",
        "extra": None,
        "base": BASE,
        "rulings": {"recontra": "no", "contra_before": 0},
        "contracts": {"solo": {"multiplier": 0}},
    }
    assert list(faults(body)) == [
        "/bonuses/pagat",
        "/id",
        "/extra",
        "/rulings/recontra",
        "/rulings/contra_before",
        "/contracts/solo/multiplier",
        "/name",
    ]
    assert list(faults({})) == ["/id", "/name", "/base"]
    others: tuple[object, ...] = (None, [], "x", 1)
    for other in others:
        assert list(faults(other)) == [""]


def test_more_faults_than_are_listed() -> None:
    found = faults({**BODY, "rulings": dict.fromkeys(map(str, range(3 * MAX_FAULTS)), 1)})
    assert len(found) == MAX_FAULTS + 1
    assert "more faults" in found[""]


@given(JSON, JSON, JSON, JSON)
def test_any_json_is_read_or_refused(name: Any, rulings: Any, contracts: Any, bonuses: Any) -> None:
    row = {"multiplier": contracts, "stakes": {"called": contracts, "held": rulings}}
    bonus = {"values": {"silent": bonuses}, "announced_by": bonuses, "silent_by": name}
    body = {
        "id": "house-x",
        "name": name,
        "base": BASE,
        "rulings": {"held_value": rulings, "recontra": rulings, "pass_out": contracts},
        "contracts": {"zweiblatt": row},
        "bonuses": {"pagat": bonus, "uhu": bonuses},
    }
    for variation in (body, {**body, "rulings": rulings, "contracts": contracts, "bonuses": bonuses}):
        try:
            house = load_house(variation)
        except InvalidRecord as refused:
            check_pointers(refused, variation)
        else:
            assert load_house(house.as_dict()) == house


def check_pointers(refused: InvalidRecord, body: dict[str, Any]) -> None:
    """Every pointer leads to something in the body."""
    assert refused.faults
    for fault in refused.faults:
        value: Any = body
        for step in fault.pointer.split("/")[1:]:
            value = value[step.replace("~1", "/").replace("~0", "~")]
