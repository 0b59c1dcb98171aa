"""A hand as a table enters it: who played, and what came of it. Read, judged, and made a record of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from marshmallow import ValidationError, fields

from records.checks import whole, without_nulls
from records.faults import INVALID_RECORD, Fault, InvalidRecord, shown
from records.limits import COMMON_FIELDS, MAX_PLACE, MAX_REASON
from records.names import player_fault, text_fault
from records.proposals import Proposal
from records.record import HandRecord
from records.record_fields import CheckedField, QuickField, Reading, TextField
from records.schemas import BodySchema, load_body, load_record, required
from records.table_now import TableNow
from trull import RulesError, Variant, replay
from trull.events import ANNULMENTS, HandAnnulled

EVENTS: Final = ("result_reported", "hand_annulled")
"""What a table may say of a hand."""

Variants = Mapping[str, Variant]


class TableHand(NamedTuple):
    """A hand at a table. ``by`` is who enters it, where that is asked for."""

    record: HandRecord
    event: dict[str, Any]
    number: int | None
    by: str | None


class Voice(NamedTuple):
    """Who confirms or objects, and the word that goes with an objection."""

    by: str
    word: str | None


class SpeakerField(QuickField):
    """A player who speaks."""

    def read(self, value: Any) -> str:
        """The player's key."""
        wrong = player_fault(value) if type(value) is str else f"A player is a string, not {shown(value)}."
        if wrong is not None:
            raise ValidationError(wrong)
        return str(value)


class HandSchema(BodySchema):
    """A hand that is to be scored."""

    what = "a hand at the table"

    players = fields.Raw(**required("Missing: who played, forehand first."))
    event = fields.Raw(**required("Missing: what came of the hand."))
    number = CheckedField(whole("A hand's number", 1, MAX_PLACE))


class ProposalSchema(HandSchema):
    """A hand that is proposed."""

    what = "a proposal"

    by = SpeakerField(**required("Missing: who proposes it."))


class ConfirmationSchema(BodySchema):
    """Who confirms."""

    what = "a confirmation"

    by = SpeakerField(**required("Missing: who confirms it."))


class ObjectionSchema(BodySchema):
    """Who objects, and why."""

    what = "an objection"

    by = SpeakerField(**required("Missing: who objects."))
    word = TextField(lambda text: text_fault(text, MAX_REASON, "A word"), "A word")


_HAND, _PROPOSAL = HandSchema(), ProposalSchema()
_CONFIRMATION, _OBJECTION = ConfirmationSchema(), ObjectionSchema()


def annulments(variant: Variant) -> list[str]:
    """Why a table may annul a hand of which there is nothing else to tell."""
    return [reason for reason in ANNULMENTS if reason != "director" and _annuls(variant, reason)]


def load_hand(data: object, now: TableNow, variants: Variants, *, signed: bool) -> TableHand:
    """The hand of a parsed body; ``signed``: with who proposes it. Raises `InvalidRecord` with all faults."""
    faults: list[Fault] = []
    made: dict[str, Any] = {}
    record = None
    try:
        made = load_body(_PROPOSAL if signed else _HAND, data, Reading(variants, 1))
    except InvalidRecord as error:
        faults += error.faults
    if isinstance(data, dict) and None not in (data.get("event"), data.get("players")):
        event = without_nulls(data["event"])
        faults += _event_faults(event, now)
        body = {"variant": now.variant.id, "players": data["players"], "events": [event]}
        try:
            record = load_record(body, variants)
        except InvalidRecord as error:
            faults += [fault._replace(pointer=at_the_table(fault.pointer)) for fault in error.faults]
        else:
            faults += _seat_faults(record, now, made)
    if faults or record is None:
        raise InvalidRecord(faults)
    return TableHand(record, record.sent[0], made.get("number"), made.get("by"))


