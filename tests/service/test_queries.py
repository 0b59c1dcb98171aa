"""Query parameters: known ones with sane values, once each."""

from __future__ import annotations

import pytest

from tests.service.clients import CheckedClient, code_of, faults_of


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("limit=0", ["limit"]),
        ("limit=1001", ["limit"]),
        ("limit=-1", ["limit"]),
        ("limit=+1", ["limit"]),
        ("limit=1_0", ["limit"]),
        ("limit=%EF%BC%95", ["limit"]),
        ("limit=ten", ["limit"]),
        ("limit=", ["limit"]),
        ("limit=1.0", ["limit"]),
        ("limit=" + "9" * 5000, ["limit"]),
        ("limit=1&limit=1", ["limit"]),
        ("cursor=", ["cursor"]),
        ("cursor=" + "x" * 513, ["cursor"]),
        ("page=2", ["page"]),
        ("Limit=2", ["Limit"]),
        ("limit=0&page=2&cursor=", ["cursor", "limit", "page"]),
        ("%FF=1", ["%FF"]),
    ],
)
def test_bad_parameters_are_all_named(client: CheckedClient, query: str, parameters: list[str]) -> None:
    response = client.get(f"/v1/variants?{query}")
    assert code_of(response, 422) == "invalid-record"
    assert sorted(faults_of(response)) == [(name, "invalid-record") for name in parameters]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/variants/illustrated-beck"),
        ("POST", "/v1/score:compare"),
        ("POST", "/v1/hands"),
        ("GET", "/v1/hands/h1"),
    ],
)
def test_where_there_are_none_any_is_refused(client: CheckedClient, method: str, path: str) -> None:
    response = client.open(f"{path}?variant=illustrated-beck", method=method, json={})
    assert faults_of(response) == [("variant", "invalid-record")]


def test_health_and_docs_ignore_queries(client: CheckedClient) -> None:
    for path in ("/healthz", "/openapi.json", "/docs"):
        assert client.get(f"{path}?t=1").status_code == 200
