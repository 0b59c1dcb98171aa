"""What an upload took of a process is given back, whichever thread had it."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import httpx
import psutil

from records.wire import dumps
from tests.support.processes import RunningService

MEGABYTE = 1_000_000
UPLOAD = 20 * MEGABYTE


def test_uploads_leave_nothing_behind(tmp_path: Path) -> None:
    """Without `service.memory` a process is larger by half of what it was, and grows on."""
    noise = random.Random(1)
    lines = [dumps({"hand_id": noise.randbytes(900).hex()}) for _ in range(UPLOAD // 1800)]
    body = b"\n".join(lines)
    with RunningService(tmp_path) as service:

        def upload() -> None:
            with httpx.Client(base_url=service.base_url, timeout=120, trust_env=False) as http:
                for _ in range(2):
                    sent = http.post(
                        "/v1/imports", content=body, headers={"Content-Type": "application/x-ndjson"}
                    )
                    assert sent.status_code == 202, sent.text

        pids = [child.pid for child in psutil.Process(service.api.pid).children()]
        before = [_resident(pid) for pid in pids]
        for _ in range(3):
            threads = [threading.Thread(target=upload) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        grown = [after - was for was, after in zip(before, map(_resident, pids), strict=True)]
    assert max(grown) < UPLOAD // 2, grown


def _resident(pid: int) -> int:
    size: int = psutil.Process(pid).memory_info().rss
    return size
