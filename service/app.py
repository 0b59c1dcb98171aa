"""The application: the one place where the HTTP service is put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask, Response
from werkzeug.routing import BaseConverter

from records.logs import configure_logs
from service import (
    board_views,
    boards,
    docs,
    exports,
    feed,
    hands,
    health,
    imports,
    keys,
    live,
    metrics,
    players,
    problems,
    rescores,
    results,
    rulebook,
    score,
    session_decisions,
    sessions,
    table_links,
    tables,
    tournaments,
    variants,
    webhooks,
)
from service.auth import authenticate
from service.calls import request_id
from service.config import Settings
from service.cors import allow
from service.logs import begin_call, log_when_sent
from service.rates import limit, tell
from service.tracing import trace
from service.wiring import wire


class Application(Flask):
    """Flask, without what Trull has no use for."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """No view or hook here is asynchronous; to look that up takes longer than most of them run."""
        return func


class NameConverter(BaseConverter):
    """A name in a path, behind which a colon and what is to be done with it may stand."""

    regex = "[^/:]+"


def create_app(settings: Settings | None = None) -> Flask:
    """The WSGI application. Opens no connection; without settings they come from the environment.

    Raises ConfigError for settings that cannot be used.
    """
    settings = settings or Settings.from_env()
    configure_logs(settings.log_format)
    app = Application("service", static_folder=None)
    # `/v1//hands` and `/v1/hands/` are other paths than `/v1/hands`, and answered as unknown.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = True
    app.url_map.redirect_defaults = False
    app.url_map.converters.update(name=NameConverter, key=players.KeyConverter)
    app.extensions["trull"] = wire(settings)
    for module in (
        score,
        variants,
        hands,
        live,
        imports,
        exports,
        rescores,
        feed,
        sessions,
        session_decisions,
        tournaments,
        results,
        players,
        boards,
        board_views,
        table_links,
        tables,
        keys,
        webhooks,
    ):
        app.register_blueprint(module.blueprint)
    for running in (health, metrics, docs, rulebook):
        app.register_blueprint(running.blueprint)
    problems.register(app)
    app.before_request(_begin)
    app.after_request(_end)
    trace(app)
    return app


def _begin() -> None:
    """What comes before every call. Raises Problem."""
    begin_call()
    authenticate()
    limit()


def _end(response: Response) -> Response:
    """What every answer carries, and what is kept of every call: a line in the log, and a count."""
    headers, name = response.headers, request_id()
    headers.add("Request-Id", name)
    headers.add("X-Request-Id", name)
    headers.add("X-Content-Type-Options", "nosniff")
    allow(response)
    tell(response)
    metrics.count(response)
    log_when_sent(response)
    return response
