"""The rule sets, listed or one in full, to read or as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence

from records.house_schemas import described as described_in_full
from records.wire import dumps
from trull import Variant

_WIDTH = 100


def listed_json(variants: Iterable[Variant]) -> str:
    """All variants as a JSON object, like ``GET /v1/variants``."""
    rows = [
        {
            "id": variant.id,
            "name": variant.name,
            "family": variant.family,
            "players": variant.players,
            "revision": variant.revision,
        }
        for variant in variants
    ]
    return dumps({"variants": rows}).decode()


def described_json(variant: Variant, written: Mapping[str, object] | None) -> str:
    """One variant as a JSON object, like ``GET /v1/variants/{id}``; ``written`` made a house of it."""
    return dumps(described_in_full(variant, written)).decode()


def listed(variants: Iterable[Variant]) -> str:
    """All variants, a line each."""
    return _table(("id", "players", "name"), [(v.id, str(v.players), v.name) for v in variants])


def described(variant: Variant) -> str:
    """One variant: its contracts, bonuses and rulings."""
    deal = variant.game.deals[variant.players]
    parts = [
        f"{variant.name}\n{variant.id}, {variant.revision}",
        textwrap.fill(variant.source, _WIDTH),
        f"{variant.players} players, {variant.game.pack.cards.bit_count()} cards:"
        f" {deal.cards_each} for each and {deal.talon} in the talon",
        _table(
            ("contract", "multiplier", "stakes"),
            [
                (row.id, str(row.multiplier), _numbers(row.stakes) or "-")
                for row in variant.contracts.values()
            ],
        ),
        _table(
            ("bonus", "values", "announced by", "silent by"),
            [
                (row.id, _numbers(row.values), row.announced_by, row.silent_by)
                for row in variant.bonuses.values()
            ],
        ),
        "\n".join(_rulings(variant)),
    ]
    return "\n\n".join(parts)


def _numbers(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _rulings(variant: Variant) -> Iterable[str]:
    """Each ruling with its value, the other possible ones, and why it is one."""
    for ruling in variant.game.rulings:
        value = _word(variant.rulings[ruling.name])
        choices = "a whole number" if ruling.values is None else " | ".join(map(_word, ruling.values))
        yield f"{ruling.name} = {value}  ({choices})"
        yield textwrap.fill(
            f"{ruling.why} [{ruling.clause}]", _WIDTH, initial_indent="    ", subsequent_indent="    "
        )


def _word(value: object) -> str:
    return dumps(value).decode().strip('"')


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their longest cell, the last one as it comes."""
    lines = [heads, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
