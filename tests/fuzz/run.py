"""`make fuzz`: cases without end put to the rules and to a running service, on two cores, for some time."""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import orjson

from tests.fuzz.cases import cases
from tests.fuzz.checks import SLOW_SECONDS, Finding, Reply, put_to_the_rules, put_to_the_service
from tests.support.processes import RunningService

_MOST: Final = 20
"""Findings after which a process stops."""
_TO_THE_SERVICE: Final = 0.25
"""The share of the cases that go to the service too; the rules take twenty times as many in the same time."""


class Round(NamedTuple):
    """What a process has done since it last told: cases by their code, calls, the slowest call."""

    codes: Counter[str]
    findings: list[str]
    calls: int
    slowest: float


class HttpCall:
    """Calls over a connection of its own; counts them, and takes no answer for a fault that hangs."""

    looks = 40

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, trust_env=False, timeout=3 * SLOW_SECONDS)
        self.calls = 0
        self.slowest = 0.0

    def __call__(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        lines: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """The answer. Raises `httpx.TransportError` where there is none."""
        sent: dict[str, str] = dict(headers or {})
        content = lines
        if lines is not None:
            sent["Content-Type"] = "application/x-ndjson"
        elif json is not None:
            content, sent["Content-Type"] = orjson.dumps(json), "application/json"
        began = time.monotonic()
        response = self._client.request(method, path, content=content, headers=sent)
        self.calls += 1
        self.slowest = max(self.slowest, time.monotonic() - began)
        return Reply(response.status_code, body_of(response.content, lines is not None))


def body_of(content: bytes, as_lines: bool) -> Any:
    """JSON, or the lines of an import."""
    if as_lines and not content.startswith(b'{"type"'):
        return [orjson.loads(line) for line in content.splitlines()]
    return orjson.loads(content)


def _work(url: str, seeds: range, until: float, told: Queue[Round]) -> None:
    """One process: case after case until the time is over."""
    call = HttpCall(url)
    codes: Counter[str] = Counter()
    findings: list[str] = []
    found = 0
    last = time.time()
    for seed in seeds:
        chance = random.Random(seed)
        try:
            for case in cases(seed):
                codes[case.code or "right"] += 1
                made: list[Finding] = list(put_to_the_rules(case))
                if chance.random() < _TO_THE_SERVICE:
                    made += put_to_the_service(call, case, chance)
                findings += [f"seed {seed}: {finding}" for finding in made]
        except Exception as error:  # a hang, a lost connection, a fault of the rules that is no refusal
            findings.append(f"seed {seed}: {type(error).__name__}: {error}")
        found += len(findings)
        over = time.time() > until or found >= _MOST
        if over or time.time() - last > 1 or findings:
            told.put(Round(codes, findings, call.calls, call.slowest))
            codes, findings, last = Counter(), [], time.time()
            call.calls = 0
        if over:
            break


def fuzz(url: str, minutes: float, seed: int, processes: int) -> int:
    """Run so long, and tell what was found; how much that was."""
    until = time.time() + 60 * minutes
    told: Queue[Round] = multiprocessing.Queue()
    step = 10**9
    workers = [
        multiprocessing.Process(
            target=_work,
            args=(url, range(seed + at * step, seed + (at + 1) * step), until, told),
            daemon=True,
        )
        for at in range(processes)
    ]
    for worker in workers:
        worker.start()
    codes: Counter[str] = Counter()
    found = calls = 0
    slowest = 0.0
    next_word = 0.0
    while any(worker.is_alive() for worker in workers) or not told.empty():
        if told.empty():
            time.sleep(0.05)
            continue
        some = told.get()
        codes += some.codes
        calls, slowest = calls + some.calls, max(slowest, some.slowest)
        found += len(some.findings)
        for finding in some.findings:
            print(finding, flush=True)
        if time.time() > next_word:
            print(f"{codes.total():,} cases, {calls:,} calls, {found} findings", flush=True)
            next_word = time.time() + 60
    print(f"{codes.total():,} cases, {calls:,} calls, the slowest {slowest:.2f} s; {found} findings")
    print("  " + ", ".join(f"{code} {count:,}" for code, count in codes.most_common()))
    return found


def _read_everything(url: str) -> int:
    """Read all that was stored, in every list; how much of that is at fault."""
    faults = 0
    with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
        for path, name in (("/v1/hands", "hands"), ("/v1/events", "events")):
            cursor = None
            while True:
                query = {"limit": 1000} | ({"cursor": cursor} if cursor else {})
                response = client.get(path, params=query)
                if response.status_code != 200:
                    print(f"{path} {query}: {response.status_code} {response.text}")
                    faults += 1
                    break
                page = response.json()
                cursor = page["next"]
                if cursor is None or not page[name]:
                    break
        failed = client.get("/v1/hands", params={"status": "failed"}).json()["hands"]
        exported = sum(1 for line in client.get("/v1/hands:export").iter_lines() if line)
    print(f"{exported:,} hands stored, {len(failed)} without a sheet: {failed[:3]}")
    return faults + len(failed)


def main() -> int:
    """The command: 0 where nothing was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="where to begin; by chance unless given")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(10**8) if options.seed is None else options.seed
    print(f"begins with seed {seed}")
    with tempfile.TemporaryDirectory() as folder, RunningService(Path(folder)) as service:
        found = fuzz(service.base_url, options.minutes, seed, options.processes)
        found += _read_everything(service.base_url)
        log = service.api.output()
    faults = log.count("request failed")
    if faults:
        print(f"{faults} requests failed, says the service's log")
    return 1 if found or faults else 0


if __name__ == "__main__":
    sys.exit(main())
