"""The short way for plain scripts gives what the full reader gives, or nothing."""

from __future__ import annotations

import random
import sys

from execpolicy.programs.catalog import facts_of
from execpolicy.shell.grammar.whole_script import read_whole
from execpolicy.shell.read import read_plain
from execpolicy.shell.script import Script
from tests.support.running import run_captured

PARTS = (
    *(
        "git",
        "status",
        "&&",
        "||",
        ";",
        "|",
        " ",
        "  ",
        "ls;",
        "-la",
        "a=b",
        "'x y'",
        '"q; r"',
        '"a$"',
        "--g='x'",
        "if",
    ),
    *(
        "time",
        "set",
        "export",
        "x;y",
        '""',
        "''",
        ";;",
        "&",
        "!",
        "a'b'c;",
        "'if'",
        "A",
        "|&",
        "command",
        "[",
        "\n",
        "a\\",
    ),
    *("'set'", "a|b", "'", "in", "}", "]]", "-", "%x", "'a=b'", '"time"', "c;", "\t", "é", "{", "#", "~", "2>", "<"),
)


def dump(script: Script) -> object:
    words = [
        [
            (w.literal, w.span, w.prefix, w.suffix, w.many, w.kind, w.absolute, w.shape, w.pattern, w.quoted)
            for w in c.words
        ]
        for c in script.commands
    ]
    rest = [(c.span, c.context, c.piped_from, c.body, c.assignments, c.redirects) for c in script.commands]
    return script.status, script.reason, script.effects, script.functions, facts_of(script).assigned, words, rest


def test_the_short_way_agrees_with_the_full_reader() -> None:
    choose = random.Random(5)
    answered = 0
    for number in range(12_000):
        parts = [choose.choice(PARTS) for _ in range(choose.randrange(1, 8))]
        text = (" " if number % 2 else "").join(parts)
        short = read_plain(text, "bash")
        if short is not None:
            answered += 1
            assert dump(short) == dump(read_whole(text, "bash")), text
    assert answered > 500


def test_a_plain_script_loads_only_the_short_way() -> None:
    program = (
        "import sys\n"
        "from execpolicy.shell.read import read_script\n"
        "assert read_script('git status && ls | wc -l').status == 'plain'\n"
        "print(*sorted(name for name in sys.modules if name.startswith(('execpolicy.shell.', 'execpolicy.flow.'))))\n"
    )
    loaded = run_captured([sys.executable, "-c", program], check=True).stdout.split()
    assert loaded == [f"execpolicy.shell.{name}" for name in ("grammar", "read", "script", "vocabulary", "words")]
