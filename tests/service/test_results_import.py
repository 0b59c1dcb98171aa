"""Results of a club's spreadsheet: read as it is written, refused by row and column, stored once."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from records import result_table
from records.imports import MAX_FAULTS_A_LINE
from records.limits import MAX_CELL, MAX_FAULTS, MAX_REPORTED_BONUSES, MAX_RESULT_ROWS
from records.result_table import columns_of, plain
from service.results import CHARSETS, IN_CELLS, head_of
from service.terms import LANGUAGES, TERMS
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.document import load_document
from tests.service.evenings import FFT_SHEET, FFT_TOTALS, FOUR, MAYR, THREE, Evening
from tests.service.live_hands import as_key, keyed_client
from tests.service.test_tournaments import FRIDAY, PATH, Desk
from trull.variants import VARIANTS

FFT = "number,taker,contract,points,oudlers\n" + "".join(
    f"{number},{taker},{contract},{points},{oudlers}\n"
    for number, (taker, contract, points, oudlers) in enumerate(FFT_SHEET, 1)
)
FIVE = ["Anna", "Béla", "Cyril", "Dora", "Emil"]


@pytest.fixture
def evening(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    return Evening(stored, redis_client)


def send(evening: Evening, text: str | bytes, query: str = "", charset: str = "", **headers: str) -> Any:
    body = text.encode() if isinstance(text, str) else text
    kind = f"text/csv{f'; charset={charset}' if charset else ''}"
    return evening.client.post(
        f"{evening.path}/results:import{query}", data=body, content_type=kind, headers=headers
    )


def report(evening: Evening, text: str | bytes, query: str = "", charset: str = "") -> dict[str, Any]:
    response = send(evening, text, query, charset)
    assert response.status_code == 200, response.get_data(as_text=True)
    found: dict[str, Any] = response.get_json()
    return found


def refused(evening: Evening, text: str, status: int = 422) -> list[tuple[int, str | None, str]]:
    """Where the faults of a file are; nothing of it is stored."""
    response = send(evening, text)
    assert response.status_code == status, response.get_data(as_text=True)
    assert evening.look()["hands"] == []
    found = response.get_json(force=True)["errors"]
    return [(fault["row"], fault.get("column"), fault["code"]) for fault in found]


def event_of(evening: Evening, hand_id: str) -> dict[str, Any]:
    events = evening.client.get(f"/v1/hands/{hand_id}/events").get_json()["events"]
    event: dict[str, Any] = events[0]["event"]
    return event


class TestAnEvening:
    def test_the_sheet_of_the_fft(self, evening: Evening) -> None:
        evening.open(FOUR, "french-tarot-4")
        told = report(evening, FFT)
        assert (told["created"], told["existing"], told["failed"], told["skipped"]) == (9, 0, 0, 0)
        sums = {player: sum(row["scores"][player] for row in told["rows"]) for player in FOUR}
        assert sums == FFT_TOTALS
        session = evening.read()
        assert session["totals"] == FFT_TOTALS
        assert [hand["hand_id"] for hand in session["hands"]] == [f"s1-h{number}" for number in range(1, 10)]

    def test_the_same_file_again_stores_nothing(self, evening: Evening) -> None:
        evening.open(FOUR, "french-tarot-4")
        report(evening, FFT)
        again = report(evening, FFT + "10,North,prise,60,1\n")
        assert (again["created"], again["existing"]) == (1, 9)
        assert [row["status"] for row in again["rows"]] == [200] * 9 + [202]
        assert len(evening.read()["hands"]) == 10

    def test_a_corrected_row_is_told(self, evening: Evening) -> None:
        evening.open(FOUR, "french-tarot-4")
        report(evening, FFT)
        changed = FFT.replace("1,North,prise,25,0", "1,North,prise,30,0")
        response = send(evening, changed)
        assert code_of(response, 409) == "hand-exists"
        assert [(fault["row"], fault["code"]) for fault in response.get_json(force=True)["errors"]] == [
            (2, "hand-exists")
        ]
        told = report(evening, changed, "?dry_run=true")
        assert [row["status"] for row in told["rows"]] == [409] + [200] * 8
        # A hand to which something was added since is still the same result.
        evening.add("s1-h1", {"type": "penalty_assessed", "player": "West", "points": -5})
        assert report(evening, FFT)["existing"] == 9

    def test_a_dry_run_scores_and_stores_nothing(self, evening: Evening) -> None:
        evening.open(FOUR, "french-tarot-4")
        told = report(evening, FFT + "10,North,prise,99,1\n", "?dry_run=true")
        assert (told["dry_run"], told["created"], told["failed"]) == (True, 9, 1)
        assert told["rows"][0]["scores"] == {"North": -168, "South": 56, "East": 56, "West": 56}
        bad = told["rows"][9]
        assert (bad["status"], bad["scores"]) == (422, None)
        assert bad["problem"]["errors"][0]["column"] == "card_points"
        assert "clause" in bad["problem"]["errors"][0]
        assert evening.look()["hands"] == []

    def test_all_or_nothing_unless_in_part(self, evening: Evening) -> None:
        evening.open(FOUR, "french-tarot-4")
        text = FFT + "10,North,prise,99,1\n11,Nobody,prise,41,1\n12,North,pris,x,\n"
        assert refused(evening, text) == [
            (11, "card_points", "inconsistent-result"),
            (12, "declarer", "invalid-record"),
            (13, "card_points", "invalid-record"),
        ]
        told = report(evening, text, "?partial=true")
        assert (told["created"], told["failed"]) == (9, 3)
        assert [row["status"] for row in told["rows"]][-3:] == [422] * 3
        assert evening.read()["totals"] == FFT_TOTALS

    def test_the_dealer_and_who_rests(self, evening: Evening) -> None:
        evening.open([*THREE, "Dora"], MAYR)
        head = "number,player_1,player_2,player_3,dealer,declarer,contract,card_points\n"
        text = head + "1,Anna,Béla,Dora,Anna,Dora,solo,36\n"
        assert report(evening, text)["rows"][0]["scores"] == {"Anna": 0, "Béla": 0, "Dora": 44}
        assert evening.look()["hands"][0]["players"] == ["Béla", "Dora", "Anna"]
        bare = "number,declarer,contract,card_points\n2,Dora,solo,36\n"
        faults = send(evening, bare).get_json(force=True)["errors"]
        assert [(fault["row"], fault["column"]) for fault in faults] == [(2, "player_1")]
        assert faults[0]["detail"] == "Name the 3 players of the hand: 4 might have been there."

    def test_rows_of_hands_that_are_still_to_be_played(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        told = report(
            evening,
            "number,round,dealer,contract,declarer,card_points\n1,1,Anna,,,\n\n,,,,,\n2,1,,solo,Béla,36\n",
        )
        assert (told["skipped"], [row["row"] for row in told["rows"]]) == (1, [5])
        assert told["rows"][0]["hand_id"] == "s1-r1-h2"

    def test_a_table_with_a_name(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        told = report(
            evening,
            "number,table,contract,declarer,card_points\n1,am Fenster,solo,Béla,36\n2,3,solo,Béla,36\n",
        )
        first, second = (row["hand_id"] for row in told["rows"])
        assert first.startswith("s1-")
        assert second == "s1-t3-h2"
        assert [hand["table"] for hand in evening.look()["hands"]] == ["am Fenster", 3]

    def test_an_annulled_hand(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        told = report(evening, "number,contract,annulled\n1,,misdeal\n2,,vergeben\n")
        assert told["created"] == 2
        assert event_of(evening, "s1-h2") == {"type": "hand_annulled", "reason": "misdeal"}
        response = send(evening, "number,contract,annulled\n3,solo,misdeal\n4,,soup\n")
        assert [(one["row"], one["column"]) for one in response.get_json(force=True)["errors"]] == [
            (2, "contract"),
            (3, "annulled"),
        ]

    def test_what_is_sent_again_under_a_key(self, evening: Evening) -> None:
        evening.open(FOUR, "french-tarot-4")
        key = {"Idempotency-Key": "once"}
        first = send(evening, FFT, **key)
        again = send(evening, FFT, **key)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.get_data() == first.get_data()
        assert code_of(send(evening, FFT + "\n", **key), 422) == "idempotency-key-reused"

    def test_the_same_bytes_in_another_charset_are_another_file(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        text = "number,contract,declarer,card_points\n1,solo,Béla,36\n".encode("windows-1252")
        assert code_of(send(evening, text, **{"Idempotency-Key": "once"}), 400) == "bad-request"
        mended = send(evening, text, charset="windows-1252", **{"Idempotency-Key": "once"})
        assert code_of(mended, 422) == "idempotency-key-reused"
        assert (
            send(evening, text, charset="windows-1252", **{"Idempotency-Key": "twice"}).get_json()["created"]
            == 1
        )

    def test_a_closed_evening_takes_none(self, evening: Evening) -> None:
        evening.open(FOUR, "french-tarot-4")
        evening.decide("close")
        assert code_of(send(evening, FFT), 409) == "session-closed"
        assert (
            code_of(
                evening.client.post("/v1/sessions/x/results:import", data=b"", content_type="text/csv"), 404
            )
            == "unknown-session"
        )


class TestCells:
    @pytest.mark.parametrize(
        ("cell", "bonuses"),
        [
            ("pagat", [{"bonus": "pagat", "player": "Anna", "stage": "silent", "made": True}]),
            (
                "Pagat verloren Béla; vierzig contra vor dem Talon",
                [
                    {"bonus": "pagat", "player": "Béla", "stage": "silent", "made": False},
                    {
                        "bonus": "forty",
                        "player": "Anna",
                        "stage": "before_pickup",
                        "made": True,
                        "contra": "contra",
                    },
                ],
            ),
            (
                "pagat nach dem Talon lost;; ",
                [{"bonus": "pagat", "player": "Anna", "stage": "after_pickup", "made": False}],
            ),
            (
                "Пагат после прикупа не сделано; Vierzig vor dem Talon",
                [
                    {"bonus": "pagat", "player": "Anna", "stage": "after_pickup", "made": False},
                    {"bonus": "forty", "player": "Anna", "stage": "before_pickup", "made": True},
                ],
            ),
        ],
    )
    def test_bonuses(self, evening: Evening, cell: str, bonuses: list[dict[str, Any]]) -> None:
        evening.open(THREE, MAYR)
        text = f'number,contract,declarer,card_points,bonuses\n1,zweiblatt,Anna,45,"{cell}"\n'
        report(evening, text)
        assert event_of(evening, "s1-h1")["bonuses"] == bonuses

    def test_bonuses_of_french_tarot(self, evening: Evening) -> None:
        evening.open(FOUR, "french-tarot-4")
        report(
            evening,
            "number;Preneur;Contrat;Points faits;Bouts;Primes\n"
            '1;South;Garde sans;56,0;2;"poignée double North; petit au bout East"\n'
            '2;South;Petite;91;3;"chelem annoncé réussi"\n',
        )
        assert event_of(evening, "s1-h1") == {
            "type": "result_reported",
            "contract": "garde_sans",
            "declarer": "South",
            "card_points": 56,
            "oudlers": 2,
            "bonuses": [
                {"bonus": "handful", "size": "double", "player": "North"},
                {"bonus": "petit_au_bout", "player": "East"},
            ],
        }
        assert event_of(evening, "s1-h2")["bonuses"] == [{"bonus": "slam", "made": True, "announced": True}]

    def test_another_word_for_a_stake(self, evening: Evening) -> None:
        evening.open(THREE, "illustrated-loew-1954")
        report(evening, "number,contract,declarer,stake,card_points\n1,dreiblatt,Anna,übernommen,36\n")
        assert event_of(evening, "s1-h1")["stake"] == "taken_over"

    def test_contra_stake_and_half_points(self, evening: Evening) -> None:
        evening.open(THREE, "illustrated-loew-1954")
        head = "number,contract,declarer,stake,card_points,contra,contra_stage\n"
        report(evening, head + "1,dreiblatt,Anna,abgelöst,36,Kontra,nach dem Talon\n")
        event = event_of(evening, "s1-h1")
        assert event["stake"] == "taken_over"
        assert event["contra"] == {"level": "contra", "stage": "after_pickup"}
        text = (
            head
            + "2,dreiblatt,Anna,,36,,after_pickup\n"
            + "3,dreiblatt,Anna,,40½,,\n4,dreiblatt,Anna,bought,36,triple,\n"
        )
        faults = send(evening, text).get_json(force=True)["errors"]
        assert {(one["row"], one["column"]) for one in faults} >= {
            (2, "contra"),
            (3, "card_points"),
            (4, "stake"),
            (4, "contra"),
        }

    def test_trischaken(self, evening: Evening) -> None:
        evening.open(THREE, "illustrated-beck")
        head = "number,contract,card_points_1,card_points_2,card_points_3,tricks_1,tricks_2,tricks_3,dealer\n"
        told = report(evening, head + "1,Trischaken,20,18,32,5,5,6,Anna\n")
        assert told["created"] == 1
        event = event_of(evening, "s1-h1")
        assert event["card_points_by_player"] == {"Anna": 20, "Béla": 18, "Cyril": 32}
        assert event["tricks_by_player"] == {"Anna": 5, "Béla": 5, "Cyril": 6}
        faults = send(evening, head + "2,Trischaken,20,18,,5,5,6,Anna\n").get_json(force=True)["errors"]
        assert faults[0]["column"] == "card_points_1"

    def test_the_partner_of_five(self, evening: Evening) -> None:
        evening.open(FIVE, "french-tarot-5")
        head = "number,taker,partner,contract,points,oudlers\n"
        told = report(
            evening, head + '1,Anna,Dora,garde,51,2\n2,Anna,Anna,prise,"40,5",2\n3,Anna,Anna,prise,40½,2\n'
        )
        assert [event_of(evening, f"s1-h{number}")["card_points"] for number in (1, 2, 3)] == [51, 40.5, 40.5]
        # (25 + 10) * 2 = 70: twice for the taker, once for the partner, from three.
        assert told["rows"][0]["scores"] == {"Anna": 140, "Béla": -70, "Cyril": -70, "Dora": 70, "Emil": -70}
        assert [
            one["column"]
            for one in send(evening, "number,taker,contract,points,oudlers\n2,Anna,garde,51,2\n").get_json(
                force=True
            )["errors"]
        ] == ["partner"]

    def test_a_name_that_our_own_files_write_with_an_apostrophe(self, evening: Evening) -> None:
        evening.open(["=1+1", "Béla", "'Cyril"], MAYR)
        told = report(evening, "number,contract,declarer,card_points\n1,solo,'=1+1,36\n2,solo,'Cyril,36\n")
        assert told["rows"][0]["scores"] == {"=1+1": 44, "Béla": 0, "'Cyril": 0}
        assert told["created"] == 2

    def test_players_who_are_called_like_a_word(self, evening: Evening) -> None:
        evening.open(["Silent Bob", "Made  Up", "Lost"], MAYR)
        head = "number,contract,declarer,card_points,bonuses\n"
        rows = (
            "1,solo,Silent Bob,36,pagat lost Silent Bob\n"
            "2,solo,Made  Up,36,pagat silent made Made Up\n"
            "3,solo,Lost,36,pagat lost lost\n"
        )
        told = report(evening, head + rows)
        found = [event_of(evening, row["hand_id"])["bonuses"] for row in told["rows"]]
        who = [[(one["player"], one["made"]) for one in some] for some in found]
        assert who == [[("Silent Bob", False)], [("Made  Up", True)], [("Lost", False)]]


class TestFiles:
    HEADS = ("number", "contract", "declarer", "card_points")

    @pytest.mark.parametrize("lang", LANGUAGES)
    @pytest.mark.parametrize("delimiter", [",", ";", "\t"])
    def test_heads_in_every_language(self, evening: Evening, lang: str, delimiter: str) -> None:
        evening.open(THREE, MAYR)
        heads = delimiter.join(head_of(head, lang) for head in self.HEADS)
        row = delimiter.join(("1", "Solo", '"Anna"', "36"))
        body = f"\ufeff{heads.upper()}\r\n{row}\r\n".encode()
        assert report(evening, body)["rows"][0]["scores"] == {"Anna": 44, "Béla": 0, "Cyril": 0}

    @pytest.mark.parametrize("charset", CHARSETS)
    def test_charsets(self, evening: Evening, charset: str) -> None:
        names = ["Анна", "Игорь", "Пётр"] if charset == "windows-1251" else THREE
        evening.open(names, MAYR)
        text = f"number,contract,declarer,card_points\n1,solo,{names[1]},36\n"
        assert report(evening, text.encode(charset), charset=charset)["created"] == 1

    @pytest.mark.parametrize("before", ["", "\n", "  \n", ",,,\n", "\r\n \r\n"])
    def test_what_parts_the_cells_is_seen_in_the_heads(self, evening: Evening, before: str) -> None:
        """Not in what is empty before them, nor in what comes after them, whatever ends the rows."""
        evening.open(THREE, MAYR)
        text = "number,contract,declarer,card_points,bonuses\r1,solo,Anna,36,pagat;;;;;;;;;;;;;\r"
        assert report(evening, before + text)["created"] == 1

    def test_a_name_in_two_characters_a_letter(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        assert report(evening, "number,contract,declarer,card_points\n1,solo,Be\u0301la,36\n")["created"] == 1

    @pytest.mark.parametrize(
        ("text", "faults"),
        [
            ("", [(1, None)]),
            ("\n\n", [(1, None)]),
            ("number,declarer\n", [(1, "contract")]),
            ("number,contract,declare,soup,number\n", [(1, "declare"), (1, "soup"), (1, "number")]),
            ("number,contract\n1,solo,Anna\n", [(2, None)]),
            ('number,contract\n1,"solo\n', [(2, None)]),
            ('number,contract\n1,"so"lo\n', [(2, None)]),
            (f"number,contract\n1,{'x' * (MAX_CELL + 1)}\n", [(2, "contract")]),
            ("number,contract\n" + "1,solo\n" * (MAX_RESULT_ROWS + 1), [(MAX_RESULT_ROWS + 2, None)]),
            (
                "number,contract,declarer,card_points\nx,solo,Anna,36\n,solo,Anna,36\n0,solo,Anna,36\n",
                [(2, "number"), (3, "number"), (4, "number")],
            ),
            ("number,contract,declarer,card_points\n1,solo,Anna,36\n1,solo,Anna,36\n", [(3, "number")]),
            ("number,contract,declarer,card_points,dealer\n1,solo,Anna,36,Emil\n", [(2, "dealer")]),
            ("number,contract,declarer,card_points,player_1\n1,solo,Anna,36,Emil\n", [(2, "player_1")]),
            ("number,contract,declarer,card_points,bonuses\n1,solo,Anna,36,soup Anna\n", [(2, "bonuses")]),
            ("number,contract,declarer,card_points,bonuses\n1,solo,Anna,36,pagat double\n", [(2, "bonuses")]),
            ("number,contract,card_points\n1,solo,36\n", [(2, "declarer")]),
        ],
    )
    def test_faults_name_row_and_column(
        self, evening: Evening, text: str, faults: list[tuple[int, str | None]]
    ) -> None:
        evening.open(THREE, MAYR)
        assert [(row, column) for row, column, _ in refused(evening, text)] == faults

    def test_more_faults_than_are_listed(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        rows = "".join(f"{number},solo,Ana,36\n" for number in range(1, MAX_RESULT_ROWS + 1))
        problem = send(evening, "number,contract,declarer,card_points\n" + rows).get_json(force=True)
        assert len(problem["errors"]) == MAX_FAULTS + 1
        assert problem["errors"][-1]["detail"] == "There are more faults, which are not listed."
        assert problem["detail"].endswith(f"({MAX_RESULT_ROWS} faults in all)")

    def test_few_faults_of_a_row_are_told(self, evening: Evening) -> None:
        """A file of a megabyte must not be answered with a hundred."""
        evening.open(THREE, MAYR)
        head = "number,contract,declarer,card_points,bonuses\n"
        (row,) = report(evening, f"{head}1,solo,Anna,36,{'x;' * 40}\n", "?dry_run=true")["rows"]
        assert len(row["problem"]["errors"]) == MAX_FAULTS_A_LINE + 1
        assert "(40 faults in all)" in row["problem"]["detail"]
        (row,) = report(evening, f"{head}1,solo,Anna,36,{'x;' * 70}\n", "?dry_run=true")["rows"]
        assert [fault["detail"] for fault in row["problem"]["errors"]] == [
            f"A hand has at most {MAX_REPORTED_BONUSES} bonuses, not 70."
        ]

    def test_no_more_columns_are_looked_at_than_are_told(
        self, evening: Evening, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was meant by a name is dear to tell: a megabyte of names took ten seconds."""
        looks: list[str] = []

        def look(name: str, *_: object) -> list[str]:
            looks.append(name)
            return []

        monkeypatch.setattr(result_table, "get_close_matches", look)
        evening.open(THREE, MAYR)
        response = send(evening, ",".join(f"x{number}" for number in range(5 * MAX_FAULTS)))
        assert len(response.get_json(force=True)["errors"]) == MAX_FAULTS + 1
        assert len(looks) == MAX_FAULTS + 1

    def test_a_row_without_a_number_names_no_hand(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        told = report(evening, "number,contract,declarer,card_points\n,solo,Anna,36\n", "?dry_run=true")
        assert [(row["hand_id"], row["status"]) for row in told["rows"]] == [(None, 422)]

    def test_a_fault_in_words(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        problem = send(evening, "number,kontrukt\n").get_json(force=True)
        assert problem["detail"].startswith("Row 1, kontrukt: No such column: ")
        assert problem["detail"].endswith(" (2 faults in all)")
        problem = send(evening, "number,contract,declarer,card_points\n1,solo,Ana,36\n").get_json(force=True)
        assert problem["detail"].startswith("Row 2, declarer: ")

    def test_what_is_no_file_of_results(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        assert code_of(send(evening, "Béla".encode("windows-1252")), 400) == "bad-request"
        assert code_of(send(evening, "x", charset="ebcdic"), 415) == "unsupported-media-type"
        path = f"{evening.path}/results:import"
        assert code_of(evening.client.post(path, json={}), 415) == "unsupported-media-type"
        response = evening.client.post(
            path, data=b"", content_type="text/csv", headers={"Content-Encoding": "gzip"}
        )
        assert code_of(response, 415) == "unsupported-media-type"
        assert faults_of(send(evening, "", "?dry_run=1")) == [("dry_run", "invalid-record")]

    def test_no_two_places_have_the_same_id(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """Not where a session or a table is called as the place of another one is written."""
        head = "round,table,number,contract,declarer,card_points\n"
        files = {
            "club": "1,,1,solo,Anna,36\n,t2,1,solo,Anna,36\n,x-y,1,solo,Anna,36\n1,2,1,solo,Anna,36\n",
            "club-r1": ",,1,solo,Béla,36\n,2,1,solo,Béla,36\n",
            "club-tt2": ",,1,solo,Béla,36\n",
            "club-tx": ",y,1,solo,Béla,36\n",
            "club-tx-y": ",,1,solo,Béla,36\n",
            "club-r1-t2": ",,1,solo,Béla,36\n",
        }
        for session_id, rows in files.items():
            evening = Evening(stored, redis_client, session_id)
            evening.open(THREE, MAYR)
            assert report(evening, head + rows)["created"] == rows.count("\n")
            assert report(evening, head + rows)["existing"] == rows.count("\n")

    def test_an_id_that_would_be_too_long(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        evening = Evening(stored, redis_client, "s" * 128)
        evening.open(THREE, MAYR)
        told = report(evening, "number,contract,declarer,card_points\n1,solo,Anna,36\n2,solo,Anna,36\n")
        ids = [row["hand_id"] for row in told["rows"]]
        assert len(set(ids)) == 2
        assert all(len(hand_id) == 128 for hand_id in ids)


class TestATournament:
    HEAD = "round,table,number,taker,contract,points,oudlers,player_1,player_2,player_3,player_4\n"
    FOUR = "Anna,Béla,Cyril,Dora"

    @pytest.fixture
    def desk(self, stored: CheckedClient, redis_client: redis.Redis) -> Desk:
        return Desk(stored, redis_client)

    def send(self, desk: Desk, text: str, query: str = "") -> Any:
        return desk.client.post(f"{PATH}/results:import{query}", data=text.encode(), content_type="text/csv")

    def test_results_are_in_the_standings(self, desk: Desk) -> None:
        text = self.HEAD + f"1,1,1,Anna,garde,49,2,{self.FOUR}\n2,1,1,Béla,garde,49,2,{self.FOUR}\n"
        assert self.send(desk, text).get_json()["created"] == 2
        desk.score()
        assert desk.standings()["hand_counts"]["counted"] == 2
        assert {player: points for _, player, points in desk.places()}["Anna"] == 198 - 66

    def test_players_are_those_who_are_seated(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        seats = [{"round": 1, "tables": [{"table": 1, "players": ["Dora", "Cyril", "Béla", "Anna"]}]}]
        desk = Desk(stored, redis_client, seats=seats)
        text = "round,table,number,taker,contract,points,oudlers,dealer\n1,1,1,Anna,garde,49,2,Cyril\n"
        assert self.send(desk, text).get_json()["created"] == 1
        hand = desk.client.get(f"/v1/hands/{FRIDAY['tournament_id']}-r1-t1-h1").get_json()
        assert hand["players"] == ["Béla", "Anna", "Dora", "Cyril"]
        text = self.HEAD + "1,1,2,Anna,garde,49,2,Anna,Béla,Cyril,Emil\n"
        errors = self.send(desk, text).get_json(force=True)["errors"]
        assert [(one["row"], one["column"]) for one in errors] == [(2, "player_4")]

    def test_places_are_those_of_the_tournament(self, desk: Desk) -> None:
        text = self.HEAD + "".join(
            f"{place},Anna,garde,49,2,{self.FOUR}\n"
            for place in ("9,1,1", "1,9,1", "1,1,99", ",1,1", "1,x,1")
        )
        errors = self.send(desk, text).get_json(force=True)["errors"]
        assert [(one["row"], one["column"]) for one in errors] == [
            (2, "round"),
            (3, "table"),
            (4, "number"),
            (5, "round"),
            (6, "table"),
        ]

    def test_a_closed_one_takes_none(self, desk: Desk) -> None:
        desk.direct({"type": "tournament_closed"})
        assert code_of(self.send(desk, self.HEAD), 409) == "tournament-closed"

    def test_the_template(self, desk: Desk) -> None:
        for path in (f"{PATH}/results:template", "/v1/sessions/none/results:template"):
            response = desk.client.get(path)
            assert response.status_code == (200 if PATH in path else 404)
        body = desk.client.get(f"{PATH}/results:template?lang=fr").get_data()
        assert body.decode("utf-8-sig").startswith("Tour;Table;N°;Donneur;Joueur 1;")
        assert self.send(desk, body.decode()).get_json()["rows"] == []


class TestTheTemplateOfAnEvening:
    def test_the_example_is_true(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        body = evening.client.get(f"{evening.path}/results:template").get_data(as_text=True)
        examples = load_document().raw["components"]["examples"]
        assert body.splitlines() == examples["SessionResultsTemplate"]["value"].splitlines()

    def test_names_of_columns_and_words_mean_one_thing(self) -> None:
        columns = {column for variant in VARIANTS.values() for column in columns_of(variant)}
        heads: dict[str, str] = {}
        for column in columns:
            for lang in LANGUAGES:
                assert heads.setdefault(plain(head_of(column, lang)), column) == column
        words: dict[str, str] = {}
        for term, meant in IN_CELLS.items():
            for one in TERMS[term]:
                assert words.setdefault(plain(one), meant) == meant, one


class TestWhoMayDoWhat:
    def test_it_takes_the_scope_to_submit(self, redis_url: str) -> None:
        client = keyed_client(redis_url)
        body = {"session_id": "s1", "players": THREE, "variant": MAYR}
        assert client.post("/v1/sessions", json=body, headers=as_key("table")).status_code == 201
        text = b"number,contract,declarer,card_points,annulled\n1,solo,Anna,36,\n"
        path = "/v1/sessions/s1/results:import"

        def sent(key: str, data: bytes = text) -> Any:
            return client.post(path, data=data, content_type="text/csv", headers=as_key(key))

        assert code_of(sent("reader"), 403) == "forbidden"
        assert sent("table").get_json()["created"] == 1
        by_director = text + b"2,,,,director\n"
        assert code_of(sent("table", by_director), 403) == "forbidden"
        assert sent("director", by_director).get_json()["created"] == 1
        assert client.get("/v1/sessions/s1/results:template", headers=as_key("reader")).status_code == 200
        assert (
            code_of(client.get("/v1/sessions/s1/results:template", headers=as_key("sender")), 403)
            == "forbidden"
        )

    def test_limits_in_the_document(self) -> None:
        for path in (
            "/v1/sessions/{session_id}/results:import",
            "/v1/tournaments/{tournament_id}/results:import",
        ):
            said = " ".join(load_document().raw["paths"][path]["post"]["description"].split())
            assert f"at most {MAX_RESULT_ROWS:,} results" in said
            assert f"at most {MAX_CELL} characters" in said
            assert ", ".join(CHARSETS[1:]) in said
