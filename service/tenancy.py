"""What is stored, as far as it is the caller's tenant's."""

from __future__ import annotations

from records.feed import Feed
from records.hands import Hands
from records.sessions import Sessions
from records.tournaments import Tournaments
from records.variant_store import Variants
from service.auth import tenant
from service.wiring import wired


def hands() -> Hands:
    """The hands. Raises `StoreUnavailable` where it cannot be known whose; so do the others."""
    return wired().views_of(tenant()).hands


def feed() -> Feed:
    """The feed."""
    return wired().views_of(tenant()).feed


def sessions() -> Sessions:
    """The sessions."""
    return wired().views_of(tenant()).sessions


def tournaments() -> Tournaments:
    """The tournaments."""
    return wired().views_of(tenant()).tournaments


def known_variants() -> Variants:
    """The variants that the caller may name. Whose the caller is, is asked when a house's is named."""
    return wired().variants.seen_by(tenant)
