"""What else is shown of a live hand: options, refusals and sheets give no card away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.service.clients import CheckedClient, code_of
from tests.service.live_hands import (
    WHOLE,
    accepted,
    add,
    as_key,
    begin_keyed,
    fault_of,
    keyed_client,
    many_trumps,
    part,
)
from trull.cards import CODES

DEAL: dict[str, Any] = WHOLE["events"][0]
HANDS: dict[str, list[str]] = DEAL["hands"]


@pytest.fixture
def keyed(redis_url: str) -> CheckedClient:
    return keyed_client(redis_url)


def cards_in(value: Any) -> Iterator[str]:
    """Every card that is named anywhere."""
    for word in json.dumps(value, ensure_ascii=False).split('"'):
        if word in CODES:
            yield word


class TestOtherViews:
    def test_options_of_those_whose_cards_one_may_see(self, keyed: CheckedClient) -> None:
        path = begin_keyed(keyed, part(WHOLE, 7))
        seen = {
            key: keyed.get(path, headers=as_key(key)).get_json()
            for key in ("table", "anna", "bela", "reader")
        }
        assert sorted(seen["table"]["options"]["Anna"]["cards"]) == sorted(
            {*HANDS["Anna"], "C9", "D1"} - {"CC", "D4"}
        )
        assert seen["anna"]["options"] == {"Anna": seen["table"]["options"]["Anna"]}
        assert set(seen["bela"]["options"]) <= {"Béla"}
        assert seen["reader"]["options"] == {}
        assert not list(cards_in([seen["bela"], seen["reader"]]))
        for state in seen.values():
            assert "card_played" in state["may_act"]["Anna"]

    def test_who_may_act_does_not_tell_who_could_show_a_handful(self, keyed: CheckedClient) -> None:
        deal, chien = many_trumps()
        record = {"hand_id": "f", "variant": "french-tarot-4", "players": ["Anna", "Béla", "Cyril", "Dora"]}
        done = [
            deal,
            {"type": "bid_made", "player": "Anna", "contract": "garde"},
            *({"type": "passed", "player": name} for name in record["players"][1:]),
            {"type": "talon_taken", "player": "Anna", "cards": chien},
            {"type": "cards_discarded", "player": "Anna", "cards": ["S2", "S3", "S4", "S5", "T2", "T3"]},
        ]
        path = begin_keyed(keyed, {**record, "events": done})
        who = {
            key: {
                name
                for name, types in keyed.get(path, headers=as_key(key)).get_json()["may_act"].items()
                if "announced" in types
            }
            for key in ("table", "reader", "bela")
        }
        assert who == {
            "table": {"Anna"},
            "reader": {"Anna", "Béla", "Cyril", "Dora"},
            "bela": {"Anna", "Cyril", "Dora"},
        }

    def test_the_talon_to_choose_from_is_hidden_where_it_lies_face_down(self, keyed: CheckedClient) -> None:
        path = begin_keyed(keyed, part(WHOLE, 5))
        table = keyed.get(path, headers=as_key("table")).get_json()
        assert ["C9", "D1"] in table["options"]["Anna"]["talons"]
        assert table["missing"] == {"tricks": 16, "talon": 2, "discards": 2}
        anna = keyed.get(path, headers=as_key("anna")).get_json()
        assert anna["options"]["Anna"]["talons"] == [{"hidden": 2}] * 3
        response = add(
            keyed, path, 5, {"type": "talon_taken", "player": "Anna", "cards": ["HK", "S9"]}, key="anna"
        )
        assert code_of(response, 422) == "illegal-talon"
        assert not set(DEAL["talon"]) & set(fault_of(response)["detail"].replace("+", " ").split())

    def test_discards_where_the_deal_is_not_known(self, keyed: CheckedClient) -> None:
        path = begin_keyed(keyed, {**WHOLE, "events": WHOLE["events"][1:7]})
        bela = keyed.get(f"{path}?as=B%C3%A9la", headers=as_key("table")).get_json()
        anna = keyed.get(f"{path}?as=Anna", headers=as_key("table")).get_json()
        assert "CC" not in anna["options"]["Anna"]["cards"]
        assert "cards" not in bela["options"].get("Béla", {})
        lead = {"type": "card_played", "player": "Anna", "card": "T21"}
        accepted(add(keyed, path, 6, lead, key="table"), 7, "incomplete")
        bela = keyed.get(f"{path}?as=B%C3%A9la", headers=as_key("table")).get_json()
        assert {"CC", "D4"} <= set(bela["options"]["Béla"]["cards"])

    def test_refusals_do_not_name_cards_to_one_who_may_not_see_them(self, keyed: CheckedClient) -> None:
        path = begin_keyed(keyed, part(WHOLE, 7))
        lead = {"type": "card_played", "player": "Anna", "card": "SK"}
        accepted(add(keyed, path, 7, lead, key="blind"), 8, "incomplete")
        wrong = {"type": "card_played", "player": "Béla", "card": "H2"}
        details = {}
        for key in ("table", "blind"):
            response = add(keyed, path, 8, wrong, key=key)
            assert code_of(response, 422) == "illegal-play"
            details[key] = fault_of(response)["detail"]
            assert response.get_json(force=True)["detail"] == details[key]
        assert details == {
            "table": "H2 may not be played here; legal: S7 S10 SJ.",
            "blind": "H2 may not be played here.",
        }

    def test_a_sheet_gives_nothing_away(self, keyed: CheckedClient) -> None:
        """Löw deals again where a hand has no tarock; that one has none is a secret."""
        tarocks = [f"T{number}" for number in range(1, 22)] + ["F"]
        plain = [card for card in _pack_54() if card not in tarocks]
        hands = {
            "Anna": plain[:16],
            "Béla": tarocks[:16],
            "Cyril": [*tarocks[16:], *plain[16:26]],
        }
        deal = {"type": "cards_dealt", "hands": hands, "talon": plain[26:]}
        path = begin_keyed(keyed, {**WHOLE, "events": [deal]})
        for query in ("", "?variant=illustrated-loew-1954", "?variant=illustrated-beck"):
            sheet = keyed.get(f"{path}/score{query}", headers=as_key("reader")).get_json()
            assert (sheet["status"], sheet["notes"], list(cards_in(sheet))) == ("incomplete", [], [])


def _pack_54() -> list[str]:
    low = {"S": "7 8 9 10", "C": "7 8 9 10", "H": "1 2 3 4", "D": "1 2 3 4"}
    suits = [suit + rank for suit, ranks in low.items() for rank in [*"KQCJ", *ranks.split()]]
    return [f"T{number}" for number in range(1, 22)] + ["F", *suits]
