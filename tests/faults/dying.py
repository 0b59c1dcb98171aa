"""Workers that die by kill -9 at a given step on the way from a job to its sheets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from tests.faults.club import Club, Ledger, check
from tests.support.processes import Process, RunningService, wait_until

DYING = """
import os, signal, sys
import records.queue, records.sheets, rq.job, workers.run, workers.vigil

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

owner, name = sys.argv[1:]
places = {
    "Worker": workers.run.ScoringWorker, "Job": rq.job.Job, "Sheets": records.sheets.Sheets,
    "WorkQueue": records.queue.WorkQueue, "Vigil": workers.vigil.Vigil,
}
assert hasattr(places[owner], name)
setattr(places[owner], name, die)
workers.run.main()
"""

STEPS = {
    "between dequeue and start": ("Worker", "execute_job"),
    "before it claims": ("WorkQueue", "stay_awake"),
    "between claiming and storing": ("Sheets", "store"),
    "between storing and the end of the job": ("Vigil", "end"),
    "when the job is over": ("Worker", "handle_job_success"),
}


def let_workers_die(
    service: RunningService, ledger: Ledger, steps: Sequence[str], tell: Callable[[str], None]
) -> None:
    """One worker dies at each of these `STEPS`, with hands coming in; then one comes that does not."""
    service.worker.kill()
    for number, step in enumerate(steps):
        with service.redis.client() as client:
            client.delete("trull:awake")  # it ends by itself after five seconds
        folder = service.worker.folder
        command = [sys.executable, "-c", DYING, *STEPS[step]]
        worker = Process(f"dying{number}-{len(ledger.sent)}", command, folder, service.worker.env)
        with worker, Club(service.base_url, ledger, pause=0.1):
            wait_until(lambda: not worker.is_running(), f"the end of the worker {step}")  # noqa: B023
            assert worker.wait() == -9, worker.output()
        tell(f"a worker was killed {step}; {ledger.told()}")
    service.worker.start()
    tell(f"last sheet after {check(service.base_url, ledger):.1f} s")
    with service.redis.client() as client:
        wait_until(lambda: client.exists("trull:awake") == 0, "nobody is thought awake")
