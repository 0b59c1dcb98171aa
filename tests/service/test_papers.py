"""Standings and score sheets on paper: the same figures in every form, in four languages; nothing harmful."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import quote

import pytest
import redis
from reportlab.pdfbase.pdfmetrics import stringWidth

from records.limits import MAX_PDF_CELLS
from service.paper.as_html import content_policy
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.document import load_document
from tests.service.evenings import FFT_SHEET, FFT_TOTALS, FOUR, MAYR, THREE, Evening, solo, tarot
from tests.service.papers import LANGUAGES, book_of, csv_of, get, page_of, pdf_of, words_of
from tests.service.test_tournaments import PATH, Desk, played

A4 = (595, 842)
NASTY = ['<b>"Bold" & Co', "=1+1", "Müller-Дворжак-Dvořák-" + "W" * 42, "@SUM(A1)"]


@pytest.fixture
def evening(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    return Evening(stored, redis_client)


@pytest.fixture
def printed(evening: Evening) -> Evening:
    """The evening whose sheet the FFT prints as its example."""
    evening.open(FOUR, "french-tarot-4", name="FFT")
    evening.play(*(tarot(*line) for line in FFT_SHEET))
    evening.score()
    return evening


def numbers(cells: list[str]) -> list[float | None]:
    """Figures as a reader takes them."""
    return [float(cell.replace("−", "-").replace(",", ".")) if cell else None for cell in cells]


def totals_of(row: list[Any]) -> list[Any]:
    """Of a line of the table's sheet, the totals of the players."""
    return row[-7::2]


class TestTheSameFigures:
    """North -446, South +1346, East -390 and West -510, as the FFT prints them."""

    wanted: Final = [FFT_TOTALS[player] for player in FOUR]

    @pytest.mark.parametrize("lang", LANGUAGES)
    def test_of_the_table(self, printed: Evening, lang: str) -> None:
        path = f"{printed.path}/sheet"
        told = printed.client.get(path).get_json()
        lines = [[row["totals"][player] for player in FOUR] for row in told["rows"]]
        assert lines[-1] == self.wanted
        table = page_of(get(printed.client, path, "html", lang)).tables[0]
        assert [numbers(totals_of(row)) for row in table[2:]] == [*lines, self.wanted]
        rows = csv_of(get(printed.client, path, "csv", lang), "," if lang == "en" else ";")
        assert [numbers(totals_of(row)) for row in rows[1:]] == [*lines, self.wanted]
        sheet = book_of(get(printed.client, path, "xlsx", lang)).active
        cells = [list(row) for row in sheet.iter_rows(min_row=2, values_only=True)]
        assert [totals_of(row) for row in cells] == [*lines, self.wanted]
        text = words_of(get(printed.client, path, "pdf", lang))
        for row in table[2:]:
            assert " ".join(cell for cell in row if cell) in text

    def test_of_a_player(self, printed: Evening) -> None:
        path = f"{printed.path}/sheet?player=South"
        told = printed.client.get(path).get_json()
        assert (told["points"], [row["total"] for row in told["rows"]][-1]) == (1346, 1346)
        response = printed.client.get(f"{path}&format=html&lang=fr")
        table = page_of(response.get_data()).tables[0]
        assert [numbers(row[-1:]) for row in table[1:]] == [*([row["total"]] for row in told["rows"]), [1346]]
        assert table[3] == ["3", "South", "Prise", "51", "réussi", "Preneur", "105", "216"]
        text = words_of(printed.client.get(f"{path}&format=pdf&lang=fr").get_data())
        assert "3 South Prise 51 réussi Preneur 105 216" in text
        assert "Feuille du joueur : South" in text

    def test_of_the_standings(self, printed: Evening) -> None:
        path = f"{printed.path}/standings"
        told = printed.client.get(path).get_json()
        rows = [[one[name] for name in ("place", "player", "points")] for one in told["standings"]]
        assert rows == [[1, "South", 1346], [2, "East", -390], [3, "North", -446], [4, "West", -510]]
        table = page_of(get(printed.client, path, "html")).tables[0]
        assert [[row[0], row[1], *numbers(row[2:3])] for row in table[1:]] == [
            [str(row[0]), *row[1:]] for row in rows
        ]
        plain = csv_of(get(printed.client, path, "csv", None))
        assert plain[:2] == [
            ["place", "player", "points", "penalties", "hands"],
            ["1", "South", "1346", "0", "9"],
        ]
        assert csv_of(get(printed.client, path, "csv-semicolon", None), ";") == plain

    def test_of_a_workbook_without_a_language(self, printed: Evening) -> None:
        path = f"{printed.path}/sheet"
        sheet = book_of(get(printed.client, path, "xlsx", None)).active
        rows = [
            ["" if cell is None else str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)
        ]
        assert rows == csv_of(get(printed.client, path, "csv", None))


