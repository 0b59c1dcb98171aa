"""Lines of an import: what becomes of each, alone and among others."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from records.exports import Exporter
from records.hand_list import HandFilters
from records.hands import Hands
from records.import_records import Importing, read_line
from records.imports import MAX_FAULTS_A_LINE, Importer, Outcome
from records.lines import MAX_LINE
from records.redis_client import connect
from records.visibility import EVERYTHING
from tests.support.hand_records import VARIANT, begun, played, result, status_of
from tests.support.processes import RedisServer, wait_until
from tests.support.proxy import Proxy

ADMIN = Importing("admin")
SUBMITTER = Importing("table-3", directs=False, restores=False)
PATH = "/v1/hands:import"
ANNULLED = {"type": "hand_annulled", "reason": "director"}
ILLEGAL = {"type": "bid_made", "player": "Anna", "contract": "zweiblatt"}


@pytest.fixture
def importer(redis_client: redis.Redis) -> Importer:
    return Importer(redis_client)


@pytest.fixture
def hands(redis_client: redis.Redis) -> Hands:
    return Hands(redis_client)


def take(importer: Importer, *lines: bytes | dict[str, Any], by: Importing = ADMIN) -> list[Outcome]:
    encoded = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return importer.take("default", by, list(enumerate(encoded, 1)), PATH)


def one(importer: Importer, line: bytes | dict[str, Any], by: Importing = ADMIN) -> Outcome:
    (outcome,) = take(importer, line, by=by)
    return outcome


def told(outcome: Outcome) -> tuple[int, str]:
    """The status and the code of a refusal, which its problem has too."""
    assert outcome.problem is not None
    assert outcome.problem["status"] == outcome.status
    assert outcome.problem["instance"] == PATH
    return outcome.status, outcome.problem["type"].removeprefix("urn:trull:problem:")


def test_a_hand_is_stored_as_if_submitted(importer: Importer, hands: Hands) -> None:
    record = played("french-tarot-4", 1, hand_id="imported", session_id="s", labels=["final"])
    assert one(importer, record.as_dict()) == Outcome(1, "imported", 202)
    hands.submit(
        "default",
        "admin",
        played("french-tarot-4", 1, session_id="s", labels=["final"], hand_id="h"),
        "scored",
    )
    imported, submitted = hands.get("default", "imported"), hands.get("default", "h")
    assert imported is not None
    assert submitted is not None
    assert [entry[2:] for entry in imported.entries] == [entry[2:] for entry in submitted.entries]
    assert (imported.version, imported.status, imported.first) == (
        submitted.version,
        submitted.status,
        submitted.first,
    )
    for filters in (HandFilters(session_id="s"), HandFilters(player="Anna")):
        page = hands.page("default", filters, None, 10)
        assert [item["hand_id"] for item in page.items] == ["imported", "h"]


def test_again_it_is_there(importer: Importer) -> None:
    lines = [played(VARIANT, seed, hand_id=f"h-{seed}").as_dict() for seed in range(5)]
    assert [outcome.status for outcome in take(importer, *lines)] == [202] * 5
    assert [outcome.status for outcome in take(importer, *lines)] == [200] * 5
    other = Importing("another")
    assert [outcome.status for outcome in take(importer, *lines, by=other)] == [200] * 5


def test_the_same_hand_twice_in_one_go(importer: Importer) -> None:
    line = result(hand_id="h").as_dict()
    assert [outcome.status for outcome in take(importer, line, line)] == [202, 200]


def test_the_beginning_of_a_stored_hand_is_there(importer: Importer) -> None:
    whole = played(VARIANT, 1, hand_id="h").as_dict()
    take(importer, whole)
    assert one(importer, {**whole, "events": whole["events"][:5]}).status == 200


@pytest.mark.parametrize(
    "change",
    [{"players": ["Anna", "Béla", "Dora"]}, {"table": 3}, {"labels": ["x"]}, {"variant": "illustrated-beck"}],
)
def test_an_id_that_another_hand_has(importer: Importer, change: dict[str, Any]) -> None:
    line = {"hand_id": "h", "variant": VARIANT, "players": ["Anna", "Béla", "Cyril"], "events": [ILLEGAL]}
    assert one(importer, line).status == 202
    assert told(one(importer, {**line, **change})) == (409, "hand-exists")


def test_what_was_stored_since_counts_as_stored_now(importer: Importer, redis_client: redis.Redis) -> None:
    """By the same importer only: it is the one that was killed in the middle."""
    line = json.dumps(result(hand_id="h").as_dict()).encode()
    take(importer, line)
    now = redis_client.time()[0] * 1000

    def again(by: Importing, since: int) -> int:
        (outcome,) = importer.take("default", by, [(1, line)], PATH, since)
        return outcome.status

    assert again(ADMIN, now - 60_000) == 202
    assert again(ADMIN, now + 60_000) == 200
    assert again(SUBMITTER, now - 60_000) == 200


class TestRefusals:
    @pytest.mark.parametrize(
        ("line", "expected", "hand_id"),
        [
            (b"{", (400, "malformed-json"), None),
            (b'{"hand_id": "h", "hand_id": "i"}', (400, "malformed-json"), None),
            (b"\xff", (400, "malformed-json"), None),
            (b"null", (422, "invalid-record"), None),
            (b"[]", (422, "invalid-record"), None),
            (b'{"hand_id": "h"}', (422, "invalid-record"), "h"),
            (b'{"hand_id": 7}', (422, "invalid-record"), None),
            (b" " * (MAX_LINE + 1), (413, "body-too-large"), None),
        ],
    )
    def test_of_shape(
        self, importer: Importer, line: bytes, expected: tuple[int, str], hand_id: str | None
    ) -> None:
        outcome = one(importer, line)
        assert told(outcome) == expected
        assert outcome.hand_id == hand_id

    def test_every_fault_is_told_and_the_missing_id_too(self, importer: Importer) -> None:
        record = begun().as_dict()
        outcome = one(importer, {**record, "table": 0, "events": [{"type": "passed"}]})
        assert outcome.problem is not None
        assert [error["pointer"] for error in outcome.problem["errors"]] == [
            "/events/0/player",
            "/table",
            "/hand_id",
        ]

    def test_a_record_without_an_id(self, importer: Importer, hands: Hands) -> None:
        outcome = one(importer, result().as_dict())
        assert told(outcome) == (422, "invalid-record")
        assert hands.page("default", HandFilters(), None, 10).items == []

    def test_of_a_rule(self, importer: Importer, hands: Hands) -> None:
        line = {**begun(hand_id="h").as_dict(), "events": [ILLEGAL, ILLEGAL]}
        outcome = one(importer, line)
        assert told(outcome) == (422, "wrong-turn")
        assert outcome.problem is not None
        assert outcome.problem["errors"][0]["pointer"].startswith("/events/")
        assert hands.get("default", "h") is None

    def test_many_faults_of_a_line_are_cut_short(self, importer: Importer) -> None:
        line = {**begun(hand_id="h").as_dict(), "events": [{"type": "passed"}] * 100}
        problem = one(importer, line).problem
        assert problem is not None
        assert len(problem["errors"]) == MAX_FAULTS_A_LINE + 1
        assert "100 faults" in problem["detail"]

    def test_they_stop_no_other(self, importer: Importer, hands: Hands) -> None:
        good = [result(hand_id=f"h-{number}").as_dict() for number in range(4)]
        outcomes = take(importer, good[0], b"{", good[1], b"null", good[2], result().as_dict(), good[3])
        assert [outcome.line for outcome in outcomes] == list(range(1, 8))
        assert [outcome.status for outcome in outcomes] == [202, 400, 202, 422, 202, 422, 202]
        assert len(hands.page("default", HandFilters(), None, 10).items) == 4

    def test_a_fault_of_ours_in_one_line(self, importer: Importer, monkeypatch: pytest.MonkeyPatch) -> None:
        def failing(line: bytes, *others: Any) -> Any:
            if b"h-1" in line:
                raise RuntimeError("a fault")
            return read_line(line, *others)

        monkeypatch.setattr("records.imports.read_line", failing)
        outcomes = take(importer, *(result(hand_id=f"h-{number}").as_dict() for number in range(3)))
        assert [outcome.status for outcome in outcomes] == [202, 500, 202]
        assert told(outcomes[1]) == (500, "internal-error")


class TestKept:
    def test_a_broken_hand_is_kept_when_asked_to(self, importer: Importer, hands: Hands) -> None:
        line = {**begun(hand_id="h").as_dict(), "events": [ILLEGAL, ILLEGAL]}
        assert one(importer, line, ADMIN._replace(keep=True)).status == 202
        stored = hands.get("default", "h")
        assert stored is not None
        assert (stored.status, stored.is_kept) == ("irregular", True)
        assert one(importer, line, ADMIN._replace(keep=True)).status == 200

    def test_a_whole_one_is_not_marked(self, importer: Importer, hands: Hands) -> None:
        one(importer, result(hand_id="h").as_dict(), ADMIN._replace(keep=True))
        stored = hands.get("default", "h")
        assert stored is not None
        assert (stored.status, stored.is_kept) == ("scored", False)


class TestScopes:
    @pytest.mark.parametrize(
        "event", [ANNULLED, {"type": "penalty_assessed", "player": "Anna", "points": -5}]
    )
    def test_corrections_need_direct(self, importer: Importer, event: dict[str, Any]) -> None:
        record = begun(hand_id="h", players=("Anna", "Béla", "Cyril")).as_dict()
        line = {**record, "events": [*record["events"], event]}
        outcome = one(importer, line, SUBMITTER)
        assert told(outcome) == (403, "forbidden")
        assert outcome.problem is not None
        assert outcome.problem["errors"][0]["pointer"] == "/events/2"
        assert one(importer, line).status == 202

    def test_logs_need_admin(self, importer: Importer) -> None:
        log = [{"events": 2, "recorded_at": "2026-01-01T00:00:00Z", "actor": "club"}]
        line = {**begun(hand_id="h").as_dict(), "log": log}
        assert told(one(importer, line, SUBMITTER)) == (403, "forbidden")
        assert one(importer, line).status == 202
        assert one(importer, {**line, "log": None}, SUBMITTER).status == 200


def restated(**change: Any) -> dict[str, Any]:
    return {
        "type": "hand_restated",
        "record": {**begun(hand_id="h", players=("Anna", "Béla", "Dora")).as_dict(), **change},
        "reason": "Dora played",
    }


def history(*events: dict[str, Any], **fields: Any) -> dict[str, Any]:
    record = begun(hand_id="h", players=("Anna", "Béla", "Cyril")).as_dict()
    return {**record, "events": [*record["events"], *events], **fields}


PASSED: dict[str, Any] = {"type": "passed", "player": "Dora"}


class TestHistory:
    def runs(self, *counts: int) -> list[dict[str, Any]]:
        return [
            {"events": count, "recorded_at": f"2026-01-0{day}T20:00:00.123Z", "actor": f"table-{day}"}
            for day, count in enumerate(counts, 1)
        ]

    def test_times_and_actors_are_restored(self, importer: Importer, hands: Hands) -> None:
        line = history({"type": "passed", "player": "Cyril"}, log=self.runs(1, 2))
        assert one(importer, line).status == 202
        stored = hands.get("default", "h")
        assert stored is not None
        assert [(entry.seq, entry.recorded_at, entry.actor) for entry in stored.entries] == [
            (1, "2026-01-01T20:00:00.123Z", "table-1"),
            (2, "2026-01-02T20:00:00.123Z", "table-2"),
            (3, "2026-01-02T20:00:00.123Z", "table-2"),
        ]
        assert stored.ends == [1, 3]
        assert (
            hands.page("default", HandFilters(), None, 1).items[0]["recorded_at"]
            == "2026-01-01T20:00:00.123Z"
        )

    @pytest.mark.parametrize(
        ("moment", "status"),
        [
            ("1969-12-31T23:59:59.999Z", 422),
            ("1970-01-01T00:00:00Z", 202),
            ("6429-10-17T02:45:55.327Z", 202),
            ("6429-10-17T02:45:55.328Z", 422),
            ("9999-12-31T23:59:59.9999Z", 422),
        ],
    )
    def test_a_time_that_the_log_can_hold(
        self, importer: Importer, hands: Hands, moment: str, status: int
    ) -> None:
        """Beyond those, one hand would spoil every list that it is in."""
        assert (
            one(importer, history(log=[{"events": 2, "recorded_at": moment, "actor": "x"}])).status == status
        )
        found = hands.page("default", HandFilters(), None, 10).items
        assert [item["recorded_at"][:4] for item in found] == ([moment[:4]] if status == 202 else [])
        stored = hands.get("default", "h")
        assert (stored is not None) == (status == 202)

    @pytest.mark.parametrize("log", [False, True])
    def test_a_restated_hand(
        self, importer: Importer, hands: Hands, redis_client: redis.Redis, log: bool
    ) -> None:
        line = history(restated(session_id="s"), PASSED)
        line = {**line, "log": self.runs(2, 1, 1)} if log else line
        assert one(importer, line).status == 202
        stored = hands.get("default", "h")
        assert stored is not None
        assert (stored.version, stored.record.players, stored.reading.restated) == (
            4,
            ("Anna", "Béla", "Dora"),
            3,
        )
        assert [entry.event for entry in stored.entries] == line["events"]
        for player in ("Anna", "Cyril", "Dora"):
            page = hands.page("default", HandFilters(player=player), None, 10)
            assert [item["hand_id"] for item in page.items] == ([] if player == "Cyril" else ["h"])
        assert len(hands.page("default", HandFilters(session_id="s"), None, 10).items) == 1
        assert one(importer, line).status == 200
        (exported,) = Exporter(redis_client).lines("default", HandFilters(), EVERYTHING, with_log=log)
        assert json.loads(exported) == line

    def test_a_restatement_that_was_retracted(self, importer: Importer, hands: Hands) -> None:
        undone = {"type": "event_retracted", "seq": 3, "reason": "it was Cyril after all"}
        line = history(restated(), PASSED, {"type": "event_retracted", "seq": 4}, undone)
        assert one(importer, line).status == 202
        stored = hands.get("default", "h")
        assert stored is not None
        assert (stored.record.players, stored.version) == (("Anna", "Béla", "Cyril"), 6)

    @pytest.mark.parametrize(
        ("line", "code", "pointer"),
        [
            (history(restated(), {"type": "passed"}), "invalid-record", "/events/3/player"),
            (
                history(restated(), {"type": "passed", "player": "Cyril"}),
                "invalid-record",
                "/events/3/player",
            ),
            (
                history(restated(), {"type": "bid_made", "player": "Dora"}),
                "invalid-record",
                "/events/3/contract",
            ),
            (history(restated(), {**PASSED, "player": "Anna"}), "wrong-turn", "/events/3/player"),
            (history(restated(variant="x")), "invalid-record", "/events/2/record/variant"),
            (history(restated(hand_id="other")), "invalid-record", "/events/2/record/hand_id"),
            (history({**restated(), "reason": " "}), "invalid-record", "/events/2/reason"),
            (history({**restated(), "by": "me"}), "invalid-record", "/events/2/by"),
            (history({"type": "hand_restated"}), "invalid-record", "/events/2/reason"),
            (
                history(restated(), {"type": "event_retracted", "seq": 1}),
                "event-out-of-place",
                "/events/3/seq",
            ),
            (
                history(restated(), {"type": "event_retracted", "seq": 1}, PASSED),
                "event-out-of-place",
                "/events/3/seq",
            ),
            ({**history(), "events": [restated()]}, "invalid-record", "/events/0/type"),
            ({**history(), "events": [PASSED] * 501, "log": []}, "invalid-record", "/events"),
            (history(log=[]), "invalid-record", "/log"),
            (history(log="x"), "invalid-record", "/log"),
            (history(log=["x"]), "invalid-record", "/log/0"),
            (history(log=[{"events": 2, "actor": "a"}]), "invalid-record", "/log/0/recorded_at"),
            (
                history(log=[{"events": 3, "recorded_at": "2026-01-01T00:00:00Z", "actor": "a"}]),
                "invalid-record",
                "/log",
            ),
            (
                history(log=[{"events": 2, "recorded_at": "1969-01-01T00:00:00Z", "actor": "a"}]),
                "invalid-record",
                "/log/0/recorded_at",
            ),
            (
                history(log=[{"events": 2, "recorded_at": "2026-01-01T00:00:00Z", "actor": ""}]),
                "invalid-record",
                "/log/0/actor",
            ),
        ],
    )
    def test_faults_have_their_place(
        self, importer: Importer, hands: Hands, line: dict[str, Any], code: str, pointer: str
    ) -> None:
        outcome = one(importer, line)
        assert told(outcome) == (422, code)
        assert outcome.problem is not None
        assert pointer in [error.get("pointer") for error in outcome.problem["errors"]]
        assert hands.get("default", "h") is None

    def test_a_restatement_needs_direct(self, importer: Importer) -> None:
        assert told(one(importer, history(restated()), SUBMITTER)) == (403, "forbidden")

    def test_a_broken_log_is_kept_when_asked_to(self, importer: Importer, hands: Hands) -> None:
        line = history(restated(), {**PASSED, "player": "Anna"})
        assert one(importer, line, ADMIN._replace(keep=True)).status == 202
        stored = hands.get("default", "h")
        assert stored is not None
        assert stored.status == "irregular"


class TestBatches:
    @staticmethod
    def lines(first: int) -> list[tuple[int, bytes]]:
        return [
            (number, json.dumps(result(hand_id=f"h-{number}").as_dict()).encode())
            for number in range(first, first + 3)
        ]

    def test_one_is_stored_while_the_next_one_is_read(self, importer: Importer, hands: Hands) -> None:
        one(importer, result(hand_id="known").as_dict())  # from here on the store knows the script

        def batches() -> Iterator[list[tuple[int, bytes]]]:
            yield self.lines(1)
            # Nobody has asked what became of them.
            wait_until(lambda: hands.get("default", "h-3") is not None, "the first ones are stored")
            yield [(4, b"{"), (5, self.lines(1)[0][1])]
            yield []
            yield self.lines(6)

        found = list(importer.take_each("default", ADMIN, batches(), PATH))
        assert [[(outcome.line, outcome.status) for outcome in some] for some in found] == [
            [(1, 202), (2, 202), (3, 202)],
            [(4, 400), (5, 200)],
            [],
            [(6, 202), (7, 202), (8, 202)],
        ]

    def test_none(self, importer: Importer) -> None:
        assert list(importer.take_each("default", ADMIN, [], PATH)) == []

    def test_whoever_leaves_early_leaves_no_answers_to_others(
        self, redis_client: redis.Redis, importer: Importer, hands: Hands
    ) -> None:
        taken = importer.take_each("default", ADMIN, map(self.lines, itertools.count(1, 3)), PATH)
        assert [outcome.line for outcome in next(taken)] == [1, 2, 3]
        taken.close()
        assert one(importer, result(hand_id="next").as_dict()) == Outcome(1, "next", 202)
        wait_until(lambda: hands.get("default", "h-6") is not None, "what was under way is stored")
        assert hands.get("default", "h-7") is None


class TestTheStore:
    def test_is_away(self) -> None:
        importer = Importer(connect("redis://127.0.0.1:1/0"))
        outcomes = take(importer, result(hand_id="h").as_dict(), b"{")
        assert told(outcomes[0]) == (503, "store-unavailable")
        assert told(outcomes[1]) == (400, "malformed-json")

    def test_loses_an_answer(self, redis_server: RedisServer, redis_client: redis.Redis) -> None:
        """The hands are there by then, and are the importer's own."""
        with Proxy(redis_server.access.port) as proxy:
            client = connect(redis_server.url.replace(str(redis_server.access.port), str(proxy.port)))
            importer = Importer(client)
            take(importer, result(hand_id="first").as_dict())
            proxy.drop_when = b"lost-"
            lines = [result(hand_id=f"lost-{number}").as_dict() for number in range(6)]
            assert {outcome.status for outcome in take(importer, *lines)} <= {200, 202}
            assert proxy.dropped == 1
            client.close()
        hands = Hands(redis_client)
        assert len(hands.page("default", HandFilters(), None, 100).items) == 7
        for number in range(6):
            stored = hands.get("default", f"lost-{number}")
            assert stored is not None
            assert stored.version == 1


def test_the_status_is_that_of_the_rules(importer: Importer, hands: Hands) -> None:
    for seed in range(20):
        record = played("french-tarot-5", seed, hand_id=f"h-{seed}")
        one(importer, record.as_dict())
        stored = hands.get("default", f"h-{seed}")
        assert stored is not None
        assert stored.status == status_of(record)
