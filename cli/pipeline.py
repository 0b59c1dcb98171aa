"""Chunks through as many processes as there are cores, and their answers in order."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Final

from cli.answers import Answers, Chunk, Order, Scorer
from cli.sources import BLOCK

_AHEAD: Final = 3
"""Chunks under way for each process: one at work, and enough that none has to wait."""


def usable_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def answers_to(chunks: Iterable[Chunk], order: Order, jobs: int) -> Generator[Answers, None, None]:
    """The answers to the chunks, in their order, with a bounded number of chunks in memory.

    What is little, or comes slowly, is answered at once and in this process. Close the iterator to stop.
    """
    here = Scorer(order)
    pool: ProcessPoolExecutor | None = None
    waiting: deque[Future[Answers]] = deque()
    try:
        for chunk in chunks:
            if jobs == 1 or len(chunk.data) < BLOCK // 2:
                while waiting:
                    yield waiting.popleft().result()
                yield here.answer(chunk)
                continue
            if pool is None:
                pool = _start(order, jobs)
            waiting.append(pool.submit(_answer, chunk))
            while len(waiting) >= jobs * _AHEAD or (waiting and waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)


_scorer: Scorer | None = None
"""The scorer of a helping process."""


def _start(order: Order, jobs: int) -> ProcessPoolExecutor:
    """The helping processes. Ctrl-C in the terminal reaches them too, and is for the first one to act on."""
    pool = ProcessPoolExecutor(jobs, initializer=_begin, initargs=(order,))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pool.submit(int).result()
    finally:
        signal.signal(signal.SIGINT, before)
    return pool


def _begin(order: Order) -> None:
    global _scorer  # noqa: PLW0603  # how an executor's initializer hands something on
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _scorer = Scorer(order)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Records leave no cycles behind, so that looking for them often is time lost.
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def _end_with_parent() -> None:
    """A helper that outlived a killed command would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer(chunk: Chunk) -> Answers:
    assert _scorer is not None
    return _scorer.answer(chunk)
