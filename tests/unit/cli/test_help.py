"""Every subcommand explains itself in ``--help`` and has a page, and the two name the same options."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from execpolicy.cli.group import SUBCOMMANDS, cli
from execpolicy.cli.main import main
from execpolicy.cli.unparsed_command import UnparsedCommand, options_in
from tests.support.each import each

PAGES = Path(__file__).parents[3] / "docs" / "commands"


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


@each("name", SUBCOMMANDS)
def test_page_names_every_option(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text("utf-8")
    assert page.startswith(f"# `execpolicy {name}`")
    rows = " ".join(line for line in page.splitlines() if line.startswith("| `"))
    known = options_of(name)
    missing = [spelling for spelling in known if not re.search(rf"`{spelling}[` ]", rows)]
    named = re.findall(r"^\| `.*?(--[a-z-]+)", page, re.MULTILINE)
    invented = [spelling for spelling in named if spelling not in known]
    assert (missing, invented) == ([], [])
    assert "## Exit status" in page
    fenced = "".join(re.findall(r"^```.*?^```", page, re.MULTILINE | re.DOTALL))
    assert fenced.count(f"execpolicy {name}") >= 3, "a usage line and two examples"


def test_index_lists_every_page() -> None:
    index = (PAGES / "README.md").read_text("utf-8")
    assert re.findall(r"^\| \[`execpolicy (\S+)`\]\(\1\.md\)", index, re.MULTILINE) == list(SUBCOMMANDS)
    assert sorted(page.stem for page in PAGES.glob("*.md")) == sorted([*SUBCOMMANDS, "README"])


def test_usage_text_is_read_option_by_option() -> None:
    usage = "Usage: x\n\nOptions:\n  -r, --rules FILE   use it;\n                     really\n  --pretty   indent\n"
    assert options_in(usage) == [(("-r", "--rules"), "FILE", "use it;"), (("--pretty",), "", "indent")]


def test_help_of_the_group_lists_every_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed = re.findall(r"^  ([a-z-]+)  ", capsys.readouterr().out.partition("Commands:")[2], re.MULTILINE)
    assert listed == list(SUBCOMMANDS)
