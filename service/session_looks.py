"""A session as a call sees it: read with its hands, told with its entity tag, held to what is expected."""

from __future__ import annotations

from typing import NamedTuple

from flask import Response

from records.session_log import Session
from records.session_view import SessionView
from records.sessions import digest_of, with_hands
from service.answers import answer
from service.auth import tenant
from service.problems import Problem
from service.tenancy import sessions
from service.versions import other_version


class Looked(NamedTuple):
    """A session with what its hands come to; ``position`` is where the feed was before they were read."""

    session: Session
    view: SessionView
    position: str

    @property
    def tag(self) -> str:
        """The entity tag: the session's version, and a digest that changes with any figure."""
        return f"{self.session.version}-{digest_of(self.view.as_dict())}"


def stored_session(session_id: str) -> Session:
    """The session of a path. Raises Problem (unknown-session)."""
    found = sessions().get(tenant(), session_id)
    if found is None:
        raise Problem("unknown-session", f"No session has the id {session_id!r}.")
    return found


def look(session_id: str) -> Looked:
    """The session of a path with its hands. Raises Problem (unknown-session)."""
    stored = sessions()
    position = stored.position(tenant())
    session = stored_session(session_id)
    return Looked(session, stored.view(tenant(), session), position)


def told(looked: Looked, status: int = 200) -> Response:
    """The whole session as an answer."""
    response = answer(with_hands(looked.session, looked.view), status)
    response.set_etag(looked.tag)
    return response


def require_version(looked: Looked, tags: list[str] | None, *, figures: bool = False) -> None:
    """Refuse a change that was made for another version than those of the tags. Raises Problem.

    A tag is the version alone, or one that an answer has given, which also stands for the figures: with
    ``figures`` these have to be the same.
    """
    version = str(looked.session.version)
    for tag in [version] if tags is None else tags:
        if tag in (version, looked.tag) or (not figures and tag.partition("-")[0] == version):
            return
    raise other_version("session", looked.session.version)


def require_open(session: Session) -> None:
    """Refuse to change a session that is closed. Raises Problem."""
    if session.figures is not None:
        raise Problem(
            "session-closed", "The session is closed; it has to be opened again before it is changed."
        )
