"""The text of supervisord.conf; `tests/e2e/test_make_run.py` runs it."""

import shlex
import sys

import pytest
from supervisor.options import UnhosedConfigParser

from service.up import Program, supervisor_config


def read(text: str) -> UnhosedConfigParser:
    """As supervisord reads it."""
    parser = UnhosedConfigParser()
    parser.read_string(text)
    return parser


@pytest.mark.parametrize(
    "word",
    [
        "plain",
        "with space",
        "50%",
        "a ;comment",
        "a #comment",
        "it's",
        'a "quote"',
        "back\\slash",
        "%(here)s",
        "ü",
    ],
)
def test_a_command_reaches_supervisord_word_for_word(word: str) -> None:
    config = read(supervisor_config([Program("api", ["program", word, "last"])]))
    command = config.get("program:api", "command", raw=True) % {"here": "expanded"}
    launch = [sys.executable, "-P", "-m", "service.launch", "--lock", "programs.lock"]
    assert shlex.split(command) == [*launch, "program", word, "last"]


def test_redis_starts_first_and_stops_last_and_the_api_stops_first() -> None:
    names = ["api", "sweeper", "courier", "redis"]
    config = read(supervisor_config([Program(name, ["program"]) for name in names]))
    assert sorted(names, key=lambda name: int(config.get(f"program:{name}", "priority"))) == names[::-1]


def test_copies() -> None:
    config = read(supervisor_config([Program("worker", ["program"], copies=7)]))
    assert config.get("program:worker", "numprocs") == "7"
