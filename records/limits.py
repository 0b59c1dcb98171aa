"""The numbers and the fields of the contract, in one place for the code, the document and the tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

MAX_BODY: Final = 8_000_000
"""Bytes of a request body."""
MAX_DEPTH: Final = 64
"""Levels of arrays and objects in a body; a record has six."""
MAX_FAULTS: Final = 1_000
"""Shape faults listed for one body; a last one tells when there are more."""

MIN_PLAYERS: Final = 3
MAX_PLAYERS: Final = 5
MAX_EVENTS: Final = 500
"""Events of a hand."""
MAX_CARDS: Final = 78
"""Cards in one list; the larger pack has no more."""

MAX_ID: Final = 128
"""Characters of a ``hand_id``, ``session_id``, ``event_id`` or ``table``."""
MAX_PLAYER: Final = 64
"""Characters of a player key."""
MAX_LABELS: Final = 16
MAX_LABEL: Final = 64
MAX_NOTE: Final = 500
"""Characters of an event's ``note``."""
MAX_REASON: Final = 500
"""Characters of the ``reason`` of a retraction or a penalty."""
MAX_TIME: Final = 64
"""Characters of a time; RFC 3339 allows any number of digits behind the point."""
MAX_PLACE: Final = 1_000_000
"""The highest ``round`` and ``number``, and the highest ``table`` that is given as a number."""
MAX_PENALTY: Final = 1_000_000
"""Points of a penalty, in both directions."""
MAX_REPORTED: Final = 1_000_000
"""Points and tricks of a reported result, in both directions; what a pack can give, the rules know."""
MAX_OUDLERS: Final = 3
MAX_REPORTED_BONUSES: Final = 64

MAX_SESSION_PLAYERS: Final = 50
"""Players of a session; at its table they may take turns."""
MAX_RATE: Final = 1_000_000
"""Minor units that a point may be worth."""

MAX_RESULT_ROWS: Final = 2_000
"""Results in one CSV file."""
MAX_CELL: Final = 500
"""Characters of a cell there."""

MAX_PDF_CELLS: Final = 20_000
"""Cells of a sheet's PDF. Each is set in type, some eight thousand a second."""

MAX_SELECTED: Final = 10_000
"""Hands that a batch may name one by one."""

MAX_HOUSE_DEPTH: Final = 8
"""House-rule variants that build on each other, the built-in one not counted."""

RECORD_FORMAT: Final = 1
"""The only record format so far."""


