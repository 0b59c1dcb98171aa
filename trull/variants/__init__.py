"""The registry of the built-in variants."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from trull.model import Variant
from trull.variants import french_tarot, illustrated_tarock

VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType(
    {variant.id: variant for variant in (*illustrated_tarock.VARIANTS, *french_tarot.VARIANTS)}
)
"""Every built-in variant by its id."""

__all__ = ["VARIANTS", "Variant"]
