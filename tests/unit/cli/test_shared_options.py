"""One set of options: what decides about commands takes the same options, with the same words about them."""

from __future__ import annotations

import click
import pytest

from execpolicy.cli.group import SUBCOMMANDS, UnparsedCommand, cli, options_in
from execpolicy.cli.rule_options import usage_of
from tests.support.each import each

RULES = {"--rules", "--config-profile", "--ignore-rules", "--strict", "--lenient", "--grants"}
DECIDING = RULES | {"--permissions"}
SCRIPT = {"--script", "--shell"}
SCRIPT_FILE = SCRIPT | {"--file"}
NEEDED = {
    "check": DECIDING | SCRIPT_FILE | {"--cwd", "--format", "--profile"},
    "explain": DECIDING | SCRIPT_FILE | {"--cwd", "--format"},
    "run": DECIDING | SCRIPT | {"--cwd", "--profile"},
    "list": RULES | {"--cwd", "--format"},
    "hook": DECIDING,  # the call names the folder
    "serve": DECIDING | {"--cwd", "--profile"},
    "arbiter": DECIDING | {"--cwd", "--profile"},
    "replay": RULES | {"--cwd", "--shell", "--format"},
    "split": SCRIPT_FILE | {"--format", "--profile"},
    "allow": SCRIPT | {"--cwd", "--format"},
    "test": {"--rules", "--cwd", "--format"},
    "config show": {"--cwd", "--format"},
    "export": RULES | {"--cwd", "--format"},
}
ANOTHER_MEANING = {
    ("hook", "--rules"),
    ("hook", "--strict"),
    ("hook", "--grants"),
    ("replay", "--rules"),
    ("test", "--rules"),
    ("diff", "--rules"),
}


def options(name: str) -> dict[str, str]:
    """The help of each long option of a subcommand."""
    first, _, second = name.partition(" ")
    command = cli.get_command(click.Context(cli), first)
    if isinstance(command, click.Group) and second:
        command = command.get_command(click.Context(command), second)
    if isinstance(command, UnparsedCommand):
        return {option.names[-1]: option.help for option in command.options}
    assert command is not None
    return {each.opts[-1]: each.help or "" for each in command.params if isinstance(each, click.Option)}


@pytest.mark.parametrize("name", NEEDED)
def test_what_decides_takes_all_of_them(name: str) -> None:
    assert NEEDED[name] - set(options(name)) == set()


def plain(help: str) -> str:
    return help.rstrip(".;").lower()


@each("name", SUBCOMMANDS)
def test_they_are_explained_in_the_same_words(name: str) -> None:
    declared = {option.names[-1]: option.help for option in options_in(usage_of("check"))}
    shared = (DECIDING | {"--cwd"}) - {option for command, option in ANOTHER_MEANING if command == name}
    found = options(name)
    assert {each: plain(found[each]) for each in shared if each in found} == {
        each: plain(declared[each]) for each in shared if each in found
    }
