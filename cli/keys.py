"""The arguments of `trull keys`; what it does is in `cli.key_actions`, which takes longer to load."""

from __future__ import annotations

import argparse
import re

from records.names import player_fault
from records.scopes import NAME_PATTERN, PLAYER_SCOPES, SCOPES, TENANT


class CannotReach(Exception):
    """There is no store to be reached, or nothing to be done there; the message says why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `trull keys` takes."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)

    make = actions.add_parser("make", help="make a key, and print it this once")
    make.add_argument(
        "name", metavar="NAME", type=_name, help="who the key is for; stands in the log of hands"
    )
    make.add_argument(
        "--scopes",
        metavar="SCOPE,SCOPE",
        type=_scopes,
        help=f"what it is good for: some of {', '.join(SCOPES)}. By default all of them, or of a player's key"
        f" {' and '.join(PLAYER_SCOPES)}",
    )
    make.add_argument("--player", metavar="NAME", type=_player, help="the player whose key it is")
    make.add_argument("--tenant", metavar="NAME", type=_name, default=TENANT, help="whose data it is for")
    make.set_defaults(act="make")

    listing = actions.add_parser("list", help="list the keys, without their secrets")
    listing.add_argument("--tenant", metavar="NAME", type=_name, help="those of one tenant")
    listing.add_argument("--json", action="store_true", help="one JSON object a line")
    listing.set_defaults(act="list")

    revoke = actions.add_parser("revoke", help="revoke a key for good")
    revoke.add_argument("id", metavar="ID", help="the key's id, as `trull keys list` shows it")
    revoke.set_defaults(act="revoke")

    sandbox = actions.add_parser("sandbox", help="make a key for trying things out, or empty the sandbox")
    sandbox.add_argument("--empty", action="store_true", help="throw away all that sandbox keys have stored")
    sandbox.set_defaults(act="sandbox")


def run(given: argparse.Namespace) -> None:
    """Carry out the command. Raises `CannotReach`."""
    from cli.key_actions import act

    act(given)


def _name(text: str) -> str:
    if not re.fullmatch(NAME_PATTERN, text):
        raise argparse.ArgumentTypeError(f"{text!r} is no name: 1 to 64 of a-z, 0-9 and hyphens")
    return text


def _scopes(text: str) -> list[str]:
    scopes = text.split(",")
    if not set(scopes) <= set(SCOPES):
        raise argparse.ArgumentTypeError(
            f"{text!r}: scopes are {', '.join(SCOPES)}, with commas between them"
        )
    return scopes


def _player(text: str) -> str:
    if wrong := player_fault(text):
        raise argparse.ArgumentTypeError(wrong)
    return text
