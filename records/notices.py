"""What webhooks are told: read from the feed, each webhook from where it is, and made into deliveries.

The feed is written in the same step as what it tells of, so nothing that happened is missing in it, whoever
dies. A webhook's cursor moves in the same step as its deliveries are recorded. So what was read is told, once
to each webhook; who dies in between has moved nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import redis

from records.codec import UnknownSchema
from records.deliveries import FARTHEST, MOST_WAITING, Backlog, Deliveries, Notice
from records.feed import Feed
from records.log import StoredStream, Stream
from records.redis_client import store_errors
from records.redis_keys import SHARDS, feed_key
from records.redis_log import RedisLog
from records.rescores import Rescores
from records.session_log import CLOSED
from records.sheet_codec import read_sheet
from records.stored_hands import KIND as HAND
from records.stored_hands import opening_of
from records.visibility import NOTHING
from records.webhooks import Webhook, Webhooks

AT_ONCE: Final = 100
"""Items of the feed that are read at once."""

_SHEET_FIELDS: Final = ("version", "variant", "variant_revision", "status", "declarer", "contract", "outcome")
_SHEETS: Final = ("hand.scored", "hand.corrected")


class Work(NamedTuple):
    """A webhook, whether the feed has something that it was not told, and what waits."""

    webhook: Webhook
    is_behind: bool
    backlog: Backlog

    @property
    def can_read(self) -> bool:
        """Whether deliveries can be made for it."""
        has_room = self.backlog.waiting <= MOST_WAITING - AT_ONCE
        return self.is_behind and self.webhook.enabled and has_room

    @property
    def is_due(self) -> bool:
        """Whether a delivery could be tried now."""
        late = self.backlog.oldest
        return self.backlog.waiting > 0 and (late >= 0 or late < -FARTHEST)


class Notices:
    """What is to be told to the webhooks of all tenants.

    Every method raises `StoreUnavailable` when the store is away.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._log = RedisLog(client)
        self._feed = Feed(client)
        self._rescores = Rescores(client)
        self._webhooks = Webhooks(client)
        self._deliveries = Deliveries(client)

    def work(self) -> list[Work]:
        """All webhooks and how they stand: five round trips, however many there are."""
        tenants = self._webhooks.tenants()
        if not tenants:
            return []
        hooks = self._webhooks.all(tenants)
        lengths = self._lengths(tenants)
        behind = [self._feed.is_behind(hook.tenant, hook.cursor, lengths[hook.tenant]) for hook in hooks]
        return [Work(*one) for one in zip(hooks, behind, self._deliveries.backlogs(hooks), strict=True)]

    def has_work(self) -> bool:
        """Whether there is something to read or to deliver now."""
        return any(work.can_read or work.is_due for work in self.work())

    def are_wanted(self) -> bool:
        """Whether there is any webhook."""
        return bool(self._webhooks.tenants())

    def _lengths(self, tenants: Sequence[str]) -> dict[str, list[int]]:
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for tenant in tenants:
                for shard in range(SHARDS):
                    pipe.llen(feed_key(shard, tenant))
            found: list[int] = pipe.execute()
        return {tenant: found[at * SHARDS : (at + 1) * SHARDS] for at, tenant in enumerate(tenants)}

    def pass_on(self, webhook: Webhook) -> int:
        """Make deliveries of the next items of the feed that the webhook is for; how many."""
        walk = self._feed.follow(webhook.tenant, webhook.cursor, NOTHING, notices=True)
        items = walk.some(AT_ONCE)
        if walk.cursor == webhook.cursor:
            return 0  # it is of the present millisecond
        notices = self._notices(webhook.tenant, items, webhook.target.events)
        return len(notices) if self._deliveries.record(webhook, notices, walk.cursor) else 0

    def _notices(
        self, tenant: str, items: Sequence[Mapping[str, Any]], wanted: Collection[str]
    ) -> list[Notice]:
        wished = [item for item in items if _type_of(item) in wanted]
        ids = [item["hand_id"] for item in wished if item["type"] in _SHEETS]
        found = self._log.glance([Stream(HAND, tenant, id_) for id_ in ids])
        hands = dict(zip(ids, found, strict=True))
        return [
            Notice(_type_of(item), item["recorded_at"], self._data(tenant, item, hands)) for item in wished
        ]

    def _data(
        self, tenant: str, item: Mapping[str, Any], hands: Mapping[str, StoredStream | None]
    ) -> dict[str, Any]:
        if item["type"] in _SHEETS:
            return _hand_data(item, hands[item["hand_id"]])
        if "session_id" in item:
            settlement = item["event"]["settlement"]
            told = {name: settlement[name] for name in ("points", "money", "transfers")}
            return {"session_id": item["session_id"], "version": item["seq"], **told}
        state = self._rescores.state(tenant, item["rescore_id"])
        counts = ("variants", "total", "done", "failed")
        figures = {name: None if state is None else getattr(state, name) for name in counts}
        return {"rescore_id": item["rescore_id"], "status": item["status"], **figures}


def _type_of(item: Mapping[str, Any]) -> str:
    """What an item of the feed is to a webhook."""
    if item["type"] == "session.event" and item["event"]["type"] == CLOSED:
        return "session.settled"
    return str(item["type"])


def _hand_data(item: Mapping[str, Any], found: StoredStream | None) -> dict[str, Any]:
    """The hand's ids, and its sheet in brief as it is by now; null where the hand was archived."""
    told = {name: item[name] for name in ("hand_id", "version", "status")}
    opening = None if found is None else opening_of(found)
    places = ("session_id", "table", "round", "number")
    place = {name: None if opening is None else getattr(opening, name) for name in places}
    return {**told, **place, "sheet": None if found is None else _sheet_data(found)}


def _sheet_data(found: StoredStream) -> dict[str, Any] | None:
    if found.view is None:
        return None
    try:
        sheet = read_sheet(found.view.body, found.stream.id, found.view.version)
    except UnknownSchema:
        return None  # made by a later version of the service
    return {**{name: sheet.get(name) for name in _SHEET_FIELDS}, "scores": sheet["scores"]}
