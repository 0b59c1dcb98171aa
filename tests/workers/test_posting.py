"""Sending one message: which addresses are connected to, how long it takes, how much is read."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import redis

from tests.support.offices import Office, at_work
from tests.support.processes import ROOT, wait_until
from tests.support.receivers import Receiver
from workers.posting import EXCERPT, Outcome, post, trusted

CERTIFICATE = ROOT / "tests" / "support" / "localhost.pem"
"""Of localhost, signed by itself, with its key; for these tests alone."""


def sent(url: str, *addresses: str, seconds: float = 0.3, private: bool = False) -> Outcome:
    """What comes of a message to a host that has these addresses; those that it really has if none."""
    if not addresses:
        return post(url, b"{}", {"webhook-id": "x"}, seconds, private=private)
    return post(url, b"{}", {}, seconds, private=private, resolve=lambda host, port: [*addresses])


@contextmanager
def dripping(parts: list[bytes]) -> Iterator[str]:
    """A server that sends these parts one by one, whatever it is asked; its URL."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(65_536)
                for part in parts:
                    connection.sendall(part)
                    time.sleep(0.05)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        thread.join()


def test_private_addresses_are_refused_where_it_connects(redis_client: redis.Redis) -> None:
    """A webhook that was made while they were allowed."""
    office = Office(redis_client)
    with Receiver() as receiver, at_work(office, private=False):
        hook = office.hook(receiver.url.replace("http://", "https://"))
        office.score()
        wait_until(lambda: not office.now(hook).enabled, "it is given up")
        assert receiver.messages == []
    errors = {one["error"] for one in office.shown(hook)[0]["attempts"]}
    assert errors == {"No connection: 127.0.0.1: 127.0.0.1 is no public address."}


def test_a_name_is_looked_up_once() -> None:
    """It stands for a public address when it is checked, and for this machine a moment later."""
    answers = [["8.8.8.8"], ["127.0.0.1"]]
    with Receiver() as receiver:
        url = f"https://club.example:{receiver.port}/"
        found = post(url, b"{}", {}, 0.3, resolve=lambda host, port: answers.pop(0))
        assert receiver.messages == []
    assert found.status is None
    assert answers == [["127.0.0.1"]], "nobody asked again"


def test_a_name_that_has_a_private_address_too_is_refused() -> None:
    found = sent("https://club.example/", "8.8.8.8", "10.0.0.1")
    assert found.error == "No connection: club.example: 10.0.0.1 is no public address."


def test_http_is_refused() -> None:
    assert sent("http://8.8.8.8/").error == (
        "The URL must begin with https:// (http:// needs TRULL_WEBHOOK_PRIVATE=allow)."
    )


def test_a_name_without_an_address() -> None:
    found = sent("https://not-there.invalid/", seconds=5)
    assert found.error == "No connection: not-there.invalid has no address"


def test_the_next_address_is_tried() -> None:
    with Receiver() as receiver:
        url = f"http://club.example:{receiver.port}/"
        assert sent(url, "127.0.0.2", "127.0.0.1", seconds=2, private=True).status == 204
        assert receiver.messages[0].headers["host"] == f"club.example:{receiver.port}"
    assert sent(url, "127.0.0.2", "127.0.0.1", private=True).status is None


@pytest.mark.parametrize(
    ("parts", "status", "error"),
    [
        ([b"HTTP/1.1 200 OK\r\n\r\n", b"a"] + [b"b"] * 40, 200, None),
        ([b"HTTP/1.1 200 OK\r\n\r\n"] + [b"c" * 9000] * 3, 200, None),
        ([b"HTTP/1.1 200 OK\r\n\r\n", b"\xff\x00 \xc3"], 200, None),
        ([b"HTTP/1.1 2"] + [b"0"] * 40, None, "No answer within 0.5 seconds."),
        ([b"SSH-2.0-OpenSSH_9.2\r\n"], None, "No answer that could be read"),
        ([b""], None, "No answer that could be read"),
    ],
    ids=["a body in drops", "a long body", "no text", "a head in drops", "no HTTP", "nothing"],
)
def test_it_takes_no_longer_and_reads_no_more(
    parts: list[bytes], status: int | None, error: str | None
) -> None:
    with dripping(parts) as url:
        began = time.monotonic()
        found = sent(url, seconds=0.5, private=True)
        assert time.monotonic() - began < 1.5
    assert found.status == status
    assert (found.error or "").startswith(error or "")
    assert len(found.excerpt or "") <= EXCERPT


def test_tls_is_checked_against_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with Receiver(certificate=CERTIFICATE) as receiver:
        url = f"https://localhost:{receiver.port}/"
        trusted.cache_clear()
        refused = sent(url, seconds=5, private=True)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        trusted.cache_clear()
        taken = sent(url, seconds=5, private=True)
        other = sent(url.replace("localhost", "127.0.0.1"), seconds=5, private=True)
    trusted.cache_clear()
    assert taken.status == 204
    assert refused.error is not None
    assert "certificate verify failed" in refused.error
    assert other.error is not None
    assert "not valid for '127.0.0.1'" in other.error
