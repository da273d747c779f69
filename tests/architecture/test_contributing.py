"""The recipes of ``docs/contributing.md``, followed to the letter in a copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributing.md").read_text("utf-8")
FENCE = re.compile(r"^(`{3,})\w.*?^\1$", re.DOTALL | re.MULTILINE)
HEADS = [
    (head.start(), head[1])
    for head in re.finditer(r"^## (.+)$", FENCE.sub(lambda block: "-" * len(block[0]), PAGE), re.MULTILINE)
]
ENDS = [start for start, _ in HEADS[1:]] + [len(PAGE)]
RECIPES = {title: PAGE[start:end] for (start, title), end in zip(HEADS, ENDS, strict=True)}
BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<language>python|sh|text)(?: (?P<name>\S+))?\n(?P<text>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
TABLES = re.compile(r"^ *[)}]$", re.MULTILINE)
"""The end of a table; an addition goes in front of the last one of those that are indented least."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package and its data, to be changed."""
    for name in ("execpolicy", "grammar", "rules"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_data"))
    return tmp_path


def add(root: Path, name: str, text: str) -> None:
    """Write a new file, add to a rule or data file, or to the table of a module."""
    path = root / name
    if not path.exists() or path.parent == root:
        path.write_text(text)
    elif path.suffix in (".rules", ".txt"):
        path.write_text(path.read_text("utf-8") + "\n" + text)
    else:
        old = path.read_text("utf-8")
        indent = len(text) - len(text.lstrip(" "))
        ends = [end.start() for end in TABLES.finditer(old) if len(end.group()) == indent - 3]
        path.write_text(old[: ends[-1]] + text + old[ends[-1] :])


def run(root: Path, line: str) -> str:
    """What a command line prints."""
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
        "PYTHONPATH": str(root),
        "HOME": str(root / "home"),
        "EXECPOLICY_CACHE": "",
        "COLUMNS": "200",
    }
    program, _, rest = line.partition(" ")
    module = {"execpolicy": "-m execpolicy", "python": ""}[program]
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -P {module} {rest}"],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("title", list(RECIPES))
def test_a_recipe_works(title: str, copy: Path) -> None:
    commands = []
    for _, language, name, text in BLOCK.findall(RECIPES[title]):
        if name:
            add(copy, name, text)
        else:
            assert language == "sh"
            commands += [line for line in text.splitlines() if line.strip()]
    assert commands, "a recipe shows that it works"
    for line in commands:
        command, hint, expected = line.partition(" # ")
        assert hint, line
        printed = run(copy, command.strip())
        assert expected.strip() in printed, f"{command.strip()}\n{printed}"


def test_the_page_has_the_five_recipes() -> None:
    wanted = ["program", "safe program", "lint check", "agent", "output format"]
    assert [word for word, title in zip(wanted, RECIPES, strict=True) if word in title] == wanted
    record = BLOCK.findall(RECIPES[next(iter(RECIPES))])[0]
    assert record[2].startswith("grammar/programs/")
    assert len(record[3].splitlines()) <= 25
