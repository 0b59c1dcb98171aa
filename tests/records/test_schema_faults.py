"""Faults of shape of a record: each at its place, all at once, and with what would be right."""

from __future__ import annotations

import time

import pytest

from records import limits
from records.faults import unknown_field
from records.schemas import load_events, load_record
from tests.records.shapes import (
    DEAL,
    PLAYED,
    PLAYERS,
    RESULT,
    TAROT,
    TRISCHAKEN,
    faults_of,
    of_event,
    pointers,
    record,
)


class TestRecord:
    @pytest.mark.parametrize("data", [None, True, 1, 1.5, "record", [], [{}]])
    def test_is_an_object(self, data: object) -> None:
        assert pointers(data) == [""]

    def test_says_what_is_missing(self) -> None:
        assert pointers({}) == ["/variant", "/players", "/events"]
        assert pointers({"events": None, "players": None, "variant": None}) == [
            "/events",
            "/players",
            "/variant",
        ]

    @pytest.mark.parametrize("name", ["x", "", "_schema", "a/b~c", "Events", "players "])
    def test_has_no_other_fields(self, name: str) -> None:
        escaped = name.replace("~", "~0").replace("/", "~1")
        assert pointers(record(**{name: 1})) == [f"/{escaped}"]

    @pytest.mark.parametrize("variant", ["skat", "", 1, True, [], {}, ["illustrated-beck"]])
    def test_variant(self, variant: object) -> None:
        assert pointers(record(variant=variant)) == ["/variant"]

    @pytest.mark.parametrize("value", ["", "a b", "é", "a/b", "x" * 129, "a\n", 1, True, ["a"]])
    @pytest.mark.parametrize("name", ["hand_id", "session_id"])
    def test_ids(self, name: str, value: object) -> None:
        assert pointers(record(**{name: value})) == [f"/{name}"]

    @pytest.mark.parametrize("value", [0, -1, 1.5, "1", True, [], 10**7, 1e300])
    @pytest.mark.parametrize("name", ["round", "number"])
    def test_place(self, name: str, value: object) -> None:
        assert pointers(record(**{name: value})) == [f"/{name}"]

    @pytest.mark.parametrize("table", [0, 1.5, True, "", " 3", "x" * 129, "a\tb", "a\u202eb", [], {}])
    def test_table(self, table: object) -> None:
        assert pointers(record(table=table)) == ["/table"]

    @pytest.mark.parametrize("value", [2, 0, "1", True, 1.5])
    def test_format(self, value: object) -> None:
        assert pointers(record(format=value)) == ["/format"]

    def test_labels(self) -> None:
        assert load_record(record(labels=["x" * 64] * 16)).labels == ("x" * 64,) * 16
        assert pointers(record(labels=["a"] * 17)) == ["/labels"]
        assert pointers(record(labels="final")) == ["/labels"]
        assert pointers(record(labels=["a", "", "x" * 65, 1, None, "a\x07"])) == [
            f"/labels/{place}" for place in range(1, 6)
        ]

    @pytest.mark.parametrize(
        "time",
        [
            "",
            "2026-11-29",
            "2026-11-29T20:15:00",
            "2026-11-29 20:15:00Z",
            "2026-11-29T20:15Z",
            "2026-11-29T24:00:00Z",
            "2026-02-29T20:15:00Z",
            "2026-04-31T20:15:00Z",
            "2026-13-01T20:15:00Z",
            "2026-11-29T20:15:61Z",
            "2026-11-29T20:15:00+24:00",
            "2026-11-29T20:15:00.Z",
            "0000-01-01T00:00:00Z",
            "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:60Z",
            "2026-11-29T20:15:00." + "1" * 64 + "Z",
            "२०२६-11-29T20:15:00Z",
            "2026-11-29T20:15:00Z\n",
            1764447300,
        ],
    )
    def test_times(self, time: object) -> None:
        assert pointers(record(played_at=time)) == ["/played_at"]
        assert of_event({"type": "passed", "player": "Anna", "at": time}) == ["/at"]


