"""Who sees which cards of a live hand, in every view; and when it is over, all of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.live_hands import (
    BEGUN,
    HIDDEN,
    WHOLE,
    accepted,
    add,
    as_key,
    begin,
    begin_keyed,
    events,
    keyed_client,
    many_trumps,
    part,
    restate,
)
from tests.support.hand_records import played

DEAL: dict[str, Any] = WHOLE["events"][0]
HANDS: dict[str, list[str]] = DEAL["hands"]


@pytest.fixture
def keyed(redis_url: str) -> CheckedClient:
    return keyed_client(redis_url)


class TestDeal:
    def test_only_the_own_hand_is_shown(self, keyed: CheckedClient) -> None:
        path = begin_keyed(keyed, part(WHOLE, 2))
        nothing = {"Anna": HIDDEN, "Béla": HIDDEN, "Cyril": HIDDEN}
        talon = {"hidden": 6}
        annas = {**nothing, "Anna": HANDS["Anna"]}
        assert events(keyed, path, "table")[0] == DEAL
        assert events(keyed, path, "table", "?as=Anna")[0] == {**DEAL, "hands": annas, "talon": talon}
        for key in ("blind", "reader", "director"):
            assert events(keyed, path, key)[0] == {**DEAL, "hands": nothing, "talon": talon}
        assert events(keyed, path, "anna")[0] == {**DEAL, "hands": annas, "talon": talon}
        assert events(keyed, path, "anna", "?as=Anna")[0] == {**DEAL, "hands": annas, "talon": talon}
        belas = {**nothing, "Béla": HANDS["Béla"]}
        assert events(keyed, path, "bela", "?limit=1")[0] == {**DEAL, "hands": belas, "talon": talon}

    @pytest.mark.parametrize("view", ["", "/events"])
    def test_nobody_looks_with_the_eyes_of_another(self, keyed: CheckedClient, view: str) -> None:
        path = begin_keyed(keyed, part(WHOLE, 2))
        for key, name in (("anna", "B%C3%A9la"), ("blind", "Anna"), ("director", "Anna"), ("bela", "Anna")):
            response = keyed.get(f"{path}{view}?as={name}", headers=as_key(key))
            assert code_of(response, 403) == "forbidden"
        response = keyed.get(f"{path}{view}?as=Dora", headers=as_key("table"))
        assert code_of(response, 422) == "invalid-record"
        assert faults_of(response) == [("as", "invalid-record")]

    def test_open_access_sees_all_and_may_look_as_a_player(self, stored: CheckedClient) -> None:
        path = begin(stored, part(WHOLE, 2))
        [deal, _] = stored.get(f"{path}/events").get_json()["events"]
        assert deal["event"] == DEAL
        [deal, _] = stored.get(f"{path}/events?as=Cyril").get_json()["events"]
        assert deal["event"]["hands"] == {"Anna": HIDDEN, "Béla": HIDDEN, "Cyril": HANDS["Cyril"]}

    def test_when_the_hand_is_over_all_opens(self, keyed: CheckedClient) -> None:
        path = begin_keyed(keyed, part(WHOLE, 22))
        assert events(keyed, path, "reader") != WHOLE["events"][:22]
        accepted(add(keyed, path, 22, WHOLE["events"][22], key="blind"), 23, "scored")
        for key in ("reader", "anna", "bela"):
            assert events(keyed, path, key) == WHOLE["events"]
        slip = {"type": "event_retracted", "seq": 23}
        accepted(add(keyed, path, 23, slip, key="blind"), 24, "incomplete")
        assert events(keyed, path, "reader")[0]["hands"]["Anna"] == HIDDEN

    @pytest.mark.parametrize("reason", ["misdeal", "redeal"])
    def test_an_annulled_hand_is_open(self, keyed: CheckedClient, reason: str) -> None:
        path = begin_keyed(keyed, part(WHOLE, 4))
        accepted(add(keyed, path, 4, {"type": "hand_annulled", "reason": reason}, key="table"), 5, "annulled")
        assert events(keyed, path, "reader")[0] == DEAL

    def test_three_passes_do_not_open_a_trischaken(self, keyed: CheckedClient) -> None:
        """The hand counts as annulled until its first card, and yet it is about to be played."""
        record = played("illustrated-beck", 1, hand_id="t").as_dict()
        passes = [{"type": "passed", "player": name} for name in record["players"]]
        path = begin_keyed(keyed, {**record, "events": [record["events"][0], *passes]})
        assert keyed.get(path, headers=as_key("reader")).get_json()["status"] == "annulled"
        assert events(keyed, path, "reader")[0]["talon"] == {"hidden": 6}

    def test_a_deal_that_was_corrected_shows_nothing(self, keyed: CheckedClient) -> None:
        """In a wrong deal a player's cards are partly those of another."""
        path = begin_keyed(keyed, part(WHOLE, 1))
        anna, bela = HANDS["Anna"], HANDS["Béla"]
        mended = {**DEAL, "hands": {**HANDS, "Anna": [bela[0], *anna[1:]], "Béla": [anna[0], *bela[1:]]}}
        undo = {"type": "event_retracted", "seq": 1}
        accepted(add(keyed, path, 1, undo, mended, key="table"), 3, "incomplete")
        [first, _, second] = events(keyed, path, "anna")
        assert first["hands"] == dict.fromkeys(HANDS, HIDDEN)
        assert second["hands"] == {**first["hands"], "Anna": mended["hands"]["Anna"]}


