"""The short form of `make fuzz`: the same cases in every run."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Settings
from tests.fuzz.cases import Case, cases
from tests.fuzz.checks import WAYS, Reply, Way, put_to_the_rules
from tests.fuzz.run import body_of
from tests.laws.lawbook import record_of

CODES = {
    *("illegal-bid", "illegal-announcement", "illegal-contra", "illegal-talon", "illegal-discard"),
    *("illegal-play", "wrong-turn", "card-not-held", "incomplete-deck", "duplicate-card", "illegal-call"),
    *("redeal-required", "event-out-of-place", "inconsistent-result", "invalid-record"),
}
RULES_SEEDS = range(30)
SERVICE_SEEDS = range(100, 104)


class AppCall:
    """Calls to the application in this process."""

    looks = 0

    def __init__(self, client: FlaskClient) -> None:
        self._client = client

    def __call__(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        lines: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """The answer."""
        if lines is not None:
            response = self._client.open(path, method=method, data=lines, content_type="application/x-ndjson")
        else:
            response = self._client.open(path, method=method, json=json, headers=dict(headers or {}))
        return Reply(response.status_code, body_of(response.get_data(), lines is not None))


@pytest.fixture
def stored(redis_url: str) -> FlaskClient:
    return create_app(Settings(redis_url=redis_url)).test_client()


def test_the_rules() -> None:
    met: Counter[str | None] = Counter()
    for seed in RULES_SEEDS:
        for case in cases(seed):
            met[case.code] += 1
            assert not [str(finding) for finding in put_to_the_rules(case)]
    assert met.keys() == {None, *CODES}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
class TestTheService:
    def test_answers_as_it_must(self, stored: FlaskClient, way: Way) -> None:
        call = AppCall(stored)
        for seed in SERVICE_SEEDS:
            chance = random.Random(f"{way.__name__} {seed}")
            made = list(cases(seed))
            for case in chance.sample(made, 8):
                assert not [str(finding) for finding in way(call, case, chance)]

    def test_would_be_found_out(self, stored: FlaskClient, way: Way) -> None:
        """A right hand that is said to be wrong, a wrong one that is said to be right, another place."""
        call, chance = AppCall(stored), random.Random(1)
        right = record_of("illustrated-beck", 1)
        wrong = {**right, "events": [*right["events"], right["events"][-1]]}
        place = len(right["events"])
        code = "event-out-of-place"
        assert not list(way(call, Case("right", right), chance))
        assert not list(way(call, Case("wrong", wrong, code, place), chance))
        for record, said, at in ((right, code, place), (wrong, None, None), (wrong, "wrong-turn", place)):
            assert list(way(call, Case("not so", record, said, at), chance)), (said, at)


def test_the_rules_would_be_found_out() -> None:
    right = record_of("illustrated-beck", 1)
    wrong = {**right, "events": [*right["events"], right["events"][-1]]}
    place = len(right["events"])
    code = "event-out-of-place"
    for case in (
        Case("taken", right, code, place),
        Case("refused", wrong),
        Case("another code", wrong, "wrong-turn", place),
        Case("another place", wrong, code, place - 1),
        Case("other scores", right, scores={}),
    ):
        assert list(put_to_the_rules(case)), case.name
