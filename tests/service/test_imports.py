"""Hands imported over HTTP, at once and as a job; tests/records/test_imports.py has each kind of line."""

from __future__ import annotations

import io
import json
from typing import Any, ClassVar

import pytest
import redis
from rq import Queue
from rq.serializers import JSONSerializer
from werkzeug.test import TestResponse

from records.import_chunks import ImportChunks
from records.import_jobs import KEPT_SECONDS
from records.queue import DRAIN, IMPORT, QUEUE
from service.app import create_app
from service.bulk import MAX_LINES
from service.config import Settings
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from tests.service.live_hands import BEGUN, RESULT, as_key, keyed_client
from tests.support.processes import RedisServer
from workers.imports import ChunkImporter
from workers.jobs import import_with

NDJSON = "application/x-ndjson"
NOW = "/v1/hands:import"
JOBS = "/v1/imports"
PLACES = Settings().max_uploads
OFF: dict[str, Any] = {"type": "hand_annulled", "reason": "director"}
BROKEN: dict[str, Any] = {**BEGUN, "hand_id": "broken", "events": [*BEGUN["events"], BEGUN["events"][0]]}


def named(number: int | str, record: dict[str, Any] = RESULT) -> dict[str, Any]:
    return {**record, "hand_id": f"h-{number}"}


def lines_of(*records: bytes | dict[str, Any]) -> bytes:
    return b"".join(
        (record if isinstance(record, bytes) else json.dumps(record).encode()) + b"\n" for record in records
    )


def send(client: CheckedClient, path: str, *records: bytes | dict[str, Any], **options: Any) -> TestResponse:
    return client.post(path, data=lines_of(*records), content_type=NDJSON, **options)


def told(response: TestResponse) -> list[tuple[int, str | None, int]]:
    """The outcomes of an answer."""
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.mimetype == NDJSON
    outcomes = [json.loads(line) for line in response.get_data().splitlines()]
    return [(made["line"], made["hand_id"], made["status"]) for made in outcomes]


def upload(client: CheckedClient, *records: bytes | dict[str, Any], **options: Any) -> str:
    """Upload the records; the path of the import."""
    response = send(client, JOBS, *records, **options)
    assert response.status_code == 202, response.get_data(as_text=True)
    assert response.headers["Location"] == f"{JOBS}/{response.get_json()['import_id']}"
    return response.headers["Location"]


def state(client: CheckedClient, path: str, *names: str) -> tuple[Any, ...]:
    made = client.get(path).get_json()
    return tuple(made[name] for name in names)


def jobs_of(client: redis.Redis) -> list[str | None]:
    return [job.func_name for job in Queue(QUEUE, connection=client, serializer=JSONSerializer).jobs]


