"""What must not become a rule."""

from __future__ import annotations

import pytest

from execpolicy.amend.preview import why_not_savable
from execpolicy.core.banned import BANNED_PREFIXES, is_banned, is_banned_in_any_case
from tests.support.each import each


def test_there_are_88_banned_prefixes() -> None:
    assert len(BANNED_PREFIXES) == 88


@each(
    "tokens",
    ["bash -lc", "/bin/zsh", "dash -c", "fish", "cmd.exe /k", "powershell.exe -EncodedCommand", "pwsh -ec", "python -"]
    + ["python3", "py -3", "pyw", "nodejs -e", "lua -e", "php -r", "bun run", "deno eval", "npm run", "pnpm run"]
    + ["yarn run", "Rscript", "env", "git", "osascript", "rm", "sudo"],
)
def test_these_are_banned(tokens: str) -> None:
    assert is_banned(tokens.split())
    assert "too broad" in str(why_not_savable(tokens.split()))


@pytest.mark.parametrize(
    "tokens",
    ["python2", "python3.11", "/usr/bin/python3", "python3 -m", "npx", "ssh", "make", "xargs", "awk", "rm -rf"]
    + ["dash -lc", "npm", "npm run x", "git push", "pypy -c", "rscript", "/bin/dash"],
)
def test_these_are_not(tokens: str) -> None:
    assert not is_banned(tokens.split())


def test_the_clean_up_compares_without_ascii_case() -> None:
    assert is_banned_in_any_case(["rscript"])
    assert is_banned_in_any_case(["PowerShell", "-encodedcommand"])
    assert not is_banned_in_any_case(["\u212aSH"])  # the Kelvin sign is not an ASCII letter


@pytest.mark.parametrize(
    ("tokens", "part"),
    [
        ([], "at least one word"),
        (["foo", "a\nb"], "word 2 has more than one line"),
        (["foo", "a\rb"], "word 2 has more than one line"),
        (["foo", "\x1b[2J"], "word 2 holds a control character"),
        (["foo", "\udcff"], "word 2 is not valid UTF-8"),
        (["foo", "x" * 401], "word 2 is 401 characters long"),
        (["foo"] * 41, "it has 41 words"),
        (["foo"] + ["ab " * 60] * 6, "it is 1,090 characters long"),
        (["do"], "word of the shell's grammar"),
        (["done"], "word of the shell's grammar"),
        (["fi"], "word of the shell's grammar"),
        (["then", "git", "push"], "word of the shell's grammar"),
        (["{", "foo"], "word of the shell's grammar"),
        (["foo", "&&", "bar"], "save each command by itself"),
        (["foo", "|", "bar"], "save each command by itself"),
        (["cat", "<<EOF"], "`<<EOF` is a shell operator"),
        (["cat", ">", "x"], "`>` is a shell operator"),
        (["$CMD", "x"], "not the name of a program"),
        (["foo;bar"], "not the name of a program"),
        (["(foo)"], "not the name of a program"),
        (["", "x"], "not the name of a program"),
        (["git push"], "write its words apart"),
        (["-x"], "is an option"),
    ],
)
def test_shapes_that_nobody_wants_in_a_rule_file(tokens: list[str], part: str) -> None:
    assert part in str(why_not_savable(tokens))


@pytest.mark.parametrize(
    "tokens",
    [
        ["git", "push", "origin", "main"],
        ["/Applications/My App/bin/tool", "x"],
        ["./gradlew", "build"],
        ["foo", ""],
        ["grep", "-rn", "a|b && c", "src"],
        ["rm", "-rf", "/tmp/scratch"],
        ["g++", "-O2", "x.cc"],
        ["[", "-f", "x", "]"],
    ],
)
def test_ordinary_commands_may_be_saved(tokens: list[str]) -> None:
    assert why_not_savable(tokens) is None
