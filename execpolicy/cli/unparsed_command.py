"""``check`` and ``hook`` as click commands, for ``--help`` of the group and for completion.

They parse their arguments themselves, so that a decision need not wait for an argument parser. Their usage text is
the only list of their options; completion is derived from it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple, TextIO

import click
from click.shell_completion import CompletionItem

from execpolicy.cli.argument_types import complete_command
from execpolicy.cli.check_options import FORMATS, GRANTS
from execpolicy.codex import PROFILES, VERSIONS
from execpolicy.shell.script import SHELLS

Run = Callable[[Sequence[str], TextIO, TextIO, TextIO], int]

_OPTION = re.compile(r"^  (?:(-\w), )?(--[a-z-]+)(?: (\S+))?(?:  +(.*))?$", re.MULTILINE)
_VALUES = {
    "--shell": SHELLS,
    "--profile": PROFILES,
    "--grants": GRANTS,
    "--format": FORMATS,
    "--compat": VERSIONS,
    "--on-prompt": ("ask", "deny", "inbox"),
}


class WrittenOption(NamedTuple):
    """An option in a usage text; ``value`` is empty for a flag."""

    names: tuple[str, ...]
    value: str
    help: str


def options_in(usage: str) -> list[WrittenOption]:
    """The options of a usage text, in its order."""
    return [
        WrittenOption(tuple([name for name in (short, long) if name]), value, help)
        for short, long, value, help in _OPTION.findall(usage.partition("\nOptions:\n")[2])
    ]


class UnparsedCommand(click.Command):
    """A command that passes its arguments unparsed to ``run``.

    Args:
        usage: the text of its ``--help``.
        words: the choices of its first operand; empty if that is a command.
    """

    def __init__(self, name: str, run: Run, *, usage: str, help: str, words: tuple[str, ...] = ()) -> None:
        super().__init__(
            name,
            context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
            add_help_option=False,
            help=help,
            params=[
                click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED, shell_complete=self._complete_operand)
            ],
            callback=lambda arguments: run(arguments, sys.stdin, sys.stdout, sys.stderr),
        )
        self.options = options_in(usage)
        self._words = words

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [
            CompletionItem(name, help=option.help)
            for option in self.options
            for name in option.names
            if name.startswith(incomplete)
        ]

    def _complete_operand(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before: list[str] = list(ctx.params.get("arguments") or ())
        if before[-1:] == ["="]:  # bash splits `--shell=sh`
            before.pop()
        valued = {name: option.value for option in self.options if option.value for name in option.names}
        at = 0
        while at < len(before) and before[at] != "--" and before[at].startswith("-"):
            name = before[at]
            at += 1
            if name in valued:
                if at == len(before):
                    if valued[name] in ("FILE", "DIR"):
                        return [CompletionItem(incomplete, type=valued[name].lower())]
                    return [CompletionItem(value) for value in _VALUES.get(name, ()) if value.startswith(incomplete)]
                at += 1
        operands = tuple([word for word in before[at:] if word != "--"])
        if self._words:
            return [CompletionItem(word) for word in self._words if word.startswith(incomplete) and not operands]
        return complete_command(operands, incomplete)
