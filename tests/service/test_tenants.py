"""Tenants see, guess and disturb nothing of each other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import redis

from records.keys import Keys
from records.scopes import SCOPES
from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from tests.service.document import load_document
from tests.support.processes import ROOT
from workers.jobs import drain_with, import_with

RESULT = load_document().raw["components"]["examples"]["ReportedResult"]["value"]
NDJSON = "application/x-ndjson"

Call = Any


@pytest.fixture
def client(redis_url: str) -> CheckedClient:
    return checked_client(create_app(Settings(redis_url=redis_url, stored_keys_only=True)))


def key_of(store: redis.Redis, tenant: str, scopes: tuple[str, ...] = SCOPES) -> dict[str, str]:
    key = Keys(store).make("club", tenant, scopes, None, "test")[1]
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture
def graz(redis_client: redis.Redis) -> dict[str, str]:
    return key_of(redis_client, "graz")


@pytest.fixture
def linz(redis_client: redis.Redis) -> dict[str, str]:
    return key_of(redis_client, "linz")


def submit(client: CheckedClient, key: dict[str, str], points: int, **more: Any) -> Any:
    events = [RESULT["events"][0] | {"card_points": points, "bonuses": []}]
    headers = key | more.pop("headers", {})
    return client.post("/v1/hands", json=RESULT | {"hand_id": "h", "events": events, **more}, headers=headers)


def test_the_same_id_is_another_hand(
    client: CheckedClient, redis_client: redis.Redis, graz: dict[str, str], linz: dict[str, str]
) -> None:
    for key, points in ((graz, 50), (linz, 30)):
        assert submit(client, key, points).status_code == 202
    drain_with(redis_client)
    sheets = [client.get("/v1/hands/h/score", headers=key).get_json() for key in (graz, linz)]
    assert [sheet["outcome"] for sheet in sheets] == ["won", "lost"]
    penalty = {"type": "penalty_assessed", "player": "Anna", "points": -1}
    changed = client.post(
        "/v1/hands/h/events", json={"events": [penalty]}, headers=graz | {"If-Match": '"1"'}
    )
    assert changed.get_json()["version"] == 2
    assert client.get("/v1/hands/h", headers=linz).get_json()["version"] == 1


def test_hands_of_others_are_not_there(
    client: CheckedClient, graz: dict[str, str], linz: dict[str, str]
) -> None:
    submit(client, graz, 50, session_id="s", labels=["final"])
    for path in ("", "/events", "/score"):
        assert code_of(client.get(f"/v1/hands/h{path}", headers=linz), 404) == "unknown-hand"
    body: dict[str, Any] = {"events": [{"type": "penalty_assessed", "player": "Anna", "points": -1}]}
    added = client.post("/v1/hands/h/events", json=body, headers=linz | {"If-Match": '"1"'})
    assert code_of(added, 404) == "unknown-hand"
    restated = {"record": RESULT | {"hand_id": "h"}, "reason": "mine"}
    put = client.put("/v1/hands/h", json=restated, headers=linz | {"If-Match": '"1"'})
    assert code_of(put, 404) == "unknown-hand"
    for query in ("", "?session_id=s", "?player=Anna", "?label=final", "?status=scored"):
        assert client.get(f"/v1/hands{query}", headers=linz).get_json()["hands"] == []
    assert client.get("/v1/hands:export", headers=linz).get_data() == b""
    assert client.get("/v1/events", headers=linz).get_json()["events"] == []


def test_cursors_of_others_are_none(
    client: CheckedClient, graz: dict[str, str], linz: dict[str, str]
) -> None:
    for number in range(3):
        for key in (graz, linz):
            submit(client, key, 50, hand_id=f"h-{number}")
    for path in ("/v1/hands", "/v1/events"):
        cursor = client.get(f"{path}?limit=1", headers=graz).get_json()["next"]
        assert client.get(f"{path}?limit=1&cursor={cursor}", headers=graz).status_code == 200
        taken = client.get(f"{path}?limit=1&cursor={cursor}", headers=linz)
        assert faults_of(taken) == [("cursor", "invalid-record")]
    stream = {"Accept": "text/event-stream", "Last-Event-ID": cursor}
    assert faults_of(client.get("/v1/events", headers=linz | stream))[0][0] == "Last-Event-ID"


def test_imports_of_others_are_not_there(
    client: CheckedClient, redis_client: redis.Redis, graz: dict[str, str], linz: dict[str, str]
) -> None:
    line = json.dumps(RESULT | {"hand_id": "h"})
    made = client.post("/v1/imports", data=line, content_type=NDJSON, headers=graz)
    import_with(redis_client)
    path = made.headers["Location"]
    assert client.get(path, headers=graz).get_json()["created"] == 1
    for view in ("", "/results"):
        assert code_of(client.get(path + view, headers=linz), 404) == "unknown-import"
    assert client.get("/v1/hands/h", headers=graz).status_code == 200
    assert code_of(client.get("/v1/hands/h", headers=linz), 404) == "unknown-hand"


def test_house_variants_of_others_are_not_there(
    client: CheckedClient, redis_client: redis.Redis, graz: dict[str, str], linz: dict[str, str]
) -> None:
    house = {
        "id": "house-club",
        "name": "Our club",
        "base": "illustrated-beck",
        "rulings": {"recontra": True},
    }
    assert client.post("/v1/variants", json=house, headers=graz).status_code == 201
    assert code_of(client.get("/v1/variants/house-club", headers=linz), 404) == "unknown-variant"
    ids = [row["id"] for row in client.get("/v1/variants", headers=linz).get_json()["variants"]]
    assert "house-club" not in ids
    other = {**house, "rulings": {"recontra": False}, "name": "Another club"}
    assert client.post("/v1/variants", json=other, headers=linz).status_code == 201
    for key in (graz, linz):
        assert submit(client, key, 50, variant="house-club").status_code == 202
        assert client.get("/v1/hands/h", headers=key).status_code == 200
    drain_with(redis_client)
    sheets = [client.get("/v1/hands/h/score", headers=key).get_json() for key in (graz, linz)]
    assert sheets[0]["variant_revision"] != sheets[1]["variant_revision"]
    names = [client.get("/v1/variants/house-club", headers=key).get_json()["name"] for key in (graz, linz)]
    assert names == ["Our club", "Another club"]
    feeds = [client.get("/v1/events", headers=key).get_json()["events"] for key in (graz, linz)]
    for items in feeds:
        assert sum(item["type"] == "hand.scored" for item in items) == 1


def test_sessions_tournaments_players_and_boards_are_their_own(
    client: CheckedClient, graz: dict[str, str], linz: dict[str, str]
) -> None:
    session = {
        "session_id": "s",
        "name": "Friday",
        "players": ["Anna", "Béla", "Cyril"],
        "variant": "illustrated-mayr-sedlaczek-2016",
    }
    for key in (graz, linz):
        assert client.post("/v1/sessions", json=session, headers=key).status_code == 201
    submit(client, graz, 50, session_id="s")
    counted = [client.get("/v1/sessions/s", headers=key).get_json()["hands"] for key in (graz, linz)]
    assert [len(hands) for hands in counted] == [1, 0]
    other = client.post("/v1/sessions", json={**session, "session_id": "s-2"}, headers=graz)
    assert other.status_code == 201
    for view in ("", "/settlement", "/boards"):
        answered = client.get(f"/v1/sessions/s-2{view}", headers=linz)
        assert code_of(answered, 404) == "unknown-session"
    ids = [one["session_id"] for one in client.get("/v1/sessions", headers=linz).get_json()["sessions"]]
    assert ids == ["s"]
    board = client.post("/v1/sessions/s/boards", headers=graz).get_json()
    taken = client.delete(f"/v1/sessions/s/boards/{board['board_id']}", headers=linz)
    assert code_of(taken, 404) == "unknown-board"
    assert client.get(f"/v1/boards/{board['token']}").status_code == 200
    named = client.put("/v1/players/Anna", json={"name": "Anna M."}, headers=graz)
    assert named.status_code == 200
    assert client.get("/v1/players/Anna", headers=linz).get_json() != named.get_json()


def test_idempotency_keys_are_their_own(
    client: CheckedClient, graz: dict[str, str], linz: dict[str, str]
) -> None:
    once = {"Idempotency-Key": "first-of-the-evening"}
    assert submit(client, graz, 50, headers=once).status_code == 202
    other = submit(client, linz, 30, headers=once)
    assert other.status_code == 202, "another body under the same key, of another tenant"
    assert "Idempotent-Replayed" not in other.headers
    assert submit(client, graz, 50, headers=once).headers["Idempotent-Replayed"] == "true"


def test_an_admin_rules_over_one_tenant(
    client: CheckedClient, redis_client: redis.Redis, graz: dict[str, str], linz: dict[str, str]
) -> None:
    own = client.get("/v1/keys", headers=graz).get_json()["keys"]
    assert [key["tenant"] for key in own] == ["graz"]
    (other,) = client.get("/v1/keys", headers=linz).get_json()["keys"]
    for method in ("GET", "DELETE"):
        response = client.open(f"/v1/keys/{other['key_id']}", method=method, headers=graz)
        assert code_of(response, 404) == "unknown-key"
    assert code_of(client.get("/v1/keys?tenant=linz", headers=graz), 403) == "forbidden"
    for tenant in ("linz", "default"):
        wanted = {"name": "k", "tenant": tenant}
        assert code_of(client.post("/v1/keys", json=wanted, headers=graz), 403) == "forbidden"
    for wanted in ({"name": "k"}, {"name": "k", "tenant": "graz"}):
        made = client.post("/v1/keys", json=wanted, headers=graz)
        assert made.get_json()["tenant"] == "graz"
    assert code_of(client.get("/metrics", headers=graz), 403) == "forbidden"
    operator = key_of(redis_client, "default")
    assert client.get("/metrics", headers=operator).status_code == 200
    assert len(client.get("/v1/keys?tenant=linz", headers=operator).get_json()["keys"]) == 1
    assert client.delete(f"/v1/keys/{other['key_id']}", headers=operator).status_code == 200
    made = client.post("/v1/keys", json={"name": "k", "tenant": "wels"}, headers=operator)
    assert made.get_json()["tenant"] == "wels"


def test_measures_add_up_tenants_and_name_none(
    client: CheckedClient, redis_client: redis.Redis, graz: dict[str, str], linz: dict[str, str]
) -> None:
    for key in (graz, linz):
        submit(client, key, 50)
    text = client.get("/metrics", headers=key_of(redis_client, "default")).get_data(as_text=True)
    assert "trull_appended_events_total 2.0" in text
    assert "graz" not in text
    assert "linz" not in text


def test_every_view_asks_whose_data_it_is_about() -> None:
    """Nobody but `service.auth` may settle on a tenant."""
    for page in Path(ROOT / "service").glob("*.py"):
        if page.name not in ("auth.py", "keyring.py"):
            text = page.read_text()
            assert not re.search(r"\bTENANT\b", text), page.name
            assert not re.search(r'[(\s]"default"[),]', text), page.name
