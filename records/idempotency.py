"""Answers kept by the client's own key of a call, so that a call sent again has the answer of the first.

A call has a key in the store of its own: a claim while it runs, which runs out by itself when its
process dies, and then the answer for a day (draft-ietf-httpapi-idempotency-key-header).
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from typing import Any, Final, NamedTuple, cast

import orjson
import redis

from records.octets import get_bytes, put_bytes
from records.redis_client import store_errors

KEPT_SECONDS: Final = 25 * 3600
"""How long an answer is kept: a day, and an hour for who repeats a call just a day later."""

CLAIM_SECONDS: Final = 15.0
"""How long a call may take. After that the key is free again; no call waits more than ten seconds."""

_CLAIMED, _ANSWERED = b"c", b"a"
_PRINT_BYTES: Final = 16

# KEYS: the call's    ARGV: claim, milliseconds that it stands
_CLAIM: Final = """
local found = redis.call('GET', KEYS[1])
if not found then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return found
"""

# KEYS: the call's    ARGV: claim, answer ("" for none), milliseconds that it is kept
# Whose claim has run out may still leave its answer where nobody has claimed the key since.
_SETTLE: Final = """
local found = redis.call('GET', KEYS[1])
if found and found ~= ARGV[1] then return end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
"""


class InProgress(Exception):
    """The first call with this key has not ended yet."""


class KeyReused(Exception):
    """The key was used for another request."""


class Call(NamedTuple):
    """A call that is to be made once: whose it is, and what it asks for.

    ``scope`` is what a key is unique within, like caller, method and path; ``request`` is all that makes
    another request of it, like the body.
    """

    tenant: str
    scope: tuple[str, ...]
    key: str
    request: tuple[bytes, ...]


class KeptAnswer(NamedTuple):
    """An answer as it was first given."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Claim(NamedTuple):
    """The right to make a call."""

    key: str
    value: bytes


class Idempotency:
    """The calls of all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis) -> None:
        self._claim = client.register_script(_CLAIM)
        self._settle = client.register_script(_SETTLE)

    def begin(self, call: Call) -> Claim | KeptAnswer:
        """The right to make the call, or the answer that it had.

        Raises `InProgress`, `KeyReused`, `StoreUnavailable`.
        """
        fingerprint = _digest(*call.request)[:_PRINT_BYTES]
        claim = Claim(_name(call), _CLAIMED + fingerprint + secrets.token_bytes(8))
        with store_errors():
            found = self._claim([claim.key], [claim.value, round(CLAIM_SECONDS * 1000)])
        if found is None:
            return claim
        stored = cast(bytes, found)
        if stored[1 : 1 + _PRINT_BYTES] != fingerprint:
            raise KeyReused
        if stored[:1] == _CLAIMED:
            raise InProgress
        return _read_answer(stored[1 + _PRINT_BYTES :])

    def settle(self, claim: Claim, answer: KeptAnswer | None) -> None:
        """Keep the answer of a call, or with None free the key. Raises `StoreUnavailable`."""
        value = b""
        if answer is not None:
            value = _ANSWERED + claim.value[1 : 1 + _PRINT_BYTES] + _write_answer(answer)
        with store_errors():
            self._settle([claim.key], [claim.value, value, KEPT_SECONDS * 1000])


def _name(call: Call) -> str:
    """The key in the store. It is the only one that a call needs, so that any slot is right for it."""
    return f"once:{call.tenant}:{_digest(*(part.encode() for part in (*call.scope, call.key))).hex()[:32]}"


def _digest(*parts: bytes) -> bytes:
    """A digest of the parts, each with its length, so that none can pass for the end of another."""
    written = bytearray()
    for part in parts:
        put_bytes(written, part)
    return hashlib.sha256(written).digest()


def _write_answer(answer: KeptAnswer) -> bytes:
    out = bytearray()
    put_bytes(out, orjson.dumps([answer.status, answer.headers]))
    return zlib.compress(bytes(out) + answer.body, 6, -12)


def _read_answer(data: bytes) -> KeptAnswer:
    inflated = zlib.decompress(data, -12)
    head, at = get_bytes(inflated, 0)
    status, headers = cast(list[Any], orjson.loads(head))
    return KeptAnswer(status, [(name, value) for name, value in headers], inflated[at:])
