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
    "--grants none\\|plain\\|flow": "which [grounds](evidence.md) an allow may rest on",
    "--config-profile NAME": "the profile of Codex's `config.toml`, which can hold trust",
    "--permissions FILE": "[permission rules](permissions.md) for tools, as JSON",
    "--cwd DIR": "where the command would run (default: here)",
    "--shell NAME": "the shell that reads a script: bash, sh, dash, ksh, zsh",
    "--script TEXT": "a shell script instead of an argv",
    "--profile NAME": "whose semantics of the decision: default, codex-0.169 to codex-0.171",
    "--audit FILE": "append every decision to FILE, as JSON lines",
    "--format …": "how to print the answer",
    "--help": "print what is on this page (also `-h`)",
}
"""Options of several commands: this page explains them once."""

_OPTION = re.compile(r"^  (?:-\w, )?(?P<name>--[a-z-]+).*\n(?:    .*\n)*", re.MULTILINE)
_MEANING = re.compile(
    r"^(?P<names>  (?:-\w, )?--[a-z-]+(?:[ ,|]\S+)*)(?: {2,}|\n +)(?P<meaning>\S.*(?:\n {4,}.*)*)", re.MULTILINE
)
_FURTHER = re.compile(r"(?:; |\. |: | \(|, (?:which|so|whatever|also|needed) | \[)")
_EXAMPLE = re.compile(r"^ +\$ (?:.*\\\n)*.*", re.MULTILINE)
_INTRO = """# Commands

Written by `python -m tests.support.commands_page`. `execpolicy COMMAND --help` says more.

Exit status: 0 for an answer, 1 for a problem in a rule file, 2 for wrong usage, 130 after Ctrl-C.
Messages go to standard error. `NO_COLOR` turns colours off.

Several commands share these options:

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
    """Usage, the own options of the command with the beginning of what is said about each, and the examples."""
    known = {option.partition(" ")[0] for option in SHARED}
    text = _help(name)
    usage = text.partition("\n\n")[0]
    body = _OPTION.sub(lambda option: "" if option["name"] in known else option[0], text)
    found = [(match["names"].strip(), _beginning(match["meaning"])) for match in _MEANING.finditer(body)]
    width = max((len(names) for names, _ in found), default=0)
    options = "".join(f"  {names:<{width}}  {meaning}\n" for names, meaning in found)
    examples = "".join(f"{found[0].strip()}\n" for found in _EXAMPLE.finditer(text))
    parts = [part for part in (usage + "\n", options, examples) if part]
    return f"\n## execpolicy {name}\n\n{SUBCOMMANDS[name]}\n\n```text\n" + "\n".join(parts) + "```\n"


def _beginning(meaning: str) -> str:
    """The first clause of the meaning of an option."""
    whole = " ".join(meaning.split())
    cuts = [found.start() for found in _FURTHER.finditer(whole) if len(whole[: found.start()].split()) > 2]
    clause = whole[: cuts[0]] if cuts else whole
    return clause[:1].lower() + clause[1:].rstrip(".") if re.match(r".[a-z ]", clause) else clause.rstrip(".")


if __name__ == "__main__":
    PAGE.write_text(commands_page(), "utf-8")
