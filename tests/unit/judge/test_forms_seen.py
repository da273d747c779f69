"""Forms that are not understood, or of shells that are not read: what is forbidden in them is seen all the same."""

from __future__ import annotations

import pytest

from execpolicy.core.decision import Decision
from execpolicy.judge.check import check
from tests.support.judging import rulebook

RULES = rulebook('prefix_rule(pattern=["rm"], decision="forbidden")')
SEEN = {
    "bash": ("echo ${ rm y; }", "x=${| rm y; }", "x=${|rm y;}", 'echo "a${ rm y;}b"'),
    "ksh": (
        "echo ${ rm y; }", "x=${ rm y;}", "set -A a rm x; ${a[0]} y", "set -A a x rm; ${a[1]} y", "rm y |&",
        "print 'rm y' | sh", "print -r -- 'rm y' | ksh",
    ),
    "mksh": ("echo ${ rm y; }", "x=${|rm y;}", "rm y |&"),
    "fish": (
        "rm y", "if true; rm y; end", "begin; rm y; end", "true; or rm y", "test x; and rm y", "not rm y",
        "echo (rm y)", "for x in a; rm y; end", "function f; rm y; end", "eval rm y", "command rm y",
    ),
    "powershell": (
        "rm y", "if ($true) { rm y }", "& 'rm' y", "iex 'rm y'", 'Invoke-Expression "rm y"', "Start-Process rm y",
        "$x = rm y", "ls | % { rm y }", 'cmd /c "rm y"', '"$(rm y)"', "rm.exe y",
    ),
    "cmd": ("rm y", "if 1==1 (rm y)", "for %i in (a) do rm y", "call rm y", "start rm y", "a & rm y", "cmd /c rm y"),
}  # fmt: skip


@pytest.mark.parametrize("shell", SEEN)
def test_a_rule_finds_it(shell: str) -> None:
    found = {script: check(script, RULES, shell=shell).decision for script in SEEN[shell]}
    assert {script for script, decision in found.items() if decision is not Decision.FORBIDDEN} == set()


@pytest.mark.parametrize("shell", ["fish", "powershell", "pwsh", "cmd", "mksh", "nu"])
def test_nothing_of_a_shell_that_is_not_read_is_allowed(shell: str) -> None:
    for script in ("ls", "Get-ChildItem", "echo a", ""):
        assert check(script, RULES, shell=shell).decision is Decision.PROMPT
