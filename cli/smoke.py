"""`trull smoke`: whether a service that was just deployed does what it is there for, over HTTP."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

_SECONDS: Final = 15
"""That an answer may take; a hand's sheet is waited for within it."""
_WAIT: Final = 10
_PLAYERS: Final = ("Anna", "Béla", "Cyril")
_SCORES: Final = {"Anna": 42, "Béla": 0, "Cyril": 0}
"""IT-7.4 with IT-7.12, the book's own example: (5 + 6 + 10) · 2."""
_RECORD: Final[dict[str, Any]] = {
    "variant": "illustrated-mayr-sedlaczek-2016",
    "players": _PLAYERS,
    "events": [
        {
            "type": "result_reported",
            "declarer": "Anna",
            "contract": "zweiblatt",
            "card_points": 41,
            "bonuses": [{"bonus": "forty", "player": "Anna", "stage": "before_pickup", "made": True}],
        }
    ],
}


class Answer(NamedTuple):
    """What the service said."""

    status: int
    body: Any
    seconds: float


class Wrong(Exception):
    """A check fails; the message says what was found."""


class Service:
    """A service at an address, called with a key or without."""

    def __init__(self, home: str, key: str | None) -> None:
        self._home = home.rstrip("/")
        self._key = key

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Its answer, whatever its status. Raises `Wrong` where there is none, or none in JSON."""
        sent = None if body is None else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", **headers}
        if self._key:
            fields["Authorization"] = f"Bearer {self._key}"
        began = time.monotonic()
        try:
            request = urllib.request.Request(self._home + path, sent, fields, method=method)
            try:
                with urllib.request.urlopen(request, timeout=_SECONDS) as response:
                    status, text = response.status, response.read()
            except urllib.error.HTTPError as error:
                with error:
                    status, text = error.code, error.read()
            return Answer(status, json.loads(text) if text else None, time.monotonic() - began)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Wrong(f"{method} {path}: {error}") from None

    def get(self, path: str) -> Any:
        """What a GET answers with 200. Raises `Wrong` for any other answer."""
        return self.expect("GET", path, 200)

    def expect(self, method: str, path: str, status: int, body: object = None, **headers: str) -> Any:
        """The body of an answer of that status. Raises `Wrong` for any other answer."""
        answer = self.call(method, path, body, **headers)
        if answer.status != status:
            told = answer.body if isinstance(answer.body, dict) else {}
            raise Wrong(
                f"{method} {path}: {answer.status} {told.get('code', '')} {told.get('detail', '')}".strip()
            )
        return answer.body


Check = Callable[[Service], str]


def run(url: str, key: str | None, store: bool) -> bool:
    """Make the checks, and print a line for each; whether all are well. What follows a fault is not tried."""
    service = Service(url, key)
    for name, check in _checks(store):
        try:
            print(f"ok    {name}: {check(service)}", flush=True)
        except Wrong as wrong:
            print(f"WRONG {name}: {wrong}", flush=True)
            return False
    return True


def _checks(store: bool) -> Iterator[tuple[str, Check]]:
    yield "ready", _ready
    yield "document", _document
    yield "score", _score
    if store:
        yield "store", _store


def _ready(service: Service) -> str:
    state = service.get("/readyz")
    return " ".join(state["warnings"]) or "nothing to be warned of"


def _document(service: Service) -> str:
    document = service.get("/openapi.json")
    return f"version {document['info']['version']}, {len(document['paths'])} paths"


def _score(service: Service) -> str:
    began = time.monotonic()
    scores = service.expect("POST", "/v1/score", 200, _RECORD)["scores"]
    if scores != _SCORES:
        raise Wrong(f"POST /v1/score: {scores} in place of {_SCORES}")
    return f"the book's example comes to 42, after {_milliseconds(began)}"


def _store(service: Service) -> str:
    hand = {**_RECORD, "hand_id": f"smoke-{uuid.uuid4().hex[:12]}"}
    began = time.monotonic()
    scores = service.expect("POST", "/v1/hands", 201, hand, Prefer=f"wait={_WAIT}")["scores"]
    scored = _milliseconds(began)
    if scores != _SCORES:
        raise Wrong(f"POST /v1/hands: {scores} in place of {_SCORES}")
    service.expect("POST", "/v1/hands", 200, hand)
    version = service.get(f"/v1/hands/{hand['hand_id']}")["version"]
    return f"{hand['hand_id']} is at version {version}, scored after {scored}, taken once though sent twice"


def _milliseconds(began: float) -> str:
    return f"{(time.monotonic() - began) * 1000:.0f} ms"
