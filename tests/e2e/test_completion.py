"""Completion in real shells: what Tab makes of a line that was typed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from execpolicy.cli.main import main
from tests.support.running import run_captured

pytestmark = pytest.mark.slow

_SECONDS = 60
_DONE = "@done@"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A home of its own, and a path that holds the launcher, one program and little else."""
    programs = tmp_path / "bin"
    programs.mkdir()
    launcher = programs / "execpolicy"
    launcher.write_text(f'#!/bin/sh\nexec {sys.executable} -m execpolicy "$@"\n')
    launcher.chmod(0o755)
    tool = programs / "zweifach"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    (tmp_path / "team.rules").write_text("")
    return {"HOME": str(tmp_path), "PATH": f"{programs}:/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8", "PS1": "> "}


LINES = [
    ("execpolicy expl", "execpolicy explain"),
    ("execpolicy comp", "execpolicy completion"),
    ("execpolicy lint --unsa", "execpolicy lint --unsafe-fixes"),
    ("execpolicy check --resol", "execpolicy check --resolve-host-executables"),
    ("execpolicy check --profile codex-0.16", "execpolicy check --profile codex-0.169"),
    ("execpolicy check -r te", "execpolicy check -r team.rules"),
    ("execpolicy check -r team.rules -- zweif", "execpolicy check -r team.rules -- zweifach"),
    ("execpolicy lint te", "execpolicy lint team.rules"),
    ("execpolicy explain zweif", "execpolicy explain zweifach"),
    ("execpolicy hook gem", "execpolicy hook gemini"),
    ("execpolicy init --with pack", "execpolicy init --with packages"),
]


def _with_tab(shell: str, arguments: list[str], setup: list[str], typed: str, env: dict[str, str], cwd: Path) -> str:
    """The line that the shell runs after ``typed`` and Tab: it is turned into the arguments of an ``echo``."""
    child = pexpect.spawn(
        shell, arguments, env=env, cwd=str(cwd), encoding="utf-8", timeout=_SECONDS, echo=False, dimensions=(40, 400)
    )
    try:
        for line in setup:
            child.sendline(line)
        child.sendline(f"echo {_DONE[:3]}''{_DONE[3:]}")
        child.expect_exact(_DONE)
        child.send(typed + "\t")
        child.send("\x01echo '[' \x05 ']'\r")  # to the start of the line, to its end
        child.expect(r"\[ (execpolicy [^\r\n]*?) +\]\r?\n")
        assert child.match is not None
        return str(child.match.group(1))
    finally:
        child.close(force=True)


@pytest.mark.parametrize(("typed", "expected"), LINES)
def test_bash(typed: str, expected: str, env: dict[str, str], tmp_path: Path) -> None:
    setup = [
        'eval "$(execpolicy completion bash)"',
        "bind 'set enable-bracketed-paste off'",
        "bind 'set bell-style none'",
    ]
    found = _with_tab("bash", ["--norc", "--noprofile", "-i"], setup, typed, env, tmp_path)
    assert found.strip() == expected


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(("typed", "expected"), LINES)
def test_zsh(typed: str, expected: str, env: dict[str, str], tmp_path: Path) -> None:
    setup = [
        "bindkey -e",
        "autoload -Uz compinit && compinit -u -D",
        'eval "$(execpolicy completion zsh)"',
        "unsetopt zle_bracketed_paste 2>/dev/null",
    ]
    found = _with_tab("zsh", ["-f", "-i"], setup, typed, env, tmp_path)
    assert found.strip() == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("typed", "expected"), LINES)
def test_fish(typed: str, expected: str, env: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        ["fish", "--no-config", "-c", 'execpolicy completion fish | source; complete -C "$LINE"'],
        env={**env, "LINE": typed},
        cwd=tmp_path,
        capture_output=True,
        timeout=_SECONDS,
        check=True,
    )
    offered = [line.partition("\t")[0] for line in done.stdout.decode().splitlines()]
    assert expected.rpartition(" ")[2] in offered


def _offered(words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.setenv("_EXECPOLICY_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    with pytest.raises(SystemExit):
        main([])
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("execpolicy li", ["plain,list", "plain,lint"]),
        ("execpolicy check --shell ", [f"plain,{name}" for name in ("bash", "sh", "dash", "ksh", "zsh")]),
        ("execpolicy check --shell = z", ["plain,zsh"]),
        ("execpolicy check --cwd ", ["dir,"]),
        ("execpolicy hook --deadline 2 cla", ["plain,claude"]),
        ("execpolicy hook claude ", []),
        ("execpolicy explain --shell d", ["plain,dash"]),
        ("execpolicy check git ", ["file,"]),
        ("execpolicy check -- git --pre", ["file,--pre"]),
        ("execpolicy hook claude --on-prompt ", []),
        ("execpolicy hook --on-prompt ", ["plain,ask", "plain,deny", "plain,inbox"]),
        ("execpolicy help te", ["plain,test", "plain,team"]),
        ("execpolicy help config sh", []),
        ("execpolicy config schema lint-", ["plain,lint-baseline", "plain,lint-statistics"]),
        ("execpolicy lint --explain ep205", ["plain,EP205"]),
        ("execpolicy lint --select EP201,EP205", ["plain,EP201,EP205"]),
        ("execpolicy completion ", ["plain,bash", "plain,zsh", "plain,fish"]),
    ],
)
def test_what_is_offered(
    words: str, expected: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _offered(words, monkeypatch, capsys) == expected


def test_a_misspelt_command_completes_without_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "plain,check" in _offered("execpolicy chekc ", monkeypatch, capsys)


def test_names_are_completed_without_importing_the_commands() -> None:
    code = (
        "import sys\nfrom execpolicy.cli.main import main\n"
        "try:\n    main([])\nexcept SystemExit:\n    pass\n"
        "sys.stderr.write(' '.join(m for m in sys.modules if m.startswith('execpolicy.cli.commands.')))"
    )
    env = {**os.environ, "_EXECPOLICY_COMPLETE": "bash_complete", "COMP_WORDS": "execpolicy c", "COMP_CWORD": "1"}
    done = run_captured([sys.executable, "-c", code], env=env, check=True)
    assert (done.stdout.split(), done.stderr) == (["plain,check", "plain,config", "plain,completion"], "")
