"""The sessions: opening them, changing and closing them, and what their hands come to."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import redis
import uuid_utils

from records.corrections import corrections_of
from records.feed import LATEST, Feed
from records.log import Append, StoreUnavailable, VersionMismatch
from records.redis_log import RedisLog
from records.session_log import (
    CHANGED,
    CHOSEN,
    CLOSED,
    KIND,
    OPENED,
    REOPENED,
    About,
    Event,
    Figures,
    Session,
    append_of,
    session_of,
    stream_of,
    summary_of,
)
from records.session_view import SessionView, view_of
from records.tallies import tallies_of
from records.visibility import NOTHING
from records.wire import dumps
from trull import Variant
from trull.variants import VARIANTS

_READ_FOR_EACH: Final = 100
"""Sessions that a page may read for each that it may give."""


class SessionExists(Exception):
    """The id is taken by a session that was opened otherwise."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id} exists, and was opened otherwise")
        self.session_id = session_id


class Opening(NamedTuple):
    """What became of a session that was to be opened. ``created``: it is new; else it was there."""

    session_id: str
    created: bool


class SessionPage(NamedTuple):
    """A part of the list of sessions: summaries, and the cursor of what follows (None at the end)."""

    items: list[dict[str, Any]]
    next: str | None


class Sessions:
    """The sessions of all tenants. Makes no connection before it is used; threads may share it.

    Every method raises `StoreUnavailable` when the store is away.
    """

    def __init__(self, client: redis.Redis, variants: Mapping[str, Variant] = VARIANTS) -> None:
        self._log = RedisLog(client)
        self._feed = Feed(client, variants)
        self._variants = variants

    def open(self, tenant: str, actor: str, session_id: str | None, about: About) -> Opening:
        """Open a session; one without an id gets one. The same once more changes nothing.

        Hands that name it join it, whether they came before or will come. Raises `SessionExists`.
        """
        session_id = session_id or str(uuid_utils.uuid7())
        append = append_of(actor, {"type": OPENED, **about.as_dict()}, about, joins=about.players)
        try:
            self._append(tenant, session_id, 0, append)
        except VersionMismatch as taken:
            found = self.get(tenant, session_id)
            if found is None or about not in (found.first, found.about):
                raise SessionExists(session_id) from taken
            return Opening(session_id, created=False)
        return Opening(session_id, created=True)

    def get(self, tenant: str, session_id: str) -> Session | None:
        """A session with all its events, or None."""
        found = self._log.read(stream_of(tenant, session_id))
        return None if found is None else session_of(found)

    def page(
        self,
        tenant: str,
        cursor: str | None,
        limit: int,
        player: str | None = None,
        status: str | None = None,
    ) -> SessionPage:
        """Up to ``limit`` sessions in the order in which they were opened. Raises `InvalidCursor`."""
        listing = self._log.listed(KIND, tenant, None if player is None else ("player", player), cursor)
        items: list[dict[str, Any]] = []
        walk = iter(listing)
        for seen, found in enumerate(walk, 1):
            summary = summary_of(found)
            # One that a player has left is still in that player's list.
            if status in (None, summary["status"]) and (player is None or player in summary["players"]):
                items.append(summary)
            if len(items) == limit or seen == _READ_FOR_EACH * limit:
                reached = listing.cursor
                return SessionPage(items, reached if next(walk, None) else None)
        return SessionPage(items, None)

    def view(self, tenant: str, session: Session) -> SessionView:
        """What the hands of a session come to by now, whether it is closed or not."""
        tallies, moved = tallies_of(self._log, tenant, session.session_id)
        return view_of(session.about, tallies, session.choices, self._variants, moved)

    def corrections(self, tenant: str, session_id: str) -> list[dict[str, Any]]:
        """What was corrected in the hands of a session, as JSON, the oldest first."""
        return corrections_of(self._log, tenant, session_id, self._variants)

    def position(self, tenant: str) -> str:
        """Where the feed ends now: what is read from here on came after."""
        return self._feed.follow(tenant, LATEST, NOTHING).cursor

    # --- changes, each for the version that it was made for: `VersionMismatch` ---------------------

    def change(self, tenant: str, actor: str, session: Session, about: About) -> int:
        """Change what a session says about itself; its new version."""
        before, now = session.about.as_dict(), about.as_dict()
        event = {"type": CHANGED, **{name: now[name] for name in now if now[name] != before[name]}}
        joins = [player for player in about.players if player not in session.ever_players]
        return self._append(
            tenant, session.session_id, session.version, append_of(actor, event, about, joins=joins)
        )

    def choose(self, tenant: str, actor: str, session: Session, hand_id: str, over: tuple[str, ...]) -> int:
        """Have a hand count at its place, and those that it is chosen over not; the session's new version."""
        event = {"type": CHOSEN, "hand_id": hand_id, "over": list(over)}
        return self._append(
            tenant, session.session_id, session.version, append_of(actor, event, session.about)
        )

    def close(
        self, tenant: str, actor: str, session: Session, view: SessionView, position: str, reason: str | None
    ) -> int:
        """Close a session with what it comes to, which is kept; its new version.

        ``position`` is where the feed was before its hands were read.
        """
        settlement = {"position": position, **view.settlement_dict()}
        event: dict[str, Any] = {
            "type": CLOSED,
            **_reason(reason),
            "settlement": settlement,
            "hands": view.versions(),
        }
        sheets = [line.tally.sheet for line in view.lines if line.tally.sheet is not None]
        kept = {**settlement, "hands": view.versions(), "uncounted": view.uncounted()}
        figures = Figures(view.as_dict(), kept, sheets)
        append = append_of(actor, event, session.about, figures=figures)
        return self._append(tenant, session.session_id, session.version, append)

    def reopen(self, tenant: str, actor: str, session: Session, reason: str | None) -> int:
        """Open a closed session again; its new version."""
        event: Event = {"type": REOPENED, **_reason(reason)}
        return self._append(
            tenant, session.session_id, session.version, append_of(actor, event, session.about)
        )

    def _append(self, tenant: str, session_id: str, expected: int, append: Append) -> int:
        stream = stream_of(tenant, session_id)
        try:
            return self._log.append(stream, expected, append)
        except StoreUnavailable:
            # Perhaps only the answer was lost. Once more writes nothing if the entry is there by now.
            pass
        try:
            return self._log.append(stream, expected, append)
        except VersionMismatch:
            found = self._log.read(stream)
            if found is not None and found.entries[expected].body == append.body:
                return expected + 1
            raise


