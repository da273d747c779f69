"""What a decision in a process of its own loads: the whole list of foreign modules, and the packages of our own.

A module that is imported without need is the usual way for a command-line tool to become slow.
"""

import json
import os
import sys
from pathlib import Path

import pytest

from benchmarks.cold import LIBRARY
from tests.support.running import run_captured

ROOT = Path(__file__).parents[2]

FREE = {"__future__", "_blake2", "_json", "_operator", "errno", "gc", "itertools"}
"""What every form may load: small, or built into the interpreter."""
BASE = {"bytecode", "cli", "core", "deferred", "errors", "judge", "layers", "resources", "source", "version"}
READ = {"safe_open"}
"""Where a file that was named is read."""
JUDGE = BASE | {"flow", "programs", "safety", "shell"}
COMPILE = JUDGE | {"lang"}

FORMS: dict[str, tuple[set[str], set[str]]] = {
    "check -r, argv, cached": (FREE, JUDGE),
    "check -r, argv, no cache": (FREE, COMPILE | READ),
    "check -r, script, cached": (FREE, JUDGE),
    "check -r, script, cached, from a checkout": (FREE, JUDGE | {"value"}),
    "check with layers, argv, cached": (FREE, JUDGE),
    "check with layers, script, cached": (FREE, JUDGE),
    "check with layers, script, no cache": (FREE, COMPILE | READ),
    "compat, cached": (FREE, BASE | READ | {"codex"}),
    "compat, no cache": (
        FREE,
        COMPILE - {"bytecode", "flow", "programs", "safety", "shell", "version"} | READ | {"codex"},
    ),
    "hook, cached": (FREE, JUDGE | {"hooks", "fd_io"}),
}
"""The most that each form may load: foreign modules, packages of our own. Compiling rules that are not plain literals
takes Starlark; the built-in entries are such rules, but a wheel brings them compiled."""

DOORS = {f"execpolicy.{path.parent.name}" for path in (ROOT / "execpolicy").glob("*/__init__.py")}
"""Packages without their modules: importing the door of a package loads none of them."""

DENIED = {
    *(
        "argparse",
        "ast",
        "asyncio",
        "click",
        "contextlib",
        "dataclasses",
        "difflib",
        "filelock",
        "hashlib",
        "importlib",
    ),
    *("importlib.metadata", "importlib.resources", "inspect", "lark", "logging", "pathlib", "pkg_resources", "pickle"),
    *(
        "random",
        "shlex",
        "shutil",
        "socket",
        "subprocess",
        "tempfile",
        "threading",
        "tomllib",
        "traceback",
        "tree_sitter",
    ),
    *("tree_sitter_bash", "typing", "unittest", "urllib", "uuid", "warnings", "weakref", "zipfile"),
}
"""What no form loads, whatever the lists above say."""


@pytest.fixture(scope="module")
def loaded() -> dict[str, list[str]]:
    """The modules beyond those of a bare interpreter, by form."""
    done = run_captured([sys.executable, "-P", str(ROOT / "benchmarks" / "counts.py"), "--modules"])
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_every_form_loads_only_what_is_listed(loaded: dict[str, list[str]]) -> None:
    assert set(loaded) == set(FORMS)
    unexpected = {}
    for form, names in loaded.items():
        foreign, packages = FORMS[form]
        ours = {name.split(".")[1] for name in names if name.startswith("execpolicy.") and name not in DOORS}
        others = {name for name in names if name.partition(".")[0] != "execpolicy"}
        extra = sorted(others - foreign) + [f"execpolicy.{name}" for name in sorted(ours - packages)]
        if extra:
            unexpected[form] = extra
    assert unexpected == {}, "import it inside the function that needs it, or do without"


def test_what_is_listed_is_loaded(loaded: dict[str, list[str]]) -> None:
    stale = {}
    for form, (foreign, packages) in FORMS.items():
        listed = {*(foreign - FREE), *{f"execpolicy.{name}" for name in packages}}
        missing = sorted(listed - set(loaded[form]))
        if missing:
            stale[form] = missing
    assert stale == {}, "shorten the list: the next import of these should be seen"


def test_no_form_loads_what_is_expensive(loaded: dict[str, list[str]]) -> None:
    found = {form: sorted(DENIED & set(names)) for form, names in loaded.items() if DENIED & set(names)}
    assert found == {}


def test_there_is_a_list_for_a_check_without_any_foreign_module(loaded: dict[str, list[str]]) -> None:
    """The count itself works: it sees modules of ours, and would see others."""
    assert "execpolicy.judge.judge" in loaded["check with layers, script, cached"]
    assert "_blake2" in loaded["check with layers, script, no cache"]


@pytest.mark.parametrize(
    "words", ["--help", "completion bash", "list --help", "fmt --help", "lint --help", "split --help"]
)
def test_other_commands_load_neither_agents_nor_approvals(words: str) -> None:
    """The module of a command imports what the command needs, not what a shared option or a hint needs elsewhere."""
    code = "import sys; from execpolicy.cli.main import main\ntry: main(sys.argv[1:])\nfinally: print(*sys.modules)"
    done = run_captured([sys.executable, "-P", "-c", code, *words.split()])
    names = done.stdout.splitlines()[-1].split()
    packages = {name.split(".")[1] for name in names if name.startswith("execpolicy.") and name not in DOORS}
    assert "cli" in packages, done.stderr
    assert not packages & {"approvals", "gate", "inbox", "manager", "protocol"}
    assert not {"asyncio", "lark", "starlark"} & set(names)


def test_the_first_check_of_a_host_loads_neither_an_event_loop_nor_locks() -> None:
    code = f"import sys; {LIBRARY.format('git status').strip()}; print(*sys.modules)".replace("\n", "; ")
    done = run_captured([sys.executable, "-P", "-S", "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)})
    loaded = set(done.stdout.split())
    assert "execpolicy.judge.judge" in loaded, done.stderr
    assert not {"asyncio", "dataclasses", "filelock", "inspect", "logging", "socket", "ssl", "subprocess"} & loaded
