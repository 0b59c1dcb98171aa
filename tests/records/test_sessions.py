"""Sessions in the store: lost answers, other versions, and what is stored for good."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
import pytest
import redis

from records.codec import UnknownSchema, deflate
from records.log import Append, Stream, VersionMismatch
from records.redis_client import connect
from records.redis_log import RedisLog
from records.session_log import About, Rate, session_of
from records.sessions import Sessions
from tests.support.processes import RedisServer
from tests.support.proxy import Proxy

ABOUT = About(("Anna", "Béla", "Юлия"), "illustrated-beck", "Thursday", Rate(2, "EUR"), "Europe/Vienna")
STREAM = Stream("session", "default", "s1")


@pytest.fixture
def sessions(redis_client: redis.Redis) -> Sessions:
    return Sessions(redis_client)


@pytest.fixture
def proxied(redis_server: RedisServer, redis_url: str) -> Iterator[tuple[Proxy, Sessions]]:
    port = redis_server.access.port
    with Proxy(port) as proxy, connect(redis_url.replace(str(port), str(proxy.port))) as client:
        Sessions(client).open("default", "tester", "warm", ABOUT)  # the script is known from here on
        yield proxy, Sessions(client)


def test_lost_answers_are_no_second_events(proxied: tuple[Proxy, Sessions], sessions: Sessions) -> None:
    proxy, through = proxied
    proxy.drop_when = b"EVALSHA"
    assert through.open("default", "tester", "s1", ABOUT).created
    session = sessions.get("default", "s1")
    assert session is not None
    proxy.drop_when = b"EVALSHA"
    assert through.change("default", "tester", session, ABOUT._replace(name="Friday")) == 2
    session = sessions.get("default", "s1")
    assert session is not None
    proxy.drop_when = b"EVALSHA"
    view = sessions.view("default", session)
    assert through.close("default", "director", session, view, "", "late") == 3
    assert proxy.dropped == 3
    closed = sessions.get("default", "s1")
    assert closed is not None
    assert (closed.version, closed.status, closed.about.name) == (3, "closed", "Friday")


def test_a_change_that_came_too_late(proxied: tuple[Proxy, Sessions], sessions: Sessions) -> None:
    """Its answer was lost, and what stands in its place is not its own."""
    proxy, through = proxied
    sessions.open("default", "tester", "s1", ABOUT)
    session = sessions.get("default", "s1")
    assert session is not None
    assert sessions.change("default", "faster", session, ABOUT._replace(name="Friday")) == 2
    proxy.drop_when = b"EVALSHA"
    with pytest.raises(VersionMismatch):
        through.change("default", "tester", session, ABOUT._replace(name="Friday"))
    now = sessions.get("default", "s1")
    assert now is not None
    assert [entry.actor for entry in now.log] == ["tester", "faster"]


def test_tenants_have_sessions_of_their_own(sessions: Sessions) -> None:
    assert sessions.open("default", "tester", "s1", ABOUT).created
    assert sessions.open("other", "tester", "s1", ABOUT._replace(name="x")).created
    assert sessions.get("third", "s1") is None
    assert [one["name"] for one in sessions.page("other", None, 10).items] == ["x"]


def test_what_is_stored_stays_readable(redis_client: redis.Redis) -> None:
    """The very bytes of an entry and a head that this version writes, which later ones have to read."""
    opened = {"type": "session_opened", **ABOUT.as_dict()}
    kept = [{"hands": []}, {"points": {"Anna": 0}}, []]
    entries = [
        ["tester", opened, None],
        ["tester", {"type": "session_changed", "name": None}, None],
        ["director", {"type": "hand_chosen", "hand_id": "h2", "over": ["h1"]}, None],
        ["director", {"type": "session_closed", "settlement": {}, "hands": []}, kept],
    ]
    log = RedisLog(redis_client)
    head = (
        b'[{"name":null,"players":["Anna"],"variant":"illustrated-beck","rate":null,"time_zone":null},true]'
    )
    for version, entry in enumerate(entries):
        log.append(STREAM, version, Append(b"\x01" + deflate(orjson.dumps(entry)), 1, head))
    found = log.read(STREAM)
    assert found is not None
    session = session_of(found)
    assert (session.about, session.first) == (ABOUT._replace(name=None), ABOUT)
    assert session.choices == {"h2": ("h1",)}
    assert session.figures is not None
    assert session.figures.settlement == {"points": {"Anna": 0}}
    (listed,) = Sessions(redis_client).page("default", None, 10, status="closed").items
    assert (listed["session_id"], listed["players"]) == ("s1", ["Anna"])


def test_what_a_later_version_wrote_is_not_misread(redis_client: redis.Redis) -> None:
    log = RedisLog(redis_client)
    log.append(STREAM, 0, Append(b"\x02later", 1, b"[]"))
    found = log.read(STREAM)
    assert found is not None
    with pytest.raises(UnknownSchema, match="schema 2"):
        session_of(found)