class TestASeries:
    def test_the_sheet_of_an_evening(self, evening: Evening) -> None:
        """A bonus, a hand that does not count, a player who rests, a penalty."""
        evening.open([*THREE, "Dora"], MAYR, time_zone="Europe/Vienna")
        bonus = {"bonus": "pagat", "player": "Anna", "stage": "silent", "made": False}
        lost = solo("Anna", 20)
        lost["events"] = [{**lost["events"][0], "contract": "zweiblatt", "bonuses": [bonus]}]
        evening.play(
            {**lost, "round": 1},
            solo("Béla", 60, round=1),
            {**solo("Anna", 36, round=1), "events": [{"type": "hand_annulled", "reason": "misdeal"}]},
        )
        penalty = {"type": "penalty_assessed", "player": "Anna", "points": -5, "reason": "late"}
        evening.add("h2", penalty)
        evening.score()
        told = evening.client.get(f"{evening.path}/sheet").get_json()
        (table,) = page_of(get(evening.client, f"{evening.path}/sheet", "html", "de")).tables
        assert table[1][:8] == [
            "Nr.",
            "Runde",
            "Geber",
            "Spieler",
            "Kontrakt",
            "Augen",
            "Ergebnis",
            "Prämien",
        ]
        assert "Probe" not in table[1]  # nothing has to come to zero here
        first, second = table[2], table[3]
        assert first[3:8] == ["Anna", "Zweiblatt", "20", "verloren", "Pagat (verloren)"]
        assert [row[4] for row in table[2:]] == [
            "Zweiblatt",
            "Solo",
            "Prämie der Partie 1",
            "",
            "Summe",
            "Strafen",
            "Gesamt",
        ]
        assert second[-2:] == ["", "0"]  # Dora rests
        assert table[5][6] == "zählt nicht: annulliert"
        assert numbers(totals_of(table[-1])) == [told["points"][player] for player in [*THREE, "Dora"]]


