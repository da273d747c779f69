"""Entries as lines of a record are the entries that rule files describe."""

from __future__ import annotations

import pytest

from execpolicy.lint.record_check import formatted, mistakes
from execpolicy.safety.record_entries import EntryError, record_entries
from execpolicy.source import Source
from tests.support.entries import built_in_entries, entries_of

RECORD = """\
program gently kindly: @prints=input

: -q,--quiet

# Forms of dates.
$dates iso "a b" !-*
@common: -q --quiet --since:any

safe gently
# It reads.
reason prints
obeys .gentlyrc
environment PAGER cat "less -F"
piped --no-pager
: @common -C:path --color:(always|never) --date?$dates --pair& @numeric @no-permute @dynamic=none
log|l: @common @most=3 @requires=-q,--quiet
log|l:
log|l show: ; path any?

safe gently-all: gently slowly @connects
reason prints
: -a ; (*|!-*)+
: -b ; 2
yes `gently -a x` ``gently\\u0020\\u0060x\\u0060``
no `gently`

danger gently-wild: @any
reason writes
subcommand "run all" go
flags "-f --force"
writes $dates /etc/*
operand_count 1 2
ignore_case
"""
RULES = """
D = ["iso", "a b", "!-*"]
C = dict(flags="-q --quiet")
safe_command(
    name="gently", program=["gently", "kindly"], reason="prints", obeys=[".gentlyrc"],
    environment={"PAGER": ["cat", "less -F"]}, piped="--no-pager", flags="-q --quiet",
    options={"--since": "any", "-C": "path", "--color": ["always", "never"]}, optional_values={"--date": D},
    pairs="--pair", numeric=True, permute=False, dynamic="none",
    subcommands={"log l": [
        dict(C, options={"--since": "any"}, most_words=3, requires=["-q", "--quiet"]),
        dict(subcommands={"show": [dict(operands=["path", "any?"])]}),
    ]},
)
safe_command(
    name="gently-all", program=["gently", "slowly"], reason="prints", connects=True,
    alternatives=[dict(flags="-a", operands=[["*", "!-*"], "+"]), dict(flags="-b", operands=2)],
    match=["gently -a x", "gently `x`"], not_match=["gently"],
)
dangerous_command(
    name="gently-wild", reason="writes", subcommand=["run all", "go"], flags=["-f --force"], writes=D + ["/etc/*"],
    operand_count=[1, 2], ignore_case=True,
)
"""


def test_lines_say_what_a_rule_file_says() -> None:
    found = [*record_entries(Source("gently.txt", RECORD))]
    assert [(each.kind, each.arguments) for each in found] == [
        (each.kind, each.arguments) for each in entries_of(RULES)
    ]
    assert [str(each.place) for each in found] == ["gently.txt:9", "gently.txt:20", "gently.txt:27"]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("$dates iso", "$days iso", 9, "there is no list `$dates`"),
        ("-C:path", "-C:", 9, "`-C` has no form"),
        ("@most=3", "@most=x", 9, "`@most=x` needs a number"),
        ("@numeric", "@number", 9, "has no parameter `number`"),
        ("-C:path", "-C:puth", 9, "`puth`"),
        ("reason writes\n", "", 27, "needs a reason"),
        ("ignore_case", "ignore", 27, "`ignore` is no condition of a dangerous command"),
    ],
)
def test_a_mistake_is_told_with_its_line(old: str, new: str, line: int, message: str) -> None:
    with pytest.raises(EntryError) as error:
        [*record_entries(Source("gently.txt", RECORD.replace(old, new)))]
    assert error.value.line == line
    assert message in error.value.message
    found = next(mistakes("gently.txt", RECORD.replace(old, new)))
    assert found[0] >= line
    assert message in found[2]


def test_a_mistake_is_placed_at_the_word_that_it_names() -> None:
    found = next(mistakes("gently.txt", RECORD.replace("-C:path", "-C:puth")))
    assert found[:2] == (15, 14)


def test_the_layout_keeps_what_is_said() -> None:
    assert [*mistakes("gently.txt", RECORD)] == []
    again = formatted(RECORD.replace("reason prints", "reason  prints"))
    assert again == RECORD


def test_the_names_of_the_built_in_entries_are_unique() -> None:
    names = [(entry.kind, entry.name) for entry in built_in_entries()]
    assert [name for name in dict.fromkeys(names) if names.count(name) > 1] == []
