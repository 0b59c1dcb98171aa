"""What the start writes and says; `tests/e2e/test_make_run.py` runs it."""

import shlex
import sys

import pytest
from supervisor.options import UnhosedConfigParser

from service.config import Settings
from service.supervisor import Program, supervisor_config
from service.up import ready_line


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


@pytest.mark.parametrize(
    ("bind", "url", "others"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000", False),
        ("192.168.1.5:8000", "http://192.168.1.5:8000", False),
        ("0.0.0.0:8001", "http://127.0.0.1:8001", True),
        ("[::]:8001", "http://[::1]:8001", True),
    ],
)
def test_the_start_says_where_the_service_is(bind: str, url: str, others: bool) -> None:
    line = ready_line(
        Settings.from_env({"TRULL_BIND": bind, "TRULL_API_KEYS": "club:a-key-of-thirty-two-letters-0123"})
    )
    assert line.startswith(f"Trull is ready: {url} (documentation at {url}/docs).")
    assert ("Other machines call it by the name or address of this one, at port 8001." in line) is others
