"""Settings from the environment: what is taken, what is refused, and that no key shows."""

import dataclasses
import os
from pathlib import Path

import pytest

from records.scopes import SCOPES
from service.config import NAMES, Settings
from service.config_error import ConfigError
from tests.support.processes import ROOT

KEY = "0123456789abcdef"
OTHER_KEY = "fedcba9876543210"


def test_with_nothing_set_the_service_is_local_open_and_embedded() -> None:
    settings = Settings.from_env({})
    assert settings.redis_url is None
    assert settings.bind == "127.0.0.1:8000"
    assert settings.workers == len(os.sched_getaffinity(0))
    assert settings.data_dir == Path.cwd() / "data"
    assert settings.api_keys == ()
    assert settings.is_open
    assert settings.is_loopback


def test_an_empty_variable_is_unset() -> None:
    names = ("REDIS_URL", "BIND", "WORKERS", "DATA_DIR", "API_KEYS")
    assert Settings.from_env({f"TRULL_{name}": "" for name in names}) == Settings.from_env({})


def test_the_environment_of_the_process_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRULL_BIND", "127.0.0.1:8123")
    assert Settings.from_env().port == 8123


def test_all_can_be_set() -> None:
    settings = Settings.from_env(
        {
            "TRULL_REDIS_URL": "redis://:secret@redis:6380/1",
            "TRULL_BIND": "0.0.0.0:80",
            "TRULL_WORKERS": "7",
            "TRULL_DATA_DIR": "/srv/trull",
            "TRULL_API_KEYS": f"club:{KEY}",
        }
    )
    assert settings.redis_url == "redis://:secret@redis:6380/1"
    assert (settings.host, settings.port) == ("0.0.0.0", 80)
    assert settings.workers == 7
    assert settings.data_dir == Path("/srv/trull")
    assert [key.name for key in settings.api_keys] == ["club"]
    assert not settings.is_open


@pytest.mark.parametrize(
    ("value", "host", "port", "loopback"),
    [
        ("127.0.0.1:1", "127.0.0.1", 1, True),
        ("127.8.9.1:65535", "127.8.9.1", 65535, True),
        ("localhost:8000", "localhost", 8000, True),
        ("[::1]:8000", "::1", 8000, True),
        ("0.0.0.0:8000", "0.0.0.0", 8000, False),
        ("[::]:8000", "::", 8000, False),
        ("192.168.1.5:8000", "192.168.1.5", 8000, False),
        ("localhost.example:8000", "localhost.example", 8000, False),
    ],
)
def test_bind(value: str, host: str, port: int, loopback: bool) -> None:
    settings = Settings.from_env({"TRULL_BIND": value, "TRULL_API_KEYS": f"club:{KEY}"})
    assert (settings.host, settings.port, settings.is_loopback) == (host, port, loopback)
    assert settings.bind == value


@pytest.mark.parametrize(
    "value",
    [
        "8000",
        "127.0.0.1",
        ":8000",
        "127.0.0.1:",
        "127.0.0.1:0",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1:８０",
        "127.0.0.1:" + "9" * 5000,
        "::1:8000",
        "[::1:8000",
        "[nonsense]:8000",
        "http://127.0.0.1:8000",
        "my host:8000",
    ],
)
def test_a_bind_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match="TRULL_BIND must be host:port"):
        Settings.from_env({"TRULL_BIND": value, "TRULL_API_KEYS": f"club:{KEY}"})


@pytest.mark.parametrize("bind", ["0.0.0.0:8000", "[::]:8000", "192.168.1.5:8000", "club.example:8000"])
@pytest.mark.parametrize("keys", ["", "  "])
def test_open_access_is_for_loopback_alone(bind: str, keys: str) -> None:
    with pytest.raises(ConfigError, match="TRULL_API_KEYS is not set"):
        Settings.from_env({"TRULL_BIND": bind, "TRULL_API_KEYS": keys})


@pytest.mark.parametrize("value", ["0", "-1", "257", "two", "1.5", " 2", "２", "9" * 5000])
def test_a_number_of_workers_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match="TRULL_WORKERS must be a whole number from 1 to 256"):
        Settings.from_env({"TRULL_WORKERS": value})


