"""Parameter types: their names in ``--help`` and their completions. None of them converts a value."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem

from execpolicy.cli import suspicious_args
from execpolicy.diagnostics.codes import CODES
from execpolicy.shell.script import SHELLS

_F = TypeVar("_F", bound=Callable[..., Any])
Complete: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class _Text(click.ParamType[str]):
    """Text with a name in ``--help`` and completions of its own."""

    def __init__(self, name: str, complete: Complete) -> None:
        self.name = name
        self._complete = complete

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return self._complete(ctx, param, incomplete)


def _complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ``lint`` codes that start with the text behind the last comma."""
    before, comma, last = incomplete.rpartition(",")
    return [
        CompletionItem(before + comma + row.code, help=row.summary)
        for row in CODES.values()
        if row.code.startswith(last.upper())
    ]


def _complete_word(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return complete_command(ctx.params.get(param.name or "") or (), incomplete)


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


FILE = _Text("file", lambda ctx, param, incomplete: [CompletionItem(incomplete, type="file")])
FOLDER = _Text("dir", lambda ctx, param, incomplete: [CompletionItem(incomplete, type="dir")])
SHELL = _Text("name", lambda ctx, param, incomplete: [CompletionItem(x) for x in SHELLS if x.startswith(incomplete)])
"""The name of a shell. Other names are accepted too, and their scripts are opaque."""
COMMAND_WORD = _Text("command", _complete_word)
"""A word of the command to be judged: first a program, then files."""
CODE = _Text("code", _complete_code)
"""A ``lint`` code or a prefix of one; several are separated by commas."""


def choice(name: str, choices: Sequence[str], help: str, destination: str | None = None) -> Callable[[_F], _F]:
    """An option with one of ``choices`` as its value, the first by default."""
    names = (name,) if destination is None else (name, destination)
    return click.option(*names, type=click.Choice(choices), default=choices[0], show_default=True, help=help)


def complete_command(before: tuple[str, ...], incomplete: str) -> list[CompletionItem]:
    """Completions behind the words ``before`` of a command: programs on the path, or the shell's own files."""
    if before or not incomplete or os.sep in incomplete:
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(name) for name in programs_on(os.environ.get("PATH", "")) if name.startswith(incomplete)]


@lru_cache(maxsize=4)
def programs_on(path: str) -> tuple[str, ...]:
    """The names of the programs on the search path ``path``, sorted."""
    found: set[str] = set()
    for folder in path.split(os.pathsep):
        try:
            with os.scandir(folder or ".") as entries:
                found.update(entry.name for entry in entries if os.access(entry.path, os.X_OK) and not entry.is_dir())
        except OSError:
            continue
    return tuple(sorted(found))
