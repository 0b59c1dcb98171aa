"""One running service for the tests that leave it as they found it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.make_run import MakeRun


@pytest.fixture(scope="session")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeRun]:
    """`make run` for whoever is in the xdist group ``shared_run``; it runs again after each test."""
    run = MakeRun(tmp_path_factory.mktemp("shared_run"))
    run.start_until_ready()
    yield run
    run.stop()
