"""The built-in entries, and commands without a script around them, for tests of ``safety``."""

from __future__ import annotations

from typing import Any

from execpolicy.core.quoting import split
from execpolicy.lang.compile import compile_source
from execpolicy.lang.precompiled import builtin_entries
from execpolicy.programs.catalog import facts_of
from execpolicy.safety.dangers import DangerousCommand
from execpolicy.safety.entries import SafeCommand
from execpolicy.safety.heuristics import Heuristics
from execpolicy.safety.opinion import Opinion
from execpolicy.shell.script import Command, Script
from execpolicy.shell.words import Word
from execpolicy.source import Source, Span


def entries_of(text: str, name: str = "test.rules") -> list[Any]:
    """The entries that the rule text ``text`` holds, in order."""
    statements = compile_source(Source(name, text), trusted=True).statements
    return [statement for statement in statements if isinstance(statement, (SafeCommand, DangerousCommand))]


def built_in_entries() -> list[Any]:
    """The entries of the built-in layer."""
    return [*builtin_entries()]


def words_of(*argv: str | Word) -> tuple[Word, ...]:
    """Words of a command; a ``str`` is a literal word."""
    return tuple([Word(word, Span(0, 0)) if isinstance(word, str) else word for word in argv])


def dynamic(prefix: str = "", suffix: str = "", *, many: bool = False, kind: str = "variable", **more: Any) -> Word:
    """A word that is only known at run time."""
    return Word(None, Span(0, 0), prefix=prefix, suffix=suffix, many=many, kind=kind, **more)


def command_of(*argv: str | Word) -> Command:
    """A command of these words."""
    return Command(words_of(*argv), Span(0, 0))


def script_of(*commands: Command, shell: str = "bash", **more: Any) -> Script:
    """A script of these commands."""
    return Script("", shell, "plain", commands, **more)


def opinion_on(heuristics: Heuristics, *argv: str | Word, shell: str = "bash") -> Opinion:
    """The opinion on one command."""
    command = command_of(*argv)
    return heuristics.opinion(command, facts_of(script_of(command, shell=shell)))


def opinion_on_text(heuristics: Heuristics, text: str) -> Opinion:
    """The opinion on one simple command, given as text of literal words."""
    words = split(text)
    assert words is not None, text
    return opinion_on(heuristics, *words)
