"""What a request may carry: media types, sizes, broken JSON."""

from __future__ import annotations

import io
import json
from typing import IO, Any

import pytest
from werkzeug.test import TestResponse

from records.limits import MAX_BODY
from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import NOWHERE, checked_client

RESULT: dict[str, Any] = {
    "variant": "illustrated-mayr-sedlaczek-2016",
    "players": ["Anna", "Béla", "Cyril"],
    "events": [{"type": "result_reported", "declarer": "Anna", "contract": "zweiblatt", "card_points": 41}],
}
BODY = json.dumps(RESULT).encode()


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'Application/JSON; charset="utf-8"',
        "application/json; charset=utf8",
    ],
)
def test_json_in_utf8_is_read(client: CheckedClient, content_type: str) -> None:
    assert client.post("/v1/score", data=BODY, content_type=content_type).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin-1",
        "json",
    ],
)
def test_other_media_types_are_refused(client: CheckedClient, content_type: str | None) -> None:
    response = client.post("/v1/score", data=BODY, content_type=content_type)
    assert code_of(response, 415) == "unsupported-media-type"


def test_compressed_bodies_are_refused(client: CheckedClient) -> None:
    response = client.post(
        "/v1/score", data=BODY, content_type="application/json", headers={"Content-Encoding": "gzip"}
    )
    assert code_of(response, 415) == "unsupported-media-type"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        BODY[:-1],
        BODY + b"x",
        b"\xff\xfe",
        b"\xef\xbb\xbf" + BODY,
        BODY.replace(b"41", b"NaN"),
        BODY.replace(b"41", b"Infinity"),
        BODY.replace(b"Anna", b"\\ud800"),
        BODY.replace(b'"declarer"', b'"contract": "solo", "declarer"'),
        BODY.replace(b"41", b"1" * 400),
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b"'",
        b"\0",
    ],
    ids=lambda body: repr(body[:20]) + str(len(body)),
)
def test_what_is_no_json_is_refused(client: CheckedClient, body: bytes) -> None:
    response = client.post("/v1/score", data=body, content_type="application/json")
    assert code_of(response, 400) == "malformed-json"


@pytest.mark.parametrize("body", [b"null", b"[]", b"1", b'"x"', b"true", b"[1]", b"{}", b'{"record": 1}'])
@pytest.mark.parametrize("path", ["/v1/score", "/v1/score:compare", "/v1/hands"])
def test_json_of_another_shape_is_refused(client: CheckedClient, path: str, body: bytes) -> None:
    response = client.post(path, data=body, content_type="application/json")
    assert code_of(response, 422) == "invalid-record"
    assert faults_of(response)


def test_a_body_of_just_the_limit_is_read(client: CheckedClient) -> None:
    body = BODY + b" " * (MAX_BODY - len(BODY))
    assert client.post("/v1/score", data=body, content_type="application/json").status_code == 200


def test_one_byte_more_is_refused_unread(client: CheckedClient) -> None:
    class Unread(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise AssertionError("the body was read")

    response = post_stream(client, Unread(), CONTENT_LENGTH=str(MAX_BODY + 1))
    assert code_of(response, 413) == "body-too-large"


def post_stream(client: CheckedClient, stream: IO[bytes], **environ: Any) -> TestResponse:
    """Post what a server would hand over, which the test client's own streams are too good for."""
    given = {"wsgi.input": stream, "wsgi.input_terminated": True, **environ}
    return client.post("/v1/score", content_type="application/json", environ_overrides=given)


class Endless(io.BytesIO):
    """A chunked body that never ends; counts what was read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        assert size is not None, "the whole body was asked for"
        assert size >= 0, "the whole body was asked for"
        self.taken += size
        return b" " * size


def test_a_chunked_body_is_read_to_the_limit_and_no_further() -> None:
    client = checked_client(create_app(Settings(redis_url=NOWHERE, max_body_bytes=1_000)))
    body = Endless()
    response = post_stream(client, body)
    assert code_of(response, 413) == "body-too-large"
    assert body.taken == 1_001


def test_a_chunked_body_is_read(client: CheckedClient) -> None:
    assert post_stream(client, io.BytesIO(BODY)).status_code == 200


def test_a_body_of_unknown_length_is_none_where_the_server_does_not_end_it(client: CheckedClient) -> None:
    response = post_stream(client, Endless(), **{"wsgi.input_terminated": False})
    assert code_of(response, 400) == "malformed-json"


def test_a_body_cut_off_on_its_way_is_refused(client: CheckedClient) -> None:
    response = post_stream(client, io.BytesIO(BODY), CONTENT_LENGTH=str(len(BODY) + 1))
    assert code_of(response, 400) == "bad-request"


def test_a_body_that_the_server_cannot_read_is_refused(client: CheckedClient) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise RuntimeError("invalid chunk size")

    assert code_of(post_stream(client, Broken()), 400) == "bad-request"
