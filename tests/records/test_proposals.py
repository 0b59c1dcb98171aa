"""The state of a table: changed for the version that was seen, and there after a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from records.log import StoreUnavailable, VersionMismatch
from records.proposals import Proposals, TableState
from records.redis_client import connect
from records.table_links import TablePlace
from tests.support.processes import RedisServer
from tests.support.proxy import Proxy

PLACE = TablePlace("default", "session", "s1")
PROPOSAL = {"hand_id": "h1", "by": "Béla"}


def test_each_change_is_made_for_the_version_that_was_seen(redis_client: redis.Redis) -> None:
    proposals = Proposals(redis_client)
    first = proposals.get(PLACE)
    assert first == TableState(0, None, None)
    second = proposals.put(PLACE, first, PROPOSAL, None)
    assert second == proposals.get(PLACE) == TableState(1, PROPOSAL, None)
    with pytest.raises(VersionMismatch) as refused:
        proposals.put(PLACE, first, None, {"of": 0})
    assert refused.value.current == 1
    third = proposals.put(PLACE, second, None, {"of": 1})
    assert proposals.get(PLACE) == third == TableState(2, None, {"of": 1})


def test_tables_and_tenants_have_their_own(redis_client: redis.Redis) -> None:
    proposals = Proposals(redis_client)
    proposals.put(PLACE, TableState(), PROPOSAL, None)
    tournament = TablePlace("default", "tournament", "s1", 1)
    for other in (
        PLACE._replace(tenant="other"),
        PLACE._replace(id="s2"),
        tournament,
        tournament._replace(table=11),
    ):
        assert proposals.get(other) == TableState()


def test_what_was_answered_is_there_after_a_crash(tmp_path: Path) -> None:
    server = RedisServer(tmp_path)
    with server, server.client() as client:
        Proposals(client).put(PLACE, TableState(), PROPOSAL, None)
        server.kill()
        server.start()
        with server.client() as again:
            assert Proposals(again).get(PLACE) == TableState(1, PROPOSAL, None)


def test_a_store_that_is_away() -> None:
    proposals = Proposals(connect("redis://127.0.0.1:1/0"))
    with pytest.raises(StoreUnavailable):
        proposals.put(PLACE, TableState(), PROPOSAL, None)


def test_a_lost_answer_is_no_other_change(redis_url: str, redis_client: redis.Redis) -> None:
    first = Proposals(redis_client).put(PLACE, TableState(), PROPOSAL, None)
    port = redis_client.connection_pool.connection_kwargs["port"]
    with Proxy(port) as proxy, connect(redis_url.replace(str(port), str(proxy.port))) as client:
        proposals = Proposals(client)
        proxy.drop_when = b'"h2"'
        second = proposals.put(PLACE, first, {**PROPOSAL, "hand_id": "h2"}, None)
        assert (second.version, proxy.dropped) == (2, 1)
        proxy.drop_when = b'"h3"'
        with pytest.raises(VersionMismatch):
            proposals.put(PLACE, first, {**PROPOSAL, "hand_id": "h3"}, None)
        assert proxy.dropped == 2
    assert Proposals(redis_client).get(PLACE) == second
