"""Commands behind a mark in words, input and files, as the fact ``texts`` of a record says."""

from __future__ import annotations

import pytest

from execpolicy.programs.catalog import facts_of
from execpolicy.programs.marked_texts import marked_texts
from execpolicy.programs.record import parse_record
from execpolicy.shell.read import read_script


def found(texts: str, script: str, marks: str = "") -> list[str]:
    """What the first command of ``script`` runs by a record with these ``texts``; evidence has a ``?`` behind it."""
    record = parse_record(f"program tool:{marks}\ntexts {texts}\n")
    facts = facts_of(read_script(script))
    inners = marked_texts(facts.script.commands[0], facts, "tool", record)
    return [each.script.text + "?" * each.evidence if each.script is not None else str(each.reason) for each in inners]


@pytest.mark.parametrize(
    ("texts", "script", "runs"),
    [
        ("EXEC:TEXT", "tool - EXEC:rm", ["rm"]),
        ("EXEC:TEXT", "tool exec:'rm x'", ["rm x"]),
        ("EXEC:TEXT", "tool xEXEC:rm", []),
        ("EXEC:TEXT,", "tool EXEC:rm,pty,raw", ["rm", "rm,pty"]),
        ("…%(TEXT)", "tool 'a%(rm x)b%(id)'", ["rm x", "rm x)b%(id", "id"]),
        ("a.…=TEXT", "tool --set=a.b=rm", ["rm"]),
        ("a.…=TEXT", "tool a.b", []),
        ("=TEXT?", "tool =rm", ["rm?"]),
        ("!TEXT", "tool '!\"rm x\"'", ["rm x"]),
        ("!TEXT", 'tool \'!"rm" "x"\'', ['"rm" "x"']),
        ("=TEXT", 'tool \'=["rm","x"]\'', ['"rm" "x"']),
        ("-e REST", "tool -v -e -- rm x", ["rm x"]),
        ("-e REST", "tool -ex rm", []),
        ("exec:REST", "tool exec:rm -- x", ["rm x"]),
        ("cmd.…REST", "tool '*' cmd.run 'rm x'", ["rm x"]),
        ("-e REST?", "tool -e rm x", ["rm x?"]),
    ],
)
def test_what_is_behind_a_mark_runs(texts: str, script: str, runs: list[str]) -> None:
    assert found(texts, script) == runs


def test_input_is_looked_at_where_the_record_says_so() -> None:
    script = "tool <<< $'a\\n.sy rm x'"
    assert found(".sy TEXT", script) == []
    assert found(".sy TEXT", script, " @script") == ["rm x"]
