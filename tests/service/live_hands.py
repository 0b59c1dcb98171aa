"""What tests of live hands share: hands to begin with, and how one goes on."""

from __future__ import annotations

from typing import Any

import redis
from werkzeug.test import TestResponse

from records.scopes import SCOPES
from service.app import create_app
from service.config import Settings
from service.configured_keys import ApiKey
from tests.service.clients import CheckedClient
from tests.service.conftest import checked_client
from tests.service.document import load_document
from workers.scoring import Scorer

EXAMPLES: dict[str, Any] = load_document().raw["components"]["examples"]
WHOLE: dict[str, Any] = EXAMPLES["WholeHand"]["value"]
BEGUN: dict[str, Any] = EXAMPLES["JustBegun"]["value"]
RESULT: dict[str, Any] = EXAMPLES["ReportedResult"]["value"]

HIDDEN = {"hidden": 16}
"""What stands in the place of a hand of Illustrated Tarock."""

KEYS: dict[str, ApiKey] = {
    name: ApiKey.of(name, f"key-of-{name}-0123456789", scopes, player)
    for name, scopes, player in (
        ("table", ("submit", "read", "cards"), None),
        ("blind", ("submit", "read"), None),
        ("reader", ("read",), None),
        ("sender", ("submit",), None),
        ("director", ("submit", "read", "direct"), None),
        ("anna", ("submit", "read"), "Anna"),
        ("bela", ("read",), "Béla"),
        ("operator", SCOPES, None),
        ("nobody", (), None),
    )
}


def as_key(name: str) -> dict[str, str]:
    """The header of a call with one of `KEYS`."""
    return {"Authorization": f"Bearer key-of-{name}-0123456789"}


def keyed_client(redis_url: str) -> CheckedClient:
    """A client of an application that has `KEYS`."""
    return checked_client(create_app(Settings(redis_url=redis_url, api_keys=tuple(KEYS.values()))))


def part(record: dict[str, Any], events: int) -> dict[str, Any]:
    """The record with its first events only."""
    return {**record, "events": record["events"][:events]}


def path_of(record: dict[str, Any]) -> str:
    return f"/v1/hands/{record['hand_id']}"


def begin(client: CheckedClient, record: dict[str, Any], **options: Any) -> str:
    """Submit the record; the path of the hand."""
    response = client.post("/v1/hands", json=record, **options)
    assert response.status_code == 202, response.get_data(as_text=True)
    return path_of(record)


def add(
    client: CheckedClient,
    path: str,
    version: int | str | None,
    *events: dict[str, Any],
    key: str | None = None,
) -> TestResponse:
    """Add events to a hand that should be at a version (a text is If-Match itself)."""
    headers = as_key(key) if key else {}
    if version is not None:
        headers["If-Match"] = version if isinstance(version, str) else f'"{version}"'
    return client.post(f"{path}/events", json={"events": list(events)}, headers=headers)


def restate(
    client: CheckedClient,
    path: str,
    version: int | str | None,
    record: dict[str, Any],
    reason: str = "written down wrong",
    key: str | None = None,
) -> TestResponse:
    """Tell a hand anew."""
    headers = as_key(key) if key else {}
    if version is not None:
        headers["If-Match"] = version if isinstance(version, str) else f'"{version}"'
    return client.put(path, json={"record": record, "reason": reason}, headers=headers)


def accepted(response: TestResponse, version: int, status: str) -> None:
    """Fail unless a change was made and answered so."""
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.get_json() == {"version": version, "status": status}
    assert response.headers["ETag"] == f'"{version}"'


def version_of(client: CheckedClient, path: str) -> int:
    found: int = client.get(path).get_json()["version"]
    return found


def score_all(client: redis.Redis) -> None:
    """What workers do."""
    assert sum(Scorer(client).score_some()) > 0


def fault_of(response: TestResponse) -> dict[str, Any]:
    """The only fault of a problem."""
    [fault] = response.get_json(force=True)["errors"]
    found: dict[str, Any] = fault
    return found


def events(client: CheckedClient, path: str, key: str, query: str = "") -> list[dict[str, Any]]:
    response = client.get(f"{path}/events{query}", headers=as_key(key))
    assert response.status_code == 200, response.get_data(as_text=True)
    return [logged["event"] for logged in response.get_json()["events"]]


def begin_keyed(client: CheckedClient, record: dict[str, Any]) -> str:
    return begin(client, record, headers=as_key("table"))


def many_trumps() -> tuple[dict[str, Any], list[str]]:
    """A deal in which Anna has four plain cards that may be discarded."""
    pack = [f"T{number}" for number in range(1, 22)] + ["F"]
    pack += [suit + rank for suit in "SHDC" for rank in ("K", "Q", "C", "J", *map(str, range(1, 11)))]
    anna = [f"T{number}" for number in range(2, 16)] + ["SK", "HK", "DK", "CK"]
    chien = ["S2", "S3", "S4", "S5", "T16", "T17"]
    rest = [card for card in pack if card not in anna and card not in chien]
    hands = {"Anna": anna, "Béla": rest[:18], "Cyril": rest[18:36], "Dora": rest[36:]}
    return {"type": "cards_dealt", "hands": hands, "talon": chien}, chien
