"""How a score sheet is packed into bytes: JSON deflated against what sheets usually look like.

Left out is what its place in the store says already (hand and version); the digest of the variant's
revision, which no compression can shorten, takes its 32 bytes. That it failed can be told without unpacking.
Before the sheet stand the facts that it was made of (`records.facts_codec`), to be read without it.
"""

from __future__ import annotations

import re
import zlib
from typing import Any, Final

import orjson

from records.codec import UnknownSchema
from records.octets import get_bytes, put_bytes

Sheet = dict[str, Any]
"""A score sheet as the wire has it."""

SCHEMA: Final = 2
"""The latest schema; 1 had no facts."""

_FIRST: Final = 1
_REVISION: Final = re.compile(r"sha256:[0-9a-f]{64}")
_NO_DIGEST: Final = bytes(32)

_DICTIONARY: Final = (
    b'"notes":[{"code":"problem":{"type":"urn:trull:problem:internal-error","title":"A fault of the service",'
    b'"status":500,"card_points_by_player":{"trischaken_no_trick","trischaken","penalty","two_honours",'
    b'"royal_trull","tarock_trull","without_kings","without_trull","valat","fifty","uhu","handful","size":"single",'
    b'"double","triple","slam","announced":true,"announced":false,"petit_au_bout","forty","pagat","overshoot",'
    b'"undershoot","variant":"illustrated-beck","variant":"illustrated-loew-1954","status":"annulled",'
    b'"status":"incomplete","status":"void","status":"failed","declarer":null,"partner":null,"contract":null,'
    b'"stake":null,"outcome":null,"card_points":null,"card_points_exact":null,"items":[],"scores":{'
    b'"variant":"french-tarot-5","variant":"french-tarot-3","contract":"prise","contract":"garde_sans",'
    b'"contract":"garde_contre","stake":"taken_over","stake":"held","stake":"retaken","contract":"trischaken",'
    b'"contract":"dreiblatt","contract":"einblatt","contract":"solo","defenders":" 2/3"}," 1/3"},'
    b'"multiplier":3,"multiplier":4,"multiplier":6,"contra":2,"contra":4,"stage":"before_pickup",'
    b'"stage":"after_pickup","stage":"silent","made":true,"made":false,"player":"'
    b'{"variant":"french-tarot-4","status":"scored","declarer":"","partner":null,"contract":"garde","stake":null,'
    b'"outcome":"lost","card_points":{"declarer":.5,"defenders":.5},"card_points_exact":{"declarer":" 1/2",'
    b'"defenders":" 1/2"},"items":[{"item":"contract","base":25,"multiplier":2,"contra":1,"points":{"":-'
    b'},"clause":"FT-9.1"}],"scores":{"":-},"payments":[{"from":"","to":"","points":'
    b'{"variant":"illustrated-mayr-sedlaczek-2016","status":"scored","declarer":"","partner":null,'
    b'"contract":"zweiblatt","stake":"called","outcome":"won","card_points":{"declarer":,"defenders":},'
    b'"card_points_exact":{"declarer":"","defenders":""},"items":[{"item":"game","base":5,"multiplier":2,'
    b'"contra":1,"points":{"":0,"":0},"clause":"IT-9.2"},{"item":"overshoot","base":,"multiplier":2,"contra":1,'
    b'"points":{"":0,"":0},"clause":"IT-9.4"}],"scores":{"":,"":0},"payments":[{"from":"","to":"","points":},'
    b'{"from":"","to":"","points":}],"notes":[]}'
)


def write_sheet(sheet: Sheet, facts: bytes = b"") -> bytes:
    """A sheet as bytes, without its hand and version; with packed facts of the hand before it."""
    rest = {name: value for name, value in sheet.items() if name not in ("hand_id", "version")}
    digest = _NO_DIGEST
    if _REVISION.fullmatch(str(rest.get("variant_revision"))):
        digest = bytes.fromhex(rest.pop("variant_revision")[7:])
    packer = zlib.compressobj(6, zlib.DEFLATED, -12, 9, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
    out = bytearray((SCHEMA, sheet["status"] == "failed"))
    put_bytes(out, facts)
    return bytes(out) + digest + packer.compress(orjson.dumps(rest)) + packer.flush()


def is_failed(data: bytes) -> bool:
    """Whether these bytes are a sheet that could not be made."""
    return bool(data[1])


def facts_in(data: bytes) -> bytes:
    """The packed facts in these bytes; none where they are of a schema that has none, or that is unknown."""
    return get_bytes(data, 2)[0] if data[0] == SCHEMA else b""


def read_sheet(data: bytes, hand_id: str, version: int) -> Sheet:
    """The sheet of these bytes. Raises `UnknownSchema`."""
    if not _FIRST <= data[0] <= SCHEMA:
        raise UnknownSchema(f"a sheet of schema {data[0]}: this version knows up to {SCHEMA}")
    at = get_bytes(data, 2)[1] if data[0] == SCHEMA else 2
    digest, deflated = data[at : at + 32], data[at + 32 :]
    rest = orjson.loads(zlib.decompressobj(-12, _DICTIONARY).decompress(deflated))
    if digest != _NO_DIGEST:
        rest["variant_revision"] = f"sha256:{digest.hex()}"
    first = {"hand_id": hand_id}
    for name in ("variant", "variant_revision"):
        if name in rest:
            first[name] = rest.pop(name)
    return {**first, "version": version, **rest}
