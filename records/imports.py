"""Many hands at once: lines in, an outcome for each line out, appended many in a round trip.

Both ways of importing, at once and as a job, go through `Importer.take_each`.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Sequence
from typing import Any, Final, NamedTuple

import redis

from records.faults import InvalidRecord
from records.hands import begins_like
from records.import_records import ImportedHand, Importing, LineRefused, read_line, read_rules, told_by
from records.log import StoredStream, StoreUnavailable, Stream, VersionMismatch
from records.problems import KINDS, Refused, problem_body, refused_shape
from records.redis_client import store_errors
from records.redis_log import Appending, Planned, RedisLog
from records.stored_hands import KIND, hand_of
from records.variant_store import VariantExists, VariantStore
from records.wire import dumps

MAX_FAULTS_A_LINE: Final = 20
"""Faults told of one line; a last one tells when there are more."""

_log = logging.getLogger(__name__)


class Outcome(NamedTuple):
    """What became of a line: the status that its record would have had alone, and why if it was refused.

    ``variant`` is the id of house rules; a line has those or a hand.
    """

    line: int
    hand_id: str | None
    status: int
    problem: dict[str, Any] | None = None
    variant: str | None = None

    def as_line(self) -> bytes:
        """The outcome as a line of NDJSON."""
        made: dict[str, Any] = {"line": self.line, "hand_id": self.hand_id, "status": self.status}
        if self.variant is not None:
            made["variant"] = self.variant
        if self.problem is not None:
            made["problem"] = self.problem
        return dumps(made) + b"\n"


class _Line(NamedTuple):
    """A line that may be stored."""

    number: int
    line: bytes
    hand: ImportedHand


class _Storing(NamedTuple):
    """A batch under way: outcomes of lines that are no hands to be stored, the others, and their appends."""

    outcomes: list[Outcome]
    read: list[_Line]
    appending: Appending


class Importer:
    """Imports for all tenants. Makes no connection before it is used."""

    def __init__(self, client: redis.Redis, houses: VariantStore | None = None) -> None:
        self._redis = client
        self._log = RedisLog(client)
        self._houses = houses or VariantStore(client)

    def check(self) -> None:
        """Raises `StoreUnavailable` where nothing could be imported."""
        with store_errors():
            self._redis.ping()

    def refuse(self, line: int, refused: Refused, instance: str) -> Outcome:
        """The outcome of a line that is refused unread."""
        return _refused(line, None, refused, instance)

    def take(
        self,
        tenant: str,
        by: Importing,
        lines: Iterable[tuple[int, bytes]],
        instance: str,
        since: int | None = None,
    ) -> list[Outcome]:
        """Store the hands of lines, each by itself; an outcome for each line, in their order.

        ``instance`` is the path that problems name. Where the store is away, the outcome is 503. What the
        same importer has stored ``since`` that time (in milliseconds since 1970) counts as stored now.
        """
        return next(self.take_each(tenant, by, [lines], instance, since))

    def take_each(
        self,
        tenant: str,
        by: Importing,
        batches: Iterable[Iterable[tuple[int, bytes]]],
        instance: str,
        since: int | None = None,
    ) -> Generator[list[Outcome]]:
        """The same for one batch of lines after the other: while one is stored, the next one is read."""
        under_way: _Storing | None = None
        try:
            for lines in batches:
                read = self._read(tenant, by, lines, instance)
                stored = None if under_way is None else self._stored(tenant, by, under_way, instance, since)
                under_way = _Storing(*read, self._log.begin_many(_planned(tenant, read[1])))
                if stored is not None:
                    yield stored
            if under_way is not None:
                yield self._stored(tenant, by, under_way, instance, since)
        finally:
            if under_way is not None:
                under_way.appending.leave()

    def _read(
        self, tenant: str, by: Importing, lines: Iterable[tuple[int, bytes]], instance: str
    ) -> tuple[list[Outcome], list[_Line]]:
        """The outcomes of lines that are no hands to be stored, and those that are."""
        outcomes: list[Outcome] = []
        read: list[_Line] = []
        variants = self._houses.of(tenant)
        for number, line in lines:
            try:
                rules = read_rules(line)
                if rules is not None:
                    outcomes.append(self._make(tenant, by, number, rules, instance))
                else:
                    read.append(_Line(number, line, read_line(line, by, variants)))
            except StoreUnavailable:
                outcomes.append(_refused(number, None, _AWAY, instance))
            except LineRefused as error:
                outcomes.append(_refused(number, error.hand_id, error.refused, instance))
            except Exception:
                _log.exception("line %d of an import failed", number)
                outcomes.append(_refused(number, None, _FAULT, instance))
        return outcomes, read

    def compare(
        self, tenant: str, by: Importing, lines: Iterable[tuple[int, bytes]], instance: str
    ) -> list[Outcome]:
        """What `take` would say of the lines whose hands are there already; nothing is stored.

        Raises `LineRefused`, `StoreUnavailable`.
        """
        variants = self._houses.of(tenant)
        read = [_Line(number, line, read_line(line, by, variants)) for number, line in lines]
        found = self._log.glance([_stream(tenant, line) for line in read])
        there = [line for line, stored in zip(read, found, strict=True) if stored is not None]
        return self._compared(tenant, by, there, instance, None)

    def make_first(self, tenant: str, by: Importing, lines: Iterable[tuple[int, bytes]]) -> list[str]:
        """Make the house rules that lines begin with, so that it does not matter when the rest is taken.

        Answers the ids of those that are new. What is wrong with others is told when they are taken
        themselves. Raises `StoreUnavailable`.
        """
        made: list[str] = []
        for number, line in lines:
            rules = read_rules(line)
            if rules is None:
                break
            outcome = self._make(tenant, by, number, rules, "")
            if outcome.status == 201 and outcome.variant is not None:
                made.append(outcome.variant)
        return made

    def _make(self, tenant: str, by: Importing, number: int, rules: dict[str, Any], instance: str) -> Outcome:
        """The outcome of a line of house rules: they have to be there before the hands that follow."""
        written = rules.get("id")
        name = written if isinstance(written, str) else None
        try:
            read = self._houses.load(tenant, rules)
            created = self._houses.make(tenant, by.actor, read)
        except InvalidRecord as error:
            outcome = _refused(number, None, refused_shape(error.faults), instance)
        except VariantExists as error:
            detail = f"{error.variant_id} is there with other rules or another name, and never changes."
            outcome = _refused(number, None, Refused("variant-exists", detail), instance)
        else:
            outcome = Outcome(number, None, 201 if created or name in by.made else 200)
        return outcome._replace(variant=name)

    def _stored(
        self, tenant: str, by: Importing, storing: _Storing, instance: str, since: int | None
    ) -> list[Outcome]:
        """The outcomes of a batch, in the order of its lines, when its hands are stored."""
        outcomes = list(storing.outcomes)
        taken: list[_Line] = []
        again: list[_Line] = []
        for one, answer in zip(storing.read, storing.appending.answers(), strict=True):
            if isinstance(answer, int):
                outcomes.append(Outcome(one.number, one.hand.hand_id, 202))
            else:
                (taken if isinstance(answer, VersionMismatch) else again).append(one)
        # Perhaps only the answer was lost. Once more writes nothing where the hand is there by now.
        for one, answer in zip(again, self._log.append_many(_planned(tenant, again)), strict=True):
            if isinstance(answer, int):
                outcomes.append(Outcome(one.number, one.hand.hand_id, 202))
            elif isinstance(answer, VersionMismatch):
                taken.append(one)
            else:
                outcomes.append(_refused(one.number, one.hand.hand_id, _AWAY, instance))
        outcomes += self._compared(tenant, by, taken, instance, since)
        outcomes.sort(key=lambda outcome: outcome.line)
        return outcomes

    def _compared(
        self, tenant: str, by: Importing, taken: Sequence[_Line], instance: str, since: int | None
    ) -> list[Outcome]:
        """The outcomes of hands whose id is there already: the same hand, or another one."""
        streams = [_stream(tenant, line) for line in taken]
        try:
            stored = self._log.read_many(streams)
        except StoreUnavailable:
            return [_refused(line.number, line.hand.hand_id, _AWAY, instance) for line in taken]
        outcomes = []
        for line, found in zip(taken, stored, strict=True):
            number, hand_id = line.number, line.hand.hand_id
            if found is not None and _is_repeated(line.hand, found):
                is_new = since is not None and found.created >= since
                outcomes.append(Outcome(number, hand_id, 202 if is_new else 200))
            elif found is not None and self._is_there(found, line, by):
                outcomes.append(Outcome(number, hand_id, 200))
            else:
                detail = f"The hand {hand_id} is there with other events, players, variant or place."
                outcomes.append(_refused(number, hand_id, Refused("hand-exists", detail), instance))
        return outcomes

    def _is_there(self, found: StoredStream, line: _Line, by: Importing) -> bool:
        """Whether the stored hand begins with what the line says."""
        variants = self._houses.of(found.stream.tenant)
        told = told_by(line.line, by, variants)
        return begins_like(hand_of(found, variants), told.first, told.sent)


def _planned(tenant: str, read: Sequence[_Line]) -> list[Planned]:
    """What is to be appended for lines whose hands are not there yet."""
    return [(_stream(tenant, line), 0, line.hand.append) for line in read]


def _stream(tenant: str, line: _Line) -> Stream:
    return Stream(KIND, tenant, line.hand.hand_id)


def _is_repeated(hand: ImportedHand, found: StoredStream) -> bool:
    """Whether the stored hand begins with the very entry, by the same importer; quicker than to read it."""
    return not hand.append.earlier and found.entries[0].body == hand.append.body


_AWAY: Final = Refused("store-unavailable", "The store is not available. Send this line again in a moment.")
_FAULT: Final = Refused("internal-error", "The service failed on this line; its log knows more.")


def _refused(line: int, hand_id: str | None, refused: Refused, instance: str) -> Outcome:
    errors = refused.first_errors(MAX_FAULTS_A_LINE)
    body = problem_body(refused.code, refused.detail, instance, errors)
    return Outcome(line, hand_id, KINDS[refused.code].status, body)
