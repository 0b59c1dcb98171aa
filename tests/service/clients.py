"""Clients that let no answer pass which openapi.yaml does not promise."""

from __future__ import annotations

from typing import Any

import httpx
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.service.document import Answer, load_document


class CheckedClient(FlaskClient):
    """Flask's test client, each answer checked against the document."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        response = super().open(*args, **kwargs)
        request = response.request
        load_document().check(
            Answer(
                request.method,
                request.path,
                response.status_code,
                dict(response.headers),
                response.get_data(),
            )
        )
        return response


def checked_http_client(base_url: str, **options: Any) -> httpx.Client:
    """A client over a real connection, each answer checked against the document; close it after use."""

    def check(response: httpx.Response) -> None:
        response.read()
        request = response.request
        load_document().check(
            Answer(request.method, request.url.path, response.status_code, response.headers, response.content)
        )

    return httpx.Client(base_url=base_url, event_hooks={"response": [check]}, **options)


def code_of(response: TestResponse, status: int) -> str:
    """The error code of a problem, which must have that status."""
    assert response.status_code == status, response.get_data(as_text=True)
    problem = response.get_json(force=True)
    code: str = problem["type"].removeprefix("urn:trull:problem:")
    return code


def faults_of(response: TestResponse) -> list[tuple[str, str]]:
    """Where the faults of a problem are, and what kind each is, in order."""
    errors = response.get_json(force=True)["errors"]
    return [(fault.get("pointer", fault.get("parameter")), fault["code"]) for fault in errors]
