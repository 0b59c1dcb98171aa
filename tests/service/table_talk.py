"""What tests of table links share: a table with its link, and what is said at it."""

from __future__ import annotations

from typing import Any

from werkzeug.test import TestResponse

from tests.service.clients import CheckedClient


class Phones:
    """The phones at a table, which all have the same link."""

    def __init__(self, client: CheckedClient, token: str) -> None:
        self.client = client
        self.path = f"/v1/tables/{token}"

    def look(self) -> dict[str, Any]:
        response = self.client.get(self.path)
        assert response.status_code == 200, response.get_data(as_text=True)
        found: dict[str, Any] = response.get_json()
        return found

    def score(self, players: list[str], event: dict[str, Any], **fields: Any) -> TestResponse:
        return self.client.post(f"{self.path}/score", json={"players": players, "event": event, **fields})

    def propose(
        self,
        by: str,
        event: dict[str, Any],
        version: int | None = None,
        players: list[str] | None = None,
        **fields: Any,
    ) -> TestResponse:
        """Propose a hand of the next players for the version that the table is at, or for another one."""
        table = self.look()
        body = {"players": players or table["next"]["players"], "event": event, "by": by, **fields}
        return self.client.put(
            f"{self.path}/proposal", json=body, headers=tag(table["version"] if version is None else version)
        )

    def confirm(self, by: str, version: int | None = None) -> TestResponse:
        version = self.look()["version"] if version is None else version
        return self.client.post(f"{self.path}/proposal:confirm", json={"by": by}, headers=tag(version))

    def object(self, by: str, word: str | None = None, version: int | None = None) -> TestResponse:
        version = self.look()["version"] if version is None else version
        body = {"by": by, "word": word}
        return self.client.post(f"{self.path}/proposal:object", json=body, headers=tag(version))


def tag(version: int) -> dict[str, str]:
    return {"If-Match": f'"{version}"'}


def link_to(client: CheckedClient, path: str, **body: Any) -> dict[str, Any]:
    """A new table link of the session or the tournament at that path."""
    response = client.post(f"{path}/table-links", json=body or None)
    assert response.status_code == 201, response.get_data(as_text=True)
    found: dict[str, Any] = response.get_json()
    return found


def said(response: TestResponse) -> dict[str, Any]:
    """The table as a change has left it."""
    assert response.status_code == 200, response.get_data(as_text=True)
    found: dict[str, Any] = response.get_json()
    return found
