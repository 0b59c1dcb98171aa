"""The application under test, with every answer checked."""

from __future__ import annotations

import pytest
from flask import Flask

from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient

NOWHERE = "redis://127.0.0.1:1/0"
"""A Redis that is not there: what needs none must not notice."""


def checked_client(app: Flask) -> CheckedClient:
    app.test_client_class = CheckedClient
    client = app.test_client()
    assert isinstance(client, CheckedClient)
    return client


@pytest.fixture
def client() -> CheckedClient:
    """A client of an application whose store is away."""
    return checked_client(create_app(Settings(redis_url=NOWHERE)))


@pytest.fixture
def stored(redis_url: str) -> CheckedClient:
    """A client of an application with a real and empty store, and no workers."""
    return checked_client(create_app(Settings(redis_url=redis_url)))
