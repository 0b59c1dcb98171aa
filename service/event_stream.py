"""The feed as server-sent events: one thread a listener, for as long as the client listens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

import structlog

from records.feed import FeedWalk
from records.log import StoreUnavailable
from records.wire import dumps
from service.peer import Peer

HEARTBEAT_SECONDS: Final = 15.0
"""After so much silence a comment is sent, for proxies that close idle connections."""

_LOOK_SECONDS: Final = 0.25
_AWAY_SECONDS: Final = 1.0
_STUCK_SECONDS: Final = 30.0
"""A listener that takes nothing for so long is given up: it holds a thread."""
_RETRY_MS: Final = 2_000
"""After which a client connects again."""

log = structlog.get_logger()


def event_stream(walk: FeedWalk, peer: Peer, ending: Callable[[], bool]) -> Iterator[bytes]:
    """The stream from where the walk stands, until the client leaves or the service ends.

    While the store is away the stream stays open, and goes on when it is back.
    """
    yield f"retry: {_RETRY_MS}\n\n".encode()
    said = time.monotonic()
    pause = _LOOK_SECONDS
    while not (ending() or peer.leaves_within(pause)):
        pause = _LOOK_SECONDS
        try:
            for item in walk.items():
                if not takes_more(peer, ending):
                    return
                yield b"id: %b\ndata: %b\n\n" % (walk.cursor.encode(), dumps(item))
                said = time.monotonic()
        except StoreUnavailable as error:
            log.warning("the feed waits for the store", error=str(error))
            pause = _AWAY_SECONDS
        if time.monotonic() - said >= HEARTBEAT_SECONDS:
            if not takes_more(peer, ending):
                return
            yield b":\n\n"
            said = time.monotonic()


def takes_more(peer: Peer, ending: Callable[[], bool]) -> bool:
    """Whether the client takes more; a slow one is waited for."""
    until = time.monotonic() + _STUCK_SECONDS
    while not peer.takes_within(_LOOK_SECONDS):
        if ending() or time.monotonic() > until:
            return False
    return True
