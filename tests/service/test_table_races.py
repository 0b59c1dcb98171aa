"""Phones that are at it together: nothing twice, nothing lost, and whoever was slower is told so."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

import pytest
import redis
from werkzeug.test import TestResponse

from service import tables
from service.app import create_app
from service.config import Settings
from service.problems import Problem
from tests.service.clients import CheckedClient
from tests.service.conftest import checked_client
from tests.service.evenings import FOUR, Evening
from tests.service.table_talk import Phones, link_to, said
from tests.service.test_tables import GARDE

ROUNDS = 6


class Table:
    """A table with phones that are connected to processes of their own."""

    def __init__(self, url: str, store: redis.Redis) -> None:
        clients = [checked_client(create_app(Settings(redis_url=url))) for _ in range(4)]
        self.evening = Evening(clients[0], store)
        self.evening.open(FOUR, "french-tarot-4")
        self.token = link_to(clients[0], self.evening.path)["token"]
        self.phones = [Phones(client, self.token) for client in clients]

    @property
    def client(self) -> CheckedClient:
        return self.evening.client


@pytest.fixture
def table(redis_url: str, redis_client: redis.Redis) -> Table:
    return Table(redis_url, redis_client)


def at_once(*calls: Callable[[], TestResponse]) -> list[TestResponse]:
    """The answers to calls that begin together."""
    barrier = Barrier(len(calls))

    def begin(call: Callable[[], TestResponse]) -> TestResponse:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(begin, calls))


def garde(player: str) -> dict[str, Any]:
    return {**GARDE, "declarer": player}


def test_all_propose_at_once(table: Table) -> None:
    for _ in range(ROUNDS):
        before = table.phones[0].look()
        version, players = before["version"], before["next"]["players"]
        answers = at_once(
            *(
                partial(phone.propose, by, garde(by), version, players)
                for phone, by in zip(table.phones, FOUR, strict=True)
            )
        )
        assert sorted(answer.status_code for answer in answers) == [200, 412, 412, 412]
        (winner,) = (said(answer)["proposal"] for answer in answers if answer.status_code == 200)
        after = table.phones[1].look()
        assert (after["version"], after["proposal"]["by"]) == (version + 1, winner["by"])


def test_all_confirm_at_once(table: Table) -> None:
    for count in range(1, ROUNDS + 1):
        version = said(table.phones[0].propose("North", GARDE))["version"]
        answers = at_once(
            *(
                partial(phone.confirm, by, version)
                for phone, by in zip(table.phones, ["South", "East", "West", "South"], strict=True)
            )
        )
        assert [answer.status_code for answer in answers] == [200] * 4
        assert len({str(said(answer)["last"]) for answer in answers}) == 1, "all are told of the same one"
        hands = table.evening.read()["hands"]
        assert len(hands) == count
    assert table.evening.read()["totals"]["North"] == 210 * ROUNDS


def test_confirmed_by_another_phone_between_two_looks(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one who is late is told the same, whatever was in the way of a second time."""
    version = said(table.phones[0].propose("North", GARDE))["version"]

    def meanwhile(*_: Any) -> None:
        monkeypatch.undo()
        said(table.phones[1].confirm("East", version))
        raise Problem("proposal-outdated", "There is a hand 1 already.")

    monkeypatch.setattr(tables, "require_fitting", meanwhile)
    last = said(table.phones[2].confirm("West", version))["last"]
    assert last["confirmed_by"] == "East"
    assert len(table.evening.read()["hands"]) == 1


def test_confirmed_while_it_is_replaced_or_objected_to(table: Table) -> None:
    counted = 0
    for _ in range(ROUNDS):
        version = said(table.phones[0].propose("North", GARDE))["version"]
        players = table.phones[0].look()["next"]["players"]
        confirmed, replaced, objected = at_once(
            partial(table.phones[1].confirm, "East", version),
            partial(table.phones[2].propose, "West", garde("West"), version, players),
            partial(table.phones[3].object, "South", "no", version),
        )
        assert [replaced.status_code, objected.status_code].count(200) == (confirmed.status_code != 200)
        after = table.phones[0].look()
        if confirmed.status_code == 200:
            counted += 1
            assert after["proposal"] is None
        else:
            assert confirmed.status_code in (409, 412)
            assert after["proposal"]["status"] == ("open" if replaced.status_code == 200 else "objected")
    hands = table.evening.read()["hands"]
    assert len(hands) == counted
    assert len({hand["number"] for hand in hands}) == counted


def test_confirmed_while_the_link_is_revoked(table: Table) -> None:
    other = Phones(table.client, link_to(table.client, table.evening.path)["token"])
    version = said(table.phones[0].propose("North", GARDE))["version"]
    path = f"{table.evening.path}/table-links/{table.token[:12]}"
    confirmed, revoked = at_once(
        lambda: table.phones[1].confirm("East", version), lambda: table.phones[2].client.delete(path)
    )
    assert revoked.status_code == 204
    assert confirmed.status_code in (200, 404)
    said(other.confirm("East", version))
    assert len(table.evening.read()["hands"]) == 1


def test_confirmed_while_the_session_is_closed(table: Table) -> None:
    version = said(table.phones[0].propose("North", GARDE))["version"]
    confirmed, closed = at_once(
        lambda: table.phones[1].confirm("East", version),
        lambda: table.phones[2].client.post(f"{table.evening.path}:close"),
    )
    assert closed.status_code in (200, 409), "409 while the sheet of the hand is due"
    assert confirmed.status_code in (200, 409)
    hands = table.client.get("/v1/hands?session_id=s1").get_json()["hands"]
    assert len(hands) == (confirmed.status_code == 200)
