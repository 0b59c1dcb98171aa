"""Batches over HTTP: what is asked for, how far it is, and what comes out."""

from __future__ import annotations

import copy
import csv
import io
import json
from typing import Any, cast

import pytest
import redis

from records.hands import Hands
from records.log import Stream
from records.queue import QUEUE
from records.redis_keys import stream_key
from records.rescores import Rescores
from service.app import create_app
from service.config import Settings
from service.wiring import Wiring
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from tests.service.golden import load_cases
from tests.service.live_hands import BEGUN, RESULT, WHOLE, add, as_key, begin, keyed_client, restate
from tests.support.hand_records import played, result
from trull.briefs import totals
from trull.variants import VARIANTS
from workers.jobs import rescore_with
from workers.scoring import Scorer

OWN = "illustrated-mayr-sedlaczek-2016"
BECK, LOEW = "illustrated-beck", "illustrated-loew-1954"
TWO = {"select": {"all": True}, "variants": [BECK, LOEW]}


def started(client: CheckedClient, **body: Any) -> str:
    """Begin a batch; its path."""
    response = client.post("/v1/rescores", json=body)
    assert response.status_code == 202, response.get_data(as_text=True)
    return response.headers["Location"]


def done(client: CheckedClient, store: redis.Redis, **body: Any) -> str:
    """The path of a batch that is done."""
    path = started(client, **body)
    rescore_with(store, seconds=60)
    assert client.get(path).get_json()["status"] == "done"
    return path


def lines_of(client: CheckedClient, path: str) -> list[dict[str, Any]]:
    response = client.get(f"{path}/results")
    assert response.status_code == 200
    return [json.loads(line) for line in response.get_data().splitlines()]


