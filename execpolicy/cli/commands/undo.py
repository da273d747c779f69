"""``execpolicy undo``: removes rules that ``allow`` or ``network`` saved."""

from __future__ import annotations

import sys
from itertools import takewhile

import click

from execpolicy.cli.argument_types import COMMAND_WORD
from execpolicy.cli.judgement import script_of
from execpolicy.cli.layer_arguments import FORMAT, RULE_FILE
from execpolicy.cli.output import dumps, write_line
from execpolicy.diagnostics.render_text import visible
from execpolicy.judge.reading import read_command
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager


@click.command(name="undo", context_settings={"allow_interspersed_args": False})
@RULE_FILE
@FORMAT
@click.argument("words", nargs=-1, type=COMMAND_WORD, metavar="[--] [COMMAND...]")
def command(path: str | None, output: str, words: tuple[str, ...]) -> int:
    """Remove the rules that were saved last, in whichever file, or the allow rules for exactly the words of COMMAND.

    Only lines as `allow`, `network`, `replay --accept` or an approval wrote them are removed; anything else in the file
    stays as it is. Exits with 1 if there is no such line.

    \b
    Examples:
      $ execpolicy undo
      $ execpolicy undo -- git push
    """
    manager = PolicyManager(LayerOptions.of_process())
    script = script_of(words, None, None, sys.stderr)
    commands = _commands_of(script) if script is not None else [words] if words else []
    removed = manager.undo_by_file(*commands, path=path)
    if output == "json":
        lines = [line for found in removed.values() for line in found]
        files = {file: list(found) for file, found in removed.items()}
        write_line(sys.stdout, dumps({"path": next(iter(removed)), "removed": lines, "files": files}))
    else:
        for file, found in removed.items():
            for line in found:
                write_line(sys.stdout, visible(f"removed from {file}: {line}"))
    return 0


def _commands_of(script: str) -> list[tuple[str, ...]]:
    """The commands that ``allow`` saves rules for: their words up to the first dynamic one."""
    argvs = [command.argv() for command in read_command(script).commands]
    return [tuple([word for word in takewhile(lambda word: word is not None, argv) if word]) for argv in argvs if argv]
