"""House rules: what they change, what is refused, and that no accepted one can fail (IT-10.17)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from records.record import HandRecord
from records.schemas import load_record
from tests.service.golden import load_cases
from tests.support.houses import overrides
from trull import RulesError, Variant, may_act, replay, score
from trull.bonuses import MADE
from trull.house import ImpossibleVariant, Overrides, build, rulings_only
from trull.house_forms import BONUSES, MOST_FAULTS, STAKES
from trull.variants import VARIANTS

MAYR = VARIANTS["illustrated-mayr-sedlaczek-2016"]
BECK = VARIANTS["illustrated-beck"]
LOEW = VARIANTS["illustrated-loew-1954"]
FOUR = VARIANTS["french-tarot-4"]
ALL = sorted(VARIANTS)


def house(base: Variant, **overrides: Any) -> Variant:
    return build(base, "house-club", "Our club", Overrides(**overrides))


def faults(base: Variant, **overrides: Any) -> dict[str, str]:
    """The details by path, written with slashes."""
    with pytest.raises(ImpossibleVariant) as caught:
        house(base, **overrides)
    return {"/".join(fault.path): fault.detail for fault in caught.value.faults}


def result(variant: Variant, **facts: Any) -> HandRecord:
    """A score sheet's result under a variant, by default M&S's worked example IT-7.45 without its bonus."""
    event = {"type": "result_reported", "declarer": "A", "contract": "zweiblatt", "card_points": 41, **facts}
    players = ["A", "B", "C", "D", "E"][: variant.players]
    body = {"variant": variant.id, "players": players, "events": [event]}
    return load_record(body, {variant.id: variant})


def scores(variant: Variant, **facts: Any) -> tuple[int, ...]:
    record = result(variant, **facts)
    return score(replay(record.variant, record.events)).scores


FORTY = {"bonus": "forty", "player": "A", "stage": "before_pickup", "made": True}
PAGAT_LOST = {"bonus": "pagat", "player": "A", "stage": "after_pickup", "made": False}


# --- What it changes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("overrides", "declarer"),
    [
        ({}, (5 + 6 + 10) * 2),
        ({"contracts": {"zweiblatt": {"multiplier": 3}}}, (5 + 6 + 10) * 3),
        ({"contracts": {"zweiblatt": {"stakes": {"called": 4}}}}, (4 + 6 + 10) * 2),
        ({"bonuses": {"forty": {"values": {"before": 25}}}}, (5 + 6 + 25) * 2),
        ({"contracts": {"zweiblatt": {"multiplier": 2.0}}, "rulings": {"series_bonus": 0}}, (5 + 6 + 10) * 2),
    ],
    ids=str,
)
def test_numbers_of_rows_are_those_of_the_house(overrides: dict[str, Any], declarer: int) -> None:
    assert scores(house(MAYR, **overrides), bonuses=[FORTY]) == (declarer, 0, 0)


def test_a_ruling_of_the_house_decides() -> None:
    lost = {"card_points": 37, "bonuses": [PAGAT_LOST]}
    assert scores(MAYR, **lost) == ((5 + 2) * 2, 10 * 2, 10 * 2)
    assert scores(house(MAYR, rulings={"failed_bonus_multiplied": False}), **lost) == (14, 10, 10)


def test_a_bonus_can_be_dropped() -> None:
    club = house(BECK, bonuses={"uhu": None})
    assert "uhu" in BECK.bonuses
    assert "uhu" not in club.bonuses
    uhu = {"bonus": "uhu", "player": "A", "stage": "silent", "made": True}
    assert scores(BECK, bonuses=[uhu]) == ((3 + 6 + 5) * 2, 0, 0)
    with pytest.raises(RulesError, match="has no bonus uhu"):
        scores(club, bonuses=[uhu])
    record = result(BECK, bonuses=[uhu])
    sheet = score(replay(BECK, record.events), club)
    assert sheet.scores == ((3 + 6) * 2, 0, 0)
    assert [note.code for note in sheet.draft.notes] == ["bonus-left-out"]


def test_a_bonus_that_the_game_knows_can_be_added_in_its_place() -> None:
    uhu = {"values": {"after": 10, "silent": 5}, "announced_by": "declarer", "silent_by": "anyone"}
    club = house(MAYR, bonuses={"uhu": uhu})
    assert list(club.bonuses)[:3] == ["pagat", "uhu", "forty"]
    made = {"bonus": "uhu", "player": "A", "stage": "after_pickup", "made": True}
    assert scores(club, bonuses=[made]) == ((5 + 6 + 10) * 2, 0, 0)


def test_a_stage_can_be_dropped_and_who_follows() -> None:
    club = house(MAYR, bonuses={"pagat": {"values": {"silent": None}}, "forty": {"values": {"silent": 2}}})
    assert club.bonuses["pagat"].values == {"before": 20, "after": 10}
    assert club.bonuses["pagat"].silent_by == "nobody"
    assert club.bonuses["pagat"].announced_by == "declarer"
    assert club.bonuses["forty"].silent_by == "declarer"
    record = result(MAYR, bonuses=[{"bonus": "pagat", "player": "A", "stage": "silent", "made": True}])
    assert score(replay(MAYR, record.events), club).scores == ((5 + 6) * 2, 0, 0)


def test_a_stake_that_is_added_lets_a_contract_be_taken_over() -> None:
    club = house(
        MAYR, rulings={"held_value": 7}, contracts={"zweiblatt": {"stakes": {"taken_over": 6, "held": 7}}}
    )
    assert club.contracts["zweiblatt"].takeable
    assert not club.contracts["dreiblatt"].takeable
    assert scores(club, stake="taken_over") == ((6 + 6) * 2, 0, 0)
    assert scores(club, stake="held") == ((7 + 6) * 2, 0, 0)
    none = house(BECK, contracts={"dreiblatt": {"stakes": {"taken_over": None, "held": None}}})
    assert not none.contracts["dreiblatt"].takeable
    assert none.contracts["dreiblatt"].stakes == {"called": 3}


def test_the_held_value_is_that_of_every_row() -> None:
    club = house(LOEW, rulings={"held_value": 9})
    assert {row.stakes.get("held") for row in club.contracts.values()} == {9, None}
    assert scores(club, stake="held") == ((9 + 6) * 2, 0, 0)


def test_french_rows() -> None:
    facts = {"contract": "garde", "card_points": 49, "oudlers": 2}
    shown = {"bonus": "handful", "player": "A", "size": "single"}
    petit = {"bonus": "petit_au_bout", "player": "A"}
    bonuses = [shown, petit]
    # FT-6.21: (25 + 8) * 2 + 20 + 20, three times
    assert scores(FOUR, bonuses=bonuses, **facts) == tuple(2 * 106 * share for share in (3, -1, -1, -1))
    club = house(
        FOUR,
        contracts={"garde": {"multiplier": 3}},
        bonuses={"petit_au_bout": {"multiplied": False}, "handful": {"values": {"single": 25}}},
    )
    unit = (25 + 8) * 3 + 25 + 10
    assert scores(club, bonuses=bonuses, **facts) == tuple(2 * unit * share for share in (3, -1, -1, -1))
    longer = house(FOUR, bonuses={"handful": {"shown": {"single": 11}}})
    assert longer.bonuses["handful"].shown == {"single": 11, "double": 13, "triple": 15}


# --- What kind of variant it is ----------------------------------------------------------------


@pytest.mark.parametrize("base", ALL)
def test_without_overrides_it_is_the_base_under_another_id(base: str) -> None:
    variant = VARIANTS[base]
    club = house(variant)
    assert club.id == "house-club"
    assert club.name == "Our club"
    assert variant.source in club.source
    assert list(club.contracts.items()) == list(variant.contracts.items())
    assert list(club.bonuses.items()) == list(variant.bonuses.items())
    assert club.rulings == variant.rulings
    assert club.game is variant.game
    assert club.revision != variant.revision
    assert club.describe()["revision"] == club.revision


@pytest.mark.parametrize("base", ALL)
def test_every_row_and_ruling_of_the_base_may_be_written_out(base: str) -> None:
    variant = VARIANTS[base]
    own = BONUSES[variant.family]
    club = house(
        variant,
        rulings=dict(variant.rulings),
        contracts={
            row.id: {"multiplier": row.multiplier}
            | ({"stakes": dict(row.stakes), "may_be_taken_over": row.takeable} if row.stakes else {})
            for row in variant.contracts.values()
        },
        bonuses={
            row.id: {name: value for name, value in row.describe().items() if name in own[row.id].columns}
            for row in variant.bonuses.values()
        },
    )
    assert club.revision == house(variant).revision


def test_the_revision_tells_of_the_content_alone() -> None:
    one = house(BECK, rulings={"recontra": True, "held_value": 6}, bonuses={"uhu": None, "pagat": {}})
    same = build(
        BECK, one.id, "Another name", Overrides({"held_value": 6.0, "recontra": True}, {}, {"uhu": None})
    )
    assert one.revision == same.revision
    assert one.revision != house(BECK, rulings={"recontra": True}, bonuses={"uhu": None}).revision
    added = {"uhu": {"values": {"silent": 5}, "silent_by": "anyone"}}
    honours = {"two_honours": {"values": {"silent": 1}, "silent_by": "anyone"}}
    assert house(MAYR, bonuses=added | honours).revision == house(MAYR, bonuses=honours | added).revision


def test_it_cannot_be_changed() -> None:
    club = house(MAYR, rulings={"recontra": False})
    for table in (club.rulings, club.contracts, club.bonuses):
        with pytest.raises(TypeError):
            table["x"] = None  # type: ignore[index]  # what the test tries
    assert MAYR.rulings["recontra"] is True


def test_rulings_for_one_question_keep_the_id() -> None:
    asked = rulings_only(LOEW, {"held_value": 9, "solo_overshoot": "both"})
    assert asked.id == LOEW.id
    assert asked.name == LOEW.name
    assert asked.revision != LOEW.revision
    assert asked.contracts["dreiblatt"].stakes["held"] == 9
    assert scores(asked, contract="solo", card_points=51) == ((8 + 16) * 4, 0, 0)
    assert rulings_only(LOEW, {}).revision == LOEW.revision
    assert rulings_only(LOEW, dict(LOEW.rulings)).revision == LOEW.revision
    with pytest.raises(ImpossibleVariant) as caught:
        rulings_only(LOEW, {"solo_overshoot": "never", "x": 1, "recontra": 0})
    assert [fault.path for fault in caught.value.faults] == [
        ("rulings", "solo_overshoot"),
        ("rulings", "x"),
        ("rulings", "recontra"),
    ]


def test_a_house_may_be_the_base_of_another() -> None:
    first = house(MAYR, bonuses={"forty": {"values": {"before": 25}}})
    second = house(first, contracts={"zweiblatt": {"multiplier": 3}})
    assert scores(second, bonuses=[FORTY]) == ((5 + 6 + 25) * 3, 0, 0)


def test_every_bonus_and_stake_of_a_game_has_a_form() -> None:
    assert tuple(BONUSES["illustrated-tarock"]) == tuple(MADE)
    for variant in VARIANTS.values():
        assert set(variant.bonuses) <= set(BONUSES[variant.family])
        for row in variant.contracts.values():
            assert set(row.stakes) <= set(STAKES[variant.family])


# --- What is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("overrides", "path", "says"),
    [
        ({"rulings": {"recontre": True}}, "rulings/recontre", "no ruling"),
        ({"rulings": {"recontra": 1}}, "rulings/recontra", "true, false, not 1"),
        ({"rulings": {"recontra": None}}, "rulings/recontra", "not null"),
        ({"rulings": {"game_contra": "sometimes"}}, "rulings/game_contra", "any_stage"),
        ({"rulings": {"contra_before": 0}}, "rulings/contra_before", "1 to 100"),
        ({"rulings": {"contra_before": True}}, "rulings/contra_before", "not true"),
        ({"rulings": {"contra_after": 2.5}}, "rulings/contra_after", "not 2.5"),
        ({"rulings": {"held_value": -1}}, "rulings/held_value", "not -1"),
        ({"rulings": {"series_target": 0}}, "rulings/series_target", "1 to"),
        ({"rulings": {"pass_out": "trischaken"}}, "rulings/pass_out", "trischaken_tie"),
        ({"rulings": {"trischaken_tie": "nobody"}}, "rulings/trischaken_tie", "no_score"),
        ({"rulings": {"half_points": "keep"}}, "rulings/half_points", "no ruling"),
        ({"rulings": [1]}, "rulings", "a list"),
        ({"contracts": {"prise": {"multiplier": 2}}}, "contracts/prise", "no contract"),
        ({"contracts": {"solo": None}}, "contracts/solo", "cannot be dropped"),
        ({"contracts": {"solo": 4}}, "contracts/solo", "an object"),
        ({"contracts": {"solo": {"multiplier": 0}}}, "contracts/solo/multiplier", "1 to 100"),
        ({"contracts": {"solo": {"multiplier": "4"}}}, "contracts/solo/multiplier", 'not "4"'),
        ({"contracts": {"solo": {"takes": [[0]]}}}, "contracts/solo/takes", "no column"),
        ({"contracts": {"solo": {"stakes": {"lent": 4}}}}, "contracts/solo/stakes/lent", "no stake"),
        ({"contracts": {"solo": {"stakes": {"called": None}}}}, "contracts/solo/stakes/called", "null"),
        ({"contracts": {"solo": {"stakes": {"called": 1e300}}}}, "contracts/solo/stakes/called", "10000"),
        ({"contracts": {"solo": {"stakes": {"taken_over": 1, "held": 2}}}}, "contracts/solo/stakes", "solo"),
        ({"contracts": {"einblatt": {"stakes": {"held": 2}}}}, "contracts/einblatt/stakes", "together"),
        ({"contracts": {"einblatt": {"stakes": {"retaken": 2}}}}, "contracts/einblatt/stakes", "retaken"),
        (
            {"contracts": {"einblatt": {"may_be_taken_over": True}}},
            "contracts/einblatt/may_be_taken_over",
            "no stake taken_over",
        ),
        (
            {"contracts": {"einblatt": {"stakes": {"taken_over": 1, "held": 2}}}},
            "contracts/einblatt/stakes/held",
            "held_value",
        ),
        ({"bonuses": {"slam": {}}}, "bonuses/slam", "no bonus"),
        ({"bonuses": {"uhu": None}}, "bonuses/uhu", "no such bonus"),
        ({"bonuses": {"uhu": {}}}, "bonuses/uhu", "no value is left"),
        ({"bonuses": {"uhu": {"values": {"silent": 5}}}}, "bonuses/uhu", "Name somebody"),
        ({"bonuses": {"pagat": 20}}, "bonuses/pagat", "an object"),
        ({"bonuses": {"pagat": {"value": 20}}}, "bonuses/pagat/value", "no column"),
        ({"bonuses": {"pagat": {"values": 20}}}, "bonuses/pagat/values", "an object"),
        ({"bonuses": {"pagat": {"values": {"late": 20}}}}, "bonuses/pagat/values/late", "no value"),
        ({"bonuses": {"pagat": {"values": {"after": "10"}}}}, "bonuses/pagat/values/after", 'not "10"'),
        ({"bonuses": {"pagat": {"multiplied": False}}}, "bonuses/pagat/multiplied", "no column"),
        ({"bonuses": {"pagat": {"announced_by": "all"}}}, "bonuses/pagat/announced_by", "anyone"),
        ({"bonuses": {"pagat": {"announced_by": "nobody"}}}, "bonuses/pagat/announced_by", "before, after"),
        ({"bonuses": {"pagat": {"silent_by": "nobody"}}}, "bonuses/pagat/silent_by", "silent"),
        ({"bonuses": {"forty": {"silent_by": "declarer"}}}, "bonuses/forty/silent_by", "has no value"),
        ({"bonuses": {"forty": {"announced_by": "anyone"}}}, "bonuses/forty/announced_by", "declarer"),
        (
            {"bonuses": {"tarock_trull": {"announced_by": "anyone"}}},
            "bonuses/tarock_trull/announced_by",
            "no column",
        ),
        (
            {"bonuses": {"tarock_trull": {"silent_by": "declarer"}}, "rulings": {"hand_bonuses": "claimed"}},
            "bonuses/tarock_trull/silent_by",
            "claimed",
        ),
    ],
    ids=str,
)
def test_an_impossible_tarock_house(overrides: dict[str, Any], path: str, says: str) -> None:
    found = faults(MAYR, **overrides)
    assert list(found) == [path]
    assert says in found[path]


@pytest.mark.parametrize(
    ("overrides", "path"),
    [
        ({"rulings": {"recontra": True}}, "rulings/recontra"),
        ({"rulings": {"slam_by_defence": -200}}, "rulings/slam_by_defence"),
        ({"contracts": {"garde": {"stakes": {"called": 2}}}}, "contracts/garde/stakes"),
        ({"contracts": {"garde": {"multiplier": 101}}}, "contracts/garde/multiplier"),
        ({"bonuses": {"pagat": {"values": {"silent": 5}}}}, "bonuses/pagat"),
        ({"bonuses": {"petit_au_bout": {"values": {"value": None}}}}, "bonuses/petit_au_bout/values/value"),
        ({"bonuses": {"petit_au_bout": {"multiplied": 0}}}, "bonuses/petit_au_bout/multiplied"),
        ({"bonuses": {"petit_au_bout": {"silent_by": "declarer"}}}, "bonuses/petit_au_bout/silent_by"),
        ({"bonuses": {"slam": {"values": {"failed": 200}}}}, "bonuses/slam/values/failed"),
        ({"bonuses": {"slam": {"multiplied": True}}}, "bonuses/slam/multiplied"),
        ({"bonuses": {"handful": {"values": {"triple": None}}}}, "bonuses/handful/values/triple"),
        ({"bonuses": {"handful": {"shown": {"triple": None}}}}, "bonuses/handful/shown/triple"),
        ({"bonuses": {"handful": {"shown": {"triple": 19}}}}, "bonuses/handful/shown/triple"),
        ({"bonuses": {"handful": {"shown": {"single": 13}}}}, "bonuses/handful/shown"),
        ({"bonuses": {"handful": {"shown": {"fourfold": 18}}}}, "bonuses/handful/shown/fourfold"),
    ],
    ids=str,
)
def test_an_impossible_french_house(overrides: dict[str, Any], path: str) -> None:
    assert list(faults(FOUR, **overrides)) == [path]


def test_all_faults_come_at_once_and_only_those() -> None:
    found = faults(
        MAYR,
        rulings={"recontra": "yes", "held_value": "7"},
        contracts={"zweiblatt": {"multiplier": -2, "stakes": {"taken_over": "x", "held": 7}}},
        bonuses={"pagat": {"values": {"before": []}, "announced_by": {}}, "xyz": None},
    )
    assert list(found) == [
        "rulings/recontra",
        "rulings/held_value",
        "contracts/zweiblatt/multiplier",
        "contracts/zweiblatt/stakes/taken_over",
        "bonuses/pagat/values/before",
        "bonuses/pagat/announced_by",
        "bonuses/xyz",
    ]


def test_a_fault_of_a_value_hides_what_would_follow_from_it() -> None:
    found = faults(MAYR, rulings={"pass_out": "trischaken", "trischaken_tie": "draw"})
    assert list(found) == ["rulings/trischaken_tie"]


def test_more_faults_than_anybody_reads_are_not_kept() -> None:
    with pytest.raises(ImpossibleVariant) as caught:
        house(MAYR, rulings=dict.fromkeys(map(str, range(5 * MOST_FAULTS)), 1), bonuses={"pagat": 1})
    assert len(caught.value.faults) == MOST_FAULTS + 1
    assert len(str(caught.value)) < 2_000


# --- The law -----------------------------------------------------------------------------------

GOLDEN = [case.record for case in load_cases("full", "result", "published", "real-french")]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_what_is_accepted_scores_every_hand(data: st.DataObject) -> None:
    base = VARIANTS[data.draw(st.sampled_from(ALL))]
    written = data.draw(overrides(base))
    try:
        club = build(base, "house-club", "Our club", written)
    except ImpossibleVariant as refused:
        event("refused")
        check_places(refused, written)
        return
    event("accepted")
    for body in data.draw(st.lists(st.sampled_from(GOLDEN), min_size=5, max_size=5)):
        record = load_record(body)
        check(replay(record.variant, record.events), record, club)
        if len(record.players) == club.players:
            check_played(body, club)


def check_places(refused: ImpossibleVariant, written: Overrides) -> None:
    """Every fault is at a place that was written."""
    assert refused.faults
    for fault in refused.faults:
        place: Any = written._asdict()
        for name in fault.path:
            place = place[name]


def check(hand: Any, record: HandRecord, club: Variant) -> None:
    """The hand scored under the house's rules: its items add up."""
    sheet = score(hand, club).as_dict(record.players, "h", len(record.events))
    totals: Counter[str] = Counter()
    items: Any = sheet["items"]
    for item in items:
        totals.update(item["points"])
    assert {player: totals[player] for player in record.players} == sheet["scores"]
    assert sheet["variant_revision"] == club.revision


def check_played(body: dict[str, Any], club: Variant) -> None:
    """The same hand as one played under the house's rules, at each point as far as they allow it."""
    record = load_record({**body, "variant": club.id}, {club.id: club})
    end = len(record.events)
    try:
        check(replay(club, record.events), record, club)
    except RulesError as refused:
        end = refused.index
    may_act(replay(club, record.events[: min(end, 4)]))
