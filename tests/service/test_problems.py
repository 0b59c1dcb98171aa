"""Errors that no view makes: unknown paths and methods, faults of our own, a store that is away."""

from __future__ import annotations

import time
from typing import NoReturn

import pytest
from flask import Flask
from structlog.testing import capture_logs

from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of
from tests.service.conftest import NOWHERE, checked_client
from tests.service.document import load_document


@pytest.mark.parametrize(
    "path",
    [
        "/v1",
        "/v1/",
        "/v1/hands/",
        "/v1//hands",
        "//v1/hands",
        "/v1/variants/",
        "/v1/hands/a/b",
        "/v2/score",
        "/v1/hands/a/events/1",
        "/docs/rules/skat",
        "/docs/rules/..%2F..%2FREADME",
        "/docs/../openapi.yaml",
        "/static/x",
        "/%FF%00",
        "/v1/hands/%2F",
    ],
)
def test_unknown_paths(client: CheckedClient, path: str) -> None:
    # With a base, since the client takes what stands behind // for a host.
    assert code_of(client.get(path, base_url="http://localhost"), 404) == "not-found"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/v1/variants", "GET, HEAD, OPTIONS, POST"),
        ("GET", "/v1/score", "OPTIONS, POST"),
        ("PUT", "/v1/hands", "GET, HEAD, OPTIONS, POST"),
        ("PATCH", "/v1/hands/h1", "GET, HEAD, OPTIONS, PUT"),
        ("POST", "/healthz", "GET, HEAD, OPTIONS"),
        ("BREW", "/v1/hands", "GET, HEAD, OPTIONS, POST"),
    ],
)
def test_unknown_methods(client: CheckedClient, method: str, path: str, allowed: str) -> None:
    response = client.open(path, method=method)
    assert code_of(response, 405) == "method-not-allowed"
    assert response.headers["Allow"] == allowed


def test_instance_is_a_uri_reference(client: CheckedClient) -> None:
    problem = client.get("/v1/variants/b%C3%A9la%20%22%3Cx%3E").get_json(force=True)
    assert problem["instance"] == "/v1/variants/b%C3%A9la%20%22%3Cx%3E"


def test_head_is_like_get_without_a_body(client: CheckedClient) -> None:
    for path in ("/v1/variants", "/healthz", "/docs", "/v1/variants/nothing"):
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.data) == (got.status_code, b"")
        assert head.headers["Content-Length"] == got.headers["Content-Length"]


def test_options_tells_the_methods(client: CheckedClient) -> None:
    response = client.options("/v1/hands")
    assert response.status_code == 200
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}


def app_with_a_fault() -> Flask:
    app = create_app(Settings(redis_url=NOWHERE))

    def fail() -> NoReturn:
        raise KeyError("secret inside")

    app.view_functions["variants.listed"] = fail
    return app


def test_a_fault_of_ours_is_told_to_the_log_and_not_to_the_client() -> None:
    client = checked_client(app_with_a_fault())
    with capture_logs() as logs:
        response = client.get("/v1/variants", headers={"Request-Id": "r1"})
    assert code_of(response, 500) == "internal-error"
    assert "secret" not in response.get_data(as_text=True)
    assert [(log["event"], log["path"], log["request_id"]) for log in logs] == [
        ("request failed", "/v1/variants", "r1")
    ]
    assert isinstance(logs[0]["exc_info"], KeyError)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/hands"),
        ("GET", "/v1/hands/h1"),
        ("GET", "/v1/hands/h1/events"),
        ("GET", "/v1/hands/h1/score"),
        ("POST", "/v1/hands"),
        ("GET", "/v1/variants"),
        ("GET", "/v1/variants/house-x"),
        ("POST", "/v1/score?variant=house-x"),
    ],
)
def test_a_store_that_is_away_is_told_at_once(client: CheckedClient, method: str, path: str) -> None:
    body = load_document().raw["components"]["examples"]["ReportedResult"]["value"]
    started = time.monotonic()
    response = client.open(path, method=method, json=body if method == "POST" else None)
    assert code_of(response, 503) == "store-unavailable"
    assert int(response.headers["Retry-After"]) > 0
    assert time.monotonic() - started < 2.5
