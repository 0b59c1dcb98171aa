"""What a key may be good for, and whose it may be."""

from __future__ import annotations

from typing import Final

SCOPES: Final = ("submit", "read", "cards", "direct", "admin")
"""What a key may be good for: to send hands and their events, to read, to see the cards of live hands, to
correct and to penalise, and what is the operator's alone."""
PLAYER_SCOPES: Final = ("submit", "read")
"""The scopes of a player's key of which nothing else is said."""

TENANT: Final = "default"
"""The tenant of who is not told otherwise; its keys with the scope ``admin`` are the operator's."""
SANDBOX: Final = "sandbox"
"""The tenant for trying things out."""

MAX_NAME: Final = 64
NAME_PATTERN: Final = rf"^[a-z0-9-]{{1,{MAX_NAME}}}$"
"""Names of keys and of tenants."""
