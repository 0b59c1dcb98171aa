"""Pages behind a secret link, and the files that they are made of."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response
from werkzeug.exceptions import NotFound

from service.docs import CONTENT_POLICY, OWN, content
from service.terms import as_script


def secret_page(name: str) -> Response:
    """A page whose address is a secret; what it shows it asks for by itself."""
    headers = {
        "Content-Security-Policy": CONTENT_POLICY,
        # The address is the secret.
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
    return Response(content(OWN / name), headers=headers, content_type="text/html; charset=utf-8")


def page_file(name: str, media_types: Mapping[str, str]) -> Response:
    """One of a page's files, which have these media types. Raises NotFound for any other."""
    media_type = media_types.get(name)
    if media_type is None:
        raise NotFound
    body = as_script() if name == "terms.js" else content(OWN / name)
    return Response(body, content_type=media_type)
