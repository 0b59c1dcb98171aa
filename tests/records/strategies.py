"""Hypothesis strategies: JSON values, and hand records that have the right shape and no more than that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from records.limits import MAX_PENALTY, MAX_PLACE, REPORTED_BONUS_FIELDS
from records.names import player_fault
from trull.cards import CODES
from trull.events import ANNULMENTS, BONUSES, CONTRA_LEVELS, CONTRACTS, HANDFULS, STAGES, STAKES
from trull.variants import VARIANTS

Object = dict[str, Any]

KEYS = st.text(max_size=6) | st.sampled_from(["events", "hands", "at", "type", "player", "a:b"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["2026-11-29T20:15:00Z", "::", "12345678901234567890123", "\\u003a", "T21", "Anna"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
"""Any JSON value that fits into 64 bits."""

IDS = st.text("ABCxyz019._~-", min_size=1, max_size=128)
PLAYERS = st.text(min_size=1, max_size=64).filter(lambda key: player_fault(key) is None)
LINES = st.sampled_from(["3", "Saal A", "Stammtisch", "小林", "x" * 64])
TEXTS = st.sampled_from(["", "misread", "first line\nsecond\tline", "é" * 500, '"quoted": {}'])
TIMES = st.sampled_from(
    [
        "2026-11-29T20:15:00+01:00",
        "2026-11-30T20:15:00Z",
        "2024-02-29t23:59:60.123456789z",
        "1999-12-31T00:00:00.5-23:59",
    ]
)
CARDS = st.sampled_from(CODES)
HALVES = st.integers(-4, 200).map(lambda halves: halves / 2)


@st.composite
def objects(draw: st.DrawFn, required: dict[str, Any], optional: dict[str, Any]) -> Object:
    """An object of these fields, each a strategy; the optional ones may be absent or null."""
    made = {name: draw(values) for name, values in required.items()}
    for name, values in optional.items():
        if draw(st.integers(0, 2)) == 0:
            made[name] = draw(st.none() | values)
    names = draw(st.permutations(list(made)))
    return {name: made[name] for name in names}


@st.composite
def events(draw: st.DrawFn, players: Sequence[str], index: int) -> Object:
    """An event of any type for these players."""
    form = draw(st.sampled_from(sorted(FORMS)))
    required, optional = FORMS[form](players)
    kind = form.partition("/")[0]
    common = {
        "at": TIMES,
        "event_id": st.sampled_from([f"e{index}", f"0190-{index}:ü"]),
        "note": TEXTS,
    }
    return draw(objects({"type": st.just(kind), **required}, {**optional, **common}))


@st.composite
def records(draw: st.DrawFn) -> Object:
    """A hand record of any variant whose events have nothing to do with each other."""
    variant = VARIANTS[draw(st.sampled_from(sorted(VARIANTS)))]
    seats = variant.players
    players = draw(st.lists(PLAYERS, min_size=seats, max_size=seats, unique=True))
    count = draw(st.integers(1, 8))
    told = [draw(events(players, index)) for index in range(count)]
    place = {
        "hand_id": IDS,
        "format": st.sampled_from([1, 1.0]),
        "session_id": IDS,
        "table": LINES | st.integers(1, MAX_PLACE),
        "round": st.integers(1, MAX_PLACE),
        "number": st.integers(1, MAX_PLACE),
        "played_at": TIMES,
        "labels": st.lists(LINES, max_size=16),
    }
    fixed = {"variant": st.just(variant.id), "players": st.just(players), "events": st.just(told)}
    return draw(objects(fixed, place))


def _by(players: Sequence[str]) -> Object:
    return {"player": st.sampled_from(players)}


def _each(players: Sequence[str], values: st.SearchStrategy[Any]) -> st.SearchStrategy[Object]:
    return st.fixed_dictionaries(dict.fromkeys(players, values))


def _some(fewest: int) -> st.SearchStrategy[list[str]]:
    return st.lists(CARDS, min_size=fewest, max_size=6)


def _announced(players: Sequence[str]) -> tuple[Object, Object]:
    others = [bonus for bonus in BONUSES if bonus != "handful"]
    return _by(players) | {"bonus": st.sampled_from(others)}, {"stage": st.sampled_from(STAGES)}


def _handful(players: Sequence[str]) -> tuple[Object, Object]:
    return (
        _by(players) | {"bonus": st.just("handful"), "cards": _some(1)},
        {"stage": st.sampled_from(STAGES)},
    )


@st.composite
def reported_bonuses(draw: st.DrawFn, players: Sequence[str]) -> Object:
    """A bonus of a result, with the fields that go with it."""
    bonus = draw(st.sampled_from(BONUSES))
    values: Object = {
        "bonus": st.just(bonus),
        "player": st.sampled_from(players),
        "stage": st.sampled_from((*STAGES, "silent")),
        "made": st.booleans(),
        "contra": st.sampled_from(CONTRA_LEVELS),
        "size": st.sampled_from(HANDFULS),
        "announced": st.booleans(),
    }
    own = REPORTED_BONUS_FIELDS[bonus]
    return draw(
        objects({name: values[name] for name in own.required}, {name: values[name] for name in own.optional})
    )


def _optional_of_results(players: Sequence[str]) -> Object:
    contra = objects({"level": st.sampled_from(CONTRA_LEVELS)}, {"stage": st.sampled_from(STAGES)})
    return {
        "stake": st.sampled_from(STAKES),
        "contra": contra,
        "bonuses": st.lists(reported_bonuses(players), max_size=3),
    }


def _tarock_result(players: Sequence[str]) -> tuple[Object, Object]:
    required = {
        "contract": st.sampled_from(CONTRACTS[:4]),
        "declarer": st.sampled_from(players),
        "card_points": st.integers(0, 70) | HALVES,
    }
    return required, _optional_of_results(players)


def _tarot_result(players: Sequence[str]) -> tuple[Object, Object]:
    required, optional = _tarock_result(players)
    required |= {"contract": st.sampled_from(CONTRACTS[5:]), "oudlers": st.integers(0, 3)}
    if len(players) == 5:
        required["partner"] = st.sampled_from(players)
    return required, optional


def _trischaken_result(players: Sequence[str]) -> tuple[Object, Object]:
    counted = _each(players, st.integers(0, 70))
    required = {
        "contract": st.just("trischaken"),
        "card_points_by_player": counted,
        "tricks_by_player": counted,
    }
    return required, _optional_of_results(players)


FORMS: dict[str, Any] = {
    "cards_dealt": lambda players: ({"hands": _each(players, _some(0)), "talon": _some(0)}, {}),
    "bid_made": lambda players: (_by(players) | {"contract": st.sampled_from(CONTRACTS)}, {}),
    "king_called": lambda players: (_by(players) | {"card": CARDS}, {}),
    "announced": _announced,
    "contra_called": lambda players: (
        _by(players)
        | {"target": st.sampled_from(("game", *BONUSES)), "level": st.sampled_from(CONTRA_LEVELS[1:])},
        {},
    ),
    "talon_taken": lambda players: (_by(players) | {"cards": _some(1)}, {}),
    "cards_discarded": lambda players: (_by(players) | {"cards": _some(1)}, {}),
    "card_played": lambda players: (_by(players) | {"card": CARDS}, {}),
    "trick_played": lambda players: (
        {"cards": st.lists(CARDS, min_size=len(players), max_size=len(players))},
        {},
    ),
    "hand_annulled": lambda players: ({"reason": st.sampled_from(ANNULMENTS)}, {}),
    "event_retracted": lambda players: ({"seq": st.integers(1, 500)}, {"reason": TEXTS}),
    "penalty_assessed": lambda players: (
        _by(players) | {"points": st.integers(-MAX_PENALTY, MAX_PENALTY)},
        {"reason": TEXTS},
    ),
    "passed": lambda players: (_by(players), {}),
    "bid_accepted": lambda players: (_by(players), {}),
    "bid_taken_over": lambda players: (_by(players), {}),
    "bid_held": lambda players: (_by(players), {}),
    "bid_retaken": lambda players: (_by(players), {}),
    "announced/handful": _handful,
    "result_reported/tarock": _tarock_result,
    "result_reported/tarot": _tarot_result,
    "result_reported/trischaken": _trischaken_result,
}
"""The fields of every type of event, required and optional, as strategies; some types have several forms."""
