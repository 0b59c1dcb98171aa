"""What a poisoned callback would run."""

from __future__ import annotations

from pathlib import Path

from rq.job import Job


def touch(job: Job, *_: object) -> None:
    """Make the file that the job's meta data name."""
    Path(job.meta["file"]).touch()