class TestPlayers:
    @pytest.mark.parametrize("players", ["Anna", {}, [], ["Anna", "Béla"], list("abcdef"), 3, True])
    def test_are_a_list_of_three_to_five(self, players: object) -> None:
        assert pointers(record(players=players)) == ["/players"]

    def test_are_as_many_as_the_variant_has(self) -> None:
        for variant, seats in (("illustrated-beck", 4), ("french-tarot-4", 3), ("french-tarot-5", 4)):
            (fault,) = faults_of(record(variant=variant, players=["Anna", "b", "c", "d"][:seats]))
            assert fault.pointer == "/players"
            assert variant in fault.detail

    @pytest.mark.parametrize(
        "key",
        [
            "",
            " Anna",
            "Anna ",
            "\u00a0Anna",
            "x" * 65,
            "Be\u0301la",  # not in NFC
            "A\u0000",
            "A\nB",
            "A\u007f",
            "A\u0085B",
            "A\u200bB",  # zero width space
            "A\u200dB",  # zero width joiner
            "A\u202eB",  # right-to-left override
            "A\u2066B",
            "A\u00adB",  # soft hyphen
            "A\ufeffB",
            "A\ufe0f",  # variation selector
            "\u3164",  # Hangul filler
            "A\u034fB",
            "A\u2028B",
            "A\U000e0041",  # tag
            "A\ufffe",
            "A\U0001fffe",
            "A\ud800",
            1,
            None,
            True,
            ["Anna"],
            {},
        ],
    )
    def test_keys(self, key: object) -> None:
        data = record(players=["Béla", key, "Cyril"], events=[{"type": "passed", "player": "Béla"}])
        assert pointers(data) == ["/players/1"]

    @pytest.mark.parametrize(
        "key", ["x", "x" * 64, "Mary Ann", "O'Neill", "Юлия", "小林\u3000一郎", "עדה", "🂡", "\u0378", "Ève-1"]
    )
    def test_keys_of_all_the_world(self, key: str) -> None:
        assert load_record(record(players=["Anna", key, "Cyril"])).players[1] == key

    def test_are_distinct(self) -> None:
        assert pointers(record(players=["Anna", "Béla", "Anna"])) == ["/players/2"]
        assert pointers(record(players=["Anna", "Anna", "Anna"])) == ["/players/1", "/players/2"]

    def test_names_are_not_checked_where_the_players_are_unreadable(self) -> None:
        """One fault, and not one more for every event."""
        events = [DEAL, PLAYED, {"type": "trick_played", "cards": ["T1", "T2"]}, TRISCHAKEN, TAROT]
        for players in ("?", ["Anna"], ["Anna", "Anna", "x"], None):
            found = pointers(record(players=players, events=events))
            assert {pointer.split("/")[1] for pointer in found} == {"players"}

    def test_names_are_checked_where_only_their_spelling_is_wrong(self) -> None:
        data = record(players=["Anna", "Béla ", "Cyril"], events=[{"type": "passed", "player": "Béla"}])
        assert pointers(data) == ["/players/1", "/events/0/player"]


class TestTogether:
    def test_every_fault_is_listed_in_the_order_of_the_body(self) -> None:
        data = {
            "labels": ["ok", 1],
            "events": [
                {"type": "card_played", "player": "Dora", "card": "T22", "note": 1, "colour": "red"},
                PLAYED,
                {"type": "bid_made", "contract": "grand"},
                "passed",
                RESULT | {"stake": "won", "bonuses": [{"bonus": "uhu"}], "at": "now"},
            ],
            "hand_id": "a b",
            "players": ["Anna", "Béla", " Cyril"],
            "extra": {},
        }
        found = pointers(data)
        assert found == [
            "/labels/1",
            "/events/0/note",
            "/events/0/player",
            "/events/0/card",
            "/events/0/colour",
            "/events/2/player",
            "/events/2/contract",
            "/events/3",
            "/events/4/at",
            "/events/4/stake",
            "/events/4/bonuses/0/player",
            "/events/4/bonuses/0/stage",
            "/events/4/bonuses/0/made",
            "/hand_id",
            "/players/2",
            "/extra",
            "/variant",
        ]

    def test_there_is_an_end_to_it(self) -> None:
        many = {f"x{number}": 1 for number in range(limits.MAX_FAULTS + 10)}
        for data in (record(**many), record(events=[PLAYED | many]), record(events=[PLAYED | many], x=1)):
            found = faults_of(data)
            assert len(found) == limits.MAX_FAULTS + 1
            assert "more faults" in found[-1].detail
        exactly = dict(list(many.items())[: limits.MAX_FAULTS])
        assert len(faults_of(record(events=[PLAYED | exactly]))) == limits.MAX_FAULTS

    def test_details_say_what_would_be_right(self) -> None:
        data = record(events=[{"type": "card_played", "player": "Dora", "card": "T22"}])
        details = {fault.pointer: fault.detail for fault in faults_of(data)}
        assert details == {
            "/events/0/player": '"Dora" is no player of this record; they are "Anna", "Béla", "Cyril".',
            "/events/0/card": '"T22" is no card: T1 to T21, F, or S H D C with 1 to 10 J C Q K.',
        }

    def test_long_values_are_cut(self) -> None:
        (fault,) = faults_of(record(variant="x" * 10_000))
        assert len(fault.detail) < 400