class TestAtOnce:
    def test_each_line_has_its_outcome(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        lines = (named(1), b"{", b"", named(2, BEGUN), b"  \r", {**RESULT, "hand_id": None}, named(1), BROKEN)
        assert told(send(stored, NOW, *lines)) == [
            (1, "h-1", 202),
            (2, None, 400),
            (4, "h-2", 202),
            (6, None, 422),
            (7, "h-1", 200),
            (8, "broken", 422),
        ]
        assert stored.get("/v1/hands/h-1").get_json()["status"] == "scored"
        assert stored.get("/v1/hands/h-2").get_json()["status"] == "incomplete"
        assert jobs_of(redis_client) == [DRAIN]

    def test_again_they_are_there(self, stored: CheckedClient) -> None:
        records = [named(number) for number in range(3)]
        for status in (202, 200):
            assert [made[2] for made in told(send(stored, NOW, *records))] == [status] * 3
        other = send(stored, NOW, {**named(0), "table": 7})
        assert told(other) == [(1, "h-0", 409)]

    @pytest.mark.parametrize(
        "body",
        [
            b"\xef\xbb\xbf" + lines_of(named(1), named(2)),
            lines_of(named(1), named(2)).rstrip(b"\n"),
            lines_of(named(1), named(2)).replace(b"\n", b"\r\n"),
        ],
        ids=["byte order mark", "no last line end", "CRLF"],
    )
    def test_how_lines_end_is_all_the_same(self, stored: CheckedClient, body: bytes) -> None:
        response = stored.post(NOW, data=body, content_type="application/x-ndjson; charset=UTF-8")
        assert told(response) == [(1, "h-1", 202), (2, "h-2", 202)]

    def test_nothing_is_nothing(self, stored: CheckedClient) -> None:
        assert told(stored.post(NOW, content_type=NDJSON)) == []

    def test_of_too_many_lines_the_first_are_imported(self, stored: CheckedClient) -> None:
        body = lines_of(named("first")) + b"0\n" * (MAX_LINES - 2) + lines_of(named("last"), named("late"))
        response = stored.post(NOW, data=body, content_type=NDJSON)
        found = told(response)
        assert [found[0], found[-2]] == [(1, "h-first", 202), (MAX_LINES, "h-last", 202)]
        assert found[-1] == (MAX_LINES + 1, None, 413)
        assert stored.get("/v1/hands/h-late").status_code == 404

    def test_broken_hands_are_kept_where_asked(self, stored: CheckedClient) -> None:
        assert told(send(stored, f"{NOW}?on_illegal=flag", BROKEN)) == [(1, "broken", 202)]
        assert stored.get("/v1/hands/broken").get_json()["status"] == "irregular"

    def test_what_a_key_may_not(self, redis_url: str) -> None:
        client = keyed_client(redis_url)
        log = [{"events": 1, "recorded_at": "2026-01-01T00:00:00Z", "actor": "club"}]
        lines = (named(1), {**BEGUN, "events": [*BEGUN["events"], OFF]}, {**named(2), "log": log})
        assert [made[2] for made in told(send(client, NOW, *lines, headers=as_key("sender")))] == [
            202,
            403,
            403,
        ]
        assert [made[2] for made in told(send(client, NOW, *lines, headers=as_key("director")))] == [
            200,
            202,
            403,
        ]
        logged = client.get("/v1/hands/h-1/events", headers=as_key("reader")).get_json()["events"]
        assert [event["actor"] for event in logged] == ["sender"]

    def test_a_body_that_ends_too_soon(self, stored: CheckedClient) -> None:
        """What came whole is stored, and the rest has its answer."""
        body = lines_of(named(1), named(2)).rstrip()
        response = send(stored, NOW, body, environ_overrides={"CONTENT_LENGTH": str(len(body) + 100)})
        assert told(response) == [(1, "h-1", 202), (2, "h-2", 202), (3, None, 400)]


@pytest.mark.parametrize("path", [NOW, JOBS])
class TestBoth:
    def test_other_media_types(self, stored: CheckedClient, path: str) -> None:
        for kind in ("application/json", "text/plain", f"{NDJSON}; charset=latin-1", None):
            response = stored.post(path, data=lines_of(named(1)), content_type=kind)
            assert code_of(response, 415) == "unsupported-media-type"
        zipped = send(stored, path, named(1), headers={"Content-Encoding": "gzip"})
        assert code_of(zipped, 415) == "unsupported-media-type"

    def test_other_parameters(self, stored: CheckedClient, path: str) -> None:
        response = send(stored, f"{path}?on_illegal=keep&x=1", named(1))
        assert code_of(response, 422) == "invalid-record"
        assert {where for where, _ in faults_of(response)} == {"on_illegal", "x"}

    def test_the_store_is_away(self, client: CheckedClient, path: str) -> None:
        response = send(client, path, named(1))
        assert code_of(response, 503) == "store-unavailable"
        assert int(response.headers["Retry-After"]) >= 1

    def test_uploads_have_so_many_places(self, stored: CheckedClient, path: str) -> None:
        for _ in range(2 * PLACES):  # each of them leaves its place
            assert send(stored, path, named(1)).status_code in (200, 202)
        places = [stored.application.extensions["trull"].uploads.take() for _ in range(PLACES)]
        response = send(stored, path, named(1))
        assert code_of(response, 429) == "rate-limited"
        assert int(response.headers["Retry-After"]) >= 1
        places[0].leave()
        assert send(stored, path, named(1)).status_code in (200, 202)

    def test_a_refused_call_takes_no_place(self, client: CheckedClient, path: str) -> None:
        for _ in range(2 * PLACES):
            assert code_of(send(client, path, named(1)), 503) == "store-unavailable"


class TestJobs:
    def test_from_upload_to_results(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        path = upload(stored, named(1), b"", b"{", named(2))
        assert jobs_of(redis_client) == [IMPORT]
        assert state(stored, path, "status", "total", "done", "finished_at") == ("queued", 3, 0, None)
        assert told(stored.get(f"{path}/results")) == []
        assert stored.get("/v1/hands/h-1").status_code == 404
        import_with(redis_client)
        assert state(stored, path, "status", "done", "created", "existing", "failed") == ("done", 3, 2, 0, 1)
        assert told(stored.get(f"{path}/results")) == [(1, "h-1", 202), (3, None, 400), (4, "h-2", 202)]
        assert told(stored.get(f"{path}/results?failed=true")) == [(3, None, 400)]
        assert stored.get("/v1/hands/h-2").get_json()["status"] == "scored"
        assert DRAIN in jobs_of(redis_client)

    def test_problems_name_the_import(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        path = upload(stored, b"{")
        import_with(redis_client)
        assert json.loads(stored.get(f"{path}/results").get_data())["problem"]["instance"] == path

    def test_progress(
        self, stored: CheckedClient, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Chunk by chunk; what is done ahead of others is told when they are."""
        monkeypatch.setattr("service.imports.CHUNK_BYTES", 1)
        monkeypatch.setattr("service.imports.PIECE", len(lines_of(named(1))))
        path = upload(stored, *(named(number) for number in range(1, 5)))
        first = ImportChunks(redis_client)
        (stream,) = first.left()
        held = first.claim(stream)
        assert held is not None
        worker = ChunkImporter(redis_client)
        assert worker.do_next()
        assert state(stored, path, "status", "total", "done") == ("running", 4, 1)
        assert told(stored.get(f"{path}/results")) == []
        first.finish(held, worker._outcomes(held))
        assert told(stored.get(f"{path}/results")) == [(1, "h-1", 202), (2, "h-2", 202)]
        while worker.do_next():
            pass
        assert state(stored, path, "status", "done") == ("done", 4)
        assert [made[0] for made in told(stored.get(f"{path}/results"))] == [1, 2, 3, 4]

    def test_an_empty_upload_is_done(self, stored: CheckedClient) -> None:
        path = upload(stored)
        assert state(stored, path, "status", "total", "done") == ("done", 0, 0)
        assert told(stored.get(f"{path}/results")) == []

    def test_the_same_upload_again(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        records = [named(number) for number in range(5)]
        for created, existing in ((5, 0), (0, 5)):
            path = upload(stored, *records)
            import_with(redis_client)
            assert state(stored, path, "created", "existing") == (created, existing)

    def test_broken_hands_are_kept_where_asked(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        path = upload(stored, BROKEN)
        flagged = send(stored, f"{JOBS}?on_illegal=flag", BROKEN).headers["Location"]
        import_with(redis_client)
        found = sorted(told(stored.get(f"{one}/results"))[0][2] for one in (path, flagged))
        assert found == [202, 422]
        assert stored.get("/v1/hands/broken").get_json()["status"] == "irregular"

    def test_the_key_of_the_upload_decides(self, redis_url: str, redis_client: redis.Redis) -> None:
        client = keyed_client(redis_url)
        path = upload(
            client, named(1), {**BEGUN, "events": [*BEGUN["events"], OFF]}, headers=as_key("sender")
        )
        import_with(redis_client)
        results = client.get(f"{path}/results", headers=as_key("sender"))
        assert [made[2] for made in told(results)] == [202, 403]
        logged = client.get("/v1/hands/h-1/events", headers=as_key("reader")).get_json()["events"]
        assert [event["actor"] for event in logged] == ["sender"]
        assert code_of(client.get(path, headers=as_key("reader")), 403) == "forbidden"

    def test_an_upload_that_breaks_off_leaves_nothing(
        self, stored: CheckedClient, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("service.imports.CHUNK_BYTES", 1)
        monkeypatch.setattr("service.imports.PIECE", 300)
        body = lines_of(*(named(number) for number in range(10)))
        response = send(stored, JOBS, body, environ_overrides={"CONTENT_LENGTH": str(len(body) + 100)})
        assert code_of(response, 400) == "bad-request"
        assert redis_client.keys("*") == []

    def test_the_store_goes_away_meanwhile(self, spare_redis: RedisServer) -> None:
        client = checked_client(create_app(Settings(redis_url=spare_redis.url)))

        class Body(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                spare_redis.kill()
                return super().read(size)

        body = lines_of(named(1))
        response = client.post(JOBS, input_stream=Body(body), content_length=len(body), content_type=NDJSON)
        assert code_of(response, 503) == "store-unavailable"

    def test_how_long_it_is_kept(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        path = upload(stored, named(1))
        import_with(redis_client)
        finished, expires = state(stored, path, "finished_at", "expires_at")
        assert finished < expires
        keys = redis_client.keys("*:import:*")
        assert keys
        for key in keys:
            assert KEPT_SECONDS - 60 < redis_client.ttl(key) <= KEPT_SECONDS
            redis_client.expire(key, 0)
        assert code_of(stored.get(path), 404) == "unknown-import"
        assert code_of(stored.get(f"{path}/results"), 404) == "unknown-import"
        assert stored.get("/v1/hands/h-1").status_code == 200

    def test_no_import_has_such_an_id(self, stored: CheckedClient) -> None:
        for view in ("", "/results"):
            assert code_of(stored.get(f"{JOBS}/evening-1{view}"), 404) == "unknown-import"
            assert code_of(stored.get(f"{JOBS}/evening-1{view}?x=1"), 422) == "invalid-record"


class TestIdempotency:
    KEY: ClassVar = {"Idempotency-Key": "evening-1"}

    def test_an_upload_is_taken_once(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        first = send(stored, JOBS, named(1), headers=self.KEY)
        again = send(stored, JOBS, named(1), headers=self.KEY)
        assert first.status_code == again.status_code == 202
        assert first.get_json() == again.get_json()
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.headers["Location"] == first.headers["Location"]
        assert len(ImportChunks(redis_client).left()) == 1
        assert len(redis_client.keys("*:chunks")) == 1

    def test_another_upload_takes_another_key(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        send(stored, JOBS, named(1), headers=self.KEY)
        other = send(stored, JOBS, named(2), headers=self.KEY)
        assert code_of(other, 422) == "idempotency-key-reused"
        flagged = send(stored, f"{JOBS}?on_illegal=flag", named(1), headers=self.KEY)
        assert code_of(flagged, 422) == "idempotency-key-reused"
        assert len(redis_client.keys("*:chunks")) == 1

    def test_a_key_that_is_none(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        response = send(stored, JOBS, named(1), headers={"Idempotency-Key": "two words"})
        assert code_of(response, 400) == "bad-request"
        assert redis_client.keys("*") == []
