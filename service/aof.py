"""The append-only file before Redis reads it: whole, torn at its end, or damaged; and its repair.

A file that a crash cut off in the middle of its last write is *torn*: what is missing was never
acknowledged, and Redis cuts off the rest by itself. Any other fault is *damage*. Redis stops at most
of it, yet a length that was changed in the middle makes it read on to the end of the file and take
all that follows for a torn write: it would throw acknowledged events away, and say so only in its
log. So the file is checked before each start (docs/adr/0057-faults.md).

The check is that of `redis-check-aof`, which is the redis-server itself under another name.
"""

from __future__ import annotations

import mmap
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.engine import EngineError

CHECKER: Final = "redis-check-aof"
_ANALYZED: Final = re.compile(rb"AOF analyzed: (?:filename=(\S+), )?size=(\d+), ok_up_to=(\d+)")
_COMMAND: Final = re.compile(rb"\*(\d{1,7})\r\n")
_LENGTH: Final = re.compile(rb"\$(\d{1,10})\r\n")
# How a command begins. In the middle of what should be one argument, it tells that the length is wrong.
_NEXT_COMMAND: Final = re.compile(rb"\r\n\*\d+\r\n\$\d+\r\n")
_TRANSACTION: Final = re.compile(rb"\*1\r\n\$5\r\nMULTI\r\n", re.IGNORECASE)


class DamagedData(EngineError):
    """The append-only file is damaged, and a start would lose what follows the damage."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Where a file is damaged, in bytes, and how many whole appends follow that place.

    ``sound`` is 0 where it is damaged from its beginning, so that nothing would be left of it.
    """

    file: Path
    size: int
    sound: int
    appends: int


def refuse_damaged(program: Path, data_dir: Path) -> None:
    """Nothing if Redis can read the data, torn or not. Raises `DamagedData`, which names the repair."""
    damage = find_damage(program, data_dir)
    if damage is None:
        return
    raise DamagedData(
        f"{damage.file} is damaged at byte {damage.sound} of {damage.size} "
        f"(appends that follow: {damage.appends}). This is no write that a crash cut off, so Redis is not "
        "started on it. Put back a backup, or cut the file off at the damage, which keeps a copy of it: "
        f"TRULL_DATA_DIR={data_dir} make repair"
    )


def find_damage(program: Path, data_dir: Path) -> Damage | None:
    """The first damage in the data of that folder; None if there is none, or only a torn end."""
    checked = _checked_file(data_dir)
    if checked is None:
        return None
    done = _check(program, checked)
    if done.returncode == 0:
        return None
    analyzed = _ANALYZED.findall(done.stdout)
    for name, size_text, sound_text in analyzed:
        file = checked.parent / os.fsdecode(name) if name else checked
        size, sound = int(size_text), int(sound_text)
        if sound < size:
            torn = _is_last(file, checked) and is_torn(file, sound)
            return None if torn else Damage(file, size, sound, _whole_appends(file, sound))
    if b"RDB" in done.stdout and b"RDB looks OK" not in done.stdout:
        # It did not come as far as the commands: what they build on is broken.
        return Damage(checked, checked.stat().st_size, 0, _whole_appends(checked, 0))
    return None  # nothing that this knows of: Redis will say what is wrong


def is_torn(file: Path, sound: int) -> bool:
    """Whether what follows a place is the beginning of a single append that was cut off."""
    with _mapped(file) as data:
        depth = 0
        for name, end in _commands(data, sound):
            if end is None:
                return name == b""
            if name == b"MULTI":
                depth += 1
            if name == b"EXEC" or depth > 1:
                return False
        return True


def _commands(data: mmap.mmap, at: int) -> Iterator[tuple[bytes, int | None]]:
    """The names of the commands from a place on, and where each ends.

    Ends with (b"", None) where the file is cut off, and with (b"?", None) where it is no command.
    """
    while at < len(data):
        words, found = [], _COMMAND.match(data, at)
        if found is None:
            yield (b"" if _could_begin(data[at : at + 12], b"*") else b"?"), None
            return
        at = found.end()
        for _ in range(int(found[1])):
            length = _LENGTH.match(data, at)
            if length is None:
                yield (b"" if _could_begin(data[at : at + 14], b"$") else b"?"), None
                return
            at, end = length.end(), length.end() + int(length[1])
            if end + 2 > len(data):
                cut_off = _NEXT_COMMAND.search(data, at) is None
                yield (b"" if cut_off else b"?"), None
                return
            if data[end : end + 2] != b"\r\n":
                yield b"?", None
                return
            words.append((at, end))
            at = end + 2
        first, last = words[0] if words else (at, at)
        yield data[first : min(last, first + 16)].upper(), at


def _could_begin(rest: bytes, mark: bytes) -> bool:
    """Whether the last bytes of a file are a length that was cut off."""
    return re.fullmatch(re.escape(mark) + rb"\d*\r?|", rest) is not None


def _whole_appends(file: Path, sound: int) -> int:
    with _mapped(file) as data:
        return sum(1 for _ in _TRANSACTION.finditer(data, sound + 1))


def repair(program: Path, data_dir: Path) -> str:
    """Cut the damaged file off where the damage begins, with a copy kept beside it; says what was done.

    Raises EngineError when the damage cannot be cut off.
    """
    damage = find_damage(program, data_dir)
    if damage is None:
        return (
            f"The data in {data_dir} is whole, or torn at its very end, which Redis mends: nothing was done."
        )
    if damage.sound == 0:
        raise EngineError(
            f"{damage.file} is damaged from its beginning, and cannot be mended: put back a backup."
        )
    copy = damage.file.with_name(f"{damage.file.name}.damaged-{time.strftime('%Y%m%dT%H%M%S')}")
    shutil.copy2(damage.file, copy)
    done = _check(program, damage.file, "--fix")
    if done.returncode or damage.file.stat().st_size != damage.sound:
        raise EngineError(
            f"{CHECKER} could not cut {damage.file} off: put back a backup. The file as it was is {copy}."
        )
    return (
        f"{damage.file} was cut off at byte {damage.sound} of {damage.size}, and is without the appends that "
        f"followed ({damage.appends}). As it was, it is kept as {copy}."
    )


def _checked_file(data_dir: Path) -> Path | None:
    """What the checker has to be given: the list of files since Redis 7.0, the one file before it."""
    folder = data_dir / "redis"
    for file in (folder / "appendonlydir" / "appendonly.aof.manifest", folder / "appendonly.aof"):
        if file.exists() and file.stat().st_size:
            return file
    return None


def _is_last(file: Path, checked: Path) -> bool:
    """Whether it is the file that Redis writes to: only there can a write be torn."""
    return file == checked or file.name in checked.read_text().strip().rpartition("\n")[2]


def _check(program: Path, file: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    command = [CHECKER, *options, str(file)]
    return subprocess.run(
        command, executable=program.resolve(), input=b"y\n", capture_output=True, check=False
    )


class _mapped:  # noqa: N801  # used like a function
    """A file as bytes, without reading what nobody looks at."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("rb")
        self._data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def __enter__(self) -> mmap.mmap:
        return self._data

    def __exit__(self, *_: object) -> None:
        self._data.close()
        self._file.close()
