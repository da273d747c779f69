"""Forms of old scripts that bash reads in one way only: braces behind backquotes, backslashes between ``$'…'``."""

from __future__ import annotations

import pytest

from execpolicy.shell.read import read_script
from tests.support.each import each

READ = [
    "x=`awk '{print $1,$2}' a.txt`",
    "x=`echo $y | awk '{gsub(/^ +| +$/,\"\")}1'` ls",
    "echo \"`awk '{print $1,$2}' a.txt`\"",
]
DOUBTED = [
    r"echo \ {},a}",  # bash takes `{}` behind a blank for no brace, whatever is in front of the blank
    "echo `awk '{print $1,$2}' a.txt`",
    "declare x=`awk '{print $1,$2}' a.txt`",
    "{a,b}=`ls`",
    'echo "`echo "{a,b}"`"',
    'echo x"`echo {a,b}`"',
    'echo "`echo \\{a,b}`"',
    'echo "`echo "\\${x,"; rm y; echo "}"`"',  # bash runs rm: the brace behind an escaped `$` is one like any other
    'echo "`echo "\\\n\\${x,"; rm y; echo "}"`"',
]


@each("script", READ)
def test_braces_that_no_shell_expands_are_read(script: str) -> None:
    assert read_script(script).status == "structured"


@each("script", DOUBTED)
def test_braces_that_bash_may_see_are_doubted(script: str) -> None:
    assert read_script(script).status == "opaque"


@pytest.mark.parametrize("char", "[](){}|.+*^$-/,;:%#@!&<>=~ dDwWsS")
def test_bash_keeps_a_backslash_that_escapes_nothing(char: str) -> None:
    script = read_script(f"echo $'a\\{char}b'")
    assert script.commands[0].argv() == ("echo", f"a\\{char}b")
    assert read_script(f"echo $'a\\{char}b'", shell="zsh").status == "opaque"
