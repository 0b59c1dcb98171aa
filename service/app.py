"""The application: the one place where the HTTP service is put together."""

from __future__ import annotations

from flask import Flask, Response
from werkzeug.routing import BaseConverter

from records.logs import configure_logs
from service import (
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
    rulebook,
    score,
    session_decisions,
    sessions,
    tournaments,
    variants,
)
from service.auth import authenticate
from service.calls import request_id
from service.config import Settings
from service.cors import allow
from service.logs import begin_call, log_when_sent
from service.rates import limit, tell
from service.wiring import wire


class NameConverter(BaseConverter):
    """A name in a path, behind which a colon and what is to be done with it may stand."""

    regex = "[^/:]+"


def create_app(settings: Settings | None = None) -> Flask:
    """The WSGI application. Opens no connection; without settings they come from the environment.

    Raises ConfigError for settings that cannot be used.
    """
    settings = settings or Settings.from_env()
    configure_logs(settings.log_format)
    app = Flask("service", static_folder=None)
    # `/v1//hands` and `/v1/hands/` are other paths than `/v1/hands`, and answered as unknown.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = True
    app.url_map.redirect_defaults = False
    app.url_map.converters["name"] = NameConverter
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
        players,
        boards,
        keys,
    ):
        app.register_blueprint(module.blueprint)
    for running in (health, metrics, docs, rulebook):
        app.register_blueprint(running.blueprint)
    problems.register(app)
    app.before_request(begin_call)
    app.before_request(authenticate)
    app.before_request(limit)
    app.after_request(_sign)
    app.after_request(_note)
    return app


def _sign(response: Response) -> Response:
    """What every answer carries."""
    for name in ("Request-Id", "X-Request-Id"):
        response.headers.add(name, request_id())
    response.headers.add("X-Content-Type-Options", "nosniff")
    allow(response)
    tell(response)
    return response


def _note(response: Response) -> Response:
    """What is kept of every call: a line in the log, and a count."""
    metrics.count(response)
    log_when_sent(response)
    return response
