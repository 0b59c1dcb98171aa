"""The feed over HTTP."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from records.visibility import EVERYTHING
from service.app import create_app
from service.config import Settings
from service.event_stream import event_stream
from service.peer import Peer
from service.wiring import wire
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from tests.service.document import load_document
from tests.support.processes import RedisServer, wait_until

EXAMPLES = load_document().raw["components"]["examples"]
BEGUN: dict[str, Any] = EXAMPLES["JustBegun"]["value"]
STREAM = {"Accept": "text/event-stream"}


def post(client: CheckedClient, hand_id: str) -> None:
    time.sleep(0.002)  # of the same millisecond, the order of the shards would decide
    assert client.post("/v1/hands", json={**BEGUN, "hand_id": hand_id}).status_code == 202


def names(items: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(item["hand_id"], item["seq"]) for item in items]


class TestPages:
    def test_from_page_to_page(self, stored: CheckedClient) -> None:
        for hand_id in ("a", "b"):
            post(stored, hand_id)
        first = stored.get("/v1/events?limit=3").get_json()
        assert names(first["events"]) == [("a", 1), ("a", 2), ("b", 1)]
        rest = stored.get("/v1/events", query_string={"cursor": first["next"]}).get_json()
        assert names(rest["events"]) == [("b", 2)]
        last = stored.get("/v1/events", query_string={"cursor": rest["next"]}).get_json()
        assert last["events"] == []
        post(stored, "c")
        then = stored.get("/v1/events", query_string={"cursor": last["next"]}).get_json()
        assert names(then["events"]) == [("c", 1), ("c", 2)]

    def test_a_full_page_links_to_the_next(self, stored: CheckedClient) -> None:
        post(stored, "a")
        full, short = stored.get("/v1/events?limit=2"), stored.get("/v1/events?limit=3")
        cursor = full.get_json()["next"]
        assert full.headers["Link"] == f'</v1/events?limit=2&cursor={cursor}>; rel="next"'
        assert "Link" not in short.headers

    def test_from_the_end_on(self, stored: CheckedClient) -> None:
        post(stored, "a")
        now = stored.get("/v1/events?cursor=latest").get_json()
        assert now["events"] == []
        post(stored, "b")
        then = stored.get("/v1/events", query_string={"cursor": now["next"]}).get_json()
        assert names(then["events"]) == [("b", 1), ("b", 2)]

    def test_a_made_up_cursor(self, stored: CheckedClient) -> None:
        response = stored.get("/v1/events?cursor=abc")
        assert code_of(response, 422) == "invalid-record"
        assert faults_of(response) == [("cursor", "invalid-record")]

    def test_an_empty_page_can_wait(self, stored: CheckedClient) -> None:
        cursor = stored.get("/v1/events").get_json()["next"]
        timer = threading.Timer(0.5, post, (checked_client(stored.application), "late"))
        timer.start()
        started = time.monotonic()
        page = stored.get("/v1/events", query_string={"cursor": cursor}, headers={"Prefer": "wait=10"})
        timer.join()
        assert names(page.get_json()["events"]) == [("late", 1), ("late", 2)]
        assert 0.4 < time.monotonic() - started < 5

    def test_it_waits_no_longer_than_asked(self, stored: CheckedClient) -> None:
        started = time.monotonic()
        page = stored.get("/v1/events", headers={"Prefer": "wait=1"})
        assert page.get_json()["events"] == []
        assert 0.9 < time.monotonic() - started < 3

    def test_the_store_is_away(self, client: CheckedClient) -> None:
        response = client.get("/v1/events")
        assert code_of(response, 503) == "store-unavailable"
        assert response.headers["Retry-After"]
        assert code_of(client.get("/v1/events", headers=STREAM), 503) == "store-unavailable"


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/event-stream", "text/event-stream"),
        ("text/event-stream, */*;q=0.1", "text/event-stream"),
        ("application/json, text/event-stream;q=0.5", "application/json"),
        ("*/*", "application/json"),
        ("text/html", "application/json"),
        ("", "application/json"),
    ],
)
def test_which_form_is_asked_for(stored: CheckedClient, accept: str, kind: str) -> None:
    # A HEAD takes no place among the listeners, however many there are.
    for _ in range(20):
        response = stored.head("/v1/events", headers={"Accept": accept})
        assert (response.status_code, response.mimetype) == (200, kind)


class TestStream:
    """The stream itself; how it ends is shown over real connections in tests/e2e/test_feed.py."""

    def test_frames(self, redis_url: str) -> None:
        app = create_app(Settings(redis_url=redis_url))
        client = checked_client(app)
        post(client, "a")
        wiring = app.extensions["trull"]
        stream = event_stream(
            wiring.views_of("default").feed.follow("default", None, EVERYTHING), Peer({}), lambda: False
        )
        assert next(stream) == b"retry: 2000\n\n"
        ids = []
        for seq in (1, 2):
            id_, data, *rest = next(stream).decode().split("\n")
            assert id_.startswith("id: ")
            item = json.loads(data.removeprefix("data: "))
            assert (item["hand_id"], item["seq"]) == ("a", seq)
            assert rest == ["", ""]
            ids.append(id_.removeprefix("id: "))
        page = client.get("/v1/events", query_string={"cursor": ids[0]}).get_json()
        assert names(page["events"]) == [("a", 2)]
        assert page["next"] == ids[1]

    def test_an_id_that_no_event_had(self, stored: CheckedClient) -> None:
        response = stored.get("/v1/events", headers={**STREAM, "Last-Event-ID": "x"})
        assert code_of(response, 422) == "invalid-record"
        assert faults_of(response) == [("Last-Event-ID", "invalid-record")]

    def test_it_outlives_its_store(self, spare_redis: RedisServer) -> None:
        wiring = wire(Settings(redis_url=spare_redis.url))
        client = checked_client(create_app(wiring.settings))
        post(client, "a")
        walk = wiring.views_of("default").feed.follow("default", None, EVERYTHING)
        frames: list[bytes] = []
        stop = threading.Event()
        thread = threading.Thread(target=lambda: frames.extend(event_stream(walk, Peer({}), stop.is_set)))
        thread.start()
        wait_until(lambda: len(frames) == 3, "the first hand")
        spare_redis.kill()
        time.sleep(1.5)
        spare_redis.start()
        post(client, "b")
        wait_until(lambda: len(frames) == 5, "the second hand")
        stop.set()
        thread.join()
        assert [json.loads(frame.partition(b"data: ")[2])["hand_id"] for frame in frames[1:]] == [*"aabb"]