class TestATournament:
    @pytest.fixture
    def desk(self, stored: CheckedClient, redis_client: redis.Redis) -> Desk:
        desk = Desk(
            stored,
            redis_client,
            players=None,
            teams=[
                {"team": "Paris", "players": FOUR_AT_FRIDAY[:2]},
                {"team": "Graz", "players": FOUR_AT_FRIDAY[2:]},
            ],
            rate={"minor_units_per_point": 5, "currency": "EUR"},
            prizes={"amounts": [10000, 5050], "currency": "EUR"},
        )
        stored.put("/v1/players/Béla", json={"name": "Béla B."})
        desk.submit(
            played(),
            played("Béla", 30, number=2, hand_id="h2"),
            played("Dora", 60, 2, hand_id="h3"),
            played(
                "Cyril",
                60,
                2,
                number=2,
                hand_id="h4",
                events=[{"type": "hand_annulled", "reason": "director"}],
            ),
        )
        desk.direct(
            {"type": "penalty_assessed", "player": "Béla", "points": -20, "reason": "late", "round": 1},
            {"type": "penalty_assessed", "player": "Béla", "points": -5},
        )
        return desk

    def test_a_player_s_sheet_adds_up_to_the_standings(self, desk: Desk) -> None:
        standings = {row["player"]: row for row in desk.standings()["standings"]}
        for player in FOUR_AT_FRIDAY:
            told = desk.client.get(f"{PATH}/players/{player}/sheet").get_json()
            assert told["points"] == standings[player]["points"] == sum(row["points"] for row in told["rows"])
            assert told["rows"][-1]["total"] == told["points"]
            assert told["penalties"] == standings[player]["penalties"]
            assert told["rounds"] == standings[player]["rounds"]
            assert (told["place"], told["team"]) == (standings[player]["place"], standings[player]["team"])
        # (25 + 8) * 2 = 66 from Anna's; (25 + 11) * 2 = 72 lost to three; (25 + 19) * 2 = 88 to Dora.
        told = desk.client.get(f"{PATH}/players/Béla/sheet").get_json()
        lines = [
            (row["kind"], row["round"], row["number"], row["role"], row["points"], row["total"])
            for row in told["rows"]
        ]
        assert lines == [
            ("hand", 1, 1, "defender", -66, -66),
            ("hand", 1, 2, "declarer", -216, -282),
            ("penalty", 1, None, None, -20, -302),
            ("hand", 2, 1, "defender", -88, -390),
            ("penalty", None, None, None, -5, -395),
        ]
        assert [row["reason"] for row in told["rows"]] == [None, None, "late", None, None]
        assert [one["reason"] for one in told["left_out"]] == ["annulled"]

    @pytest.mark.parametrize("lang", LANGUAGES)
    def test_every_form_of_it_has_the_same_lines(self, desk: Desk, lang: str) -> None:
        path = f"{PATH}/players/Béla/sheet"
        told = desk.client.get(path).get_json()
        wanted = [[row["points"], row["total"]] for row in told["rows"]]
        page = page_of(get(desk.client, path, "html", lang))
        assert [numbers(row[-2:]) for row in page.tables[0][1:-1]] == wanted
        assert numbers(page.tables[0][-1][-1:]) == [told["points"]]
        assert "Béla B." in page.text
        text = words_of(get(desk.client, path, "pdf", lang))
        for row in page.tables[0][1:]:
            assert " ".join(cell for cell in row if cell) in text
        rows = csv_of(get(desk.client, path, "csv", lang), "," if lang == "en" else ";")
        assert [numbers(row[-2:]) for row in rows[1:6]] == wanted
        cells = list(
            book_of(get(desk.client, path, "xlsx", lang)).worksheets[0].iter_rows(min_row=2, values_only=True)
        )
        assert [list(row[-2:]) for row in cells[:5]] == wanted
        plain = csv_of(get(desk.client, path, "csv", None))
        assert [numbers(row[-2:]) for row in plain[1:]] == wanted

    @pytest.mark.parametrize("lang", LANGUAGES)
    def test_the_standings(self, desk: Desk, lang: str) -> None:
        told = desk.standings()
        wanted = [
            [row["place"], row["points"], *row["rounds"], row["penalties"]] for row in told["standings"]
        ]
        page = page_of(get(desk.client, f"{PATH}/standings", "html", lang))
        players, teams, penalties, left_out = page.tables
        assert [numbers([row[0], *row[2:6]]) for row in players[1:]] == wanted
        assert [row[1] for row in teams[1:]] == [row["team"] for row in told["teams"]]
        assert numbers([row[1] for row in penalties[1:]]) == [-20, -5]
        assert len(left_out) == 2
        text = words_of(get(desk.client, f"{PATH}/standings", "pdf", lang))
        for row in players[1:]:
            assert " ".join(cell for cell in row[:6] if cell) in text
        book = book_of(get(desk.client, f"{PATH}/standings", "xlsx", lang))
        first = list(book.worksheets[0].iter_rows(min_row=2, values_only=True))
        assert [[row[0], *row[2:6]] for row in first] == wanted
        assert len(book.worksheets) == 4
        rows = csv_of(get(desk.client, f"{PATH}/standings", "csv", lang), "," if lang == "en" else ";")
        assert [numbers([row[0], *row[2:6]]) for row in rows[1:5]] == wanted

    def test_it_says_after_which_round(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """Rounds that are still to be played are none."""
        desk = Desk(stored, redis_client)
        assert "<p><bdi>Rangliste</bdi></p>" in get(desk.client, f"{PATH}/standings", "html", "de").decode()
        desk.submit(played())
        page = get(desk.client, f"{PATH}/standings", "html", "de").decode()
        assert "<p><bdi>Rangliste nach Runde 1</bdi></p>" in page

    def test_money_is_written_as_money(self, desk: Desk) -> None:
        told = desk.standings()["standings"][0]
        assert (told["money"], told["prize"]) == (1350, 10000)  # 198 - 66 + 72 + 66 points, 5 cents each
        players = page_of(get(desk.client, f"{PATH}/standings", "html", "de")).tables[0]
        assert [cell.replace("\xa0", " ") for cell in players[1][-2:]] == ["13,50 €", "100,00 €"]

    def test_the_sheets_of_a_table(self, desk: Desk) -> None:
        path = f"{PATH}/tables/1/sheet"
        told = desk.client.get(path).get_json()
        page = page_of(get(desk.client, path, "html", "fr"))
        for sheet, table in zip(told["sheets"], [page.tables[0], page.tables[2]], strict=True):
            figures = [[row["points"][player] for player in FOUR_AT_FRIDAY] for row in sheet["hands"]]
            figures.append([sheet["totals"][player] for player in FOUR_AT_FRIDAY])
            assert [numbers(row[-5:-1]) for row in table[1:]] == figures
            assert [row[-1] for row in table[1:]] == ["0"] * len(figures)
        assert "Chaque ligne est à somme nulle." in page.text
        assert "Béla B." in page.tables[0][0]
        header, *rows = csv_of(get(desk.client, path, "csv", None))
        assert header[-4:] == FOUR_AT_FRIDAY
        assert [row[2] for row in rows] == ["friday-r1-t1-h1", "h2", "total", "h3", "total"]

    def test_another_ranking_than_by_points(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """There the scores do not add up to what is ranked: the rounds and the penalties do."""
        desk = Desk(stored, redis_client, ranking="table_points", table_points=[3, 2, 1, 0])
        desk.submit(played(), played("Béla", 30, number=2, hand_id="h2"))
        desk.direct({"type": "penalty_assessed", "player": "Anna", "points": -1})
        told = desk.client.get(f"{PATH}/players/Anna/sheet").get_json()
        assert (told["points"], told["penalties"], told["rounds"]) == (2, -1, [3, None])
        assert [row["total"] for row in told["rows"]] == [None] * 3
        hands, rounds = page_of(get(desk.client, f"{PATH}/players/Anna/sheet", "html")).tables
        assert hands[0][-1] == "Points"
        assert [row[-1] for row in rounds[1:]] == ["3", "", "−1", "2"]

    def test_who_is_not_there(self, desk: Desk) -> None:
        assert code_of(desk.client.get(f"{PATH}/players/Nobody/sheet"), 404) == "unknown-player"
        assert (
            code_of(desk.client.get("/v1/tournaments/none/players/Anna/sheet"), 404) == "unknown-tournament"
        )


FOUR_AT_FRIDAY = ["Anna", "Béla", "Cyril", "Dora"]


class TestNegotiation:
    @pytest.mark.parametrize(
        ("accept", "kind"),
        [
            (None, "application/json"),
            ("*/*", "application/json"),
            ("application/json", "application/json"),
            ("image/png", "application/json"),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
            ("application/pdf", "application/pdf"),
            ("text/csv", "text/csv"),
            ("application/json;q=0.1, application/pdf;q=0.5", "application/pdf"),
        ],
    )
    def test_accept(self, evening: Evening, accept: str | None, kind: str) -> None:
        evening.open(THREE, MAYR)
        response = evening.client.get(
            f"{evening.path}/standings", headers={} if accept is None else {"Accept": accept}
        )
        assert response.mimetype == kind
        assert {"accept", "accept-language"} <= {name.lower() for name in response.vary}

    def test_the_format_that_is_named_goes_before(self, evening: Evening) -> None:
        evening.open(THREE, MAYR)
        headers = {"Accept": "text/html", "Accept-Language": "fr"}
        response = evening.client.get(f"{evening.path}/sheet?format=csv", headers=headers)
        assert response.mimetype == "text/csv"
        assert response.get_data(as_text=True).startswith("series,table,")

    @pytest.mark.parametrize(
        ("asked", "lang", "found"),
        [
            ("de-AT,de;q=0.9,en;q=0.5", None, "de"),
            ("ru", None, "ru"),
            ("it, fr;q=0.1", None, "fr"),
            ("it", None, "en"),
            ("fr", "de", "de"),
        ],
    )
    def test_the_language(self, evening: Evening, asked: str, lang: str | None, found: str) -> None:
        evening.open(THREE, MAYR)
        query = f"?format=html{'' if lang is None else f'&lang={lang}'}"
        response = evening.client.get(f"{evening.path}/sheet{query}", headers={"Accept-Language": asked})
        assert response.headers["Content-Language"] == found
        assert f'<html lang="{found}">' in response.get_data(as_text=True)

    def test_the_entity_tag_of_a_pdf_holds(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        desk = Desk(stored, redis_client)
        first = desk.client.get(f"{PATH}/standings?format=pdf")
        tag = {"If-None-Match": first.headers["ETag"]}
        assert desk.client.get(f"{PATH}/standings?format=pdf", headers=tag).status_code == 304


class TestHarmless:
    @pytest.fixture
    def nasty(self, evening: Evening) -> Evening:
        evening.open(NASTY[:3], MAYR, name="<script>alert(1)</script>")
        evening.play(*(solo(player, 20, players=NASTY[:3]) for player in NASTY[:3]))
        evening.client.put("/v1/players/=1+1", json={"name": NASTY[3]})
        evening.score()
        return evening

    @pytest.mark.parametrize("path", ["/sheet", "/sheet?player=%3D1%2B1", "/standings"])
    def test_a_page_runs_nothing_and_loads_nothing(self, nasty: Evening, path: str) -> None:
        response = nasty.client.get(f"{nasty.path}{path}{'&' if '?' in path else '?'}format=html")
        policy = response.headers["Content-Security-Policy"]
        assert policy == content_policy()
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        page = page_of(response.get_data())
        tags = {tag for tag, _ in page.tags}
        assert not tags & {"script", "link", "img", "a", "b", "iframe", "form", "object", "base"}
        names = {name for _, attributes in page.tags for name in attributes}
        assert names <= {"lang", "charset", "name", "content", "class", "scope", "colspan"}
        assert "url(" not in response.get_data(as_text=True)
        assert "<script>alert(1)</script>" in page.text

    @pytest.mark.parametrize("lang", ["en", "de", None])
    @pytest.mark.parametrize("path", ["/sheet", "/sheet?player=%3D1%2B1", "/standings"])
    def test_no_cell_is_a_formula(self, nasty: Evening, path: str, lang: str | None) -> None:
        query = "" if lang is None else f"&lang={lang}"
        start = f"{nasty.path}{path}{'&' if '?' in path else '?'}"
        rows = csv_of(nasty.client.get(f"{start}format=csv{query}").get_data(), ";" if lang == "de" else ",")
        cells = [cell for row in rows for cell in row]
        risky = [cell for cell in cells if cell.startswith(("=", "+", "@"))]
        assert risky == []
        assert all(re.fullmatch(r"-[0-9.,]+", cell) for cell in cells if cell.startswith("-"))
        assert any(cell.startswith(("'@SUM", "'=1+1")) for cell in cells)
        book = book_of(nasty.client.get(f"{start}format=xlsx{query}").get_data())
        kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
        assert kinds <= {"s", "n"}

    @pytest.mark.parametrize("lang", LANGUAGES)
    @pytest.mark.parametrize("name", ["\U0001f600" * 16, "a" + "\U0001f600" * 63, "Œ" * 64, "'" * 64])
    def test_a_name_that_a_sheet_of_a_workbook_cannot_have(
        self, evening: Evening, name: str, lang: str
    ) -> None:
        """Workbooks count in UTF-16, in which an emoji counts twice."""
        evening.open([name, "Béla", "Cyril"], MAYR, name=name)
        evening.play(solo(name, 20, players=[name, "Béla", "Cyril"]))
        evening.score()
        path = f"{evening.path}/sheet?player={quote(name)}&format=xlsx&lang={lang}"
        titles = book_of(evening.client.get(path).get_data()).sheetnames
        assert titles
        assert all(len(title.encode("utf-16-le")) <= 2 * 31 for title in titles)

    def test_a_pdf_has_no_more_than_its_text(self, nasty: Evening) -> None:
        reader = pdf_of(get(nasty.client, f"{nasty.path}/sheet", "pdf"))
        root: Any = reader.trailer["/Root"]
        assert not {"/OpenAction", "/AA", "/AcroForm", "/Names"} & set(root)
        assert all("/Annots" not in page for page in reader.pages)
        text = words_of(get(nasty.client, f"{nasty.path}/sheet", "pdf"))
        assert "<script>alert(1)</script>" in text
        assert '<b>"Bold" & Co' in text

    def test_marks_of_direction_stay_within_their_text(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        """A reason may hold whatever somebody writes."""
        desk = Desk(stored, redis_client)
        reason = "\u202e=cmd\nabc\u2066 ♠♥♦♣"
        desk.direct({"type": "penalty_assessed", "player": "Anna", "points": -5, "reason": reason})
        page = get(desk.client, f"{PATH}/standings", "html").decode()
        assert f"<td><bdi>{reason}</bdi></td>" in page
        assert "=cmd abc ♠♥♦♣" in words_of(get(desk.client, f"{PATH}/standings", "pdf"))


class TestPages:
    def edges(self, body: bytes) -> tuple[float, float]:
        """How far a PDF's texts reach to the left and to the right."""
        found: list[tuple[float, float]] = []

        def note(text: str, cm: list[float], tm: list[float], font: dict[str, str], size: float) -> None:
            at = cm[4] + tm[4]
            if text.strip() and at:  # the number of pages is set where it is shown
                name = font["/BaseFont"].partition("+")[2]
                found.append((at, at + stringWidth(text.strip(), name, size)))

        for page in pdf_of(body).pages:
            page.extract_text(visitor_text=note)
        return min(left for left, _ in found), max(right for _, right in found)

    def sizes(self, body: bytes) -> set[tuple[int, int]]:
        boxes = [page.mediabox for page in pdf_of(body).pages]
        return {(round(box.width), round(box.height)) for box in boxes}

    def test_two_hundred_players(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """Long names in many scripts: nothing beyond the edges, each page with the heads of the columns."""
        names = [f"{at} {NASTY[2]}"[:64] if at % 10 == 0 else f"Игрок {at} Dvořák" for at in range(200)]
        desk = Desk(stored, redis_client, players=names, seats=None, tables=50)
        body = get(desk.client, f"{PATH}/standings", "pdf", "ru")
        assert self.sizes(body) == {A4}
        left, right = self.edges(body)
        assert left > 30
        assert right < A4[0] - 30
        pages = [" ".join(page.extract_text().split()) for page in pdf_of(body).pages]
        assert len(pages) > 3
        for number, text in enumerate(pages, 1):
            assert text.count("Игрок Очки") == 1
            assert f"Страница {number} из {len(pages)}" in text
        whole = "".join(pages).replace(" ", "")
        assert all(name.replace(" ", "") in whole for name in names)
        page = get(desk.client, f"{PATH}/standings", "html", "ru").decode()
        assert "thead { display: table-header-group; }" in page
        assert "overflow-wrap: anywhere" in page
        assert len(page_of(page.encode()).tables[0]) == 201

    def test_more_columns_than_a_page_is_wide(self, evening: Evening) -> None:
        """The table is parted, the columns of a player are not, and each part says which hand it is about."""
        players = [f"Player number {at}" for at in range(20)]
        evening.open(players, MAYR)
        evening.play(solo(players[0], 20, players=players[:3]), solo(players[19], 60, players=players[17:]))
        evening.score()
        body = get(evening.client, f"{evening.path}/sheet", "pdf")
        assert self.sizes(body) == {A4[::-1]}
        left, right = self.edges(body)
        assert left > 30
        assert right < A4[1] - 30
        tables = page_of(get(evening.client, f"{evening.path}/sheet", "html")).tables
        assert len(tables) > 1
        shown = [name for table in tables for name in table[0] if name]
        assert shown == players
        for table in tables:
            assert [row[0] for row in table[1:4]] == ["No.", "1", ""]
        (rows,) = [csv_of(get(evening.client, f"{evening.path}/sheet", "csv", "en"))]
        assert len(rows[0]) == len({*rows[0]}) == 6 + 2 * 20

    def test_what_is_too_much_for_a_pdf(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        names = [f"P{at}" for at in range(200)]
        desk = Desk(stored, redis_client, players=names, seats=None, tables=50, rounds=100)
        assert faults_of(desk.client.get(f"{PATH}/standings?format=pdf")) == [("format", "invalid-record")]
        tables = page_of(get(desk.client, f"{PATH}/standings", "html")).tables
        assert [len(table) for table in tables] == [201] * len(tables)
        assert [table[1][:2] for table in tables] == [["1", "P0"]] * len(tables)
        said = load_document().raw["components"]["parameters"]["SheetFormat"]["description"]
        assert f"at most {MAX_PDF_CELLS:,} cells" in said

    def test_nothing_yet(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        desk = Desk(stored, redis_client)
        for how in ("html", "pdf", "csv", "xlsx"):
            assert get(desk.client, f"{PATH}/tables/1/sheet", how)
            assert get(desk.client, f"{PATH}/players/Anna/sheet", how)
        assert "Nothing yet." in words_of(get(desk.client, f"{PATH}/tables/1/sheet", "pdf"))


def test_a_font_of_its_own(printed: Evening) -> None:
    """Every letter that is shown is of a font that is in the file."""
    reader = pdf_of(get(printed.client, f"{printed.path}/sheet", "pdf", "ru"))
    fonts: Any = reader.pages[0]["/Resources"]["/Font"]  # type: ignore[index]  # pypdf's objects
    used = {str(font.get_object()["/BaseFont"]) for font in fonts.values()} - {"/Helvetica"}
    assert {name.partition("+")[2] for name in used} == {"DejaVuSans", "DejaVuSans-Bold"}
