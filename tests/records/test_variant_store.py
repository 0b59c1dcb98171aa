"""House-rule variants in the log: found by every process, kept apart by tenant, made whole or not at all."""

from __future__ import annotations

from typing import Any, cast

import pytest
import redis

from records.codec import UnknownSchema
from records.house_schemas import HouseRules, load_house
from records.log import StoreUnavailable, Stream
from records.redis_client import connect
from records.redis_keys import stream_key
from records.variant_store import VariantExists, VariantStore
from tests.support.processes import RedisServer
from tests.support.proxy import Proxy
from trull.variants import VARIANTS


def rules(**changes: Any) -> HouseRules:
    body = {"id": "house-club", "name": "Our club", "base": "illustrated-beck", "rulings": {"recontra": True}}
    return load_house({**body, **changes})


@pytest.fixture
def store(redis_client: redis.Redis) -> VariantStore:
    return VariantStore(redis_client)


def test_what_is_made_is_found_by_another_process(store: VariantStore, redis_client: redis.Redis) -> None:
    assert store.make("default", "tester", rules())
    found = VariantStore(redis_client).of("default")["house-club"]
    assert found == rules().variant
    assert found.revision == rules().variant.revision


def test_a_tenant_does_not_see_another_ones(store: VariantStore) -> None:
    store.make("one", "tester", rules())
    assert store.make("two", "tester", rules(rulings={"recontra": False}))
    assert "house-club" not in store.of("three")
    assert store.of("one")["house-club"] != store.of("two")["house-club"]
    assert (store.ids("one"), store.ids("three")) == (["house-club"], [])


def test_it_never_changes(store: VariantStore, redis_client: redis.Redis) -> None:
    store.make("default", "tester", rules())
    assert not VariantStore(redis_client).make("default", "another", rules())
    with pytest.raises(VariantExists):
        store.make("default", "tester", rules(name="Their club"))
    assert redis_client.llen(stream_key(Stream("variant", "default", "house-club"))) == 3


def test_a_known_one_is_not_asked_for_again(store: VariantStore, redis_client: redis.Redis) -> None:
    store.make("default", "tester", rules())
    variants = store.of("default")
    before = variants["house-club"]
    redis_client.flushall()
    assert variants["house-club"] is before
    assert variants.overrides("house-club") == rules().as_dict()


def test_the_built_in_ones_need_no_store() -> None:
    with connect("redis://127.0.0.1:1/0") as client:
        variants = VariantStore(client).of("default")
        assert [*variants] == [*VARIANTS]
        assert {name: variants[name] for name in variants} == dict(VARIANTS)
        assert variants.get("nobody") is None
        assert variants.overrides("illustrated-beck") is None
        with pytest.raises(StoreUnavailable):
            variants.get("house-club")


def test_what_a_later_version_wrote_is_told(store: VariantStore, redis_client: redis.Redis) -> None:
    for name in ("house-schema", "house-base"):
        store.make("default", "tester", rules(id=name))
    for name, old, new in (
        ("schema", b"\x01[", b"\x02["),
        ("base", b"illustrated-beck", b"illustrated-later"),
    ):
        key = stream_key(Stream("variant", "default", f"house-{name}"))
        entry = cast(bytes, redis_client.lindex(key, 2))
        assert old in entry
        redis_client.lset(key, 2, entry.replace(old, new))  # type: ignore[arg-type]  # bytes will do
        with pytest.raises(UnknownSchema, match=f"house-{name}"):
            VariantStore(redis_client).of("default").get(f"house-{name}")


def test_many_do_not_fill_the_memory(store: VariantStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("records.variant_store._MOST_CACHED", 3)
    names = [f"house-{number}" for number in range(10)]
    for name in names:
        store.make("default", "tester", rules(id=name))
    variants = store.of("default")
    assert [variants[name].id for name in names * 2] == names * 2
    assert len(store._cached) <= 3
    assert sorted(store.ids("default")) == names


def test_a_lost_answer_is_no_second_one(redis_server: RedisServer, redis_url: str) -> None:
    port = redis_server.access.port
    with Proxy(port) as proxy, connect(redis_url.replace(str(port), str(proxy.port))) as client:
        proxy.drop_when = b"Our club"
        VariantStore(client).make("default", "tester", rules())
        assert proxy.dropped == 1
        assert client.llen(stream_key(Stream("variant", "default", "house-club"))) == 3
