"""Deliveries of webhooks: made, claimed, finished, kept for a while, sent again.

What waits is a sorted set by the time of the next try. To claim a delivery is to put that time off by a
lease; who dies at it leaves one that falls due again, with the same id. A webhook has a bounded number of
deliveries that wait: the feed itself is the queue behind them (`records.notices`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

import orjson
import redis
import uuid_utils

from records.redis_client import store_errors
from records.rescore_keys import store_time
from records.stored_hands import rfc3339
from records.webhook_scripts import CLAIM, FINISH, RECORD, RESEND, all_keys
from records.webhooks import Webhook, milliseconds

MOST_WAITING: Final = 1_000
"""Deliveries of a webhook that wait at once; with so many, no more are made of the feed."""
MOST_KEPT: Final = 1_000
"""Deliveries of a webhook that are kept once they are over."""
KEPT_DAYS: Final = 30
"""How long they are kept after the last of them."""
MAX_ATTEMPTS: Final = 25
"""Attempts of a delivery that are kept, the latest ones; resends add to them."""
STATES: Final = ("waiting", "delivered", "failed")
OUTCOMES: Final = ("delivered", "retry", "failed", "gone", "exhausted")
"""What a try comes to: see `records.webhook_scripts.FINISH`."""
TEST: Final = "webhook.test"
"""The type of the event that a webhook is tried with."""
FARTHEST: Final = 10 * 3_600.0
"""Seconds: no try is put off longer."""

_TRIES: Final = 10


class Notice(NamedTuple):
    """What is to be told: its type, when it happened (RFC 3339), and what there is to it."""

    type: str
    timestamp: str
    data: Mapping[str, Any]


class Attempt(NamedTuple):
    """A try: when it began and how long it took (ms), the answer's status and beginning, or what failed."""

    at: int
    took: int
    status: int | None
    error: str | None
    excerpt: str | None


@dataclass(slots=True)
class Delivery:
    """A notice on its way to one webhook. Its id is that of the message, the same in all tries."""

    delivery_id: str
    notice: Notice
    made: int
    since: int
    """When its tries began (ms since 1970): anew, where it is sent again."""
    tries: int = 0
    """How many there were since."""
    retried: bool = True
    """Whether it is tried again where it fails."""
    delivered: bool = False
    attempts: list[Attempt] = field(default_factory=list)

    def payload(self) -> bytes:
        """What is sent: the same bytes in all tries."""
        return orjson.dumps(self.notice._asdict())


class Shown(NamedTuple):
    """A delivery, and when it is tried next (ms) if it waits."""

    delivery: Delivery
    next_try: int | None

    def as_dict(self) -> dict[str, Any]:
        """The delivery as JSON."""
        delivery = self.delivery
        state = "waiting" if self.next_try is not None else "delivered" if delivery.delivered else "failed"
        return {
            "delivery_id": delivery.delivery_id,
            "state": state,
            "created_at": rfc3339(delivery.made),
            "next_attempt_at": None if self.next_try is None else rfc3339(self.next_try),
            "payload": delivery.notice._asdict(),
            "attempts": [
                {
                    "at": rfc3339(one.at),
                    "milliseconds": one.took,
                    "status": one.status,
                    "error": one.error,
                    "excerpt": one.excerpt,
                }
                for one in delivery.attempts
            ],
        }


class Page(NamedTuple):
    """A part of a webhook's deliveries, and the cursor of what follows (None at the end)."""

    items: list[Shown]
    next: str | None


class Backlog(NamedTuple):
    """How many deliveries of a webhook wait, and for how long the next one is due (s); negative: not yet."""

    waiting: int
    oldest: float


