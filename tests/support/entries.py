"""Reads the entries of rule files for tests of ``safety``, which stands below ``lang``."""

from __future__ import annotations

import os
from typing import Any

import starlark

from execpolicy.core.quoting import split
from execpolicy.resources import rules_folder
from execpolicy.safety.entries import SafeCommand, build_dangerous, build_safe
from execpolicy.safety.heuristics import Heuristics
from execpolicy.safety.opinion import Opinion
from execpolicy.shell.script import Command, Script
from execpolicy.shell.words import Word
from execpolicy.source import Place, Span


def entries_of(text: str, name: str = "test.rules") -> list[Any]:
    """The entries that the rule text ``text`` holds, in order."""
    found: list[Any] = []

    def safe_command(**arguments: object) -> None:
        found.append(build_safe(arguments, Place(name, 1)))

    def dangerous_command(**arguments: object) -> None:
        found.append(build_dangerous(arguments, Place(name, 1)))

    module = starlark.Module()
    module.add_callable("safe_command", safe_command)
    module.add_callable("dangerous_command", dangerous_command)
    globals_ = starlark.Globals.standard()
    dialect = starlark.Dialect.extended()
    starlark.eval(module, starlark.parse(name, text + "\nNone\n", dialect), globals_)
    return found


def built_in_entries() -> list[Any]:
    """The entries of every ``safe-*.rules`` file and of ``dangerous.rules``."""
    found: list[Any] = []
    for name in sorted(os.listdir(rules_folder())):
        if name.startswith("safe-") or name == "dangerous.rules":
            with open(os.path.join(rules_folder(), name), encoding="utf-8") as file:
                found += entries_of(file.read(), name)
    return found


def command_of(*argv: str | Word) -> Command:
    """A command of these words; a ``str`` is a literal word."""
    span = Span(0, 0)
    return Command(tuple([Word(word, span) if isinstance(word, str) else word for word in argv]), span)


def script_of(*commands: Command, **more: Any) -> Script:
    """A script of these commands."""
    return Script("", "bash", "plain", commands, **more)


def opinion_on(heuristics: Heuristics, *argv: str | Word) -> Opinion:
    """The opinion on one command."""
    command = command_of(*argv)
    return heuristics.opinion(command, script_of(command))


def opinion_on_text(heuristics: Heuristics, text: str) -> Opinion:
    """The opinion on one simple command, given as text of literal words."""
    words = split(text)
    assert words is not None, text
    return opinion_on(heuristics, *words)


__all__ = ["SafeCommand", "built_in_entries", "command_of", "entries_of", "opinion_on", "opinion_on_text", "script_of"]
