"""The socket of a connection: it does what Python's does, and says the head of an answer with its body."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from service.sockets import QuietSocket

LARGE = b"x" * 8_000_000
"""More than any socket takes at once."""


class Pair(NamedTuple):
    """Both ends of a connection."""

    ours: QuietSocket
    client: socket.socket

    def sent(self) -> bytes:
        """What the client can read without waiting."""
        self.client.setblocking(False)
        try:
            return self.client.recv(65_536)
        except BlockingIOError:
            return b""


@pytest.fixture
def pair() -> Iterator[Pair]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        accepted, _ = listener.accept()
    ours = QuietSocket(accepted)
    assert accepted.fileno() == -1, "one of them has the connection"
    with ours, client:
        yield Pair(ours, client)


class TestReading:
    def test_what_is_there_is_read_at_once(self, pair: Pair) -> None:
        pair.client.sendall(b"some more")
        assert pair.ours.recv(4) == b"some"
        assert pair.ours.recv(1, socket.MSG_PEEK) == b" "
        assert pair.ours.recv(99) == b" more"

    @pytest.mark.parametrize("seconds", [None, 20.0])
    def test_what_comes_later_is_waited_for(self, pair: Pair, seconds: float | None) -> None:
        pair.ours.settimeout(seconds)
        assert pair.ours.gettimeout() == seconds
        timer = threading.Timer(0.1, pair.client.sendall, [b"late"])
        timer.start()
        assert pair.ours.recv(99) == b"late"
        timer.join()

    def test_the_end(self, pair: Pair) -> None:
        pair.client.close()
        assert pair.ours.recv(99) == b""

    def test_nothing_comes_in_time(self, pair: Pair) -> None:
        pair.ours.settimeout(0.1)
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            pair.ours.recv(99)
        assert time.monotonic() - began >= 0.1

    def test_without_a_wait(self, pair: Pair) -> None:
        pair.ours.setblocking(False)
        assert pair.ours.gettimeout() == 0
        with pytest.raises(BlockingIOError):
            pair.ours.recv(99)
        pair.ours.setblocking(True)
        assert pair.ours.gettimeout() is None


class TestSending:
    def test_at_once(self, pair: Pair) -> None:
        pair.ours.sendall(b"all ")
        assert pair.ours.send(b"of it") == 5
        assert pair.sent() == b"all of it"

    @pytest.mark.parametrize("seconds", [None, 20.0])
    def test_more_than_the_client_takes_at_once(self, pair: Pair, seconds: float | None) -> None:
        pair.ours.settimeout(seconds)
        taken: list[int] = []

        def take() -> None:
            time.sleep(0.1)
            while sum(taken) < len(LARGE):
                taken.append(len(pair.client.recv(1_000_000)))

        thread = threading.Thread(target=take)
        thread.start()
        pair.ours.sendall(LARGE)
        thread.join()
        assert sum(taken) == len(LARGE)

    def test_the_time_is_for_all_of_it(self, pair: Pair) -> None:
        """Whoever takes a little now and then cannot have it begin anew."""
        pair.ours.settimeout(0.5)
        ends = threading.Event()

        def sip() -> None:
            while not ends.wait(0.02):
                pair.client.recv(100_000)

        thread = threading.Thread(target=sip)
        thread.start()
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            pair.ours.sendall(LARGE * 10)
        assert 0.5 <= time.monotonic() - began < 5
        ends.set()
        thread.join()

    def test_without_a_wait(self, pair: Pair) -> None:
        pair.ours.setblocking(False)
        with pytest.raises(BlockingIOError):
            pair.ours.sendall(LARGE)
        with pytest.raises(BlockingIOError):
            pair.ours.send(LARGE)

    def test_the_client_has_gone(self, pair: Pair) -> None:
        pair.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        pair.client.close()
        with pytest.raises(ConnectionError):
            pair.ours.sendall(LARGE)


class TestHolding:
    def test_a_head_goes_with_its_body_and_nothing_later_is_held(self, pair: Pair) -> None:
        pair.ours.hold()
        pair.ours.sendall(b"head ")
        assert pair.sent() == b""
        pair.ours.sendall(b"body")
        assert pair.sent() == b"head body"
        pair.ours.sendall(b" more")
        assert pair.sent() == b" more"

    def test_a_head_alone(self, pair: Pair) -> None:
        pair.ours.hold()
        pair.ours.sendall(b"head")
        pair.ours.flush()
        assert pair.sent() == b"head"
        pair.ours.flush()
        pair.ours.sendall(b" next")
        assert pair.sent() == b" next"

    def test_nothing_was_sent(self, pair: Pair) -> None:
        pair.ours.hold()
        pair.ours.flush()
        pair.ours.sendall(b"next")
        assert pair.sent() == b"next"

    def test_other_ways_to_send_come_after_it(self, pair: Pair, tmp_path: Path) -> None:
        file = tmp_path / "file"
        file.write_bytes(b"a file")
        pair.ours.settimeout(5)
        pair.ours.hold()
        pair.ours.sendall(b"head ")
        with file.open("rb") as opened:
            assert pair.ours.sendfile(opened, 2) == 4
        assert pair.sent() == b"head file"
        pair.ours.hold()
        pair.ours.sendall(b"head ")
        pair.ours.send(b"at once")
        assert pair.sent() == b"head at once"
