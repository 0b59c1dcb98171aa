"""A store with webhooks in it, what happens there, and couriers that deliver."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis

from records.deliveries import Deliveries
from records.hands import Hands
from records.schemas import load_events
from records.webhooks import EVENTS, Target, Webhook, Webhooks
from tests.support.hand_records import result, status_of
from workers.courier import Courier, Pace
from workers.scoring import Scorer

FAST = Pace(timeout=0.4, delays=(0.02, 0.02), lease=1.0)


class Office:
    """The store, without anybody who delivers."""

    def __init__(self, client: redis.Redis, queue: redis.Redis | None = None) -> None:
        self.client = client
        self.webhooks, self.deliveries = Webhooks(client), Deliveries(client)
        self.hands = Hands(client, queue=queue)

    def hook(self, url: str, *events: str, tenant: str = "default") -> Webhook:
        return self.webhooks.make(tenant, Target(url, events or EVENTS), "t")

    def now(self, hook: Webhook) -> Webhook:
        found = self.webhooks.get(hook.tenant, hook.webhook_id)
        assert found is not None
        return found

    def submit(self, count: int = 1, tenant: str = "default") -> list[str]:
        hand = result()
        return [self.hands.submit(tenant, "t", hand, status_of(hand)).hand_id for _ in range(count)]

    def score(self, count: int = 1, tenant: str = "default") -> list[str]:
        """Hands with their sheets, that the feed tells of by now."""
        ids = self.submit(count, tenant)
        self._score_all()
        return ids

    def correct(self, hand_id: str) -> None:
        """A penalty, and the sheet with it."""
        hand = self.hands.get("default", hand_id)
        assert hand is not None
        penalty = {"type": "penalty_assessed", "player": "Anna", "points": -5, "reason": "late"}
        change = self.hands.appended(hand, load_events({"events": [penalty]}, hand.record.players))
        self.hands.append("default", "t", hand, change)
        self._score_all()

    def _score_all(self) -> None:
        for _ in Scorer(self.client).score_some():
            pass
        time.sleep(0.003)  # of the present millisecond the feed tells nothing

    def shown(self, hook: Webhook) -> list[dict[str, Any]]:
        page = self.deliveries.page(hook.tenant, hook.webhook_id, None, 1000)
        return [one.as_dict() for one in page.items]

    def states(self, hook: Webhook) -> list[str]:
        return [one["state"] for one in self.shown(hook)]


@contextmanager
def at_work(office: Office, pace: Pace = FAST, *, private: bool = True) -> Iterator[Courier]:
    """A courier that looks all the time."""
    courier = Courier(office.client, pace, private=private)
    ending = threading.Event()

    def look() -> None:
        while not ending.is_set():
            courier.look()
            time.sleep(0.01)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield courier
    finally:
        ending.set()
        thread.join()
        courier.close()
