"""Couriers as processes: killed at work, stopped, and beside workers who must not notice them."""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.serving import make_server

from records.log import Append, Stream
from records.queue import WEBHOOKS, WorkQueue
from records.redis_client import connect
from records.redis_log import RedisLog
from records.sheets import Sheets
from records.stored_hands import KIND as HAND
from service.engine import free_port
from tests.support.offices import Office, at_work
from tests.support.processes import ROOT, Process, RedisServer, wait_until
from tests.support.receivers import Receiver
from workers.deliver import main

# A courier in a hurry.
HASTY = """
import workers.deliver
from workers.courier import Pace

workers.deliver.main(Pace(timeout=5.0, delays=(0.1,) * 100, lease=1.5))
"""
SWEEPING = "import workers.sweep; workers.sweep.main(0.25)"


class Crew(Office):
    """A store, and the processes that work on it."""

    def __init__(self, server: RedisServer, folder: Path) -> None:
        super().__init__(connect(server.url))
        self.url, self.folder = server.url, folder
        self.started: list[Process] = []

    def submit_many(self, count: int) -> None:
        """Hands alike, in one step."""
        (hand_id,) = self.submit()
        log, stream = RedisLog(self.client), Stream(HAND, "default", hand_id)
        found = log.read(stream)
        assert found is not None
        append = Append(found.entries[0].body, 1, found.head, due=True)
        log.append_many([(stream._replace(id=f"h-{number}"), 0, append) for number in range(count)])
        self.hands.notify()

    def start(self, name: str, *command: str) -> Process:
        env = {"TRULL_REDIS_URL": self.url, "TRULL_WEBHOOK_PRIVATE": "allow"}
        process = Process(f"{name}{len(self.started)}", [sys.executable, *command], self.folder, env)
        process.start()
        self.started.append(process)
        return process


@pytest.fixture
def crew(spare_redis: RedisServer, tmp_path: Path) -> Iterator[Crew]:
    crew = Crew(spare_redis, tmp_path)
    with crew.client:
        try:
            yield crew
        finally:
            for process in crew.started:
                process.stop()


def test_a_courier_killed_at_work_loses_nothing(crew: Crew) -> None:
    """kill -9 while the receiver thinks. It is told again, under the same id, and what came meanwhile too."""
    thinking = threading.Event()

    def answer(number: int) -> int:
        if number == 0:
            thinking.wait(20)
        return 204

    port = free_port()
    hook = crew.hook(f"http://127.0.0.1:{port}/")
    crew.start("sweeper", "-c", SWEEPING)
    dying = crew.start("courier", "-c", HASTY)
    crew.score()
    # The receiver is not there yet; the delivery waits for it.
    wait_until(lambda: bool(crew.shown(hook) and crew.shown(hook)[0]["attempts"]), "it was tried in vain")
    with Receiver(answer, port=port) as receiver:
        receiver.wait_for(1)
        dying.kill()
        crew.score(2)
        thinking.set()
        courier = crew.start("courier", "-c", HASTY)
        wait_until(lambda: crew.states(hook) == ["delivered"] * 3, "all are told")
        first, *others = receiver.messages
        assert first.id in [message.id for message in others]
        assert len({message.payload["data"]["hand_id"] for message in receiver.messages}) == 3
        for message in receiver.messages:
            message.verify(hook.secrets[0].secret)
        assert WorkQueue(crew.client, WEBHOOKS).workers() >= 1
        assert WorkQueue(crew.client).workers() == 0, "no sheets are made by it"
        crew.score()
        courier.signal(signal.SIGTERM)
        assert courier.wait(10) == 0, courier.output()
    for process in crew.started:
        assert "Traceback" not in process.output()
        assert hook.secrets[0].secret[6:] not in process.output()


def test_a_receiver_that_hangs_holds_up_no_sheet(crew: Crew) -> None:
    """A thousand hands, one worker. Another tenant is told meanwhile; the queue wakes the courier."""
    released = threading.Event()

    def hang(_: int) -> int:
        released.wait(30)
        return 204

    with Receiver(hang) as hanging, Receiver() as receiver:
        for _ in range(3):
            crew.hook(hanging.url)
        crew.hook(receiver.url, tenant="graz")
        courier = crew.start("courier", "-c", HASTY)
        crew.start("worker", "-m", "workers.run")
        wait_until(lambda: WorkQueue(crew.client).workers() == 1, "a worker is seen")
        wait_until(lambda: WorkQueue(crew.client, WEBHOOKS).workers() == 1, "a courier is seen")
        crew.submit_many(1_000)
        hanging.wait_for(8)
        began = time.monotonic()
        last = crew.submit(1, "graz")[0]
        assert crew.hands.wait_for_sheet("graz", last, 1, 10) is not None
        assert receiver.wait_for(1)[0].payload["data"]["hand_id"] == last
        assert time.monotonic() - began < 10
        wait_until(lambda: sum(Sheets(crew.client).due()) == 0, "all sheets")
        assert len(hanging.messages) < 100
        released.set()
        courier.signal(signal.SIGTERM)
        assert courier.wait(20) == 0, courier.output()


def test_a_courier_says_what_it_cannot_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRULL_WEBHOOK_PRIVATE", "yes")
    with pytest.raises(SystemExit, match="TRULL_WEBHOOK_PRIVATE must be allow or unset, not 'yes'"):
        main()


def test_the_receiver_of_the_page(
    crew: Crew, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It takes what is signed with its secret, once, and nothing else."""
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "webhooks.md").read_text(), re.S)
    port = free_port()
    hook = crew.hook(f"http://127.0.0.1:{port}/trull")
    monkeypatch.setenv("SECRET", hook.secrets[0].secret)
    names: dict[str, object] = {"__name__": "receiver"}
    exec(code, names)
    server = make_server("127.0.0.1", port, names["app"], threaded=True)  # type: ignore[arg-type]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with at_work(crew):
        (hand_id,) = crew.score()
        wait_until(lambda: crew.states(hook) == ["delivered"], "it is taken")
        crew.deliveries.resend("default", hook.webhook_id, crew.shown(hook)[0]["delivery_id"])
        wait_until(lambda: len(crew.shown(hook)[0]["attempts"]) == 2, "it is sent again")
        wait_until(lambda: crew.states(hook) == ["delivered"], "it is taken again")
        monkeypatch.setenv("SECRET", "whsec_c29tZWJvZHkgZWxzZQ==")
        crew.score()
        wait_until(lambda: not crew.now(hook).enabled or "failed" in crew.states(hook), "it is refused")
    server.shutdown()
    assert [one["status"] for one in crew.shown(hook)[1]["attempts"]] == [204, 204]
    assert {one["status"] for one in crew.shown(hook)[0]["attempts"]} == {500}
    printed = capsys.readouterr().out
    assert printed.count("hand.scored") == 1
    assert hand_id in printed
