"""At the table: what a link opens, what is proposed, who confirms it, and what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from records import table_links
from records.limits import MAX_PLACE
from records.proposals import Proposals
from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from tests.service.document import load_document
from tests.service.evenings import FOUR, MAYR, THREE, Evening, solo
from tests.service.live_hands import as_key, keyed_client
from tests.service.table_talk import Phones, link_to, said, tag
from tests.service.test_rates import THREE as THREE_CALLS

FORM = load_document().raw["components"]["examples"]["TableForm"]["value"]
SOLO = {"type": "result_reported", "contract": "solo", "declarer": "Anna", "card_points": 36}
GARDE = {
    "type": "result_reported",
    "contract": "garde",
    "declarer": "North",
    "card_points": 51,
    "oudlers": 2,
}
"""Ten points over 41: (25 + 10) * 2 = 70 of each defender."""
MISDEAL = {"type": "hand_annulled", "reason": "misdeal"}

FAULTY: list[tuple[Any, list[tuple[str, str]]]] = [
    ({**GARDE, "oudlers": 4}, [("/event/oudlers", "invalid-record")]),
    ({**GARDE, "card_points": 5}, [("/event/oudlers", "inconsistent-result")]),
    ({**GARDE, "declarer": "Zoë"}, [("/event/declarer", "invalid-record")]),
    ({**GARDE, "contract": "solo"}, [("/event/oudlers", "invalid-record")]),
    (
        {**GARDE, "bonuses": [{"bonus": "handful", "player": "East", "size": "huge"}]},
        [("/event/bonuses/0/size", "invalid-record")],
    ),
    ({"type": "passed", "player": "North"}, [("/event/type", "invalid-record")]),
    ({**GARDE, "note": "well played"}, [("/event/note", "invalid-record")]),
    ({"type": "hand_annulled", "reason": "director"}, [("/event/reason", "invalid-record")]),
    ({"type": "hand_annulled", "reason": "all_passed"}, [("/event/reason", "invalid-record")]),
    ("garde", [("/event", "invalid-record")]),
    ({}, [("/event/type", "invalid-record"), ("/event/type", "invalid-record")]),
]
"""What a table may not say, and where that is told."""


@pytest.fixture
def evening(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    evening = Evening(stored, redis_client)
    evening.open(FOUR, "french-tarot-4", name="Thursday")
    return evening


@pytest.fixture
def phones(evening: Evening) -> Phones:
    return Phones(evening.client, link_to(evening.client, evening.path)["token"])


class TestAnEvening:
    def test_a_hand_is_entered_confirmed_and_counted(self, evening: Evening, phones: Phones) -> None:
        table = phones.look()
        assert (table["name"], table["status"], table["players"]) == ("Thursday", "open", FOUR)
        assert (table["next"]["players"], table["next"]["number"]) == (FOUR, 1)
        proposal = said(phones.propose("North", GARDE))["proposal"]
        assert (proposal["by"], proposal["number"], proposal["status"]) == ("North", 1, "open")
        assert proposal["sheet"]["scores"] == {"North": 210, "South": -70, "East": -70, "West": -70}
        assert evening.read()["hands"] == [], "what is proposed is in no hand yet"
        last = said(phones.confirm("East"))["last"]
        assert (last["number"], last["by"], last["confirmed_by"]) == (1, "North", "East")
        assert last["hand_id"] == proposal["hand_id"]
        session = evening.read()
        assert session["totals"] == {"North": 210, "South": -70, "East": -70, "West": -70}
        table = phones.look()
        assert table["totals"] == session["totals"]
        assert table["proposal"] is None
        assert [(hand["contract"], hand["declarer"], hand["counted"]) for hand in table["hands"]] == [
            ("garde", "North", True)
        ]
        assert (table["next"]["players"], table["next"]["number"]) == (["South", "East", "West", "North"], 2)

    def test_who_did_it_is_kept_with_the_hand(self, evening: Evening, phones: Phones) -> None:
        phones.propose("North", GARDE)
        hand_id = said(phones.confirm("West"))["last"]["hand_id"]
        (link,) = evening.client.get(f"{evening.path}/table-links").get_json()["table_links"]
        (logged,) = evening.client.get(f"/v1/hands/{hand_id}/events").get_json()["events"]
        assert logged["event"] == {**GARDE, "note": "Proposed by North, confirmed by West."}
        assert logged["actor"] == f"table-link:{link['link_id']}"

    def test_a_fifth_player_rests_as_dealer(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        evening = Evening(stored, redis_client)
        evening.open([*FOUR, "Zoë"], "french-tarot-4")
        phones = Phones(stored, link_to(stored, evening.path)["token"])
        rested = []
        for _ in range(5):
            players = phones.look()["next"]["players"]
            (rests,) = {*FOUR, "Zoë"} - {*players}
            rested.append(rests)
            event = {**GARDE, "declarer": players[0]}
            assert phones.propose(players[0], event).status_code == 200
            assert phones.confirm(players[1]).status_code == 200
        assert rested == ["Zoë", *FOUR]

    def test_hands_that_have_no_number_stay_without(self, evening: Evening, phones: Phones) -> None:
        record = {"variant": "french-tarot-4", "players": FOUR, "events": [GARDE], "session_id": "s1"}
        assert evening.client.post("/v1/hands", json=record).status_code == 202
        assert phones.look()["next"]["number"] is None
        phones.propose("North", GARDE)
        assert said(phones.confirm("West"))["last"]["number"] is None
        assert evening.read()["totals"]["North"] == 420

    def test_an_annulled_hand_leaves_its_number(self, evening: Evening, phones: Phones) -> None:
        phones.propose("North", MISDEAL)
        said(phones.confirm("South"))
        assert [hand["why"] for hand in evening.read()["hands"]] == ["annulled"]
        phones.propose("North", GARDE, number=1)
        said(phones.confirm("South"))
        assert evening.read()["disputes"] == []

    def test_display_names_are_told(self, evening: Evening, phones: Phones) -> None:
        evening.client.put("/v1/players/North", json={"name": "Nora"})
        assert phones.look()["names"] == {"North": "Nora"}

    def test_it_is_not_sent_again_while_nothing_changes(self, evening: Evening, phones: Phones) -> None:
        for path in (phones.path, f"{phones.path}/form"):
            etag = evening.client.get(path).headers["ETag"]
            assert evening.client.get(path, headers={"If-None-Match": etag}).status_code == 304
        etag = evening.client.get(phones.path).headers["ETag"]
        phones.propose("North", GARDE)
        assert evening.client.get(phones.path, headers={"If-None-Match": etag}).status_code == 200


class TestPreview:
    def test_it_is_the_sheet_of_score(self, evening: Evening, phones: Phones) -> None:
        record = {"variant": "french-tarot-4", "players": FOUR, "events": [GARDE]}
        assert (
            phones.score(FOUR, GARDE).get_json() == evening.client.post("/v1/score", json=record).get_json()
        )
        assert phones.look()["version"] == 0
        assert evening.read()["hands"] == []

    def test_faults_have_their_place_in_the_body(self, phones: Phones) -> None:
        for event, faults in FAULTY:
            response = phones.score(FOUR, event)
            assert response.status_code == 422
            assert faults_of(response) == faults

    def test_players_and_fields_are_checked(self, evening: Evening, phones: Phones) -> None:
        assert faults_of(phones.score([*FOUR[:3], "Zoë"], GARDE)) == [("/players/3", "invalid-record")]
        assert faults_of(phones.score(FOUR[:3], GARDE)) == [("/players", "invalid-record")]
        assert faults_of(phones.score(FOUR, GARDE, by="North")) == [("/by", "invalid-record")]
        assert faults_of(evening.client.post(f"{phones.path}/score", json={})) == [
            ("/players", "invalid-record"),
            ("/event", "invalid-record"),
        ]
        assert code_of(evening.client.post(f"{phones.path}/score", json=[]), 422) == "invalid-record"

    def test_the_form_is_the_variants(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        evening = Evening(stored, redis_client)
        evening.open(THREE, MAYR)
        phones = Phones(stored, link_to(stored, evening.path)["token"])
        form = stored.get(f"{phones.path}/form").get_json()
        assert [one["contract"] for one in form["contracts"]] == [
            "dreiblatt",
            "zweiblatt",
            "einblatt",
            "solo",
        ]
        form["contracts"] = form["contracts"][-1:]
        form["contracts"][0]["bonuses"] = form["contracts"][0]["bonuses"][:1]
        assert form == FORM


class TestSides:
    def test_one_of_the_other_side_confirms(self, evening: Evening, phones: Phones) -> None:
        said(phones.propose("North", GARDE))
        assert faults_of(phones.confirm("North")) == [("/by", "invalid-record")]
        assert faults_of(phones.confirm("Zoë")) == [("/by", "invalid-record")]
        said(phones.propose("South", GARDE))
        assert phones.look()["proposal"]["confirmers"] == ["North"]
        for defender in ("South", "East", "West"):
            assert faults_of(phones.confirm(defender)) == [("/by", "invalid-record")]
        assert evening.read()["hands"] == []
        said(phones.confirm("North"))

    def test_with_a_partner_there_are_two_and_three(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        five = [*FOUR, "Zoë"]
        evening = Evening(stored, redis_client)
        evening.open(five, "french-tarot-5")
        phones = Phones(stored, link_to(stored, evening.path)["token"])
        event = {**GARDE, "partner": "Zoë"}
        assert said(phones.propose("Zoë", event))["proposal"]["confirmers"] == ["South", "East", "West"]
        assert said(phones.propose("East", event))["proposal"]["confirmers"] == ["North", "Zoë"]
        alone = {**GARDE, "partner": "North"}
        assert said(phones.propose("East", alone))["proposal"]["confirmers"] == ["North"]

    def test_where_everybody_plays_alone_any_other_player(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        evening = Evening(stored, redis_client)
        evening.open(THREE, "illustrated-beck")
        phones = Phones(stored, link_to(stored, evening.path)["token"])
        trischaken = {
            "type": "result_reported",
            "contract": "trischaken",
            "card_points_by_player": {"Anna": 20, "Béla": 20, "Cyril": 10},
            "tricks_by_player": {"Anna": 6, "Béla": 6, "Cyril": 4},
        }
        assert said(phones.propose("Béla", trischaken))["proposal"]["confirmers"] == ["Anna", "Cyril"]
        assert faults_of(phones.confirm("Béla")) == [("/by", "invalid-record")]
        said(phones.confirm("Anna"))
        assert sum(evening.read()["hands"][0]["scores"].values()) != 0

    def test_who_proposes_plays(self, phones: Phones) -> None:
        assert faults_of(phones.propose("Zoë", GARDE)) == [("/by", "invalid-record")]

    def test_an_objection_sends_it_back(self, evening: Evening, phones: Phones) -> None:
        said(phones.propose("North", GARDE))
        assert faults_of(phones.object("North", "mine")) == [("/by", "invalid-record")]
        proposal = said(phones.object("West", "It was 50."))["proposal"]
        assert proposal["status"] == "objected"
        assert (proposal["objection"]["by"], proposal["objection"]["word"]) == ("West", "It was 50.")
        assert code_of(phones.confirm("East"), 409) == "no-open-proposal"
        assert code_of(phones.object("East"), 409) == "no-open-proposal"
        again = said(phones.propose("North", {**GARDE, "card_points": 50}))["proposal"]
        assert (again["status"], again["replaces"]["by"]) == ("open", "North")
        said(phones.confirm("West"))
        assert evening.read()["totals"]["North"] == (25 + 9) * 2 * 3

    @pytest.mark.parametrize(
        "body", [{}, {"by": 7}, {"by": "West", "why": "x"}, {"by": ""}, [], {"by": None}]
    )
    def test_what_is_no_word(self, evening: Evening, phones: Phones, body: Any) -> None:
        said(phones.propose("North", GARDE))
        for what in ("confirm", "object"):
            response = evening.client.post(f"{phones.path}/proposal:{what}", json=body, headers=tag(1))
            assert code_of(response, 422) == "invalid-record"


class TestVersions:
    def test_a_later_proposal_replaces_one_that_was_seen(self, phones: Phones) -> None:
        first = said(phones.propose("North", GARDE))
        assert code_of(phones.propose("South", GARDE, version=0), 412) == "version-mismatch"
        second = said(phones.propose("South", GARDE, version=first["version"]))["proposal"]
        assert second["replaces"] == {"by": "North", "at": first["proposal"]["at"]}
        assert second["hand_id"] != first["proposal"]["hand_id"]
        assert code_of(phones.confirm("North", version=first["version"]), 412) == "version-mismatch"

    def test_told_twice_is_told_once(self, evening: Evening, phones: Phones) -> None:
        first = said(phones.propose("North", GARDE, version=0))
        assert said(phones.propose("North", GARDE, players=FOUR, version=0)) == first
        done = said(phones.confirm("East", version=1))
        for by in ("East", "West"):
            again = said(phones.confirm(by, version=1))
            assert again["last"] == done["last"], "the one who was first"
        assert len(evening.read()["hands"]) == 1
        said(phones.propose("South", {**GARDE, "declarer": "South"}))
        assert said(phones.confirm("East", version=1))["last"] == done["last"], (
            "a reply that was lost for long"
        )
        assert len(evening.read()["hands"]) == 1

    def test_a_version_is_asked_for(self, evening: Evening, phones: Phones) -> None:
        body = {"players": FOUR, "event": GARDE, "by": "North"}
        for headers, status in (({}, 428), ({"If-Match": "*"}, 428), ({"If-Match": "x"}, 400)):
            response = evening.client.put(f"{phones.path}/proposal", json=body, headers=headers)
            assert response.status_code == status
        response = evening.client.post(f"{phones.path}/proposal:confirm", json={"by": "East"})
        assert code_of(response, 428) == "version-required"

    def test_the_tag_of_an_answer_is_a_version(self, evening: Evening, phones: Phones) -> None:
        headers = {"If-Match": evening.client.get(phones.path).headers["ETag"]}
        body = {"players": FOUR, "event": GARDE, "by": "North"}
        said(evening.client.put(f"{phones.path}/proposal", json=body, headers=headers))


class TestWhatComesBetween:
    def test_a_number_that_is_taken(self, evening: Evening, phones: Phones) -> None:
        record = {"variant": "french-tarot-4", "players": FOUR, "events": [GARDE], "session_id": "s1"}
        said(phones.propose("North", GARDE))
        assert evening.client.post("/v1/hands", json={**record, "number": 1}).status_code == 202
        assert code_of(phones.confirm("East"), 409) == "proposal-outdated"
        assert faults_of(phones.propose("North", GARDE, number=1)) == [("/number", "invalid-record")]
        assert said(phones.propose("North", GARDE))["proposal"]["number"] == 2
        said(phones.confirm("East"))
        assert evening.read()["disputes"] == []

    def test_an_id_that_is_taken(self, evening: Evening, phones: Phones) -> None:
        """Everybody at the table sees the id; a hand that somebody submits under it stops nothing."""
        hand_id = said(phones.propose("North", GARDE))["proposal"]["hand_id"]
        other = {"variant": "french-tarot-4", "players": FOUR, "events": [{**GARDE, "oudlers": 1}]}
        assert evening.client.post("/v1/hands", json={"hand_id": hand_id, **other}).status_code == 202
        done = said(phones.confirm("East", version=1))
        assert done["proposal"] is None
        (hand,) = evening.read()["hands"]
        assert hand["hand_id"] == done["last"]["hand_id"] != hand_id
        assert (done["last"]["number"], done["last"]["confirmed_by"]) == (1, "East")
        assert said(phones.confirm("West", version=1))["last"] == done["last"]
        assert len(evening.read()["hands"]) == 1

    def test_the_highest_number_is_taken(self, evening: Evening, phones: Phones) -> None:
        """No hand has a higher one: what is left follows, and the table goes on."""
        for number in (2, MAX_PLACE):
            said(phones.propose("North", GARDE, number=number))
            said(phones.confirm("East"))
        for number in (1, 3):
            assert phones.look()["next"]["number"] == number
            assert said(phones.propose("North", GARDE))["proposal"]["number"] == number
            assert said(phones.confirm("East"))["last"]["number"] == number
        assert sorted(hand["number"] for hand in evening.read()["hands"]) == [1, 2, 3, MAX_PLACE]

    def test_a_session_that_is_closed(self, evening: Evening, phones: Phones) -> None:
        said(phones.propose("North", GARDE))
        assert evening.decide("close").status_code == 200
        assert phones.look()["status"] == "closed"
        for response in (
            phones.confirm("East"),
            phones.object("East"),
            phones.propose("North", GARDE, version=1),
        ):
            assert code_of(response, 409) == "session-closed"
        assert evening.decide("reopen", headers={"If-Match": '"2"'}).status_code == 200
        said(phones.confirm("East"))
        assert len(evening.read()["hands"]) == 1

    def test_a_hand_that_comes_after_the_closing(self, evening: Evening, phones: Phones) -> None:
        """It is no line of the table, whose total does not have it."""
        evening.play(record := {"variant": "french-tarot-4", "players": FOUR, "events": [GARDE]})
        evening.score()
        before = phones.look()
        assert evening.decide("close").status_code == 200
        evening.play({**record, "hand_id": "late", "number": 2})
        evening.score()
        after = phones.look()
        assert [after[name] for name in ("hands", "totals")] == [before[name] for name in ("hands", "totals")]
        assert [hand["contract"] for hand in after["hands"]] == ["garde"]

    def test_players_who_have_left(self, evening: Evening, phones: Phones) -> None:
        said(phones.propose("North", GARDE))
        response = evening.client.patch(
            evening.path, json={"players": [*FOUR[:3], "Zoë"]}, headers={"If-Match": '"1"'}
        )
        assert response.status_code == 200
        assert code_of(phones.confirm("East"), 409) == "proposal-outdated"

    def test_a_link_that_is_revoked(self, evening: Evening, phones: Phones) -> None:
        other = link_to(evening.client, evening.path)
        said(phones.propose("North", GARDE))
        (first, second) = evening.client.get(f"{evening.path}/table-links").get_json()["table_links"]
        assert second["link_id"] == other["link_id"]
        path = f"{evening.path}/table-links/{first['link_id']}"
        assert evening.client.delete(path).status_code == 204
        assert code_of(evening.client.delete(path), 404) == "unknown-table-link"
        assert code_of(phones.confirm("East", version=1), 404) == "unknown-table-link"
        said(Phones(evening.client, other["token"]).confirm("East"))

    def test_what_was_confirmed_and_not_appended_is_appended_by_who_looks_next(
        self, evening: Evening, phones: Phones
    ) -> None:
        """As though the process had died between the two steps."""
        stored = Proposals(evening.store)
        place = table_links.TablePlace("default", "session", "s1")
        said(phones.propose("North", GARDE))
        state = stored.get(place)
        confirmed = {"by": "East", "at": "2026-11-30T20:00:00Z", "actor": "table-link:x", "of": 1}
        assert state.proposal is not None
        stored.put(place, state, {**state.proposal, "status": "confirmed", "confirmed": confirmed}, None)
        assert evening.read()["hands"] == []
        last = said(phones.confirm("East", version=1))["last"]
        assert (last["confirmed_by"], last["hand_id"]) == ("East", state.proposal["hand_id"])
        assert len(evening.read()["hands"]) == 1
        assert phones.look()["proposal"] is None


class TestLinks:
    def test_no_secret_is_stored_or_listed(self, evening: Evening) -> None:
        link = link_to(evening.client, evening.path)
        secret = link["token"].removeprefix(link["link_id"])
        listed = evening.client.get(f"{evening.path}/table-links")
        assert secret not in listed.get_data(as_text=True)
        assert not [
            key for key in evening.store.keys("*") if secret.encode() in (evening.store.dump(key) or b"")
        ]

    def test_it_opens_nothing_else(self, redis_url: str) -> None:
        client = keyed_client(redis_url)
        director = as_key("director")
        body = {"session_id": "s1", "players": FOUR, "variant": "french-tarot-4"}
        assert client.post("/v1/sessions", json=body, headers=director).status_code == 201
        assert (
            code_of(client.post("/v1/sessions/s1/table-links", headers=as_key("table")), 403) == "forbidden"
        )
        token = client.post("/v1/sessions/s1/table-links", headers=director).get_json()["token"]
        phones = Phones(client, token)
        said(phones.propose("North", GARDE))
        for path in ("/v1/sessions/s1", "/v1/hands", "/v1/events", f"/v1/boards/{token}"):
            assert client.get(path, headers={"Authorization": f"Bearer {token}"}).status_code in (401, 404)
        board = client.post("/v1/sessions/s1/boards", headers=director).get_json()["token"]
        assert code_of(client.get(f"/v1/tables/{board}"), 404) == "unknown-table-link"

    def test_a_guess_leads_nowhere(self, evening: Evening, phones: Phones) -> None:
        token = phones.path.rpartition("/")[2]
        for guess in (token[:-1], token[:12], token[:-1] + ("A" if token[-1] != "A" else "B"), "x", "%00"):
            for path in (f"/v1/tables/{guess}", f"/v1/tables/{guess}/form"):
                assert code_of(evening.client.get(path), 404) == "unknown-table-link"

    def test_guesses_and_calls_are_counted(self, redis_url: str) -> None:
        settings = Settings(redis_url=redis_url)
        open_ = checked_client(create_app(settings))
        open_.post("/v1/sessions", json={"session_id": "s1", "players": FOUR, "variant": "french-tarot-4"})
        tokens = [link_to(open_, "/v1/sessions/s1")["token"] for _ in range(2)]
        client = checked_client(create_app(Settings(redis_url=redis_url, rate_limit=THREE_CALLS)))
        guesses = [client.get(f"/v1/tables/guess-{number}").status_code for number in range(4)]
        assert guesses == [404, 404, 404, 429]
        for token in tokens:
            assert [client.get(f"/v1/tables/{token}").status_code for _ in range(4)] == [200, 200, 200, 429]

    def test_there_are_only_so_many(self, evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(table_links, "MAX_OF_SESSION", 2)
        for _ in range(2):
            link_to(evening.client, evening.path)
        response = evening.client.post(f"{evening.path}/table-links")
        assert code_of(response, 409) == "too-many-table-links"

    def test_nothing_there_no_link(self, stored: CheckedClient) -> None:
        for kind in ("session", "tournament"):
            path = f"/v1/{kind}s/none/table-links"
            for response in (
                stored.get(path),
                stored.post(path, json={"table": 1}),
                stored.delete(f"{path}/x"),
            ):
                assert code_of(response, 404) == f"unknown-{kind}"

    def test_the_numbers_of_the_document(self) -> None:
        paths = load_document().raw["paths"]
        for kind, most in (
            ("session", table_links.MAX_OF_SESSION),
            ("tournament", table_links.MAX_OF_TOURNAMENT),
        ):
            text = paths[f"/v1/{kind}s/{{{kind}_id}}/table-links"]["post"]["description"]
            assert f"be {most:,} links at once" in " ".join(text.split())


def test_solo_of_an_evening_needs_no_more_than_three_answers(
    stored: CheckedClient, redis_client: redis.Redis
) -> None:
    """What `solo` of other tests submits, entered at the table, comes to the same."""
    evening = Evening(stored, redis_client)
    evening.open(THREE, MAYR)
    phones = Phones(stored, link_to(stored, evening.path)["token"])
    evening.play(solo("Anna", 36))
    said(phones.propose("Anna", SOLO, players=THREE))
    said(phones.confirm("Béla"))
    first, second = evening.read()["hands"]
    assert first["scores"] == second["scores"]
    assert (first["number"], second["number"]) == (1, 2)
