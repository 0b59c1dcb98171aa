"""Putting cases to the rules and to a running service, and telling where the answer is another one."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol

from records.faults import InvalidRecord
from records.schemas import load_record
from tests.fuzz.cases import Case
from tests.fuzz.shapes import ID_TWICE
from trull import RulesError, ScoreSheet, replay, score
from trull.variants import VARIANTS

SHAPE: Final = "invalid-record"
SLOW_SECONDS: Final = 10.0
"""No answer takes so long, whatever else the machine does."""

_PAUSE: Final = 0.05
"""Seconds between two looks for a sheet that a worker has still to make."""

_EVENT: Final = re.compile(r"(?:/record)?/events/(\d+)")


class Finding(NamedTuple):
    """A case that was answered otherwise than it must be."""

    case: Case
    way: str
    got: str

    def __str__(self) -> str:
        wanted = (
            f"{self.case.code or 'right'}{'' if self.case.place is None else f' at event {self.case.place}'}"
        )
        told = json.dumps(self.case.record, ensure_ascii=False)
        return f"{self.case.name}, {self.way}: not {wanted}, but {self.got}\n  {told}"


class Refusal(NamedTuple):
    """The code of a refusal, the event that it points at, and the stored event that it names."""

    code: str
    event: int | None
    seq: int | None = None


def put_to_the_rules(case: Case) -> Iterator[Finding]:
    """What the library makes of a case, and under every other variant."""
    began = time.perf_counter()
    found = _judged(case.record)
    if isinstance(found, Refusal):
        yield from _compared(case, "the rules", found, 0)
    elif case.code is not None:
        yield Finding(case, "the rules", "taken")
    else:
        players = case.record["players"]
        if case.scores is not None and found.as_dict(players, None, 1)["scores"] != case.scores:
            yield Finding(
                case, "the rules", f"{found.as_dict(players, None, 1)['scores']}, not {case.scores}"
            )
    took = time.perf_counter() - began
    if took > SLOW_SECONDS:
        yield Finding(case, "the rules", f"after {took:.0f} s")


def _judged(record: Mapping[str, Any]) -> ScoreSheet | Refusal:
    try:
        loaded = load_record(record)
        hand = replay(loaded.variant, loaded.events)
        for variant in VARIANTS.values():
            score(hand, variant)
        return score(hand)
    except InvalidRecord as error:
        pointed = _EVENT.match(error.faults[0].pointer)
        return Refusal(SHAPE, int(pointed[1]) if pointed else None)
    except RulesError as error:
        return Refusal(error.code, error.index, error.seq)


def _compared(case: Case, way: str, found: Refusal, sent_before: int) -> Iterator[Finding]:
    """A finding where a refusal is not that of the case. ``sent_before``: events of earlier calls.

    The event at fault is the one that is pointed at, or that ``seq`` names where another exposed it.
    """
    event = None if found.event is None else found.event + sent_before
    is_there = case.place is None or case.place in (event, (found.seq or 0) - 1)
    if found.code != case.code or not is_there:
        yield Finding(case, way, f"{found.code} at event {event} (seq {found.seq})")


# --- The service ---------------------------------------------------------------------------------


class Reply(NamedTuple):
    """An answer: its status, its body as JSON or as the lines of it, and its entity tag."""

    status: int
    body: Any
    tag: str | None = None


class Call(Protocol):
    """Sends a request and waits for the answer. ``lines`` is a body of NDJSON.

    ``looks``: how often a sheet is looked for; none where there are no workers.
    """

    looks: int

    def __call__(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        lines: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply: ...


Way = Callable[[Call, Case, random.Random], Iterator[Finding]]


def put_to_the_service(call: Call, case: Case, chance: random.Random) -> Iterator[Finding]:
    """What the service makes of a case, in one of the ways in which it takes records."""
    way = chance.choice(WAYS)
    yield from way(call, case, chance)


def _id(chance: random.Random) -> str:
    return f"fuzz-{chance.getrandbits(64):016x}"


def _named(case: Case, chance: random.Random) -> dict[str, Any]:
    """The record under a new id, unless its own id is what is wrong with it."""
    return {"hand_id": _id(chance), **case.record}


def _answered(
    case: Case, way: str, reply: Reply, right: tuple[int, ...], before: int = 0
) -> Iterator[Finding]:
    """A finding where an answer is not what the case must bring."""
    if reply.status >= 500 or (case.code is None and reply.status not in right):
        yield Finding(case, way, f"{reply.status} {str(reply.body)[:500]}")
    elif case.code is not None:
        if reply.status != 422:
            yield Finding(case, way, f"{reply.status} {str(reply.body)[:500]}")
        else:
            yield from _compared(case, way, _refusal(reply.body), before)


def _refusal(problem: Mapping[str, Any]) -> Refusal:
    code = problem["type"].removeprefix("urn:trull:problem:")
    fault = problem["errors"][0]
    pointed = _EVENT.match(fault.get("pointer", ""))
    return Refusal(code, int(pointed[1]) if pointed else None, fault.get("seq"))


def _scored(call: Call, case: Case, chance: random.Random) -> Iterator[Finding]:
    reply = call("POST", "/v1/score", json=case.record)
    yield from _answered(case, "scored", reply, (200,))
    if reply.status == 200 and case.scores is not None and reply.body["scores"] != case.scores:
        yield Finding(case, "scored", f"{reply.body['scores']}, not {case.scores}")
    other = call("POST", f"/v1/score?variant={chance.choice(list(VARIANTS))}", json=case.record)
    yield from _answered(case, "scored under another variant", other, (200,))


def _submitted(call: Call, case: Case, chance: random.Random) -> Iterator[Finding]:
    record = _named(case, chance)
    reply = call("POST", "/v1/hands", json=record)
    yield from _answered(case, "submitted", reply, (202,))
    if reply.status == 202:
        yield from _looked_at(call, case, f"/v1/hands/{record['hand_id']}", len(record["events"]))
    elif isinstance(record["hand_id"], str) and record["hand_id"].startswith("fuzz-"):
        stored = call("GET", f"/v1/hands/{record['hand_id']}")
        if stored.status != 404:
            yield Finding(case, "refused, and looked for", str(stored))


def _flagged(call: Call, case: Case, chance: random.Random) -> Iterator[Finding]:
    """A hand that breaks a rule is kept if asked to; its views work all the same."""
    record = _named(case, chance)
    reply = call("POST", "/v1/hands?on_illegal=flag", json=record)
    if case.code in (None, SHAPE):
        yield from _answered(case, "flagged", reply, (202,))
        if reply.status == 202 and reply.body["status"] == "irregular":
            yield Finding(case, "flagged", "irregular")
        return
    if reply.status != 202 or reply.body["status"] not in ("irregular", "annulled"):
        yield Finding(case, "flagged", str(reply))
        return
    path = f"/v1/hands/{record['hand_id']}"
    yield from _looked_at(call, case, path, len(record["events"]))
    own = VARIANTS[record["variant"]]
    others = [name for name, other in VARIANTS.items() if other.players == own.players and other is not own]
    sheet = call("GET", f"{path}/score?variant={chance.choice(others or [own.id])}")
    if sheet.status not in (200, 202):
        yield Finding(case, "the sheet of a flagged hand", str(sheet))
    elif sheet.status == 200:
        notes = [note["code"] for note in sheet.body["notes"]]
        if case.code not in notes:
            yield Finding(case, "the notes of a flagged hand", str(notes))


def _appended(call: Call, case: Case, chance: random.Random) -> Iterator[Finding]:
    """The beginning is submitted, the rest added in some calls; what is refused adds nothing."""
    events = case.record.get("events")
    # An event_id that comes again in another call is another fault than one that is there twice in one.
    whole = case.code is not None and (case.place is None or case.name == ID_TWICE)
    if whole or not isinstance(events, list) or len(events) < 2:
        yield from _submitted(call, case, chance)
        return
    record = _named(case, chance)
    ends = sorted(chance.sample(range(1, len(events)), min(len(events) - 1, chance.randint(1, 3))))
    if case.place is not None and case.place < ends[0]:
        ends = [case.place, *ends] if case.place else ends
    path = f"/v1/hands/{record['hand_id']}"
    reply = call("POST", "/v1/hands", json={**record, "events": events[: ends[0]]})
    at = ends[0]
    for end in [*ends[1:], len(events)]:
        if reply.status not in (200, 202):
            break
        body = {"events": events[at:end]}
        reply = call("POST", f"{path}/events", json=body, headers={"If-Match": f'"{at}"'})
        if reply.status == 200:
            at = end
    refused_first = reply.status not in (200, 202) and at == ends[0] and call("GET", path).status == 404
    yield from _answered(case, "appended", reply, (200, 202), 0 if refused_first else at)
    if not refused_first:
        yield from _looked_at(call, case, path, at)


def _restated(call: Call, case: Case, chance: random.Random) -> Iterator[Finding]:
    """Another hand is told anew as this one."""
    hand_id = _id(chance)
    players = ["Ada", "Ben", "Cleo"]
    begun = {"variant": "illustrated-beck", "players": players, "hand_id": hand_id}
    call("POST", "/v1/hands", json={**begun, "events": [{"type": "passed", "player": "Ada"}]})
    path = f"/v1/hands/{hand_id}"
    body = {"record": case.record, "reason": "written down wrong"}
    reply = call("PUT", path, json=body, headers={"If-Match": '"1"'})
    yield from _answered(case, "restated", reply, (200,))
    is_restated = reply.status == 200
    yield from _looked_at(call, case, path, 2 if is_restated else 1, has_record=is_restated)


def _imported(call: Call, case: Case, chance: random.Random) -> Iterator[Finding]:
    line = json.dumps(_named(case, chance)).encode() + b"\n"
    reply = call("POST", "/v1/hands:import", lines=line)
    if reply.status != 200 or len(reply.body) != 1:
        yield Finding(case, "imported", str(reply))
        return
    [outcome] = reply.body
    told = Reply(outcome["status"], outcome.get("problem"))
    yield from _answered(case, "imported", told, (202,))


def _looked_at(
    call: Call, case: Case, path: str, version: int, *, has_record: bool = True
) -> Iterator[Finding]:
    """The views of a stored hand answer, with its version; and the sheet is that of the rules."""
    state = call("GET", path)
    events = call("GET", f"{path}/events")
    if state.status != 200 or state.body["version"] != version or events.status != 200:
        yield Finding(case, "looked at", f"{state}, {events.status}, version {version}")
    elif len(events.body["events"]) != version:
        yield Finding(case, "looked at", f"{len(events.body['events'])} events of {version}")
    sheet = call("GET", f"{path}/score")
    for _ in range(call.looks if case.code is None else 0):
        if sheet.status != 202:
            break
        time.sleep(_PAUSE)
        sheet = call("GET", f"{path}/score")
    if sheet.status not in (200, 202):
        yield Finding(case, "the sheet", str(sheet))
    elif sheet.status == 200 and case.code is None and has_record:
        made = _judged(case.record)
        players = case.record["players"]
        hand_id = path.rsplit("/", 1)[1]
        if not isinstance(made, ScoreSheet) or sheet.body != made.as_dict(players, hand_id, version):
            yield Finding(case, "the sheet", str(sheet.body))


WAYS: Final[tuple[Way, ...]] = (_scored, _submitted, _flagged, _appended, _restated, _imported)
