"""Messages and exit codes for commands that cannot be carried out, and the list of rule sets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from service.app import create_app
from service.config import Settings
from tests.cli.command import ndjson, run, season
from tests.service.conftest import checked_client
from tests.support.processes import ROOT
from trull.variants import VARIANTS


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "usage: trull"),
        (("scores",), "invalid choice"),
        (("score",), "FILE"),
        (("score", "nowhere.jsonl"), "nowhere.jsonl: No such file"),
        (("score", "tests"), "tests: Is a directory"),
        (("score", "--jobs", "0", "-"), "no number from 1 to 256"),
        (("score", "--jobs", "two", "-"), "no number from 1 to 256"),
        (("score", "--out", "nowhere/x", "-"), "nowhere/x: No such file"),
        (("score", "--out", "/dev/full", "-"), "No space left"),
        (("rescore", "-"), "--variant ID or --house FILE"),
        (("rescore", "--variant", "illustrated-bek", "-"), "Did you mean illustrated-beck?"),
        (("rescore", "--variant", "x", "-"), f"Known: {', '.join(VARIANTS)}"),
        (("variants", "french-tarot-6"), "Known: "),
        (("variants", "--house", "nowhere.json"), "nowhere.json: No such file"),
        (("variants", "--house", "pyproject.toml"), "pyproject.toml: The file is no JSON"),
    ],
    ids=str,
)
def test_what_cannot_be_done(words: tuple[str, ...], says: str) -> None:
    done = run(*words, given=ndjson(season(1)))
    assert done.returncode == 2
    assert done.stdout == b""
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_every_fault_of_a_house_is_told(tmp_path: Path) -> None:
    house = tmp_path / "house.json"
    body = {"id": "club", "name": "Club", "base": "illustrated-beck", "rulings": {"recontra": 1, "x": 2}}
    house.write_text(json.dumps(body))
    done = run("rescore", "--house", house, "-")
    assert done.returncode == 2
    for pointer in ("/id: ", "/rulings/recontra: ", "/rulings/x: "):
        assert f"  {pointer}" in done.stderr.decode()


def test_help_tells_of_files_and_exit_codes() -> None:
    for command in ("score", "rescore"):
        done = run(command, "--help")
        assert done.returncode == 0
        text = done.stdout.decode()
        for word in ("NDJSON", "--out", "--errors", "exit codes", "2  the command"):
            assert word in text


def test_the_list_of_rule_sets_is_the_service_s(redis_url: str, tmp_path: Path) -> None:
    service = checked_client(create_app(Settings(redis_url=redis_url)))
    listed = json.loads(run("variants", "--json").stdout)["variants"]
    assert (
        sorted(listed, key=lambda row: str(row["id"])) == service.get("/v1/variants").get_json()["variants"]
    )
    for name in ("illustrated-beck", "french-tarot-5"):
        described = json.loads(run("variants", "--json", name).stdout)
        assert described == service.get(f"/v1/variants/{name}").get_json()
    body = {"id": "house-club", "name": "Club", "base": "illustrated-beck", "bonuses": {"uhu": None}}
    house = tmp_path / "house.json"
    house.write_text(json.dumps(body))
    described = json.loads(run("variants", "--json", "--house", house, "house-club").stdout)
    assert described == service.post("/v1/variants", json=body).get_json()
    assert described["overrides"]["bonuses"] == {"uhu": None}


def test_the_list_to_read() -> None:
    rows = run("variants").stdout.decode().splitlines()
    assert [row.split()[0] for row in rows] == ["id", *VARIANTS]
    text = run("variants", "illustrated-loew-1954").stdout.decode()
    loew = VARIANTS["illustrated-loew-1954"]
    for name in (*loew.contracts, *loew.bonuses, *loew.rulings, loew.source, loew.revision):
        assert name in text
    assert "called 3, taken_over 4, held 4, retaken 5" in text
    assert "solo_overshoot = undershoot_only" in text
    assert "trischaken_tie = null" in text


def test_the_house_of_the_readme(tmp_path: Path) -> None:
    [example] = re.findall(r"```json house.json\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    house = tmp_path / "house.json"
    house.write_text(example)
    text = run("variants", "--house", house, "house-club").stdout.decode()
    assert re.search(r"^solo +4 +called 6$", text, re.M)
    assert "uhu" not in text


def test_a_house_is_listed_beside_the_others(tmp_path: Path) -> None:
    house = tmp_path / "house.json"
    house.write_text(json.dumps({"id": "house-club", "name": "Unser Klub", "base": "french-tarot-4"}))
    last = run("variants", "--house", house).stdout.decode().splitlines()[-1]
    assert last.split(maxsplit=2) == ["house-club", "4", "Unser Klub"]
    assert (
        "House rules on French Tarot for four"
        in run("variants", "--house", house, "house-club").stdout.decode()
    )
