"""The keys of uploads and imports. All of one import are in one shard (docs/adr/0055-imports.md).

{t07}:imports                          the imports that are not done: names, by the time of their upload
{t07}:uploading                        for two seconds from each chunk of an upload that has just begun
{t07}:import:default:<id>              what is known of an import, and how far it is
{t07}:import:default:<id>:chunks       the chunks that are left, by their number
{t07}:import:default:<id>:left         the same numbers, in order; once claimed, by the next try
{t07}:import:default:<id>:results      the outcomes of the chunks that are done
"""

from __future__ import annotations

from typing import Final

from records.log import Stream
from records.redis_keys import shard_of, tag_of

KIND: Final = "import"


def import_key(stream: Stream) -> str:
    """The key of an import; its other keys begin with it."""
    return f"{tag_of(shard_of(stream))}:{KIND}:{import_name(stream)}"


def open_key(shard: int) -> str:
    """The key of a shard's imports that are not done."""
    return f"{tag_of(shard)}:imports"


def uploading_key(shard: int) -> str:
    """The key that tells of uploads which have just begun in a shard."""
    return f"{tag_of(shard)}:uploading"


def import_name(stream: Stream) -> str:
    """The name of an import in that list."""
    return f"{stream.tenant}:{stream.id}"


def import_named(name: bytes) -> Stream:
    """The import of such a name."""
    return Stream(KIND, *name.decode().split(":", 1))
