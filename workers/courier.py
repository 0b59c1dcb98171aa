"""The courier: makes deliveries of what the feed tells, and brings them to their receivers, many at once.

A receiver that hangs takes ten seconds of a thread, and no more than a few threads whoever it belongs to. So
nobody waits for the receivers of others, and nothing else waits for any (docs/adr/0090-webhooks.md).
"""

from __future__ import annotations

import logging
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Final

import redis
from standardwebhooks import Webhook as Signer

from records.deliveries import Attempt, Deliveries, Delivery
from records.log import StoreUnavailable
from records.meters import DeliveryNotes
from records.notices import Notices, Work
from records.webhooks import Webhook, milliseconds
from workers.posting import Outcome, post, trusted

GONE: Final = 410
"""The status by which a receiver says that it wants no more."""

AT_ONCE: Final = 32
"""Deliveries that are on their way at once."""
OF_A_TENANT: Final = 8
OF_A_WEBHOOK: Final = 4

TURN_SECONDS: Final = 1.0
"""How long a thread goes on with the same webhook; then it is the turn of others."""

STUCK_SECONDS: Final = 30.0
"""How long a webhook is left alone for which the feed could not be read."""

_SECOND, _MINUTE, _HOUR = 1.0, 60.0, 3_600.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient the courier is, in seconds."""

    timeout: float = 10 * _SECOND
    """For one try: connection, request and answer."""
    delays: tuple[float, ...] = (
        5 * _SECOND,
        30 * _SECOND,
        2 * _MINUTE,
        10 * _MINUTE,
        30 * _MINUTE,
        1 * _HOUR,
        2 * _HOUR,
        4 * _HOUR,
        8 * _HOUR,
        8 * _HOUR,
    )
    """Before each further try: a day in all, less up to a tenth by chance."""
    lease: float = 60 * _SECOND
    """After that another takes over what a courier that died had in hand. A name may take long to look up."""
    least: float = 0.9
    """What a delay is multiplied with is by chance between this and 1."""

    def delay(self, tries: int) -> float | None:
        """How long to wait after that many tries; None if there are to be no more."""
        if tries > len(self.delays):
            return None
        return self.delays[tries - 1] * random.uniform(self.least, 1)


PACE: Final = Pace()


class Courier:
    """Delivers for all tenants. Two at work do no harm: each delivery is claimed."""

    def __init__(self, client: redis.Redis, pace: Pace = PACE, *, private: bool = False) -> None:
        """``private``: receivers may be in the operator's own network, and without TLS."""
        self._notices = Notices(client)
        self._deliveries = Deliveries(client)
        self._notes = DeliveryNotes(client)
        self._pace = pace
        self._private = private
        trusted()  # or the first threads would all make it
        self._pool = ThreadPoolExecutor(AT_ONCE, "delivery")
        self._stuck: dict[str, float] = {}
        self._lock = Lock()
        self._of_tenants: Counter[str] = Counter()
        self._of_webhooks: Counter[str] = Counter()

    @property
    def in_hand(self) -> int:
        """How many deliveries are on their way."""
        with self._lock:
            return self._of_tenants.total()

    def look(self) -> int:
        """Make deliveries of what is new, and begin with those that are due; how much of both there was.

        Raises `StoreUnavailable`: what is claimed by then falls due again.
        """
        self._notes.pass_on()
        done = 0
        all_work = self._notices.work()
        # Not the same one first: it would take the last free thread each time.
        random.shuffle(all_work)
        for work in all_work:
            read = self._read(work.webhook) if work.can_read else 0
            done += read
            if read or work.is_due:
                done += self._begin(work)
        return done

    def _read(self, webhook: Webhook) -> int:
        """Make deliveries of what is new to a webhook; how many."""
        if self._stuck.get(webhook.webhook_id, 0) > time.monotonic():
            return 0
        try:
            return self._notices.pass_on(webhook)
        except StoreUnavailable:
            raise
        except Exception:
            # What comes next cannot be read: written by a later version, or by a fault of ours. Others go on.
            _log.exception("webhook %s of %s cannot go on", webhook.webhook_id, webhook.tenant)
            self._stuck[webhook.webhook_id] = time.monotonic() + STUCK_SECONDS
            return 0

    def _begin(self, work: Work) -> int:
        """Claim as many deliveries of a webhook as can be begun with at once, and begin."""
        webhook = work.webhook
        free = self._free(webhook)
        claimed = self._deliveries.claim(webhook, free, self._pace.lease) if free > 0 else []
        for delivery in claimed:
            with self._lock:
                self._of_tenants[webhook.tenant] += 1
                self._of_webhooks[webhook.webhook_id] += 1
            self._pool.submit(self._deliver, webhook, delivery)
        return len(claimed)

    def _free(self, webhook: Webhook) -> int:
        with self._lock:
            return min(
                AT_ONCE - self._of_tenants.total(),
                OF_A_TENANT - self._of_tenants[webhook.tenant],
                OF_A_WEBHOOK - self._of_webhooks[webhook.webhook_id],
            )

    def _deliver(self, webhook: Webhook, delivery: Delivery) -> None:
        """A try, and for a while those that follow as long as they are taken; in a thread of the pool."""
        until = time.monotonic() + TURN_SECONDS
        claimed = [delivery]
        try:
            while claimed:
                (delivery,) = claimed
                self._try(webhook, delivery)
                goes_on = delivery.delivered and time.monotonic() < until
                claimed = self._deliveries.claim(webhook, 1, self._pace.lease) if goes_on else []
        except StoreUnavailable as error:
            # What became of it is not noted; it is tried again after the lease.
            _log.warning("delivery %s: %s", delivery.delivery_id, error)
        except Exception:
            _log.exception("delivery %s of %s failed", delivery.delivery_id, webhook.tenant)
        finally:
            with self._lock:
                self._of_tenants[webhook.tenant] -= 1
                self._of_webhooks[webhook.webhook_id] -= 1

    def _try(self, webhook: Webhook, delivery: Delivery) -> None:
        body, at, began = delivery.payload(), milliseconds(), time.monotonic()
        headers = signed(webhook, delivery.delivery_id, body, at)
        found = post(webhook.target.url, body, headers, self._pace.timeout, private=self._private)
        took = round((time.monotonic() - began) * 1000)
        delivery.attempts.append(Attempt(at, took, *found))
        delivery.tries += 1
        delivery.delivered = found.status is not None and 200 <= found.status < 300
        outcome, delay = self._outcome(delivery, found)
        disabled = self._deliveries.finish(webhook, delivery, outcome, delay)
        self._notes.add(outcome)
        if disabled is not None:
            _log.warning("webhook %s of %s is disabled: %s", webhook.webhook_id, webhook.tenant, disabled)

    def _outcome(self, delivery: Delivery, found: Outcome) -> tuple[str, float]:
        """What became of a try (see `records.webhook_scripts`), and the seconds until the next one."""
        if delivery.delivered:
            return "delivered", 0
        if found.status == GONE:
            return "gone", 0
        if not delivery.retried:
            return "failed", 0
        delay = self._pace.delay(delivery.tries)
        return ("exhausted", 0) if delay is None else ("retry", delay)

    def close(self) -> None:
        """Wait for what is on its way."""
        self._pool.shutdown(wait=True)
        self._notes.pass_on()


def signed(webhook: Webhook, delivery_id: str, body: bytes, at: int) -> dict[str, str]:
    """The headers of Standard Webhooks for a body, signed with every secret that is good by then (ms)."""
    moment = datetime.fromtimestamp(at // 1000, UTC)
    text = body.decode()
    signatures = [Signer(one.secret).sign(delivery_id, moment, text) for one in webhook.good_secrets(at)]
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(at // 1000),
        "webhook-signature": " ".join(signatures),
        "User-Agent": "Trull-Webhooks/1",
    }
