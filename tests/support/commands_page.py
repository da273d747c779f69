"""``docs/commands.md`` is made of the help of every command: `python -m tests.support.commands_page` writes it."""

from __future__ import annotations

import os
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from execpolicy.cli.group import SUBCOMMANDS
from execpolicy.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
SHARED = {
    "--rules FILE": "use these rule files, not all layers (also `-r`, repeatable)",
    "--ignore-rules": "leave out rule files of user and project",
    "--strict": "any problem in a rule file is an error",
    "--lenient": "as Codex: a broken rule file drops all rule files, and nothing fails closed",
    "--grants none\\|plain\\|flow": "which [grounds](evidence/grounds.md) an allow may rest on",
    "--config-profile NAME": "the profile of Codex's `config.toml`, which can hold trust",
    "--permissions FILE": "[permission rules](permissions.md) for tools, as JSON",
    "--cwd DIR": "where the command would run (default: here)",
    "--shell NAME": "the shell that reads a script: bash, sh, dash, ksh, zsh",
    "--format …": "how to print the answer",
    "--help": "print what is on this page (also `-h`)",
}
"""Options of several commands: this page explains them once."""

_OPTION = re.compile(r"^  (?:-\w, )?(?P<name>--[a-z-]+).*\n(?:    .*\n)*", re.MULTILINE)
_INTRO = """# Commands

Written by `python -m tests.support.commands_page` from `execpolicy COMMAND --help`.

Exit status: 0 for an answer, 1 for a problem in a rule file, 2 for wrong usage, 130 after Ctrl-C,
else as below. Messages go to standard error. Colour goes to a terminal, unless `NO_COLOR` is set.

Several commands share these options; below only the others are listed:

| option | |
|---|---|
"""


def commands_page() -> str:
    """The content of ``docs/commands.md``."""
    shared = "".join(f"| `{option}` | {meaning} |\n" for option, meaning in SHARED.items())
    return _INTRO + shared + "".join(map(_section, SUBCOMMANDS))


def _help(name: str) -> str:
    with redirect_stdout(StringIO()) as printed, patch.dict(os.environ, COLUMNS="100"):
        main([name, "--help"])
    return printed.getvalue()


def _section(name: str) -> str:
    known = {option.partition(" ")[0] for option in SHARED}
    own = _OPTION.sub(lambda option: "" if option["name"] in known else option[0], _help(name)).rstrip()
    own = re.sub(r"\n\n?Options:(?=\n\n|$)", "", own)
    return f"\n## execpolicy {name}\n\n{SUBCOMMANDS[name]}\n\n```text\n{own}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(commands_page(), "utf-8")