def load_voice(data: object, *, objects: bool) -> Voice:
    """Who confirms or objects, of a parsed body. Raises `InvalidRecord` with every fault."""
    made = load_body(_OBJECTION if objects else _CONFIRMATION, data, Reading({}, 1))
    return Voice(made["by"], made.get("word"))


def at_the_table(pointer: str) -> str:
    """The place in the body of a hand at the table, of one in its record."""
    return pointer.replace("/events/0", "/event", 1).replace("/events", "/event", 1)


def others(event: Mapping[str, Any], players: Sequence[str], by: str) -> list[str]:
    """Who may confirm: the players of the other side. Where nobody plays with another, all others."""
    side = {event.get("declarer"), event.get("partner")}
    if event.get("declarer") is None:
        return [player for player in players if player != by]
    return [player for player in players if (player in side) != (by in side)]


def record_of(proposal: Proposal, session_id: str, variants: Variants) -> HandRecord:
    """The record that a proposal becomes once it is confirmed."""
    note = f"Proposed by {proposal['by']}, confirmed by {proposal['confirmed']['by']}."
    body = {
        "hand_id": proposal["hand_id"],
        "variant": proposal["variant"],
        "players": proposal["players"],
        "session_id": session_id,
        "table": proposal["table"],
        "round": proposal["round"],
        "number": proposal["number"],
        "events": [{**proposal["event"], "note": note}],
    }
    return load_record(body, variants)


def place_fault(
    now: TableNow, number: int | None, event: Mapping[str, Any], players: Sequence[str]
) -> Fault | None:
    """What is in the way of a hand at that number; ``pointer`` is into the body of a proposal."""
    if now.is_complete:
        return _fault("/number", "All hands of this table are in.")
    if number is None and now.asks_number:
        return _fault("/number", "Missing: the number of the deal.")
    most = now.most or MAX_PLACE
    if number is not None and number > most:
        return _fault("/number", f"Hands are numbered from 1 to {most:,} here.")
    if number in now.taken:
        return _fault("/number", f"There is a hand {number} already.")
    imposed = now.imposed.get(number or 0)
    if imposed is None or event["type"] != EVENTS[0]:
        return None
    if imposed.contract not in (None, event["contract"]):
        return _fault("/event/contract", f"Deal {number} is played in {imposed.contract}.")
    if imposed.seat is not None and event.get("declarer") != players[imposed.seat]:
        return _fault("/event/declarer", f"{players[imposed.seat]} is the declarer of deal {number}.")
    return None


def _event_faults(event: Any, now: TableNow) -> list[Fault]:
    """What a record may hold, and a table may not say."""
    if not isinstance(event, dict):
        return []
    kind = event.get("type")
    if kind not in EVENTS:
        return [_fault("/event/type", f"A table reports a result or annuls a hand; it is not {shown(kind)}.")]
    faults = [
        _fault(f"/event/{name}", "Unknown: it is not asked for.") for name in COMMON_FIELDS if name in event
    ]
    if kind == EVENTS[1] and event.get("reason") not in annulments(now.variant):
        reasons = ", ".join(annulments(now.variant))
        faults.append(_fault("/event/reason", f"A table annuls a hand for one of {reasons}."))
    return faults


def _seat_faults(record: HandRecord, now: TableNow, made: Mapping[str, Any]) -> list[Fault]:
    faults = [
        _fault(f"/players/{seat}", f"{shown(player)} does not sit at this table.")
        for seat, player in enumerate(record.players)
        if player not in now.players
    ]
    by = made.get("by")
    if by is not None and by not in record.players:
        faults.append(_fault("/by", f"{shown(by)} does not play this hand."))
    return faults


def _annuls(variant: Variant, reason: str) -> bool:
    try:
        replay(variant, [HandAnnulled(reason)])
    except RulesError:
        return False
    return True


def _fault(pointer: str, detail: str) -> Fault:
    return Fault(pointer, INVALID_RECORD, detail)
