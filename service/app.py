"""The application: the one place where the HTTP service is put together."""

from __future__ import annotations

from flask import Flask, Response
from werkzeug.routing import BaseConverter

from service import (
    boards,
    docs,
    exports,
    feed,
    hands,
    health,
    imports,
    live,
    problems,
    score,
    sessions,
    variants,
)
from service.auth import authenticate
from service.config import Settings
from service.logs import configure_logs, request_id
from service.wiring import wire


class NameConverter(BaseConverter):
    """A name in a path, behind which a colon and what is to be done with it may stand."""

    regex = "[^/:]+"


def create_app(settings: Settings | None = None) -> Flask:
    """The WSGI application. Opens no connection; without settings they come from the environment.

    Raises ConfigError for settings that cannot be used.
    """
    settings = settings or Settings.from_env()
    configure_logs()
    app = Flask("service", static_folder=None)
    # `/v1//hands` and `/v1/hands/` are other paths than `/v1/hands`, and answered as unknown.
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = True
    app.url_map.redirect_defaults = False
    app.url_map.converters["name"] = NameConverter
    app.extensions["trull"] = wire(settings)
    for module in (score, variants, hands, live, imports, exports, feed, sessions, boards, health, docs):
        app.register_blueprint(module.blueprint)
    problems.register(app)
    if not settings.is_open:
        app.before_request(authenticate)
    app.after_request(_sign)
    return app


def _sign(response: Response) -> Response:
    """What every answer carries."""
    response.headers.add("Request-Id", request_id())
    response.headers.add("X-Content-Type-Options", "nosniff")
    return response
