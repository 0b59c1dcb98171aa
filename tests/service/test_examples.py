"""Every example of openapi.yaml is true: requests are sent, answers are the documented ones."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
import redis
from werkzeug.test import TestResponse

from tests.service.clients import CheckedClient
from tests.service.document import Operation, load_document
from tests.support.processes import ROOT
from workers.scoring import Scorer

DOCUMENT = load_document()
EXAMPLES: dict[str, Any] = DOCUMENT.raw["components"]["examples"]
SESSION = f"/v1/sessions/{EXAMPLES['NewSession']['value']['session_id']}"
TOURNAMENT: dict[str, Any] = DOCUMENT.raw["components"]["examples"]["NewTournament"]["value"]
NDJSON = "application/x-ndjson"
OF_SESSIONS = ("opened_at", "closed_at", "position")
TABLE_OPERATIONS = ("/v1/tables/{token}/proposal:confirm", "/v1/tables/{token}/proposal:object")
OF_BOARDS = ("board_id", "link_id", "made_at", "token", "page")
OF_WEBHOOKS = ("webhook_id", "secret", "valid_until", "disabled_at")
POSTS = [
    (operation, name)
    for operation in DOCUMENT.operations()
    if "requestBody" in operation.details
    for content in DOCUMENT.resolve(operation.details["requestBody"])["content"].values()
    for name in content["examples"]
]


def example_of(content: dict[str, Any], name: str) -> Any:
    """An example of a body; of lines, their values."""
    media_type = NDJSON if NDJSON in content else "application/json"
    value = DOCUMENT.resolve(content[media_type]["examples"][name])["value"]
    return [json.loads(line) for line in value.splitlines()] if media_type == NDJSON else value


def body_of(response: TestResponse) -> Any:
    """The same of an answer."""
    if response.mimetype == NDJSON:
        return [json.loads(line) for line in response.get_data().splitlines()]
    return response.get_json()


def without_revisions(value: Any) -> Any:
    """The value without the digests that change with the rules, and without what each call has anew."""
    if isinstance(value, dict):
        dropped = (
            "revision",
            "variant_revision",
            "import_id",
            "accepted_at",
            "rescore_id",
            "position",
            "created_at",
            "key",
            "key_id",
            "updated_at",
            *OF_SESSIONS,
            *OF_BOARDS,
            *(("hand_id", "at") if "by" in value else ()),  # of what is said at a table
            *OF_WEBHOOKS,
        )
        return {name: without_revisions(item) for name, item in value.items() if name not in dropped}
    return [without_revisions(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("operation", "name"), POSTS, ids=lambda value: getattr(value, "name", value))
def test_request_examples_are_accepted(
    stored: CheckedClient, redis_client: redis.Redis, operation: Operation, name: str
) -> None:
    """Sent as it stands, each is accepted; the answer example of the same name is the whole answer.

    What changes a stored hand is sent to the one that has just begun, for its version; what changes a
    session, to one with a hand in it.
    """
    begun = EXAMPLES["JustBegun"]["value"]
    headers = {}
    if operation.path == "/v1/rescores":
        stored.post("/v1/hands", json=EXAMPLES["ReportedResult"]["value"])
    token = ""
    if "{token}" in operation.path:
        token = have_table(stored, redis_client, operation)
        headers["If-Match"] = stored.get(f"/v1/tables/{token}").headers["ETag"]
    if "{session_id}" in operation.path:
        have_session(stored, redis_client, operation)
        headers["If-Match"] = stored.get(SESSION).headers["ETag"]
    if "{hand_id}" in operation.path:
        stored.post("/v1/hands", json=begun)
        headers["If-Match"] = DOCUMENT.parameters(operation, "header")["If-Match"]["example"]
    if "{tournament_id}" in operation.path:
        stored.post("/v1/tournaments", json=TOURNAMENT)
    webhook_id = made_webhook(stored) if "{webhook_id}" in operation.path else ""
    ((media_type, described),) = DOCUMENT.resolve(operation.details["requestBody"])["content"].items()
    value = DOCUMENT.resolve(described["examples"][name])["value"]
    path = operation.path.format(
        hand_id=begun["hand_id"],
        session_id=SESSION.rpartition("/")[2],
        tournament_id=TOURNAMENT["tournament_id"],
        player="Anna",
        token=token,
        webhook_id=webhook_id,
    )
    response = stored.open(
        path,
        method=operation.method.upper(),
        data=value.encode() if isinstance(value, str) else json.dumps(value),
        content_type=media_type,
        headers=headers,
    )
    assert response.status_code in (200, 201, 202), response.get_data(as_text=True)
    content = DOCUMENT.response_of(operation, response.status_code)["content"]
    told, expected = without_revisions(body_of(response)), without_revisions(example_of(content, name))
    assert without_times(told) == without_times(expected)


def have_table(client: CheckedClient, store: redis.Redis, operation: Operation) -> str:
    """The token of the table of the session of the examples; with a proposal where one is spoken to."""
    have_session(client, store, operation)
    token: str = client.post(f"{SESSION}/table-links").get_json()["token"]
    if operation.path in TABLE_OPERATIONS:
        path, body = f"/v1/tables/{token}/proposal", EXAMPLES["Proposal"]["value"]
        assert client.put(path, json=body, headers={"If-Match": '"0"'}).status_code == 200
    return token


def have_session(client: CheckedClient, store: redis.Redis, operation: Operation) -> None:
    """The session of the examples, with a hand that is scored, ready for the operation."""
    client.post("/v1/sessions", json=EXAMPLES["NewSession"]["value"])
    client.post("/v1/hands", json=EXAMPLES["WholeHand"]["value"])
    if operation.path.endswith(":choose"):
        place = {"session_id": SESSION.rpartition("/")[2], "table": 3, "round": 1, "number": 8}
        time.sleep(0.002)  # the order of arrival is that of milliseconds
        other = {**EXAMPLES["ReportedResult"]["value"], **EXAMPLES["Choice"]["value"], **place}
        client.post("/v1/hands", json=other)
    sum(Scorer(store).score_some())
    if operation.path.endswith(":reopen"):
        client.post(f"{SESSION}:close", json=EXAMPLES["Closing"]["value"])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (SESSION, "an_evening"),
        (f"{SESSION}/settlement", "an_evening"),
        (f"{SESSION}/events", "an_evening"),
        (f"{SESSION}/standings", "an_evening"),
        (f"{SESSION}/standings?format=csv", "an_evening"),
        (f"{SESSION}/sheet", "an_evening"),
        (f"{SESSION}/sheet?player=Anna", "annas"),
        (f"{SESSION}/sheet?format=csv", "an_evening"),
        ("/v1/sessions", "one_session"),
    ],
)
def test_session_examples_are_true(
    stored: CheckedClient, redis_client: redis.Redis, path: str, name: str
) -> None:
    """With the session of the examples, the answer example of a reading operation is the answer."""
    operation = DOCUMENT.operation_at("GET", path.partition("?")[0])
    assert operation is not None
    have_session(stored, redis_client, operation)
    response = stored.get(path)
    content = DOCUMENT.response_of(operation, 200)["content"]
    if response.mimetype == "text/csv":
        example = DOCUMENT.resolve(content["text/csv"]["examples"][name])["value"]
        assert response.get_data(as_text=True).splitlines() == example.splitlines()
    else:
        answer = without_times(without_revisions(response.get_json()))
        assert answer == without_times(without_revisions(example_of(content, name)))


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("/v1/variants", "/v1/variants"),
        ("/v1/variants/illustrated-mayr-sedlaczek-2016", "/v1/variants/{variant_id}"),
        ("/v1/hands/club-2026-11-29-t3-h09", "/v1/hands/{hand_id}"),
        ("/v1/hands/club-2026-11-29-t3-h09/events", "/v1/hands/{hand_id}/events"),
        ("/v1/hands?session_id=club-2026-11-29", "/v1/hands"),
        ("/v1/hands:export?status=incomplete", "/v1/hands:export"),
        ("/v1/tournaments", "/v1/tournaments"),
        ("/v1/tournaments/friday-2026-12-04", "/v1/tournaments/{tournament_id}"),
        ("/v1/tournaments/friday-2026-12-04/events", "/v1/tournaments/{tournament_id}/events"),
        ("/healthz", "/healthz"),
    ],
)
def test_answer_examples_are_true(stored: CheckedClient, path: str, template: str) -> None:
    """With the example hands stored, the first answer example of a reading operation is the answer."""
    for record in ("JustBegun", "WholeHand"):
        stored.post("/v1/hands", json=DOCUMENT.raw["components"]["examples"][record]["value"])
    stored.post("/v1/tournaments", json=TOURNAMENT)
    content = DOCUMENT.raw["paths"][template]["get"]["responses"]["200"]["content"]
    (described,) = (content[kind] for kind in content if kind in ("application/json", NDJSON))
    name = next(iter(described["examples"]))
    answer = without_times(without_revisions(body_of(stored.get(path))))
    assert answer == without_times(without_revisions(example_of(content, name)))


def without_times(value: Any) -> Any:
    """A page without the times at which its items were recorded."""
    for plural in ("events", "hands"):
        for item in value.get(plural, ()) if isinstance(value, dict) else ():
            if isinstance(item, dict):
                item.pop("recorded_at", None)
    return value


def test_parameter_examples_are_accepted(stored: CheckedClient) -> None:
    """All parameters of an operation with their examples, at once."""
    stored.post("/v1/hands", json=EXAMPLES["ReportedResult"]["value"])
    stored.post("/v1/sessions", json=EXAMPLES["NewSession"]["value"])
    stored.post("/v1/tournaments", json=TOURNAMENT)
    stored.put("/v1/players/Anna", json={"name": "Anna Maria"})
    for operation in DOCUMENT.operations():
        given = {
            place: {
                name: str(parameter["example"]).lower()
                if parameter["example"] is True
                else parameter["example"]
                for name, parameter in DOCUMENT.parameters(operation, place).items()
                if "example" in parameter
            }
            for place in ("query", "path", "header")
        }
        if operation.method == "get" and not operation.path.startswith("/readyz"):
            if "{import_id}" in operation.path:
                given["path"]["import_id"] = stored.post(
                    "/v1/imports", data=b"{}", content_type=NDJSON
                ).get_json()["import_id"]
            if "{rescore_id}" in operation.path:
                started = stored.post("/v1/rescores", json=EXAMPLES["RescoreRequest"]["value"])
                given["path"]["rescore_id"] = started.get_json()["rescore_id"]
            if operation.path == "/v1/boards/{token}":
                given["path"]["token"] = stored.post("/v1/tournaments/friday-2026-12-04/boards").get_json()[
                    "token"
                ]
            if operation.path.startswith("/v1/tables/{token}"):
                given["path"]["token"] = stored.post(f"{SESSION}/table-links").get_json()["token"]
            if "{key_id}" in operation.path:
                given["path"]["key_id"] = stored.post(
                    "/v1/keys", json={"name": "k", "tenant": "sandbox"}
                ).get_json()["key_id"]
            if "{webhook_id}" in operation.path:
                webhook_id, delivery_id = tried_webhook(stored)
                given["path"] |= {"webhook_id": webhook_id, "delivery_id": delivery_id}
            path = operation.path.format(**given["path"])
            response = stored.get(path, query_string=given["query"], headers=given["header"])
            wanted = 200 if "200" in operation.details["responses"] else 302
            assert response.status_code == wanted, (path, response.get_data(as_text=True))


def made_webhook(client: CheckedClient) -> str:
    """The id of the webhook of the examples."""
    made: str = client.post("/v1/webhooks", json=EXAMPLES["NewWebhook"]["value"]).get_json()["webhook_id"]
    return made


def tried_webhook(client: CheckedClient) -> tuple[str, str]:
    """A webhook and its one delivery, by their ids."""
    webhook_id = made_webhook(client)
    return webhook_id, client.post(f"/v1/webhooks/{webhook_id}:test").get_json()["delivery_id"]


def test_the_hand_of_the_readme_is_the_document_s(client: CheckedClient) -> None:
    body = (ROOT / "docs" / "examples" / "hand.json").read_bytes()
    assert json.loads(body) == DOCUMENT.raw["components"]["examples"]["WholeHand"]["value"]
    assert (
        "/v1/score -H 'Content-Type: application/json' -d @docs/examples/hand.json\n"
        in (ROOT / "README.md").read_text()
    )
    # As curl sends it with -d: without the ends of lines.
    response = client.post("/v1/score", data=body.replace(b"\n", b""), content_type="application/json")
    assert response.get_json()["scores"] == {"Anna": (5 + 6 + 10) * 2, "Béla": 0, "Cyril": 0}
