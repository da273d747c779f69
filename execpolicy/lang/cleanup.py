"""Codex's one-time clean-up of saved prefixes that were too broad, as a pure function over text.

Source: Codex 0.169 to 0.171, reference section 7.5. Codex does it without notice at its first start; here the linter
reports such lines and offers their removal.
"""

from __future__ import annotations

import json
import re

from execpolicy.core.banned import BANNED_PREFIXES, is_banned_in_any_case
from execpolicy.source import Span
from execpolicy.value import value

_LINE = re.compile(r'prefix_rule\(pattern=(\[.*\]), decision="allow"\)')
_LONGEST = max(map(len, BANNED_PREFIXES))


@value
class BannedLine:
    """A line that the clean-up would remove.

    Attributes:
        line: 1-based.
        span: the whole line with its line ending.
        tokens: the allowed prefix.
    """

    line: int
    span: Span
    tokens: tuple[str, ...]


def banned_lines(text: str) -> tuple[BannedLine, ...]:
    """The lines of ``text`` that allow a banned prefix in exactly the form that amendments write."""
    found: list[BannedLine] = []
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        end = min(start + len(line) + 1, len(text))
        tokens = _amended_prefix(line.removesuffix("\r"))
        if tokens is not None and is_banned_in_any_case(tokens):
            found.append(BannedLine(number, Span(start, end), tokens))
        start = end
    return tuple(found)


def _amended_prefix(line: str) -> tuple[str, ...] | None:
    match = _LINE.fullmatch(line)
    if match is None or line.count('", "') >= _LONGEST:
        return None
    try:
        tokens = json.loads(match.group(1))
    except (ValueError, RecursionError):
        return None
    return tuple(tokens) if all(isinstance(token, str) for token in tokens) else None
