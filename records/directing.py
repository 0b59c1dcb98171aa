"""What only a director may put into a hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def directs(event: Mapping[str, Any]) -> str | None:
    """What of an event is the director's."""
    if event["type"] == "penalty_assessed":
        return "Penalties need the scope 'direct'."
    if event["type"] == "hand_annulled" and event["reason"] == "director":
        return "An annulment by the director needs the scope 'direct'."
    return None