def as_dict(session: Session) -> dict[str, Any]:
    """A session without its hands, as JSON."""
    return {
        "session_id": session.session_id,
        "version": session.version,
        "status": session.status,
        **session.about.as_dict(),
        "opened_at": session.opened_at,
        "closed_at": session.closed_at,
    }


def with_hands(session: Session, view: SessionView) -> dict[str, Any]:
    """The whole session as JSON. A closed one has the figures that it was closed with, and what has
    changed since."""
    figures = view.as_dict() if session.figures is None else session.figures.view
    return {**as_dict(session), **figures, "changed_since_closing": changes_since_closing(session, view)}


def settlement_of(session: Session, view: SessionView, position: str) -> dict[str, Any]:
    """The settlement as JSON: of a closed session, what it was closed with.

    ``position`` is where the feed was before the hands of the view were read.
    """
    about = session.about
    head = {
        "session_id": session.session_id,
        "version": session.version,
        "status": session.status,
        "rate": None if about.rate is None else about.rate._asdict(),
    }
    if session.figures is None:
        figures = {"position": position, **view.settlement_dict()}
        return {
            **head,
            **figures,
            "hands": view.versions(),
            "uncounted": view.uncounted(),
            "changed_since_closing": [],
        }
    changes = changes_since_closing(session, view)
    return {**head, **session.figures.settlement, "changed_since_closing": changes}


def changes_since_closing(session: Session, view: SessionView) -> list[dict[str, Any]]:
    """How the hands of a closed session differ from those that it was closed with, as JSON.

    A hand that the session did not have, or has no longer, is null on that side. One that was put into an
    archive since is no difference.
    """
    if session.figures is None:
        return []
    then = {hand["hand_id"]: _told(hand) for hand in session.figures.view["hands"]}
    now = {hand["hand_id"]: _told(hand) for hand in view.as_dict()["hands"]}
    archived = archived_hands(session, view)
    return [
        {"hand_id": hand_id, "then": then.get(hand_id), "now": now.get(hand_id)}
        for hand_id in {**then, **now}
        if then.get(hand_id) != now.get(hand_id) and hand_id not in archived
    ]


def archived_hands(session: Session, view: SessionView) -> list[str]:
    """The hands that a closed session was closed with and that are in the store no longer."""
    if session.figures is None:
        return []
    there = view.moved.union(line.tally.hand_id for line in view.lines)
    return [hand["hand_id"] for hand in session.figures.view["hands"] if hand["hand_id"] not in there]


def _told(hand: Mapping[str, Any]) -> dict[str, Any]:
    return {name: hand[name] for name in ("version", "status", "why", "scores", "penalties")}


def digest_of(figures: Mapping[str, Any]) -> str:
    """A few characters that change with anything in the figures."""
    return blake2b(dumps(figures), digest_size=6).hexdigest()


def _reason(reason: str | None) -> dict[str, str]:
    return {} if reason is None else {"reason": reason}
