"""Every subcommand explains itself in ``--help``, and one page holds the help of all."""

from __future__ import annotations

import re

import click
import pytest

from execpolicy.cli.group import SUBCOMMANDS, UnparsedCommand, cli, options_in
from execpolicy.cli.main import main
from tests.support.commands_page import PAGE, commands_page
from tests.support.each import each


def command_named(name: str) -> click.Command:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command


def options_of(name: str) -> list[str]:
    """Every spelling of every option, ``--help`` left out."""
    command = command_named(name)
    if isinstance(command, UnparsedCommand):
        return [spelling for option in command.options for spelling in option.names if option.names[-1] != "--help"]
    return [spelling for each in command.params if isinstance(each, click.Option) for spelling in each.opts]


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_has_usage_options_and_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: execpolicy {name}")
    assert re.search(r"^(?:  )?Examples?[:,]", text, re.MULTILINE), "no paragraph is indented more than the others"
    assert f"execpolicy {name}" in text.partition("Example")[2]
    assert "-h, --help" in text
    assert all(spelling in text for spelling in options_of(name))


@each("name", SUBCOMMANDS)
def test_every_option_is_explained(name: str) -> None:
    command = command_named(name)
    if isinstance(command, UnparsedCommand):
        assert all(option.help for option in command.options)
    else:
        assert [each.name for each in command.params if isinstance(each, click.Option) and not each.help] == []


def test_the_page_on_disk_is_current() -> None:
    assert PAGE.read_text("utf-8") == commands_page(), "run `python -m tests.support.commands_page`"


def test_usage_text_is_read_option_by_option() -> None:
    usage = "Usage: x\n\nOptions:\n  -r, --rules FILE   use it;\n                     really\n  --pretty   indent\n"
    assert options_in(usage) == [(("-r", "--rules"), "FILE", "use it;"), (("--pretty",), "", "indent")]


def test_help_of_the_group_lists_every_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed = re.findall(r"^  ([a-z-]+)  ", capsys.readouterr().out.partition("Commands:")[2], re.MULTILINE)
    assert listed == list(SUBCOMMANDS)