@pytest.mark.parametrize(
    "value",
    ["redis://h", "redis://:pw@h:6380/2", "rediss://h:6379/0", "unix:///run/redis.sock", "redis://[::1]"],
)
@pytest.mark.parametrize("name", ["TRULL_REDIS_URL", "TRULL_QUEUE_URL"])
def test_redis_url(name: str, value: str) -> None:
    settings = Settings.from_env({name: value})
    assert (settings.redis_url, settings.queue_url) == (
        (value, None) if name == "TRULL_REDIS_URL" else (None, value)
    )


@pytest.mark.parametrize(
    "value",
    ["redis+cluster://h", "redis+cluster://:pw@h:7000,h:7001", "rediss+cluster://u:pw@[::1]:7000,h/0"],
)
def test_a_cluster_needs_another_redis_for_the_queue(value: str) -> None:
    settings = Settings.from_env({"TRULL_REDIS_URL": value, "TRULL_QUEUE_URL": "redis://q"})
    assert (settings.redis_url, settings.queue_url) == (value, "redis://q")
    with pytest.raises(ConfigError, match="TRULL_QUEUE_URL is not set"):
        Settings.from_env({"TRULL_REDIS_URL": value})
    with pytest.raises(ConfigError, match="TRULL_QUEUE_URL must look like"):
        Settings.from_env({"TRULL_REDIS_URL": value, "TRULL_QUEUE_URL": value})


@pytest.mark.parametrize(
    "value",
    [
        "localhost:6379",
        "http://h",
        "redis://",
        "redis:///0",
        "unix://",
        "redis://:hush-hush@h:port",
        "redis://[::1",
        "redis+cluster://:hush-hush@h:1,h:port",
        "redis+cluster://h/1",
    ],
)
@pytest.mark.parametrize("name", ["TRULL_REDIS_URL", "TRULL_QUEUE_URL"])
def test_a_redis_url_that_is_none_is_refused_without_repeating_it(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} must look like") as refusal:
        Settings.from_env({name: value})
    assert "hush-hush" not in str(refusal.value)


def test_sixteen_characters_are_enough() -> None:
    known = Settings.from_env({"TRULL_API_KEYS": f"club:{KEY[:16]}"}).known_key(KEY[:16])
    assert known is not None
    assert known.name == "club"


def test_a_key_is_known_by_its_name() -> None:
    settings = Settings.from_env({"TRULL_API_KEYS": f"club:{KEY}, table-3:{OTHER_KEY}:submit"})
    assert [key.name for key in settings.api_keys] == ["club", "table-3"]
    for key, known in zip((KEY, OTHER_KEY), settings.api_keys, strict=True):
        assert settings.known_key(key) is known
    for stranger in ("", "club", KEY[:-1], KEY + "0", f"{OTHER_KEY}:submit", f"club:{KEY}", "ключ", "\udce9"):
        assert settings.known_key(stranger) is None


