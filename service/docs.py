"""The interface's own document, and a page to read it with that needs no network."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import yaml
from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from records.wire import dumps

OPENAPI: Final = Path(__file__).parent.parent / "openapi.yaml"
OWN: Final = Path(__file__).parent / "static"
CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing from elsewhere, and nothing that stands in the page itself."""

ASSETS: Final = {
    "docs.js": "text/javascript; charset=utf-8",
    "favicon-32x32.png": "image/png",
    "rules.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
}
"""The files that the page is made of, and no others that lie beside them."""

blueprint = Blueprint("docs", __name__)


@blueprint.get("/openapi.yaml")
def openapi_yaml() -> Response:
    """The document as it is kept."""
    return Response(_document(), content_type="application/yaml; charset=utf-8")


@blueprint.get("/openapi.json")
def openapi_json() -> Response:
    """The same document as JSON."""
    return Response(_document_as_json(), content_type="application/json")


@blueprint.get("/docs", strict_slashes=False)
def page() -> Response:
    """Swagger UI over the document; its own links are relative to the path without a slash at the end."""
    if request.path.endswith("/"):
        return lead_to("../docs")
    headers = {"Content-Security-Policy": CONTENT_POLICY}
    return Response(content(OWN / "docs.html"), headers=headers, content_type="text/html; charset=utf-8")


@blueprint.get("/")
def home() -> Response:
    """The page, for one who opens the address that the start prints."""
    return lead_to("docs")


def lead_to(location: str) -> Response:
    """Relative, as all links here: the service may stand behind a path of another one."""
    return Response(status=302, headers={"Location": location})


@blueprint.get("/docs/<asset>")
def asset(asset: str) -> Response:
    """The files that the page is made of, our own and Swagger UI's."""
    media_type = ASSETS.get(asset)
    if media_type is None:
        raise NotFound
    folder = OWN if (OWN / asset).exists() else _swagger_ui()
    return Response(content(folder / asset), content_type=media_type)


@cache
def content(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _document() -> bytes:
    return OPENAPI.read_bytes()


@cache
def _document_as_json() -> bytes:
    return dumps(yaml.safe_load(_document()))


@cache
def _swagger_ui() -> Path:
    return Path(str(files("flask_swagger_ui") / "dist"))