class Fields(NamedTuple):
    """The fields of an object on the wire, besides ``type`` and the `COMMON_FIELDS` of an event."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


RECORD_FIELDS: Final = Fields(
    ("variant", "players", "events"),
    ("hand_id", "format", "session_id", "table", "round", "number", "played_at", "labels"),
)

COMMON_FIELDS: Final = ("at", "event_id", "note")
"""What every event may carry."""

_PLAYER: Final = Fields(("player",))

EVENT_FIELDS: Final[Mapping[str, Fields]] = {
    "cards_dealt": Fields(("hands", "talon")),
    "passed": _PLAYER,
    "bid_made": Fields(("player", "contract")),
    "bid_accepted": _PLAYER,
    "bid_taken_over": _PLAYER,
    "bid_held": _PLAYER,
    "bid_retaken": _PLAYER,
    "king_called": Fields(("player", "card")),
    "announced": Fields(("player", "bonus"), ("cards", "stage")),
    "contra_called": Fields(("player", "target", "level")),
    "talon_taken": Fields(("player", "cards")),
    "cards_discarded": Fields(("player", "cards")),
    "card_played": Fields(("player", "card")),
    "trick_played": Fields(("cards",)),
    "hand_annulled": Fields(("reason",)),
    "result_reported": Fields(
        ("contract",),
        (
            "declarer",
            "stake",
            "card_points",
            "contra",
            "bonuses",
            "oudlers",
            "partner",
            "card_points_by_player",
            "tricks_by_player",
        ),
    ),
    "event_retracted": Fields(("seq",), ("reason",)),
    "penalty_assessed": Fields(("player", "points"), ("reason",)),
}
"""The events that a submitted record may hold, in the order of the contract."""

TAROCK_RESULT: Final = Fields(("contract", "declarer", "card_points"), ("stake", "contra", "bonuses"))
TAROT_RESULT: Final = Fields(
    ("contract", "declarer", "card_points", "oudlers"), ("stake", "contra", "bonuses")
)
"""With five players, ``partner`` is required too; with three or four there is none."""
TRISCHAKEN_RESULT: Final = Fields(("contract", "card_points_by_player", "tricks_by_player"))
TRISCHAKEN_IDLE: Final = Fields((), ("stake", "contra", "bonuses"))
"""Taken there too, but not offered: that they claim nothing is for the rules to judge."""

TAROCK_BONUS: Final = Fields(("bonus", "player", "stage", "made"), ("contra",))
REPORTED_BONUS_FIELDS: Final[Mapping[str, Fields]] = {
    "pagat": TAROCK_BONUS,
    "uhu": TAROCK_BONUS,
    "forty": TAROCK_BONUS,
    "fifty": TAROCK_BONUS,
    "without_trull": TAROCK_BONUS,
    "without_kings": TAROCK_BONUS,
    "tarock_trull": TAROCK_BONUS,
    "royal_trull": TAROCK_BONUS,
    "two_honours": TAROCK_BONUS,
    "valat": TAROCK_BONUS,
    "petit_au_bout": Fields(("bonus", "player")),
    "handful": Fields(("bonus", "player", "size")),
    "slam": Fields(("bonus", "announced", "made"), ("player",)),
}
"""The fields of a bonus in ``result_reported``, by its id."""

REPORTED_CONTRA_FIELDS: Final = Fields(("level",), ("stage",))

MAX_NAME: Final = 128
"""Characters of a player's display name."""
MAX_ROUNDS: Final = 100
"""Rounds of a tournament."""
MAX_TABLES: Final = 1_000
"""Tables of a tournament."""
MAX_HANDS_A_ROUND: Final = 1_000
"""Hands that a table of a tournament plays in a round."""
MAX_ENTRANTS: Final = 5_000
"""Players of a tournament."""
MAX_PRIZES: Final = 100
MAX_AMOUNT: Final = 1_000_000_000
"""Minor units of a prize."""
MAX_POINT_RATE: Final = 1_000_000
"""Minor units a point."""
MAX_TABLE_POINTS: Final = 1_000
"""Points for a place at a table."""
MAX_WEIGHT: Final = 100
"""What attack or defence may weigh in a duplicate tournament."""
MAX_DIRECTIONS: Final = 500
"""Events that are added to a tournament at once."""

TOURNAMENT_FIELDS: Final = Fields(
    ("name", "variant", "rounds", "hands_per_round", "tables"),
    (
        "tournament_id",
        "players",
        "teams",
        "seats",
        "ranking",
        "tie_breaks",
        "table_points",
        "attack_weight",
        "defence_weight",
        "deals",
        "contra",
        "rate",
        "prizes",
    ),
)

TOURNAMENT_EVENTS: Final[Mapping[str, Fields]] = {
    "tournament_changed": Fields((), ("name", "rounds", "hands_per_round", "tables", "tie_breaks", "prizes")),
    "player_registered": Fields(("player",), ("team",)),
    "player_withdrawn": Fields(("player",), ("reason",)),
    "seats_assigned": Fields(("round", "tables")),
    "penalty_assessed": Fields(("player", "points"), ("reason", "round")),
    "hand_struck": Fields(("round", "number"), ("table", "reason")),
    "hand_chosen": Fields(("hand_id",), ("reason",)),
    "event_retracted": Fields(("seq",), ("reason",)),
    "tournament_closed": Fields(),
    "tournament_reopened": Fields((), ("reason",)),
}
"""What a director may add to a tournament. Its first event, ``tournament_created``, the service makes."""
