"""Which assignments are harmless; the claims behind the list are tried with real programs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from execpolicy.shell.variables import ANY_VALUE, harmless_assignment, plain_variable
from execpolicy.shell.words import Word
from execpolicy.source import Span
from tests.support.each import each
from tests.support.running import run_captured

SPAN = Span(0, 0)


def _harmless(setting: str, *, exported: bool = True, shell: str = "bash") -> bool:
    name, _, value = setting.partition("=")
    return harmless_assignment(name, Word(value, SPAN), exported=exported, shell=shell)


@pytest.mark.parametrize(
    "setting",
    [
        "NO_COLOR=1",
        "FORCE_COLOR=0",
        "CI=",
        "LC_ALL=C",
        "LC_ALL=en_US.UTF-8",
        "LC_CTYPE=de_DE.UTF-8@euro",
        "LANG=C.UTF-8",
        "LANGUAGE=en:de",
        "TZ=UTC",
        "TZ=Europe/Berlin",
        "TZ=:America/New_York",
        "TZ=EST5EDT,M3.2.0,M11.1.0",
        "TERM=dumb",
        "TERM=xterm-256color",
        "RUST_BACKTRACE=1",
        "PYTHONUNBUFFERED=1",
        "COLUMNS=80",
        "DEBIAN_FRONTEND=noninteractive",
        "NODE_ENV=test",
        "PAGER=cat",
        "GIT_PAGER=",
        "GIT_EDITOR=true",
    ],
)
def test_harmless_for_programs(setting: str) -> None:
    assert _harmless(setting)
    assert _harmless(setting, exported=False)


@each(
    "setting",
    [
        "PATH=/bin:",
        "PATH=/usr/local/bin",
        "PATH=/bin:.",
        "path=x",
        "foo=1",
        "LD_PRELOAD=x",
        "LC_ALL=../../tmp/x",
        "LC_ALL=/tmp/x",
        "LANGUAGE=../x",
        "LANG=..",
        "TZ=/tmp/x",
        "TZ=:/tmp/x",
        "TZ=a/../../x",
        "TERM=../x",
        "TERM=a/b",
        "TERMINFO=x",
        "LOCPATH=x",
        "NLSPATH=x",
        "DEBIAN_FRONTEND=x;system(1)",
        "NODE_ENV=../x",
        "NODE_OPTIONS=-r x",
        "PAGER=less",
        "PAGER=rm x",
        "GIT_PAGER=./evil",
        "EDITOR=cat",
        "GIT_SSH_COMMAND=x",
        "PYTHONPATH=x",
        "PYTHONWARNINGS=error::x.Y",
        "PYTHONSTARTUP=x",
        "PYTEST_ADDOPTS=-p x",
        "RUSTFLAGS=x",
        "RUSTC_WRAPPER=x",
        "IFS=x",
        "BASH_ENV=x",
        "ENV=x",
        "PS4=$(x)",
        "PROMPT_COMMAND=x",
        "CDPATH=x",
        "HOME=x",
        "LESS=-ox",
        "LESSOPEN=|x",
        "http_proxy=x",
        "MAKEFLAGS=x",
        "CC=x",
        "RIPGREP_CONFIG_PATH=x",
        "GREP_OPTIONS=x",
        "POSIXLY_CORRECT=1",
        "BASH_FUNC_ls%%=() { x; }",
        "LC_ALL2/=x",
        "npm_config_script_shell=x",
    ],
)
def test_everything_else_is_not(setting: str) -> None:
    assert not _harmless(setting)


@pytest.mark.parametrize("name", ["x", "files", "dir_name", "i", "n2", "camelCase", "DIR", "OUT"])
def test_plain_variables(name: str) -> None:
    assert plain_variable(name, "bash")
    assert _harmless(f"{name}=1", exported=False)
    assert not _harmless(f"{name}=1", exported=True)


@pytest.mark.parametrize(
    "name", ["PATH", "IFS", "_", "http_proxy", "histchars", "HOME", "a[0]", "x y", "é", "", "BASH_ENV"]
)
def test_names_with_a_meaning(name: str) -> None:
    assert not plain_variable(name, "bash")


def test_zsh_gives_lower_case_names_a_meaning() -> None:
    assert not plain_variable("path", "zsh")
    assert plain_variable("path", "bash")


def test_a_dynamic_value_is_harmless_only_where_no_value_does_harm() -> None:
    dynamic = Word(None, SPAN, kind="variable")
    assert harmless_assignment("NO_COLOR", dynamic, exported=True, shell="bash")
    assert not harmless_assignment("LC_ALL", dynamic, exported=True, shell="bash")
    assert not harmless_assignment("PAGER", dynamic, exported=True, shell="bash")
    assert harmless_assignment("x", dynamic, exported=False, shell="bash")
    assert harmless_assignment("x", None, exported=False, shell="bash")


PROGRAMS = [name for name in ("git", "python3", "perl", "ls", "grep", "bash", "node") if shutil.which(name)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_harmless_name_makes_a_program_run_or_write_a_file(program: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\n: > {mark}\n")
    evil.chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
    for value in (str(evil), f"|{evil}", f"$({evil})", f"!{evil}", str(folder / "written")):
        environment.update(dict.fromkeys(ANY_VALUE, value))
        run_captured([program, "--version"], env=environment, cwd=folder, timeout=30)
    assert not mark.exists()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["COLUMNS", "LINES"])
def test_an_integer_of_some_shell_gets_numbers_only(name: str) -> None:
    evaluated = f"{name}=a[$(evil)]"
    assert _harmless(evaluated)  # bash takes it for text
    assert not any(_harmless(evaluated, shell=shell) for shell in ("sh", "zsh", "ksh"))  # mksh may be `sh`
    assert all(_harmless(f"{name}=80", shell=shell) for shell in ("bash", "sh", "zsh", "ksh"))
