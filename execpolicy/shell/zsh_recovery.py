"""Commands of zsh at places where bash sees arguments: evidence, for scripts that are not understood."""

from __future__ import annotations

import re

from execpolicy.core.text import word_set
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word, seen_word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_OPENING = word_set("{ } always")
"""Words of zsh after which a command begins, at any position: `if [[ x ]] { rm y }`."""
_MOST_READINGS = 20
_QUALIFIER = re.compile(r"\([^()\s'\"]{0,40}?(?:\+(?P<function>[\w-]+)|e(?P<begin>[^\w\s)]))")
"""A qualifier of a glob that runs code for each name: ``*(e:text:)``, ``*(oe{text})``, ``*(+command)``.

Source: zsh 5.9 manual, "Glob Qualifiers".
"""
_VANISHING = re.compile(r"\([^()\s'\"N]{0,40}N[^()\s'\"]{0,40}\)")
"""The qualifier of a glob that becomes no word if it matches nothing: ``b*(N)``, the same manual."""
_LONGEST_GLOB = 200
_BESIDE_GLOBS = frozenset(" \t\n;&|()'\"")
_GLOBBING = frozenset("*?]>")
_CLOSING = {"[": "]", "{": "}", "<": ">", "(": ")"}
_LONGEST = 1_000
"""The number of characters of such a text that are examined."""
_BETWEEN = re.compile(r"[;&|\n`(){}]")
_QUOTING = str.maketrans("", "", "'\"\\")


def zsh_readings(words: Sequence[Word]) -> list[Sequence[Word]]:
    """The commands that zsh may see later in ``words``, as far as they can be recovered."""
    found: list[Sequence[Word]] = []
    for at, word in enumerate(words[:-1]):
        if len(found) >= _MOST_READINGS:
            break
        if not word.quoted and word.literal in _OPENING:
            found.append(words[at + 1 :])
    return found


def zsh_qualifiers(text: str) -> Iterator[Command]:
    """The commands in qualifiers of the globs in ``text``."""
    for match in _QUALIFIER.finditer(text):
        span = Span(match.start(), match.end())
        if match["function"] is not None:
            yield Command((Word(match["function"], span),), span)
            continue
        close = text.find(_CLOSING.get(match["begin"], match["begin"]), match.end(), match.end() + _LONGEST)
        inside = text[match.end() : close if close > 0 else match.end() + _LONGEST]
        for part in _BETWEEN.split(inside.translate(_QUOTING)):
            words = [seen_word(each, span) for each in part.split()]
            if words:
                yield Command(tuple(words), span)


def without_vanishing(text: str) -> str:
    """``text`` with blanks for each glob that becomes no word if it matches nothing: ``git b*(N) push``."""
    parts: list[str] = []
    upto = 0
    for match in _VANISHING.finditer(text):
        start = match.start()
        while start > max(upto, match.start() - _LONGEST_GLOB) and text[start - 1] not in _BESIDE_GLOBS:
            start -= 1
        if not _GLOBBING.isdisjoint(text[start : match.start()]):
            parts += (text[upto:start], " " * (match.end() - start))
            upto = match.end()
    return "".join([*parts, text[upto:]])
