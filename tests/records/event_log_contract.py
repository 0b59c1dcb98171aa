"""What every event log has to keep to, whatever it is made of. Subclass it with a fixture ``log``."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from records.log import Append, EventLog, InvalidCursor, StoredStream, Stream, VersionMismatch

HAND = Stream("hand", "default", "h-1")


def ids(found: list[StoredStream]) -> list[str]:
    return [stream.stream.id for stream in found]


class EventLogContract:
    """The tests. Every name of a stream here is legal for a hand."""

    def test_a_stream_that_is_not_there(self, log: EventLog) -> None:
        assert log.read(HAND) is None
        assert log.glance([HAND]) == [None]

    def test_entries_come_back_in_order(self, log: EventLog) -> None:
        assert log.append(HAND, 0, Append(b"one", 2, b"head 1")) == 2
        assert log.append(HAND, 2, Append(b"\x00\xfftwo", 3, b"head 2")) == 5
        assert log.append(HAND, 5, Append(b"", 1, b"")) == 6
        found = log.read(HAND)
        assert found is not None
        assert (found.stream, found.version, found.head) == (HAND, 6, b"")
        assert [entry.body for entry in found.entries] == [b"one", b"\x00\xfftwo", b""]
        assert found.view is None
        times = [entry.recorded for entry in found.entries]
        assert times == sorted(times)
        assert found.created == times[0]

    @pytest.mark.parametrize("expected", [1, 3, 499])
    def test_a_stream_that_is_not_there_has_version_0(self, log: EventLog, expected: int) -> None:
        with pytest.raises(VersionMismatch) as refused:
            log.append(HAND, expected, Append(b"x", 1))
        assert refused.value.current == 0
        assert log.read(HAND) is None

    @pytest.mark.parametrize("expected", [0, 1, 3])
    def test_an_append_that_saw_another_version_writes_nothing(self, log: EventLog, expected: int) -> None:
        log.append(HAND, 0, Append(b"x", 2, b"head", lists=(("session", "s"),)))
        before = log.read(HAND)
        with pytest.raises(VersionMismatch) as refused:
            log.append(HAND, expected, Append(b"y", 1, b"other", due=True, lists=(("session", "t"),)))
        assert refused.value.current == 2
        assert log.read(HAND) == before
        assert list(log.listed("hand", "default", ("session", "t"), None)) == []
        assert ids(list(log.listed("hand", "default", None, None))) == ["h-1"]

    def test_a_stream_joins_lists_later_too(self, log: EventLog) -> None:
        for number in range(30):
            stream = HAND._replace(id=f"h-{number}")
            log.append(stream, 0, Append(b"x", 1, lists=(("session", "s"),)))
            log.append(stream, 1, Append(b"y", 2, lists=(("session", "t"), ("player", "Anna"))))
        wanted = sorted(f"h-{number}" for number in range(30))
        for by in (("session", "s"), ("session", "t"), ("player", "Anna"), None):
            assert sorted(ids(list(log.listed("hand", "default", by, None)))) == wanted
        with pytest.raises(VersionMismatch):
            log.append(HAND._replace(id="h-1"), 1, Append(b"z", 1, lists=(("session", "u"),)))
        assert list(log.listed("hand", "default", ("session", "u"), None)) == []

    def test_streams_are_told_apart_by_kind_tenant_and_id(self, log: EventLog) -> None:
        streams = [
            HAND,
            HAND._replace(kind="session"),
            HAND._replace(tenant="other"),
            HAND._replace(id="H-1"),
        ]
        for number, stream in enumerate(streams, 1):
            log.append(stream, 0, Append(b"%d" % number, number))
        for number, stream in enumerate(streams, 1):
            found = log.read(stream)
            assert found is not None
            assert (found.version, found.entries[0].body) == (number, b"%d" % number)
        assert ids(list(log.listed("hand", "other", None, None))) == ["h-1"]
        assert ids(list(log.listed("session", "default", None, None))) == ["h-1"]
        assert sorted(ids(list(log.listed("hand", "default", None, None)))) == ["H-1", "h-1"]

    @pytest.mark.parametrize("id_", ["~", "a.b_c~d-e", "x" * 128, "Żółć 牌 🂡", "{t03}:due", "%00 {"])
    def test_any_id(self, log: EventLog, id_: str) -> None:
        stream = Stream("hand", "default", id_)
        log.append(stream, 0, Append(b"x", 1, lists=(("player", id_),)))
        found = log.read(stream)
        assert found is not None
        assert found.stream == stream
        assert ids(list(log.listed("hand", "default", ("player", id_), None))) == [id_]

    def test_a_glance_shows_no_more_than_the_first_entry(self, log: EventLog) -> None:
        other = Stream("hand", "default", "h-2")
        log.append(HAND, 0, Append(b"one", 1, b"head 1"))
        log.append(HAND, 1, Append(b"two", 1, b"head 2"))
        first, missing = log.glance([HAND, other])
        assert missing is None
        assert first is not None
        assert (first.version, first.head) == (2, b"head 2")
        assert [entry.body for entry in first.entries] == [b"one"]

    def test_lists_hold_their_streams_in_order(self, log: EventLog) -> None:
        for number in range(90):
            lists = (("session", f"s{number % 3}"), ("player", "Anna"), ("player", "Зоя {1}"))
            log.append(Stream("hand", "default", f"h{number}"), 0, Append(b"x", 1, lists=lists))
        everything = [f"h{number}" for number in range(90)]
        # What was stored within one millisecond may come in any order.
        assert sorted(ids(list(log.listed("hand", "default", None, None)))) == sorted(everything)
        for by in (("player", "Anna"), ("player", "Зоя {1}")):
            walked = list(log.listed("hand", "default", by, None))
            assert sorted(ids(walked)) == sorted(everything)
            assert log.members("hand", "default", by) == walked
        assert log.members("hand", "default", ("session", "s4")) == []
        found = list(log.listed("hand", "default", ("session", "s1"), None))
        assert sorted(ids(found)) == sorted(everything[1::3])
        assert [stream.created for stream in found] == sorted(stream.created for stream in found)
        assert list(log.listed("hand", "default", ("session", "s4"), None)) == []
        assert list(log.listed("hand", "default", ("player", "s1"), None)) == []

    def test_a_walk_goes_on_where_it_was_left_while_streams_come_in(self, log: EventLog) -> None:
        by = ("player", "Anna")
        written = 0

        def write(count: int) -> None:
            nonlocal written
            for _ in range(count):
                log.append(Stream("hand", "default", f"h{written}"), 0, Append(b"x", 1, lists=(by,)))
                written += 1

        seen: Counter[str] = Counter()
        cursor = None
        write(200)
        for _ in range(100):
            listing = log.listed("hand", "default", by, cursor)
            for count, stream in enumerate(listing, 1):
                seen[stream.stream.id] += 1
                if count == 7:
                    break
            cursor = listing.cursor
            if cursor is None:
                break
            if written < 300:
                write(5)
        assert cursor is None
        assert seen == Counter({f"h{number}": 1 for number in range(written)})

    @pytest.mark.parametrize("cursor", ["", "?", "abc", "WzFd", "bnVsbA", "é", "e30", "W10"])
    def test_a_cursor_that_no_list_gave(self, log: EventLog, cursor: str) -> None:
        if not cursor:
            assert list(log.listed("hand", "default", None, cursor)) == []
            return
        with pytest.raises(InvalidCursor):
            list(log.listed("hand", "default", None, cursor))

    def test_a_cursor_of_another_list(self, log: EventLog) -> None:
        cursor = log.listed("hand", "default", ("player", "Anna"), None).cursor
        assert cursor is not None
        for by in (None, ("session", "Anna"), ("player", "Béla")):
            with pytest.raises(InvalidCursor):
                log.listed("hand", "default", by, cursor)
        with pytest.raises(InvalidCursor):
            log.listed("hand", "other", ("player", "Anna"), cursor)

    def test_eight_writers_on_one_stream(self, log: EventLog) -> None:
        """Versions are contiguous, and what was acknowledged is there once."""
        start = threading.Barrier(8)

        def write(writer: int) -> list[tuple[int, bytes]]:
            start.wait()
            acknowledged = []
            version = 0
            for number in range(25):
                body = b"%d/%d" % (writer, number)
                while True:
                    try:
                        after = log.append(HAND, version, Append(body, writer % 3 + 1, body))
                    except VersionMismatch as beaten:
                        version = beaten.current
                    else:
                        acknowledged.append((after, body))
                        version = after
                        break
            return acknowledged

        with ThreadPoolExecutor(8) as writers:
            told = sorted(pair for pairs in writers.map(write, range(8)) for pair in pairs)
        found = log.read(HAND)
        assert found is not None
        assert [entry.body for entry in found.entries] == [body for _, body in told]
        version = 0
        for after, body in told:
            version += int(body.split(b"/")[0]) % 3 + 1
            assert after == version
        assert (found.version, found.head) == told[-1]

    def test_one_of_many_makes_the_stream(self, log: EventLog) -> None:
        start = threading.Barrier(8)

        def make(writer: int) -> bool:
            start.wait()
            try:
                log.append(HAND, 0, Append(b"%d" % writer, 1, lists=(("player", f"p{writer}"),)))
            except VersionMismatch:
                return False
            return True

        with ThreadPoolExecutor(8) as writers:
            made = list(writers.map(make, range(8)))
        assert sum(made) == 1
        winner = made.index(True)
        found = log.read(HAND)
        assert found is not None
        assert [entry.body for entry in found.entries] == [b"%d" % winner]
        for writer in range(8):
            listed = ids(list(log.listed("hand", "default", ("player", f"p{writer}"), None)))
            assert listed == (["h-1"] if writer == winner else [])