@pytest.mark.parametrize(
    ("details", "scopes", "player"),
    [
        ("", set(SCOPES), None),
        (":read", {"read"}, None),
        (":submit+direct", {"submit", "direct"}, None),
        (":player=Anna", {"submit", "read"}, "Anna"),
        (":player=B%C3%A9la%2C%20der%20%C3%84ltere", {"submit", "read"}, "Béla, der Ältere"),
        (":player=Béla", {"submit", "read"}, "Béla"),
        (":player=Anna:read", {"read"}, "Anna"),
        (":read+cards:player=Anna", {"read", "cards"}, "Anna"),
    ],
)
def test_what_a_key_is_good_for(details: str, scopes: set[str], player: str | None) -> None:
    [key] = Settings.from_env({"TRULL_API_KEYS": f"club:{KEY}{details}"}).api_keys
    assert (set(key.scopes), key.player) == (scopes, player)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("hush-hush-hush-hush", "entry 1 is no name:key pair"),
        (f"club:{KEY},", "entry 2 is no name:key pair"),
        (f":{KEY}", "the name of entry 1"),
        ("Club:hush-hush-hush-hush", "the name of entry 1"),
        ("a club:hush-hush-hush-hush", "the name of entry 1"),
        ("club:", "the key of 'club'"),
        ("club:hush-hush-hush-", "at least 16"),
        ("club:hush-hush-hush", "at least 16"),
        ("club:hush-hush hush-hush", "printable ASCII"),
        ("club:hush-hush-hush-hüsh", "printable ASCII"),
        (f"club:{KEY}:hush-hush", "behind the key of 'club' may stand scopes"),
        (f"club:{KEY}:read+hush", "behind the key of 'club' may stand scopes"),
        (f"club:{KEY}:read:submit", "behind the key of 'club' may stand scopes"),
        (f"club:{KEY}:", "behind the key of 'club' may stand scopes"),
        (f"club:{KEY}:player=Anna:player=Eva", "behind the key of 'club' may stand scopes"),
        (f"club:{KEY}:player=", "the player of 'club': A player key has 1 to 64"),
        (f"club:{KEY}:player=%00", "the player of 'club'"),
        ("club:hush:hush-hush-hush-hush", "at least 16"),
        (f"club:{KEY},club:hush-hush-hush-hush", "'club' is there twice"),
        ("club:hush-hush-hush-hush,bar:hush-hush-hush-hush", "the key of 'bar' has another name already"),
    ],
)
def test_keys_that_cannot_be_used_are_refused_without_repeating_them(value: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as refusal:
        Settings.from_env({"TRULL_API_KEYS": value})
    assert str(refusal.value).startswith("TRULL_API_KEYS")
    assert "hush" not in str(refusal.value)
    assert KEY not in str(refusal.value)


def test_nothing_secret_shows() -> None:
    settings = Settings.from_env(
        {"TRULL_API_KEYS": f"club:{KEY}", "TRULL_REDIS_URL": "redis://:hush-hush@127.0.0.1/0"}
    )
    for shown in (
        repr(settings),
        str(settings),
        repr(settings.api_keys),
        repr(dataclasses.asdict(settings)["api_keys"]),
    ):
        assert KEY not in shown
    assert "hush" not in repr(settings)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings.from_env({}).port = 1  # type: ignore[misc]


def test_names_that_mean_nothing_are_told() -> None:
    told = Settings.unknown_names(
        {
            "TRULL_BNID": "x",
            "TRULL_BIND": "x",
            "TRULL_REDIS_URI": "redis://:hush@h",
            "TRULL_COLOUR": "x",
            "PATH": "x",
        }
    )
    assert told == [
        "TRULL_BNID is no setting of Trull and does nothing; did you mean TRULL_BIND?",
        f"TRULL_COLOUR is no setting of Trull and does nothing; there are {', '.join(NAMES)}.",
        "TRULL_REDIS_URI is no setting of Trull and does nothing; did you mean TRULL_REDIS_URL?",
    ]


def test_every_name_that_means_something_is_read() -> None:
    code = [path for package in ("service", "records", "workers") for path in (ROOT / package).glob("*.py")]
    read = "".join(path.read_text() for path in code)
    for name in NAMES:
        assert read.count(f'"{name}"') > 1, name


def test_logs_are_json_unless_text_is_wanted() -> None:
    assert Settings.from_env({}).log_format == "json"
    assert Settings.from_env({"TRULL_LOG_FORMAT": "text"}).log_format == "text"
    with pytest.raises(ConfigError, match=r"TRULL_LOG_FORMAT must be json or text, not 'xml'\."):
        Settings.from_env({"TRULL_LOG_FORMAT": "xml"})


def test_stored_keys_only() -> None:
    settings = Settings.from_env({"TRULL_API_KEYS": "stored", "TRULL_BIND": "0.0.0.0:8000"})
    assert (settings.stored_keys_only, settings.is_open, settings.api_keys) == (True, False, ())
    assert not Settings.from_env({}).stored_keys_only


def test_origins() -> None:
    told = "https://club.example, http://localhost:5173 http://[::1]:3000"
    settings = Settings.from_env({"TRULL_CORS_ORIGINS": told})
    assert settings.cors_origins == {"https://club.example", "http://localhost:5173", "http://[::1]:3000"}
    assert Settings.from_env({}).cors_origins == frozenset()
    keyed = {"TRULL_CORS_ORIGINS": "*", "TRULL_API_KEYS": f"club:{KEY}"}
    assert Settings.from_env(keyed).cors_origins == {"*"}


@pytest.mark.parametrize(
    "value",
    ["club.example", "https://club.example/", "https://Club.example", "ftp://h", "null", "https://h:0"],
)
def test_what_is_no_origin(value: str) -> None:
    with pytest.raises(ConfigError, match=r"TRULL_CORS_ORIGINS: .* is no origin"):
        Settings.from_env({"TRULL_CORS_ORIGINS": f"https://club.example,{value}"})


def test_all_origins_need_keys() -> None:
    with pytest.raises(ConfigError, match="any web page could read and write"):
        Settings.from_env({"TRULL_CORS_ORIGINS": "*"})
