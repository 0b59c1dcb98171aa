"""What may be done to a tournament: its settings as a whole, and each event of its director."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from records.faults import INVALID_RECORD, Fault, InvalidRecord, shown
from records.limits import MAX_ENTRANTS, TOURNAMENT_EVENTS
from records.session_view import keeps_halves
from records.stored_hands import LoggedEvent
from records.tournament_hands import Facts, Outcome, outcome_of
from records.tournament_log import RETRACTABLE, Event, Tournament, apply, fold
from trull import Variant

Hands = Callable[[], Sequence[Facts]]
"""Reads the hands of the tournament: only some events need them."""

RESTING: Final = 2
"""How many may sit at a table beyond those who play at once."""


class CannotDirect(Exception):
    """An event cannot be added to the tournament as it stands. ``code`` is a problem's; nothing is added.

    ``passes``: only sheets stand in the way that workers are about to make.
    """

    def __init__(self, code: str, detail: str, index: int, *, passes: bool = False) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.index = index
        self.passes = passes


def check_settings(settings: Mapping[str, Any], variant: Variant) -> None:
    """Whether the settings of a new tournament go together. Raises `InvalidRecord` with every fault."""
    faults = [
        *_ranking_faults(settings),
        *_rate_faults(settings, variant),
        *_deal_faults(settings, variant),
        *_team_faults(settings),
        *_all_seat_faults(settings, variant),
    ]
    if faults:
        raise InvalidRecord(faults)


def _fault(pointer: str, detail: str) -> Fault:
    return Fault(pointer, INVALID_RECORD, detail)


def _ranking_faults(settings: Mapping[str, Any]) -> Iterator[Fault]:
    ranking = settings.get("ranking", "points")
    if (ranking == "table_points") != ("table_points" in settings):
        yield _fault("/table_points", "Points for the places at a table go with the ranking table_points.")
    if ranking != "percentage":
        for name in ("attack_weight", "defence_weight", "deals"):
            if name in settings:
                yield _fault(f"/{name}", f"{name} goes with the ranking percentage (duplicate).")
    elif not settings.get("attack_weight", 1) and not settings.get("defence_weight", 1):
        yield _fault("/attack_weight", "Of attack and defence one weighs something.")


def _rate_faults(settings: Mapping[str, Any], variant: Variant) -> Iterator[Fault]:
    if keeps_halves(variant) and settings.get("rate", {}).get("minor_units_per_point", 0) % 2:
        detail = f"{variant.id} keeps half points, so that the worth of a point is an even number."
        yield _fault("/rate/minor_units_per_point", detail)


def _deal_faults(settings: Mapping[str, Any], variant: Variant) -> Iterator[Fault]:
    most = settings["rounds"] * settings["hands_per_round"]
    for place, deal in enumerate(settings.get("deals", ())):
        if deal["deal"] > most:
            yield _fault(f"/deals/{place}/deal", f"The tournament has {most} deals.")
        if deal.get("contract") not in (None, *variant.contracts):
            yield _fault(f"/deals/{place}/contract", f"{variant.id} has no contract {deal['contract']}.")
        if deal.get("seat", 1) > variant.players:
            yield _fault(f"/deals/{place}/seat", f"{variant.id} has {variant.players} seats.")


def _team_faults(settings: Mapping[str, Any]) -> Iterator[Fault]:
    players = set(settings.get("players", ()))
    members: set[str] = set()
    for at, team in enumerate(settings.get("teams", ())):
        for place, player in enumerate(team["players"]):
            if player in members:
                yield _fault(f"/teams/{at}/players/{place}", f"{shown(player)} is in a team already.")
            members.add(player)
    if len(players | members) > MAX_ENTRANTS:
        yield _fault("/players", f"A tournament has at most {MAX_ENTRANTS} players.")


def _all_seat_faults(settings: Mapping[str, Any], variant: Variant) -> Iterator[Fault]:
    players = {*settings.get("players", ())}
    for team in settings.get("teams", ()):
        players.update(team["players"])
    for at, seats in enumerate(settings.get("seats", ())):
        for path, detail in _seat_faults(seats, settings, variant, players):
            yield _fault(f"/seats/{at}{path}", detail)


def _seat_faults(
    seats: Mapping[str, Any], settings: Mapping[str, Any], variant: Variant, players: set[str]
) -> Iterator[tuple[str, str]]:
    """What is wrong with the seats of a round: where, and why."""
    if seats["round"] > settings["rounds"]:
        yield "/round", f"The tournament has {settings['rounds']} rounds."
    least = variant.players
    seated: dict[str, int] = {}
    for at, table in enumerate(seats["tables"]):
        path = f"/tables/{at}"
        if table["table"] > settings["tables"]:
            yield f"{path}/table", f"The tournament has {settings['tables']} tables."
        if not least <= len(table["players"]) <= least + RESTING:
            yield f"{path}/players", f"At a table there are {least} to {least + RESTING} players."
        for place, player in enumerate(table["players"]):
            where = f"{path}/players/{place}"
            if player not in players:
                yield where, f"{shown(player)} is no player of the tournament."
            elif player in seated:
                yield where, f"{shown(player)} sits at table {seated[player]} already."
            else:
                seated[player] = table["table"]


def directed(
    tournament: Tournament,
    variant: Variant,
    actor: str,
    events: Sequence[Event],
    hands: Hands,
    first: int = 0,
) -> tuple[list[Event], Tournament]:
    """The events as they are stored, and the tournament with them, judged one after the other.

    ``first`` is the index of the first one in the body that they came in.
    Raises `InvalidRecord` for what names something that is not there, `CannotDirect` for what cannot be now.
    """
    made = fold(tournament.tournament_id, [*tournament.log])
    stored: list[Event] = []
    for index, event in enumerate(events, first):
        found = (
            _seat_faults(event, made.settings, variant, set(made.players))
            if event["type"] == "seats_assigned"
            else _FAULTS[event["type"]](made, event)
        )
        faults = [_fault(f"/events/{index}{path}", detail) for path, detail in found]
        if faults:
            raise InvalidRecord(faults)
        _check_time(made, event, index)
        kept = _completed(made, event, index, hands)
        stored.append(kept)
        logged = LoggedEvent(made.version + 1, "", actor, kept)
        if kept["type"] == "event_retracted":
            made = fold(made.tournament_id, [*made.log, logged])
        else:
            made.log.append(logged)
            made.version += 1
            apply(made, logged)
    return stored, made


def _check_time(made: Tournament, event: Event, index: int) -> None:
    """A closed tournament takes nothing but its reopening."""
    if made.is_closed != (event["type"] == "tournament_reopened"):
        if made.is_closed:
            detail = "The tournament is closed; a tournament_reopened opens it again."
            raise CannotDirect("tournament-closed", detail, index)
        raise CannotDirect("event-out-of-place", "The tournament is open.", index)


def _completed(made: Tournament, event: Event, index: int, hands: Hands) -> Event:
    """The event with what the service adds: the hands that were not chosen, the final places."""
    if event["type"] == "hand_chosen":
        found = outcome_of(made, hands())
        rivals = next((some for some in found.admission.rivals.values() if event["hand_id"] in some), None)
        if rivals is None:
            detail = f"{event['hand_id']!r} is no hand of a place that several hands claim."
            raise InvalidRecord([_fault(f"/events/{index}/hand_id", detail)])
        return {**event, "over": [hand_id for hand_id in rivals if hand_id != event["hand_id"]]}
    if event["type"] == "tournament_closed":
        found = outcome_of(made, hands())
        disputes = len(found.admission.disputes)
        if found.pending or disputes:
            detail = f"{disputes} places are disputed, and {found.pending} sheets are still to be made."
            raise CannotDirect("tournament-unsettled", detail, index, passes=not disputes)
        return {**event, "final": final_places(found)}
    return event


def final_places(found: Outcome) -> list[dict[str, Any]]:
    """The places as a closing keeps them: exact, so that any difference shows."""
    return [
        {
            "place": standing.place,
            "player": standing.ledger.name,
            "points": None if standing.ledger.total is None else str(standing.ledger.total),
        }
        for standing in found.ranking
    ]


# --- what may be wrong with each event ----------------------------------------------------------------

Found = Iterator[tuple[str, str]]


def _nothing(made: Tournament, event: Event) -> Found:
    yield from ()


def _of_player(made: Tournament, event: Event) -> Found:
    if event["player"] not in made.players:
        yield "/player", f"{shown(event['player'])} is no player of the tournament."
    yield from _of_round(made, event)


def _of_round(made: Tournament, event: Event) -> Found:
    rounds = made.settings["rounds"]
    if event.get("round", 1) > rounds:
        yield "/round", f"The tournament has {rounds} rounds."


def _of_registration(made: Tournament, event: Event) -> Found:
    if event["player"] not in made.players and len(made.players) >= MAX_ENTRANTS:
        yield "/player", f"A tournament has at most {MAX_ENTRANTS} players."


def _of_struck(made: Tournament, event: Event) -> Found:
    yield from _of_round(made, event)
    if event["number"] > made.numbers:
        yield "/number", f"The hands are numbered from 1 to {made.numbers}."
    if event.get("table", 1) > made.settings["tables"]:
        yield "/table", f"The tournament has {made.settings['tables']} tables."


def _of_retraction(made: Tournament, event: Event) -> Found:
    seq = event["seq"]
    if seq > made.version:
        yield "/seq", f"The tournament has {made.version} events."
        return
    target = made.log[seq - 1].event
    if target["type"] not in RETRACTABLE:
        yield "/seq", f"Event {seq} is a {target['type']}, which cannot be retracted."
    elif any(one.event["type"] == "event_retracted" and one.event["seq"] == seq for one in made.log):
        yield "/seq", f"Event {seq} is retracted already."


def _of_change(made: Tournament, event: Event) -> Found:
    """Fewer rounds or tables would leave seats and deals without a place."""
    if not event.keys() & set(TOURNAMENT_EVENTS["tournament_changed"].optional):
        yield "", "A tournament_changed names what it changes."
    for name in ("rounds", "tables", "hands_per_round"):
        if name in event and event[name] < made.settings[name]:
            yield f"/{name}", f"There were {made.settings[name]}; there may be more, not fewer."


_FAULTS: Final[Mapping[str, Callable[[Tournament, Event], Found]]] = {
    "tournament_changed": _of_change,
    "player_registered": _of_registration,
    "player_withdrawn": _of_player,
    "penalty_assessed": _of_player,
    "hand_struck": _of_struck,
    "hand_chosen": _nothing,
    "event_retracted": _of_retraction,
    "tournament_closed": _nothing,
    "tournament_reopened": _nothing,
}
