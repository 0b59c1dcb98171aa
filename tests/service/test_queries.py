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


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("/v1/variants?page=2", "page: No such parameter; there are: cursor, limit."),
        ("/v1/variants/illustrated-beck?page=2", "page: No parameters are known here."),
        ("/v1/hands/h1?player=Anna", "player: No such parameter; there are: as."),
        ("/v1/variants?limit=0", "limit: Must be from 1 to 1000, not 0."),
        ("/v1/variants?limit=ten", 'limit: Must be a whole number in digits, not "ten".'),
        ("/v1/variants?limit=2&limit=3", "limit: Give this parameter once."),
        ("/v1/hands/h1/score?allow_stale=maybe", 'allow_stale: Must be true or false, not "maybe".'),
        (
            "/v1/hands?played_from=2026-11-29T00:00:00+01:00",
            'played_from: A time is like "2026-11-29T20:15:00+01:00" (RFC 3339, with its offset), not'
            ' "2026-11-29T00:00:00 01:00". In a query + is written %2B.',
        ),
        (
            "/v1/hands?played_from=yesterday",
            'played_from: A time is like "2026-11-29T20:15:00+01:00" (RFC 3339, with its offset), not'
            ' "yesterday".',
        ),
        (
            "/v1/hands?session_id=a/b&colour=red",
            "session_id: An id has 1 to 128 characters, which are letters (A-Z, a-z), digits or"
            " one of -._~. (2 faults in all)",
        ),
    ],
)
def test_the_detail_names_the_parameter_and_what_would_be_right(
    client: CheckedClient, path: str, detail: str
) -> None:
    response = client.get(path)
    assert code_of(response, 422) == "invalid-record"
    assert response.get_json(force=True)["detail"] == detail


def test_what_was_sent_is_cut(client: CheckedClient) -> None:
    problem = client.get(f"/v1/variants?limit={'9' * 5000}").get_json(force=True)
    assert len(problem["detail"]) < 200
