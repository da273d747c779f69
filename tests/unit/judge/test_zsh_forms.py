"""What zsh runs in forms of its own, none of which are understood, is found by the rules that restrict."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from execpolicy.core.decision import Decision
from execpolicy.judge.check import check
from tests.support.each import each
from tests.support.judging import rulebook
from tests.support.running import run_captured

FOUND = (
    "b*(N) rm y",
    "b[cd](N-.) rm y",
    "a=(rm x); $a[1] y",
    "a=(x rm); $a[2] y",
    'a=(x rm); "$a[2]" y',
    "a=(x rm); ${a[2]} y",
    "a=(x rm); $a[-1] y",
    "typeset -A h; h=(k rm); $h[k] y",
    "x='rm y'; $=x",
    "x='rm y'; ${=x}",
    "x='rm y'; ${(z)x}",
    "n=x x=rm; ${(P)n} y",
    "${:-rm} y",
    "repeat 2 rm y",
    "for x (a b) { rm y }",
    "foreach x (a b); rm y; end",
    "while (( i++ < 1 )) { rm y }",
    "{ rm y } always { ls }",
    "() { rm y } a",
    "=rm y",
    "noglob =rm y",
    "builtin - rm y",
    "exec - rm y",
    "repeat 2 { rm y }",
    "$commands[rm] y",
    "${commands[rm]} y",
    "noglob rm y",
    ":; - rm y",
    "functions[x]='rm y'; x",
    "print 'rm y' | zsh",
    "print -r -- 'rm y' | zsh",
    "print -l 'rm y' z | zsh",
    "emulate sh -c 'rm y'",
    "x='$(rm y)'; echo \"${(e)x}\"",
    "autoload -U zmv; touch a; zmv -p rm a b",
)
"""Scripts that run ``rm``."""
RULES = rulebook('prefix_rule(pattern=["rm"], decision="forbidden")')


@each("script", FOUND)
def test_it_is_found(script: str) -> None:
    assert check(script, RULES, shell="zsh").decision is Decision.FORBIDDEN


@each(
    "script", ["echo $a[1]", "echo ${=x}", "echo ${:-x}", "echo ${(f)x}", "echo $=x", "print x | repeat 2 cat", "=ls"]
)
def test_and_nothing_of_it_is_allowed(script: str) -> None:
    assert check(script, RULES, shell="zsh").decision is Decision.PROMPT


@pytest.mark.slow
@each("script", FOUND)
def test_zsh_runs_it(script: str, tmp_path: Path) -> None:
    zsh = shutil.which("zsh")
    if zsh is None:
        pytest.skip("needs zsh")
    program = tmp_path / "rm"
    program.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/ran"\n')
    program.chmod(0o755)
    (tmp_path / "ran").unlink(missing_ok=True)
    run_captured([zsh, "-fc", script], cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, timeout=30)
    assert (tmp_path / "ran").exists()