class TestTalonAndDiscards:
    def test_illustrated_tarock(self, keyed: CheckedClient) -> None:
        """What is taken was turned up; the rest lies face down again. Discards are the declarer's."""
        path = begin_keyed(keyed, part(WHOLE, 8))
        assert events(keyed, path, "table") == WHOLE["events"][:8]
        for key, own in (("anna", True), ("bela", False), ("reader", False)):
            seen = events(keyed, path, key)
            assert seen[0]["talon"] == {"hidden": 6}
            assert seen[5] == WHOLE["events"][5]
            assert seen[6]["cards"] == (["CC", "D4"] if own else {"hidden": 2})
            assert seen[7] == WHOLE["events"][7]

    def test_french_tarot(self, keyed: CheckedClient) -> None:
        """The chien is turned up for all when a prise or a garde is in; trumps are discarded face up."""
        deal, chien = many_trumps()
        record = {"hand_id": "f", "variant": "french-tarot-4", "players": ["Anna", "Béla", "Cyril", "Dora"]}
        auction = [
            {"type": "bid_made", "player": "Anna", "contract": "garde"},
            *({"type": "passed", "player": name} for name in record["players"][1:]),
        ]
        path = begin_keyed(keyed, {**record, "events": [deal, *auction[:-1]]})
        assert events(keyed, path, "bela")[0]["talon"] == {"hidden": 6}
        accepted(add(keyed, path, 4, auction[-1], key="table"), 5, "incomplete")
        assert events(keyed, path, "bela")[0]["talon"] == chien
        assert events(keyed, path, "reader")[0]["hands"]["Anna"] == {"hidden": 18}
        laid = ["S2", "S3", "S4", "S5", "T2", "T3"]
        accepted(
            add(
                keyed,
                path,
                5,
                {"type": "talon_taken", "player": "Anna", "cards": chien},
                {"type": "cards_discarded", "player": "Anna", "cards": laid},
                key="table",
            ),
            7,
            "incomplete",
        )
        assert events(keyed, path, "anna")[6]["cards"] == laid
        for key in ("bela", "reader"):
            assert events(keyed, path, key)[6]["cards"] == {"hidden": 4, "shown": ["T2", "T3"]}

    def test_a_garde_sans_leaves_the_chien_down(self, keyed: CheckedClient) -> None:
        deal, _ = many_trumps()
        record = {"hand_id": "f", "variant": "french-tarot-4", "players": ["Anna", "Béla", "Cyril", "Dora"]}
        auction = [
            {"type": "bid_made", "player": "Anna", "contract": "garde_sans"},
            *({"type": "passed", "player": name} for name in record["players"][1:]),
        ]
        path = begin_keyed(keyed, {**record, "events": [deal, *auction]})
        assert keyed.get(path, headers=as_key("reader")).get_json()["phase"] == "play"
        assert events(keyed, path, "reader")[0]["talon"] == {"hidden": 6}

    def test_what_was_taken_and_put_back_is_hidden_again(self, keyed: CheckedClient) -> None:
        path = begin_keyed(keyed, part(WHOLE, 6))
        accepted(add(keyed, path, 6, {"type": "event_retracted", "seq": 6}, key="table"), 7, "incomplete")
        assert events(keyed, path, "bela")[5]["cards"] == {"hidden": 2}


class TestRestatement:
    def test_its_record_is_hidden_like_the_log(self, keyed: CheckedClient) -> None:
        path = begin_keyed(keyed, {**BEGUN, "hand_id": WHOLE["hand_id"]})
        record = part(WHOLE, 8)
        response = restate(keyed, path, 2, record, key="director")
        accepted(response, 3, "incomplete")
        told = events(keyed, path, "anna")[2]["record"]["events"]
        assert told[0]["hands"] == {"Anna": HANDS["Anna"], "Béla": HIDDEN, "Cyril": HIDDEN}
        assert told[6] == record["events"][6]
        told = events(keyed, path, "reader")[2]["record"]["events"]
        assert told[0]["hands"]["Anna"] == HIDDEN
        assert told[6]["cards"] == {"hidden": 2}
        accepted(restate(keyed, path, 3, part(WHOLE, 7), key="director"), 4, "incomplete")
        told = events(keyed, path, "anna")[2]["record"]["events"]
        assert told[0]["hands"]["Anna"] == HIDDEN, "it is not the hand as it now reads"
        assert events(keyed, path, "anna")[3]["record"]["events"][0]["hands"]["Anna"] == HANDS["Anna"]

    def test_a_retraction_within_its_record_counts_there(self, keyed: CheckedClient) -> None:
        path = begin_keyed(keyed, {**BEGUN, "hand_id": WHOLE["hand_id"]})
        record = {**WHOLE, "events": [DEAL, {"type": "event_retracted", "seq": 1}, DEAL]}
        accepted(restate(keyed, path, 2, record, key="director"), 3, "incomplete")
        told = events(keyed, path, "anna")[2]["record"]["events"]
        assert told[0]["hands"]["Anna"] == HIDDEN
        assert told[2]["hands"]["Anna"] == HANDS["Anna"]
