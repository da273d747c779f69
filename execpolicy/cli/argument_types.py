"""Parameter types: their names in ``--help`` and their completions. None of them converts a value."""

from __future__ import annotations

import os
import sys

import click
from click.shell_completion import CompletionItem

from execpolicy.cli import suspicious_args
from execpolicy.diagnostics.codes import CODES
from execpolicy.shell.script import SHELLS


class _Named(click.ParamType[str]):
    """Text that the shell completes in its own way.

    Attributes:
        kind: the shell's own completion: ``file`` or ``dir``.
    """

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type=self.kind)]


class _Shell(click.ParamType[str]):
    """The name of a shell. Other names are accepted too, and their scripts are opaque."""

    name = "name"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(shell) for shell in SHELLS if shell.startswith(incomplete)]


class _CommandWord(click.ParamType[str]):
    """A word of the command to be judged: first a program, then files."""

    name = "command"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return complete_command(ctx.params.get(param.name or "") or (), incomplete)


class _Code(click.ParamType[str]):
    """A ``lint`` code or a prefix of one; several are separated by commas."""

    name = "code"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        return [
            CompletionItem(before + comma + row.code, help=row.summary)
            for row in CODES.values()
            if row.code.startswith(last.upper())
        ]


class CommandAboutWords(click.Command):
    """A command whose last argument is the words of another command. It questions options of execpolicy among them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; at a terminal, question an option that follows the words without a ``--`` before them."""
        given = list(args)
        rest = super().parse_args(ctx, args)
        words = next((ctx.params[each.name] for each in self.params if each.nargs == -1 and each.name), ())
        if words and sys.stderr.isatty() and given[-len(words) - 1 : -len(words)] != ["--"]:
            names = {name for each in self.params if isinstance(each, click.Option) for name in each.opts}
            suspicious_args.question_words(words, names, sys.stderr)
        return rest


FILE = _Named("file", "file")
FOLDER = _Named("dir", "dir")
SHELL = _Shell()
COMMAND_WORD = _CommandWord()
CODE = _Code()


def complete_command(before: tuple[str, ...], incomplete: str) -> list[CompletionItem]:
    """Completions behind the words ``before`` of a command: programs on the path, or the shell's own files."""
    if before or not incomplete or os.sep in incomplete:
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(name) for name in sorted(_programs(incomplete))]


def _programs(beginning: str) -> set[str]:
    found: set[str] = set()
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        try:
            with os.scandir(folder or ".") as entries:
                found.update(
                    entry.name
                    for entry in entries
                    if entry.name.startswith(beginning) and os.access(entry.path, os.X_OK) and entry.is_file()
                )
        except OSError:
            continue
    return found