class Deliveries:
    """The deliveries of all webhooks. Makes no connection before it is used; threads may share it.

    Every method raises `StoreUnavailable` when the store is away.
    """

    def __init__(self, client: redis.Redis, most_kept: int = MOST_KEPT) -> None:
        self._redis = client
        self._keep = (most_kept, KEPT_DAYS * 86_400)
        self._record = client.register_script(RECORD)
        self._claim = client.register_script(CLAIM)
        self._finish = client.register_script(FINISH)
        self._resend = client.register_script(RESEND)

    def record(self, webhook: Webhook, notices: Sequence[Notice], cursor: str) -> bool:
        """Make deliveries of what the feed has up to a cursor, and go on there; both or neither.

        False where another was faster, or the webhook is disabled by now.
        """
        now = milliseconds()
        made = [part for notice in notices for part in _written(_new(notice, now))]
        arguments: list[str | int | bytes] = [*self._keep, webhook.cursor, cursor, *made]
        with store_errors():
            return bool(self._record(all_keys(webhook.tenant, webhook.webhook_id), arguments))

    def send_one(self, webhook: Webhook, notice: Notice) -> Shown | None:
        """A delivery besides those of the feed, which is tried once; None if the webhook is gone."""
        delivery = _new(notice, milliseconds(), retried=False)
        with store_errors():
            arguments: list[str | int | bytes] = [*self._keep, "", "", *_written(delivery)]
            self._record(all_keys(webhook.tenant, webhook.webhook_id), arguments)
        return self.get(webhook.tenant, webhook.webhook_id, delivery.delivery_id)

    def waiting(self, tenant: str, webhook_id: str) -> int:
        """How many wait, claimed by somebody or not."""
        with store_errors():
            return int(self._redis.zcard(all_keys(tenant, webhook_id)[1]))

    def claim(self, webhook: Webhook, count: int, lease: float) -> list[Delivery]:
        """Up to that many that are due, nobody else's for ``lease`` seconds."""
        with store_errors():
            keys = all_keys(webhook.tenant, webhook.webhook_id)
            found = cast(list[bytes], self._claim(keys, [count, _ms(lease), _ms(FARTHEST)]))
        return [_read(id_, body) for id_, body in zip(found[::2], found[1::2], strict=True)]

    def finish(self, webhook: Webhook, delivery: Delivery, outcome: str, delay: float = 0) -> str | None:
        """Keep what became of a try (see the script), and put the next one off by some seconds.

        Answers why the webhook was disabled, if it was.
        """
        delivery.attempts = delivery.attempts[-MAX_ATTEMPTS:]
        id_, body = _written(delivery)
        with store_errors():
            arguments: list[str | int | bytes] = [*self._keep, id_, body, outcome, _ms(delay), delivery.since]
            keys = all_keys(webhook.tenant, webhook.webhook_id)
            found = cast("bytes | None", self._finish(keys, arguments))
        return None if found is None else found.decode()

    def get(self, tenant: str, webhook_id: str, delivery_id: str) -> Shown | None:
        """A delivery by its id."""
        found = self._shown(tenant, webhook_id, [delivery_id.encode()])
        return found[0] if found else None

    def page(self, tenant: str, webhook_id: str, cursor: str | None, limit: int) -> Page:
        """Up to ``limit`` of them, the newest first, from the one on that came last in the page before."""
        log = all_keys(tenant, webhook_id)[3]
        start = "+" if cursor is None else f"({cursor}"
        with store_errors():
            ids = cast(list[bytes], self._redis.zrevrangebylex(log, start, "-", 0, limit + 1))
        items = self._shown(tenant, webhook_id, ids[:limit])
        return Page(items, ids[limit - 1].decode() if len(ids) > limit else None)

    def _shown(self, tenant: str, webhook_id: str, ids: Sequence[bytes]) -> list[Shown]:
        _, waiting, _, _, deliveries = all_keys(tenant, webhook_id)
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for id_ in ids:
                pipe.hget(deliveries, id_.decode())
                pipe.zscore(waiting, id_)
            found: list[Any] = pipe.execute()
        return [
            Shown(_read(id_, body), None if at is None else int(at))
            for id_, body, at in zip(ids, found[::2], found[1::2], strict=True)
            if body is not None
        ]

    def resend(self, tenant: str, webhook_id: str, delivery_id: str) -> Shown | None:
        """Send a delivery again at once, and if that fails as often as at first; None if it is gone."""
        keys = all_keys(tenant, webhook_id)
        for _ in range(_TRIES):
            with store_errors():
                body = cast("bytes | None", self._redis.hget(keys[4], delivery_id))
            if body is None:
                return None
            delivery = _read(delivery_id.encode(), body)
            delivery.since, delivery.tries, delivery.delivered = milliseconds(), 0, False
            with store_errors():
                if self._resend(keys, [delivery_id, body, _written(delivery)[1]]):
                    return self.get(tenant, webhook_id, delivery_id)
        raise AssertionError(f"delivery {delivery_id} changes all the time")

    def backlogs(self, webhooks: Sequence[Webhook]) -> list[Backlog]:
        """How far behind each of these webhooks is."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for webhook in webhooks:
                waiting = all_keys(webhook.tenant, webhook.webhook_id)[1]
                pipe.zcard(waiting)
                pipe.zrange(waiting, 0, 0, withscores=True)
            found: list[Any] = pipe.execute()
            now = store_time(self._redis)
        return [
            Backlog(count, max((now - at) / 1000 for _, at in first) if first else 0.0)
            for count, first in zip(found[::2], found[1::2], strict=True)
        ]


def _new(notice: Notice, now: int, *, retried: bool = True) -> Delivery:
    return Delivery(str(uuid_utils.uuid7()), notice, now, now, retried=retried)


def _written(delivery: Delivery) -> tuple[str, bytes]:
    told = [*delivery.notice], delivery.made, delivery.since, delivery.tries
    done = delivery.retried, delivery.delivered, [[*one] for one in delivery.attempts]
    return delivery.delivery_id, orjson.dumps([*told, *done])


def _read(delivery_id: bytes, body: bytes) -> Delivery:
    notice, made, since, tries, retried, delivered, attempts = orjson.loads(body)
    return Delivery(
        delivery_id.decode(),
        Notice(*notice),
        made,
        since,
        tries,
        retried,
        delivered,
        [Attempt(*one) for one in attempts],
    )


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
