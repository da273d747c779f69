"""Matches the words of a command with what an allow rule leaves out: by their form and by their meaning."""

from __future__ import annotations

from execpolicy.core.exclusion import NOTHING_MORE, is_option_entry
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.text import word_set
from execpolicy.programs.breadth import innermost, is_fed
from execpolicy.programs.meaning.command_line import CommandLine
from execpolicy.programs.names import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.rules import PrefixRule
    from execpolicy.shell.words import Word


_READ_OPTIONS = word_set(
    "pytest py.test mypy pylint gcc g++ cc c++ clang clang++ clang-tidy ld javac java javadoc dotnet csc msbuild rustc "
    "swiftc protoc kotlinc scalac"
)
"""Programs to which ``@FILE`` is the options that stand in a file."""


def leaves_out(rule: PrefixRule, words: Sequence[Word]) -> bool:
    """True if ``rule``, whose pattern ``words`` begin with, may leave them out.

    A word that is only known at run time may be anything; if it cannot begin with a dash, it is no option.
    """
    options = [entry for entry in rule.unless if is_option_entry(entry)]
    plain = len(options) == len(rule.unless)
    texts = [
        "" if word.literal is None and plain and not word.may_start_with_dash() else word.literal for word in words
    ]
    if not rule.counts_for(texts):
        return True
    if not options and rule.unless != NOTHING_MORE:
        return False

    if rule.unless == NOTHING_MORE:
        return is_fed([word.literal or "" for word in words])
    inner, start = innermost([word.literal or "" for word in words[: len(rule.pattern)]])
    if inner and base_name(inner[0]) in _READ_OPTIONS and any(text and text[0] == "@" for text in texts):
        return True
    line = CommandLine(base_name(words[0].literal or ""), words[1:])
    if any(
        line.means(PrefixPattern(rule.pattern.first, (*rule.pattern.rest, (entry,)))).certainty for entry in options
    ):
        return True
    if not start or not inner:
        return False
    line = CommandLine(base_name(inner[0]), words[len(start) + 1 :])  # `uv run pytest`: options are those of pytest
    return any(line.means(PrefixPattern.of((*inner, entry))).certainty for entry in options)
