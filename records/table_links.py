"""Table links: who holds one enters hands of one session, or of one table of a tournament, and nothing else
(docs/adr/0086-table-links.md)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import redis

from records.keys import Bearer
from records.links import Link, Links

MAX_OF_SESSION: Final = 100
"""Links that a session may have at once."""
MAX_OF_TOURNAMENT: Final = 2_000
"""Links that a tournament may have at once: two for each of a thousand tables."""


class TablePlace(NamedTuple):
    """A table: a session's (``table`` is None), or one of a tournament. ``id`` is what its hands name as
    their session."""

    tenant: str
    kind: str
    id: str
    table: int | None = None

    @property
    def owner(self) -> str:
        """The session or the tournament, as its links have it."""
        return f"{self.kind}:{self.id}"


class TableLink(NamedTuple):
    """A link to a table, without its secret."""

    link_id: str
    place: TablePlace
    made_at: str
    made_by: str

    def as_dict(self) -> dict[str, Any]:
        """The link as JSON."""
        is_session = self.place.kind == "session"
        return {
            "link_id": self.link_id,
            "session_id": self.place.id if is_session else None,
            "tournament_id": None if is_session else self.place.id,
            "table": self.place.table,
            "made_at": self.made_at,
            "made_by": self.made_by,
        }

    def bearer(self) -> Bearer:
        """Who holds the link, as a caller: one without any scope."""
        name = f"table-link:{self.link_id}"
        return Bearer(name, name, frozenset(), None, self.place.tenant)


class TableLinks:
    """The links to all tables. Makes no connection before it is used; threads may share it.

    Every method raises `StoreUnavailable` when the store is away.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._links = Links(client, "table-links")

    def make(self, place: TablePlace, actor: str) -> tuple[TableLink, str]:
        """A new link, and the token that leads to it. Raises `TooManyLinks`."""
        most = MAX_OF_SESSION if place.kind == "session" else MAX_OF_TOURNAMENT
        link, token = self._links.make(place.tenant, place.owner, actor, most, [place.table])
        return _link(link), token

    def listed(self, place: TablePlace) -> list[TableLink]:
        """The links of a session, or to all tables of a tournament, the oldest first."""
        return [_link(link) for link in self._links.listed(place.tenant, place.owner)]

    def revoke(self, place: TablePlace, link_id: str) -> bool:
        """Have a link lead nowhere from now on. Whether there was such a link."""
        return self._links.revoke(place.tenant, place.owner, link_id)

    def find(self, token: str) -> TableLink | None:
        """The link that a token leads to; None if there is none, or no longer."""
        found = self._links.find(token)
        return None if found is None else _link(found)


def _link(link: Link) -> TableLink:
    kind, _, id_ = link.place.partition(":")
    (table,) = link.terms
    return TableLink(link.link_id, TablePlace(link.tenant, kind, id_, table), link.made_at, link.made_by)
