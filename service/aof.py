"""The append-only file before Redis reads it: whole, torn at its end, or damaged; and its repair.

A file that a crash cut off in the middle of its last write is *torn*: what is missing was never
acknowledged, and the rest of that append is cut off. Any other fault is *damage*, and what follows it
was acknowledged: Redis is not started on that. Redis itself tells the two apart badly. A length that was
changed in the middle makes it read on to the end of the file, take all that follows for a torn write,
and throw it away. And of an append that was torn within it keeps the first half in the file, which it
carries out at the start after next. So each start looks first (docs/adr/0057-faults.md).

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
class Fault:
    """Where a file ends to be sound, in bytes, and whether it is only torn there.

    ``sound`` is 0 where nothing would be left of it. ``appends`` begin after that place.
    """

    file: Path
    size: int
    sound: int
    torn: bool
    appends: int


def make_ready(program: Path, data_dir: Path) -> str | None:
    """Cut off a torn append; says so if it did. Raises `DamagedData`, which names the repair."""
    fault = find_fault(program, data_dir)
    if fault is None:
        return None
    if fault.torn:
        _cut_off(fault)
        rest = fault.size - fault.sound
        return f"{fault.file}: cut off the last {rest} bytes, an append that was not finished."
    raise DamagedData(
        f"{fault.file} is damaged at byte {fault.sound} of {fault.size} "
        f"(appends that follow: {fault.appends}). This is no write that a crash cut off, so Redis is not "
        "started on it. Put back a backup, or cut the file off at the damage, which keeps a copy of it: "
        f"TRULL_DATA_DIR={data_dir} make repair"
    )


def find_fault(program: Path, data_dir: Path) -> Fault | None:
    """What is wrong with the data of that folder; None if it is sound."""
    checked = _checked_file(data_dir)
    if checked is None:
        return None
    done = _check(program, checked)
    if done.returncode == 0:
        return None
    for name, size_text, sound_text in _ANALYZED.findall(done.stdout):
        file = checked.parent / os.fsdecode(name) if name else checked
        size, sound = int(size_text), int(sound_text)
        if sound < size:
            torn = _is_last(file, checked) and is_torn(file, sound)
            return Fault(file, size, sound, torn, _appends_after(file, sound))
    if b"RDB" in done.stdout and b"RDB looks OK" not in done.stdout:
        # It did not come as far as the commands: what they build on is broken.
        return Fault(checked, checked.stat().st_size, 0, torn=False, appends=_appends_after(checked, 0))
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


def _appends_after(file: Path, sound: int) -> int:
    with _mapped(file) as data:
        return sum(1 for _ in _TRANSACTION.finditer(data, sound + 1))


def repair(program: Path, data_dir: Path) -> str:
    """Cut the data off where the damage begins, with a copy kept beside it; says what was done.

    Raises EngineError when nothing would be left.
    """
    fault = find_fault(program, data_dir)
    if fault is None or fault.torn:
        return f"The data in {data_dir} is sound, or torn at its end as a crash leaves it: nothing was done."
    if fault.sound == 0:
        raise EngineError(
            f"{fault.file} is damaged from its beginning, and cannot be mended: put back a backup."
        )
    copy = fault.file.with_name(f"{fault.file.name}.damaged-{time.strftime('%Y%m%dT%H%M%S')}")
    shutil.copy2(fault.file, copy)
    _cut_off(fault)
    return (
        f"{fault.file} was cut off at byte {fault.sound} of {fault.size}, and is without the appends that "
        f"followed ({fault.appends}). As it was, it is kept as {copy}."
    )


def _cut_off(fault: Fault) -> None:
    with fault.file.open("r+b") as file:
        file.truncate(fault.sound)
        os.fsync(file.fileno())


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


def _check(program: Path, file: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [CHECKER, str(file)], executable=program.resolve(), capture_output=True, check=False
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
