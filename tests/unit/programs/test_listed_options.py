"""What programs list as names of one option is one option to us, and what takes a value does."""

import json
from pathlib import Path

import pytest

from execpolicy.programs.meaning.command_grammar import grammar_of
from tests.support.help_options import LISTED, listed, told

LISTS = json.loads(LISTED.read_text())
DOCS = Path(__file__).parents[3] / "docs"
APART = {("make", "-b")}
"""``-b`` and ``-m`` stand in one line of make's help as they do nothing."""


@pytest.mark.parametrize("program", LISTS)
def test_every_listed_option_is_known(program: str) -> None:
    grammar = grammar_of(program)
    assert grammar is not None
    assert LISTS[program]["version"][0].isdigit()
    wrong = []
    for sub, options in LISTS[program]["options"].items():
        path = tuple(sub.split())
        for kind, *names in options:
            if "--help" in names or (program, names[0]) in APART:
                continue
            if len({grammar.same_option(path, name) for name in names}) > 1:
                wrong.append(f"{sub} {names}: not the same")
            for name in names:
                kinds = [grammar.options_behind(path[:length]).kinds.get(name) for length in range(len(path) + 1)]
                if kind == ":" and not any(kinds):
                    wrong.append(f"{sub} {name}: takes a value")
                elif kind == "~" and "~" not in kinds:
                    wrong.append(f"{sub} {name}: may take the next word")
                elif kinds == [None] * len(kinds):
                    wrong.append(f"{sub} {name}: is not listed")
    assert wrong == []


def test_what_was_compared_is_told() -> None:
    page = (DOCS / "evidence" / "meaning.md").read_text()
    for program in LISTS:
        assert told(program, LISTS[program]) in page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("  -f, --force[=X]    text", [["?", "-f", "--force"]]),
        ("  -t, --target-directory=DIRECTORY  text", [[":", "-t", "--target-directory"]]),
        (" -d, --data <data>          HTTP POST data", [[":", "-d", "--data"]]),
        ("    -o, --[no-]push-option <server-specific>", [[":", "-o", "--push-option"]]),
        ("  -O,  --output-document=FILE      write", [[":", "-O", "--output-document"]]),
        ("    --emoji [bool]                      enable emoji", [["~", "--emoji"]]),
        ("    --mutex <type>[:specifier]          use a mutex", [[":", "--mutex"]]),
        ("no option", []),
    ],
)
def test_how_help_is_read(text: str, found: list[list[str]]) -> None:
    assert listed(text) == found