class TestResults:
    def test_are_those_of_the_golden_records(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """Golden records under every rule set: as their sheets say, and what changes."""
        sheets: dict[str, dict[str, Any]] = {}
        records: dict[str, dict[str, Any]] = {}
        for case in load_cases("full", "result", "rescored", "published", "real-french")[::4]:
            record = {**case.record, "hand_id": f"h{len(records)}"}
            if stored.post("/v1/hands", json=record).status_code == 202:
                records[record["hand_id"]] = record
        assert len(records) > 80
        some = list(VARIANTS)
        path = done(stored, redis_client, select={"all": True}, variants=some)
        lines = lines_of(stored, path)
        assert [line["variant"] for line in lines] == some * len(records)
        for line in lines:
            record = records[line["hand_id"]]
            for name in (line["variant"], record["variant"]):
                key = f"{line['hand_id']} {name}"
                if key not in sheets:
                    sheets[key] = stored.post(f"/v1/score?variant={name}", json=record).get_json()
            sheet = sheets[f"{line['hand_id']} {line['variant']}"]
            own = sheets[f"{line['hand_id']} {record['variant']}"]["scores"]
            for name in ("hand_id", "variant", "variant_revision", "version", "status", "scores"):
                assert line[name] == sheet[name], line
            assert line["change"] == {player: sheet["scores"][player] - own[player] for player in own}, line

    def test_of_hands_that_were_mended_or_are_not_over(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        restated = begin(stored, {**RESULT, "hand_id": "restated"})
        assert (
            restate(stored, restated, 1, {**RESULT, "hand_id": "restated", "variant": BECK}).status_code
            == 200
        )
        fined = begin(stored, {**RESULT, "hand_id": "fined"})
        penalty = {"type": "penalty_assessed", "player": "Béla", "points": -5, "reason": "late"}
        assert add(stored, fined, 1, penalty, penalty).status_code == 200
        assert add(stored, fined, 3, {"type": "event_retracted", "seq": 2, "reason": "no"}).status_code == 200
        begin(stored, {**BEGUN, "hand_id": "live"})
        broken = {"type": "bid_made", "player": "Cyril", "contract": "dreiblatt"}
        irregular = {**BEGUN, "hand_id": "broken", "events": [broken]}
        assert stored.post("/v1/hands?on_illegal=flag", json=irregular).status_code == 202
        path = done(stored, redis_client, select={"all": True}, variants=[BECK, OWN, "french-tarot-3"])
        found = {(line["hand_id"], line["variant"]): line for line in lines_of(stored, path)}
        told = {
            hand: [
                (line["status"], line["scores"]["Anna"], line["scores"]["Béla"], line["change"]["Anna"])
                for name in (BECK, OWN, "french-tarot-3")
                for line in [found[hand, name]]
            ]
            for hand in ("restated", "fined", "live", "broken")
        }
        assert told == {
            "restated": [("scored", 38, 0, 0), ("scored", 42, 0, 4), ("void", 0, 0, -38)],
            "fined": [("scored", 38, -5, -4), ("scored", 42, -5, 0), ("void", 0, -5, -42)],
            "live": [("incomplete", 0, 0, 0), ("incomplete", 0, 0, 0), ("void", 0, 0, 0)],
            "broken": [("irregular", 0, 0, 0), ("irregular", 0, 0, 0), ("irregular", 0, 0, 0)],
        }
        assert [found[hand, BECK]["version"] for hand in told] == [2, 4, 2, 1]
        for hand, variant in found:
            stored_sheet = stored.get(f"/v1/hands/{hand}/score?variant={variant}").get_json()
            assert found[hand, variant]["scores"] == stored_sheet["scores"]
            assert found[hand, variant]["status"] == stored_sheet["status"]

    def test_a_live_hand_tells_nothing_of_its_deal(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        """Cyril has no tarock, which is a void deal under Löw alone; nobody is to know before it is over."""
        deal = copy.deepcopy(WHOLE["events"][0])
        hands = deal["hands"]
        for player in ("Anna", "Béla"):
            theirs = hands[player]
            for place, card in enumerate(theirs):
                mine = next((at for at, own in enumerate(hands["Cyril"]) if own[0] in "TF"), None)
                if mine is not None and card[0] not in "TF":
                    theirs[place], hands["Cyril"][mine] = hands["Cyril"][mine], card
        passed = {"type": "passed", "player": WHOLE["players"][0]}
        record = {**WHOLE, "hand_id": "live", "variant": BECK, "events": [deal, passed]}
        begin(stored, record)
        path = done(stored, redis_client, select={"all": True}, variants=["illustrated-loew-1954"])
        assert [line["status"] for line in lines_of(stored, path)] == ["incomplete"]
        whole = stored.post("/v1/score?variant=illustrated-loew-1954", json=record).get_json()
        assert whole["status"] == "void", "who has the cards is told"

    def test_under_house_rules(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        rules = {
            "id": "house-club",
            "name": "Our club",
            "base": OWN,
            "contracts": {"zweiblatt": {"multiplier": 3}},
        }
        revision = stored.post("/v1/variants", json=rules).get_json()["revision"]
        stored.post("/v1/hands", json={**RESULT, "hand_id": "h"})
        stored.post("/v1/hands", json={**RESULT, "hand_id": "own", "variant": "house-club"})
        path = done(stored, redis_client, select={"hand_ids": ["own", "h"]}, variants=["house-club"])
        own, other = lines_of(stored, path)
        assert (own["hand_id"], other["hand_id"]) == ("own", "h")
        assert own["variant_revision"] == other["variant_revision"] == revision
        assert own["scores"] == other["scores"] == {"Anna": 63, "Béla": 0, "Cyril": 0}
        assert (own["change"]["Anna"], other["change"]["Anna"]) == (0, 21)

    def test_as_csv(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        formula = {**RESULT, "players": ["=1+2", "B", 'C, "x"'], "events": _events("=1+2")}
        stored.post("/v1/hands", json={**formula, "hand_id": "h1", "variant": BECK})
        five = played("french-tarot-5", 1, hand_id="h2").as_dict()
        stored.post("/v1/hands", json=five)
        path = done(stored, redis_client, select={"hand_ids": ["h1", "h2"]}, variants=[BECK, five["variant"]])
        response = stored.get(f"{path}/results?format=csv")
        assert response.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
        assert path.rsplit("/", 1)[1] in response.headers["Content-Disposition"]
        text = response.get_data(as_text=True)
        assert text.count("\r\n") == 5
        head, *rows = csv.reader(io.StringIO(text, newline=""))
        assert {len(row) for row in rows} == {len(head)} == {20}
        assert head[5:8] == ["player_1", "score_1", "change_1"]
        assert [row[5:14] for row in rows[:1]] == [["'=1+2", "10", "0", "B", "10", "0", 'C, "x"', "10", "0"]]
        for line, row in zip(lines_of(stored, path), rows, strict=True):
            names = [row[at].removeprefix("'") for at in range(5, 20, 3) if row[at]]
            assert names == list(line["scores"])
            assert [float(row[at]) for at in range(6, 20, 3) if row[at]] == list(line["scores"].values())
            assert [float(row[at]) for at in range(7, 20, 3) if row[at]] == list(line["change"].values())

    def test_no_text_of_it_is_a_formula(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """Neither the wide signs, which spreadsheets take as well, nor an id."""
        wide = {**RESULT, "players": ["＝1+2", "B", "C"], "events": _events("＝1+2")}
        stored.post("/v1/hands", json={**wide, "hand_id": "-1-2"})
        path = done(stored, redis_client, select={"all": True}, variants=[BECK])
        text = stored.get(f"{path}/results?format=csv").get_data(as_text=True)
        row = text.splitlines()[1].split(",")
        assert (row[0], row[5]) == ("'-1-2", "'＝1+2")

    def test_of_a_hand_that_cannot_be_scored(
        self, stored: CheckedClient, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A fault of ours is a line of its own, and stops nothing."""
        for hand_id in ("h1", "h2"):
            stored.post("/v1/hands", json={**RESULT, "hand_id": hand_id})
        poison = VARIANTS[LOEW]

        def failing(brief: Any, variant: Any) -> Any:
            if variant is poison:
                raise ZeroDivisionError
            return totals(brief, variant)

        monkeypatch.setattr("workers.rescores.totals", failing)
        path = done(stored, redis_client, **TWO)
        state = stored.get(path).get_json()
        assert (state["total"], state["done"], state["failed"]) == (4, 4, 2)
        lines = lines_of(stored, path)
        assert [line["status"] for line in lines] == ["scored", "failed"] * 2
        assert [lines[1][name] for name in ("scores", "change")] == [None, None]
        row = stored.get(f"{path}/results?format=csv").get_data(as_text=True).splitlines()[2].split(",")
        assert row[4:8] == ["failed", "Anna", "", ""]
        told = stored.get(f"{path}/summary").get_json()["summary"]
        assert {(line["variant"], line["hands"]) for line in told} == {(BECK, 2), (LOEW, 0)}

    def test_of_a_hand_that_cannot_be_read(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        stored.post("/v1/hands", json={**RESULT, "hand_id": "h1"})
        stored.post("/v1/hands", json={**RESULT, "hand_id": "h2"})
        key = stream_key(Stream("hand", "default", "h1"))
        entry = cast(bytes, redis_client.lindex(key, 2))
        for damaged, players in ((entry[:-3] + b"\xff\xff\xff", 3), (entry[:7] + b"\xff", 0)):
            redis_client.lset(key, 2, damaged)  # type: ignore[arg-type]  # bytes are as good
            path = done(stored, redis_client, **TWO)
            found = {(line["hand_id"], line["status"]) for line in lines_of(stored, path)}
            assert found == {("h1", "failed"), ("h2", "scored")}
            rows = list(
                csv.reader(io.StringIO(stored.get(f"{path}/results?format=csv").get_data(as_text=True)))
            )
            (row, _) = [row for row in rows if row[0] == "h1"]
            assert sum(1 for cell in row[5:] if cell) == players


def _events(declarer: str) -> list[dict[str, Any]]:
    """Beck's Zweiblatt is five, twice; the lost Pagat pays ten to each, not multiplied (IT-10.2)."""
    (event,) = result().sent
    (bonus,) = event["bonuses"]
    return [{**event, "declarer": declarer, "bonuses": [{**bonus, "player": declarer}]}]


class TestSummary:
    def test_adds_up_what_the_results_say(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        for seed in range(12):
            variant = ("french-tarot-4", OWN)[seed % 2]
            stored.post("/v1/hands", json=played(variant, seed, hand_id=f"h{seed}").as_dict())
        stored.post("/v1/hands", json={**BEGUN, "hand_id": "live"})
        path = done(stored, redis_client, select={"all": True}, variants=[LOEW, "french-tarot-4"])
        sums: dict[tuple[str, str], list[float]] = {}
        for line in lines_of(stored, path):
            for player, points in line["scores"].items():
                there = sums.setdefault((line["variant"], player), [0, 0, 0])
                there[0] += line["status"] in ("scored", "annulled")
                there[1] += points
                there[2] += line["change"][player]
        told = stored.get(f"{path}/summary").get_json()["summary"]
        assert {
            (line["variant"], line["player"]): [line["hands"], line["points"], line["change"]]
            for line in told
        } == sums
        for variant in (LOEW, "french-tarot-4"):
            some = [line for line in told if line["variant"] == variant]
            assert [line["points"] for line in some] == sorted(
                (line["points"] for line in some), reverse=True
            )
            for line in some:
                better = [other for other in some if other["points"] > line["points"]]
                assert line["rank"] == len(better) + 1
                own = line["points"] - line["change"]
                ahead = [other for other in some if other["points"] - other["change"] > own]
                assert line["own_rank"] == len(ahead) + 1


class TestSelection:
    @pytest.fixture
    def club(self, stored: CheckedClient) -> CheckedClient:
        for number in range(30):
            hand = {
                **RESULT,
                "hand_id": f"h{number}",
                "variant": (OWN, BECK)[number % 2],
                "session_id": ("s1", "s2", "s3")[number % 3],
                "players": ["Anna", "Béla", ("Cyril", "Dora")[number // 15]],
                "labels": ["final"] if number < 4 else [],
                "played_at": f"2026-11-{number + 1:02}T20:00:00+01:00",
            }
            assert stored.post("/v1/hands", json=hand).status_code == 202
        begin(stored, {**BEGUN, "hand_id": "live", "session_id": "s1"})
        return stored

    @pytest.mark.parametrize(
        ("select", "numbers"),
        [
            ({"session_id": "s2"}, range(1, 30, 3)),
            ({"player": "Dora"}, range(15, 30)),
            ({"player": "Dora", "session_id": "s1", "variant": BECK}, range(15, 30, 6)),
            ({"variant": BECK}, range(1, 30, 2)),
            ({"label": "final"}, range(4)),
            ({"status": "scored"}, range(30)),
            ({"played_from": "2026-11-03T19:00:00Z", "played_to": "2026-11-05T20:00:00+01:00"}, range(2, 4)),
            ({"hand_ids": ["h7", "h3", "h11"]}, [7, 3, 11]),
            ({"hand_ids": ["h7"], "player": None, "all": None}, [7]),
            ({"session_id": "nobody"}, []),
        ],
    )
    def test_selects_like_the_list(
        self, club: CheckedClient, redis_client: redis.Redis, select: dict[str, Any], numbers: Any
    ) -> None:
        path = started(club, select=select, variants=[LOEW, OWN])
        first = club.get(path).get_json()["total"]
        rescore_with(redis_client, seconds=60)
        lines = lines_of(club, path)
        wanted = [f"h{number}" for number in numbers]
        assert sorted({line["hand_id"] for line in lines}) == sorted(wanted)
        if "hand_ids" in select:
            assert [line["hand_id"] for line in lines[::2]] == wanted
        state = club.get(path).get_json()
        assert (state["status"], state["failed"]) == ("done", 0)
        assert state["total"] == state["done"] == len(lines) == 2 * len(wanted) <= first

    def test_hands_that_left_a_session_are_not_in_it(
        self, club: CheckedClient, redis_client: redis.Redis
    ) -> None:
        assert (
            restate(club, "/v1/hands/h0", 1, {**RESULT, "hand_id": "h0", "session_id": "s2"}).status_code
            == 200
        )
        for session, there in (("s1", False), ("s2", True)):
            path = done(club, redis_client, select={"session_id": session}, variants=[LOEW])
            assert ("h0" in {line["hand_id"] for line in lines_of(club, path)}) is there

    def test_later_hands_are_not_in_it_and_make_it_stale(
        self, club: CheckedClient, redis_client: redis.Redis
    ) -> None:
        path = started(club, **TWO)
        state = club.get(path).get_json()
        assert (state["total"], state["done"], state["stale"], state["status"]) == (62, 0, False, "queued")
        assert (state["rate"], state["seconds_left"], state["expires_at"]) == (None, None, None)
        assert sum(Scorer(redis_client).score_some()) == 30
        assert not club.get(path).get_json()["stale"], "sheets say nothing new"
        begin(club, {**RESULT, "hand_id": "later"})
        rescore_with(redis_client, seconds=60)
        state = club.get(path).get_json()
        assert (state["total"], state["done"], state["stale"], state["status"]) == (62, 62, True, "done")
        assert state["rate"] > 0
        assert state["seconds_left"] == 0
        assert state["expires_at"] > state["finished_at"] >= state["accepted_at"]
        assert "later" not in {line["hand_id"] for line in lines_of(club, path)}
        new = club.get(f"/v1/events?cursor={state['position']}").get_json()["events"]
        assert [item["hand_id"] for item in new if item["type"] == "hand.event"] == ["later"]

    @pytest.mark.parametrize(
        ("body", "pointers"),
        [
            ([], [""]),
            ({}, ["/select", "/variants"]),
            ({"select": {}, "variants": []}, ["/select", "/variants"]),
            ({"select": [], "variants": {}}, ["/select", "/variants"]),
            ({"select": {"all": True, "label": "x"}, "variants": [BECK]}, ["/select"]),
            ({"select": {"all": 1}, "variants": [BECK]}, ["/select/all"]),
            ({"select": {"all": "true", "when": 1}, "variants": [BECK]}, ["/select/all", "/select/when"]),
            ({"select": {"all": False}, "variants": [1]}, ["/select/all", "/variants/0"]),
            ({"select": {"all": True}, "variants": [BECK, "x", BECK]}, ["/variants/1", "/variants/2"]),
            ({"select": {"variant": ""}, "variants": [BECK], "more": 1}, ["/more", "/select/variant"]),
            (
                {"select": {"played_from": "now", "status": "won"}, "variants": [BECK]},
                ["/select/played_from", "/select/status"],
            ),
            (
                {"select": {"hand_ids": ["h1", "h1", "none"]}, "variants": ["y"]},
                ["/variants/0", "/select/hand_ids/1", "/select/hand_ids/2"],
            ),
            ({"select": {"hand_ids": []}, "variants": [BECK]}, ["/select/hand_ids"]),
        ],
    )
    def test_all_faults_at_once(self, club: CheckedClient, body: Any, pointers: list[str]) -> None:
        response = club.post("/v1/rescores", json=body)
        assert code_of(response, 422) == "invalid-record"
        assert sorted(where for where, _ in faults_of(response)) == sorted(pointers)


class TestBatch:
    def test_a_call_that_is_sent_again_begins_no_second_one(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        begin(stored, RESULT)
        headers = {"Idempotency-Key": "once"}
        answers = [stored.post("/v1/rescores", json=TWO, headers=headers).get_json() for _ in range(2)]
        assert answers[0] == answers[1]
        assert redis_client.llen(f"rq:queue:{QUEUE}") == 2, "a drain and one batch"

    def test_of_no_hands_is_done_at_once(self, stored: CheckedClient) -> None:
        path = started(stored, **TWO)
        state = stored.get(path).get_json()
        assert (state["status"], state["total"], state["seconds_left"]) == ("done", 0, 0)
        assert stored.get(f"{path}/results").get_data() == b""
        assert stored.get(f"{path}/summary").get_json() == {"summary": []}
        assert stored.get(f"{path}/results?format=csv").get_data().startswith(b"hand_id,variant,")

    @pytest.mark.parametrize("when", ["queued", "done"])
    def test_cancelled(self, stored: CheckedClient, redis_client: redis.Redis, when: str) -> None:
        begin(stored, RESULT)
        path = started(stored, **TWO)
        if when == "done":
            rescore_with(redis_client)
            assert stored.get(path).get_json()["status"] == "done"
        for _ in range(2):
            assert stored.delete(path).get_json()["status"] == "cancelled"
        rescore_with(redis_client)
        state = stored.get(path).get_json()
        assert (state["status"], state["seconds_left"]) == ("cancelled", 0)
        for part in ("results", "summary"):
            assert code_of(stored.get(f"{path}/{part}"), 404) == "unknown-rescore"
        left = [key for key in redis_client.keys("*rescore*") if b":kept" not in key]
        assert len(left) == 1
        assert 0 < redis_client.ttl(left[0]) <= 7 * 86_400

    def test_an_unknown_one(self, stored: CheckedClient) -> None:
        for method, part in (("GET", ""), ("DELETE", ""), ("GET", "/results"), ("GET", "/summary")):
            response = stored.open(f"/v1/rescores/nobody{part}", method=method)
            assert code_of(response, 404) == "unknown-rescore"

    def test_no_room_for_its_results(self, redis_url: str, redis_client: redis.Redis) -> None:
        app = create_app(Settings(redis_url=redis_url))
        wiring: Wiring = app.extensions["trull"]
        object.__setattr__(wiring, "rescores", Rescores(redis_client, most_kept=6_000))
        client = checked_client(app)
        begin(client, RESULT)
        path = started(client, **TWO)
        response = client.post("/v1/rescores", json=TWO)
        assert code_of(response, 429) == "rate-limited"
        assert response.headers["Retry-After"] == "1"
        # What is done takes only what it takes, and what is cancelled nothing.
        rescore_with(redis_client)
        second = started(client, **TWO)
        assert code_of(client.post("/v1/rescores", json=TWO), 429) == "rate-limited"
        client.delete(second)
        third = started(client, **TWO)
        refused = client.post("/v1/rescores", json=TWO)
        assert refused.headers["Retry-After"] == "3600", "one is kept for a week"
        assert {client.get(known).status_code for known in (path, second, third)} == {200}

    def test_needs_a_key_that_reads(self, stored: CheckedClient, redis_url: str) -> None:
        begin(stored, RESULT)
        keyed = keyed_client(redis_url)
        path = keyed.post("/v1/rescores", json=TWO, headers=as_key("reader")).headers["Location"]
        for method, where in (
            *(("POST", "/v1/rescores"), ("GET", path), ("DELETE", path)),
            *(("GET", f"{path}/results"), ("GET", f"{path}/summary")),
        ):
            response = keyed.open(where, method=method, json=TWO, headers=as_key("sender"))
            assert code_of(response, 403) == "forbidden"

    def test_the_store_is_away(self, client: CheckedClient) -> None:
        for method, part in (("GET", ""), ("DELETE", ""), ("GET", "/results"), ("GET", "/summary")):
            response = client.open(f"/v1/rescores/x{part}", method=method)
            assert code_of(response, 503) == "store-unavailable"
        assert code_of(client.post("/v1/rescores", json=TWO), 503) == "store-unavailable"


def test_a_name_that_only_looks_like_a_house_is_unknown(
    stored: CheckedClient, redis_client: redis.Redis
) -> None:
    assert Hands(redis_client).get("default", "nobody") is None
    body = {"select": {"variant": "house-x"}, "variants": ["house-y"]}
    assert {where for where, _ in faults_of(stored.post("/v1/rescores", json=body))} == {
        "/select/variant",
        "/variants/0",
    }
