"""Every example of openapi.yaml is true: requests are sent, answers are the documented ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.service.clients import CheckedClient
from tests.service.document import Operation, load_document

DOCUMENT = load_document()
TOURNAMENT: dict[str, Any] = DOCUMENT.raw["components"]["examples"]["NewTournament"]["value"]
NDJSON = "application/x-ndjson"
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
        dropped = ("revision", "variant_revision", "import_id", "accepted_at", "created_at", "updated_at")
        return {name: without_revisions(item) for name, item in value.items() if name not in dropped}
    return [without_revisions(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("operation", "name"), POSTS, ids=lambda value: getattr(value, "name", value))
def test_request_examples_are_accepted(stored: CheckedClient, operation: Operation, name: str) -> None:
    """Sent as it stands, each is accepted; the answer example of the same name is the whole answer.

    What changes a stored hand is sent to the one that has just begun, for its version.
    """
    begun = DOCUMENT.raw["components"]["examples"]["JustBegun"]["value"]
    headers = {}
    if "{hand_id}" in operation.path:
        stored.post("/v1/hands", json=begun)
        headers["If-Match"] = DOCUMENT.parameters(operation, "header")["If-Match"]["example"]
    if "{tournament_id}" in operation.path:
        stored.post("/v1/tournaments", json=TOURNAMENT)
    ((media_type, described),) = DOCUMENT.resolve(operation.details["requestBody"])["content"].items()
    value = DOCUMENT.resolve(described["examples"][name])["value"]
    path = operation.path.format(
        hand_id=begun["hand_id"], tournament_id=TOURNAMENT["tournament_id"], player="Anna"
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
    assert without_revisions(body_of(response)) == without_revisions(example_of(content, name))


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
            del item["recorded_at"]
    return value


def test_parameter_examples_are_accepted(stored: CheckedClient) -> None:
    """All parameters of an operation with their examples, at once."""
    stored.post("/v1/hands", json=DOCUMENT.raw["components"]["examples"]["ReportedResult"]["value"])
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
            path = operation.path.format(**given["path"])
            response = stored.get(path, query_string=given["query"], headers=given["header"])
            assert response.status_code == 200, (path, response.get_data(as_text=True))
