"""Clients that submit hands while something goes wrong, and remember what they were told."""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import TracebackType
from typing import Any, Final, Self

import httpx

from records.record import HandRecord
from tests.service.document import Answer, load_document
from tests.support.hand_records import played, result
from trull import replay, score

FAST: Final = 3.0
"""Seconds within which a client is told that the store is away."""
DUE: Final = 60.0
"""Seconds after recovery within which every due hand has its sheet."""

_AGAIN: Final = 0.05


@cache
def kinds() -> list[HandRecord]:
    """Hands of each way to tell one: by cards, by tricks, and as the sheet has it."""
    variants = ("french-tarot-4", "illustrated-mayr-sedlaczek-2016", "french-tarot-5")
    return [*(played(variant, seed) for seed in range(3) for variant in variants), result()]


@cache
def _sheet(kind: int) -> dict[str, Any]:
    hand = kinds()[kind]
    return score(replay(hand.variant, hand.events)).as_dict(hand.players, "", len(hand.events))


class Ledger:
    """What was sent, what was acknowledged, and how the service refused."""

    def __init__(self) -> None:
        self.name = uuid.uuid4().hex[:8]
        """What its hands' ids begin with."""
        self.sent: dict[str, int] = {}
        """Each hand's id, and which of `kinds` it is."""
        self.acknowledged: set[str] = set()
        self.answers: Counter[str] = Counter()
        self.slowest_refusal = 0.0
        self.wrong: list[str] = []
        """What no client should ever see."""

    def told(self) -> str:
        """A line for people."""
        answers = ", ".join(f"{count} {answer}" for answer, count in sorted(self.answers.items()))
        return (
            f"{len(self.sent)} hands sent, {len(self.acknowledged)} acknowledged; answers: {answers}; "
            f"slowest refusal {self.slowest_refusal:.2f} s"
        )


class Club:
    """Four clients, each of which submits hand after hand, and each hand until it is acknowledged."""

    def __init__(self, base_url: str, ledger: Ledger, clients: int = 4, pause: float = 0.02) -> None:
        self._base_url = base_url
        self._ledger = ledger
        self._pause = pause
        self._stop = threading.Event()
        self._numbers = itertools.count(len(ledger.sent))
        self._threads = [threading.Thread(target=self._play) for _ in range(clients)]

    def __enter__(self) -> Self:
        kinds()  # are made once, which takes a while
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Whoever is in the middle of submitting a hand leaves it unacknowledged."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _play(self) -> None:
        with httpx.Client(base_url=self._base_url, timeout=10, trust_env=False) as http:
            while not self._stop.is_set():
                number = next(self._numbers)
                kind = number % len(kinds())
                hand_id = f"{self._ledger.name}-{number}"
                self._ledger.sent[hand_id] = kind
                try:
                    self._submit(http, hand_id, {**kinds()[kind].as_dict(), "hand_id": hand_id})
                except Exception as error:
                    self._ledger.wrong.append(f"{hand_id}: {error!r}")
                self._stop.wait(self._pause)

    def _submit(self, http: httpx.Client, hand_id: str, body: dict[str, Any]) -> None:
        while not self._stop.is_set():
            started = time.monotonic()
            try:
                answer = http.post("/v1/hands", json=body)
            except httpx.TransportError as error:
                # The API itself is away, or went away with this request in hand: send it again.
                self._ledger.answers[type(error).__name__] += 1
                self._stop.wait(_AGAIN)
                continue
            self._ledger.answers[str(answer.status_code)] += 1
            if answer.status_code in (200, 202):
                self._ledger.acknowledged.add(hand_id)
                return
            self._check_refusal(answer, time.monotonic() - started)
            self._stop.wait(_AGAIN)

    def _check_refusal(self, answer: httpx.Response, seconds: float) -> None:
        self._ledger.slowest_refusal = max(self._ledger.slowest_refusal, seconds)
        assert answer.status_code == 503, answer.text
        assert answer.json()["type"] == "urn:trull:problem:store-unavailable"
        assert int(answer.headers["Retry-After"]) > 0
        if self._ledger.answers["503"] < 10:  # it takes longer than the answer
            load_document().check(Answer("POST", "/v1/hands", 503, answer.headers, answer.content))
        assert seconds < FAST, f"refused after {seconds:.1f} s"


def check(base_url: str, ledger: Ledger, seconds: float = DUE) -> float:
    """Read everything back over HTTP; seconds until the last sheet was there.

    Every acknowledged hand is there once, whole and in order, with its sheet; what was never
    acknowledged is there whole or not at all; and nothing else is there.
    """
    assert ledger.wrong == [], ledger.wrong[:5]
    assert ledger.acknowledged, "the clients got nothing through"
    started = time.monotonic()
    with httpx.Client(base_url=base_url, timeout=10, trust_env=False) as http:
        # Another club may have used the same service before.
        listed = Counter(id_ for id_ in _all_ids(http) if id_.startswith(f"{ledger.name}-"))
        assert set(listed.values()) <= {1}, "a hand is listed twice"
        assert ledger.acknowledged <= set(listed), f"lost: {ledger.acknowledged - set(listed)}"
        assert set(listed) <= set(ledger.sent), f"never sent: {set(listed) - set(ledger.sent)}"
        with ThreadPoolExecutor(2) as readers:
            for _ in readers.map(
                lambda hand_id: _check_hand(http, ledger, hand_id, started + seconds), listed
            ):
                pass
    return time.monotonic() - started


def _all_ids(http: httpx.Client) -> Iterator[str]:
    cursor: dict[str, str] = {}
    while True:
        page = http.get("/v1/hands", params={"limit": 1000, **cursor}).json()
        for hand in page["hands"]:
            yield hand["hand_id"]
        if page["next"] is None:
            return
        cursor = {"cursor": page["next"]}


def _check_hand(http: httpx.Client, ledger: Ledger, hand_id: str, until: float) -> None:
    kind = ledger.sent[hand_id]
    events = http.get(f"/v1/hands/{hand_id}/events").json()["events"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert [event["event"] for event in events] == kinds()[kind].sent
    while (answer := http.get(f"/v1/hands/{hand_id}/score")).status_code == 202:
        assert time.monotonic() < until, f"{hand_id} has no sheet"
        time.sleep(0.05)
    assert answer.json() == {**_sheet(kind), "hand_id": hand_id}
