"""The other ways to install that the start page names, as a user follows them: uv and pipx, each in a new home."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.running import run_captured

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

TUTORIAL = (ROOT / "docs" / "start.md").read_text("utf-8")
WAYS = re.findall(r"`((?:uv|pipx) (?:tool )?install \.)`", TUTORIAL)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both programs."""
    folder = tmp_path_factory.mktemp("installers")
    assert run_captured([sys.executable, "-m", "venv", str(folder)]).returncode == 0
    done = run_captured([str(folder / "bin" / "pip"), "install", "-q", "uv", "pipx"])
    if done.returncode != 0:
        pytest.skip("pip reaches no packages, of which both build the environment of a tool")
    return folder / "bin"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy: building leaves files behind."""
    left = shutil.ignore_patterns(".git", ".venv", "build", "tests", "benchmarks", "_data", "__pycache__", "*_cache")
    return Path(shutil.copytree(ROOT, tmp_path_factory.mktemp("checkout") / "execpolicy", ignore=left))


def test_the_tutorial_names_both() -> None:
    assert [way.split()[0] for way in WAYS] == ["uv", "pipx"]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_installed_decides(way: str, tools: Path, checkout: Path, tmp_path: Path) -> None:
    program, *words = way.split()
    own = {
        name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIPX_", "XDG_", "EXECPOLICY"))
    }
    own |= {"HOME": str(tmp_path), "UV_PYTHON": sys.executable, "PIPX_DEFAULT_PYTHON": sys.executable}
    done = run_captured([str(tools / program), *words], cwd=checkout, env=own)
    assert done.returncode == 0, done.stderr
    command = str(tmp_path / ".local" / "bin" / "execpolicy")
    for decision, argv in (("allow", ["git", "status"]), ("prompt", ["rm", "-rf", "/"])):
        asked = run_captured([command, "check", "--format", "text", "--", *argv], cwd=tmp_path, env=own)
        assert asked.stdout.startswith(f"{decision}: "), asked
