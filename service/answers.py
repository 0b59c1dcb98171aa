"""How answers are written: JSON bodies, and the link to the next page of a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from flask import Response, request

from records.wire import dumps

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment
    from werkzeug.datastructures import Headers


class Answer(Response):
    """An answer whose headers go as they are: Werkzeug looks for URLs in them that may need an escape, and
    ours need none."""

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        """The headers as they are sent; of an answer that has no body, without what tells of one."""
        return super().get_wsgi_headers(environ) if self.status_code in (204, 304) else self.headers


def answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """`value` as a JSON answer."""
    return Answer(dumps(value), status, headers, content_type="application/json")


def page_of(plural: str, items: list[dict[str, object]], following: str | None, parameter: str) -> Response:
    """A page of a list: ``{plural: items, "next": …}``, with a Link where there is more.

    `following` is what the next call gives as its query `parameter`.
    """
    headers = {} if following is None else {"Link": next_link(following, parameter)}
    return answer({plural: items, "next": following}, headers=headers)


def next_link(following: str, parameter: str) -> str:
    """The Link field for the call that goes on with `following` as its query `parameter`."""
    kept = [(name, value) for name, value in request.args.items(multi=True) if name != parameter]
    return f'<{request.path}?{urlencode([*kept, (parameter, following)])}>; rel="next"'