class TestEventsToAppend:
    def faults(self, data: object) -> list[str]:
        return [fault.pointer for fault in faults_of(data, lambda body: load_events(body, PLAYERS))]

    def test_are_checked_alike(self) -> None:
        assert self.faults([]) == [""]
        assert self.faults({}) == ["/events"]
        assert self.faults({"events": []}) == ["/events"]
        assert self.faults({"events": [PLAYED], "players": PLAYERS}) == ["/players"]
        assert self.faults({"events": [PLAYED, PLAYED | {"player": "Dora"}, {}]}) == [
            "/events/1/player",
            "/events/2/type",
        ]


class TestWords:
    @pytest.mark.parametrize(
        ("change", "detail"),
        [
            ({"playrs": 1}, "Unknown: did you mean players?"),
            ({"Variant": 1}, "Unknown: did you mean variant?"),
            ({"players": ["Anna"]}, "illustrated-mayr-sedlaczek-2016 is for 3 players, not 1."),
            (
                {"colour": 1},
                "Unknown: a hand record has variant, players, events, hand_id, format, session_id, table,"
                " round, number, played_at, labels.",
            ),
            ({"events": [{"type": "passed", "player": "Anna", "plyer": 1}]}, "Unknown: did you mean player?"),
            ({"events": [{"type": "passed", "player": "Anna", "x": 1}]}, "Unknown: passed has player."),
            (
                {"events": [{"type": "result_reported", "declarer": "Anna", "contract": "zweiblatt"}]},
                'Missing: a result of "zweiblatt" has card_points.',
            ),
            (
                {"events": [TRISCHAKEN | {"declarer": "Anna"}]},
                'Unknown: a result of "trischaken" has contract, card_points_by_player, tricks_by_player.',
            ),
            (
                {"played_at": "29.11.2026"},
                'A time is like "2026-11-29T20:15:00+01:00" (RFC 3339, with its offset), not "29.11.2026".',
            ),
        ],
    )
    def test_of_a_fault(self, change: dict[str, object], detail: str) -> None:
        (fault,) = faults_of(record(**change))
        assert fault.detail == detail

    def test_of_players_where_the_variant_is_unknown(self) -> None:
        fault = faults_of(record(players=["Anna"], variant=None))[1]
        assert fault.detail == "Players are a list of 3 to 5 names."

    @pytest.mark.parametrize("name", ["number", "labels", "played_at"])
    def test_another_word_is_no_slip(self, name: str) -> None:
        told = unknown_field(name, "a session", ["session_id", "name", "players", "rate"])
        assert told == "Unknown: a session has session_id, name, players, rate."

    def test_of_a_body_with_events(self) -> None:
        (fault,) = faults_of({"events": [PLAYED], "event": 1}, lambda data: load_events(data, PLAYERS))
        assert fault.detail == "Unknown: did you mean events?"
        (fault,) = faults_of([], lambda data: load_events(data, PLAYERS))
        assert fault.detail == "A body with events is an object, not []."

    @pytest.mark.parametrize("where", ["record", "event"])
    def test_a_thousand_unknown_fields_take_no_longer_than_a_moment(self, where: str) -> None:
        fields = {f"{place}-{'playrs' * 3}": 1 for place in range(30_000)} | {"x" * 4_000_000: 1}
        data = record(**fields) if where == "record" else record(events=[fields | {"type": "passed"}])
        started = time.process_time()
        found = faults_of(data)
        assert time.process_time() - started < 2
        assert len(found) == limits.MAX_FAULTS + 1
        assert all(fault.detail for fault in found)
