"""JSON in: as the standard library reads it, and refused where two readers might differ."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from records.limits import MAX_DEPTH
from records.wire import MalformedJson, dumps, load
from tests.records.strategies import JSON, KEYS, SCALARS, records


def same(left: object, right: object) -> bool:
    """Equal, with true apart from 1, 1.0 apart from 1, and keys in the same order."""
    return repr(left) == repr(right)


FLAT = st.lists(st.dictionaries(KEYS, SCALARS, max_size=4), max_size=6)
RECORD_LIKE = st.builds(
    lambda events, hands, more: {"events": [{"hands": hands}, *events], **more},
    FLAT,
    JSON,
    st.dictionaries(st.sampled_from(["played_at", "hand_id", "x"]), SCALARS),
)
"""What the quick count of keys was made for, and what might mislead it."""


class TestReading:
    @given(JSON | RECORD_LIKE | records(), st.booleans(), st.sampled_from([None, 1]))
    @example({"events": [{"hands": "abc"}]}, True, None)
    @example({"events": ["abc"], "a": [[":"]]}, True, None)
    def test_agrees_with_the_standard_library(self, value: Any, ascii_only: bool, indent: int | None) -> None:
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
        assert same(load(text.encode()), json.loads(text))

    @given(JSON)
    def test_what_was_written_is_read_again(self, value: Any) -> None:
        assert same(load(dumps(value)), value)

    @pytest.mark.parametrize(
        "text",
        [
            '{"a": "\\u003a", "b": ":", "c:d": {}}',
            '{"events": [{"note": "\\u003A"}]}',
            '{"n": [18446744073709551615, -9223372036854775808, 0.1234567890123456789012345]}',
            '{"n": "123456789012345678901234567890", "123456789012345678901234567890": 1}',
            '["\\ud83c\\udca1", "🂡", "\\u0000"]',
            "[]",
            "null",
        ],
    )
    def test_unusual_but_sound(self, text: str) -> None:
        assert same(load(text.encode()), json.loads(text))


class TestRefusals:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b" ",
            b"\xef\xbb\xbf{}",
            b"NaN",
            b'{"a": Infinity}',
            b"[-Infinity]",
            b"1e400",
            b'"\\ud800"',
            b'["\\udc00\\ud800"]',
            b'"\xed\xa0\x80"',
            b'{"a": "\xff"}',
            b'"\x00"',
            b"{} {}",
            b"[1,]",
            b"{'a': 1}",
            b"\xff\xfe[\x00]\x00",
        ],
    )
    def test_no_json(self, body: bytes) -> None:
        with pytest.raises(MalformedJson, match="The body is no JSON") as refusal:
            load(body)
        assert refusal.value.code == "malformed-json"

    @pytest.mark.parametrize(
        ("body", "says"),
        [
            (b"", "it is empty."),
            (b'{"a": 1,}', "trailing comma is not allowed at column 8."),
            (b'{\n "a": 1,\n}', "trailing comma is not allowed at line 2, column 8."),
            (b"\xef\xbb\xbf{}", "it begins with a byte order mark, which JSON does not have."),
            ('{"a": "Béla"}'.encode("latin-1"), "it must be UTF-8, and the byte 0xE9 at position 8 is not."),
            ("{}".encode("utf-16"), "it must be UTF-8, and the byte 0xFF at position 0 is not."),
        ],
    )
    def test_why_it_is_none(self, body: bytes, says: str) -> None:
        with pytest.raises(MalformedJson) as refusal:
            load(body)
        assert refusal.value.detail == f"The body is no JSON: {says}"
        assert refusal.value.in_a("line").detail == f"The line is no JSON: {says}"

    def test_a_key_that_reads_like_our_words_stays(self) -> None:
        with pytest.raises(MalformedJson) as refusal:
            load(b'{"The body": 1, "The body": 2}')
        assert refusal.value.in_a("line").detail == refusal.value.detail

    @pytest.mark.parametrize("number", ["18446744073709551616", "-9223372036854775809", "1" * 30, "1" * 5000])
    @pytest.mark.parametrize(
        "template", ["%s", '{"a": [0, %s]}', '{"events": [{"type": "x", "points": %s}]}']
    )
    def test_integers_beyond_64_bits(self, number: str, template: str) -> None:
        with pytest.raises(MalformedJson):
            load((template % number).encode())

    @given(st.integers(2**64, 10**30) | st.integers(-(10**30), -(2**63) - 1), st.integers(0, 12))
    def test_integers_beyond_64_bits_wherever_they_are(self, number: int, before: int) -> None:
        with pytest.raises(MalformedJson, match="does not fit into 64 bits"):
            load(b" " * before + b'{"events":[{"a":%d}]}' % number)

    def test_depth(self) -> None:
        for open_, close in ((b"[", b"]"), (b'{"a":', b"}"), (b'{"events":[', b"]}")):
            levels = MAX_DEPTH // (1 + (len(close) > 1))
            load(open_ * levels + b"0" + close * levels)
            with pytest.raises(MalformedJson, match="levels deep"):
                load(open_ * (levels + 1) + b"0" + close * (levels + 1))
            with pytest.raises(MalformedJson):
                load(open_ * 100_000)

    def test_depth_within_a_flat_event(self) -> None:
        nested = b"[" * 500 + b"]" * 500
        with pytest.raises(MalformedJson, match="levels deep"):
            load(b'{"events":[{"type":"x","cards":%s}]}' % nested)

    @given(st.binary() | st.text().map(str.encode))
    def test_anything_is_read_rightly_or_refused(self, body: bytes) -> None:
        assert read_rightly_or_refused(body)

    @given(records().map(dumps), st.data())
    def test_a_damaged_record_is_read_rightly_or_refused(self, body: bytes, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(body)))
        damaged = body[:at] + data.draw(st.binary(max_size=3)) + body[at + data.draw(st.integers(0, 3)) :]
        assert read_rightly_or_refused(damaged)


def read_rightly_or_refused(body: bytes) -> bool:
    try:
        value = load(body)
    except MalformedJson:
        return True
    return same(value, json.loads(body))


class Pairs(list[tuple[str, Any]]):
    """An object as the pairs that are written, a key perhaps more than once."""


def as_pairs(value: Any) -> Any:
    if isinstance(value, dict):
        return Pairs((key, as_pairs(item)) for key, item in value.items())
    return [as_pairs(item) for item in value] if isinstance(value, list) else value


def written(value: Any, escape: bool) -> str:
    """The JSON text of pairs; with all colons and letters a in keys as escapes, if asked for."""
    if isinstance(value, Pairs):
        inside = ",".join(f"{_key(key, escape)}:{written(item, escape)}" for key, item in value)
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{','.join(written(item, escape) for item in value)}]"
    return json.dumps(value)


def _key(key: str, escape: bool) -> str:
    text = json.dumps(key)
    return text.replace("a", "\\u0061").replace(":", "\\u003a") if escape and "\\" not in text else text


def objects_of(value: Any) -> list[Pairs]:
    found = [value] if isinstance(value, Pairs) else []
    children = [item for _, item in value] if found else value if isinstance(value, list) else []
    for child in children:
        found += objects_of(child)
    return [pairs for pairs in found if pairs]


class TestDoubledKeys:
    @given(JSON | RECORD_LIKE | records(), st.data(), st.booleans())
    def test_are_always_found(self, value: Any, data: st.DataObject, escape: bool) -> None:
        pairs = as_pairs({"": value})
        whole = data.draw(st.sampled_from(objects_of(pairs)))
        key, item = data.draw(st.sampled_from(whole))
        again = data.draw(st.just(item) | st.sampled_from([None, "::", "\u003a", {}]).map(as_pairs))
        whole.insert(data.draw(st.integers(0, len(whole))), (key, again))
        with pytest.raises(MalformedJson, match="there twice"):
            load(written(pairs, escape).encode())

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ('{"a": 1, "a": 1}', 'The key "a" is there twice in the outermost object.'),
            ('{"a": 1, "\\u0061": 2}', 'The key "a" is there twice in the outermost object.'),
            (
                '{"b": [0, {"c/d": {"x": 1, "y": 2, "x": 3}}]}',
                '"x" is there twice in the object at "/b/1/c~1d"',
            ),
            (
                '{"events": [{"type": "passed", "type": "passed"}]}',
                '"type" is there twice in the object at "/events/0"',
            ),
            ('{"events": [{}, "x"], "a": 1, "a": 2}', '"a" is there twice in the outermost object'),
            ('{"events": ["x"], "a": 1, "a": 2}', '"a" is there twice in the outermost object'),
            (
                '{"events": [{"hands": "ab"}], "a": 1, "a": 2, "a": 3}',
                '"a" is there twice in the outermost object',
            ),
            ('{"a": 1, "a": 2, "b": "\\u003a"}', '"a" is there twice in the outermost object'),
            ('{"events": [{"at": "\\u003a"}], "a": 1, "a": 2}', '"a" is there twice in the outermost object'),
        ],
    )
    def test_are_named_with_their_place(self, text: str, place: str) -> None:
        with pytest.raises(MalformedJson) as refusal:
            load(text.encode())
        assert place in refusal.value.detail
