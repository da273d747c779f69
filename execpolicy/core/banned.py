"""Prefixes that are too broad for an allow rule: they would allow everything that an interpreter can do.

Source: the executable of Codex 0.169.0, 88 entries, checked against about 3,700 probes.

Codex removes saved prefixes like these without notice when it starts for the first time (0.169 to 0.171, reference
section 7.5). Here the linter reports such lines and offers their removal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from execpolicy.source import Span
from execpolicy.value import value


def _expand() -> Iterable[tuple[str, ...]]:
    for programs, arguments in _TABLE:
        for program in programs.split():
            yield (program,)
            for argument in arguments.split():
                yield (program, argument)
    for line in _ONLY_TOGETHER.split(","):
        yield tuple(line.split())


_TABLE = (
    ("/bin/bash /bin/sh /bin/zsh bash zsh sh", "-c -lc"),
    ("dash fish ksh", "-c"),
    ("cmd cmd.exe", "/c /k"),
    ("powershell powershell.exe", "-Command -EncodedCommand -File -c"),
    ("pwsh", "-Command -EncodedCommand -File -c -e -ec -f"),
    ("python python3", "- -c"),
    ("py", "-3"),
    ("pypy pypy3 pythonw pyw", ""),
    ("node nodejs perl ruby lua julia", "-e"),
    ("php", "-r"),
    ("bun", "-e run"),
    ("deno", "eval"),
    ("Rscript env git osascript rm sudo", ""),
)
_ONLY_TOGETHER = "npm run,pnpm run,yarn run"

BANNED_PREFIXES = frozenset(_expand())
"""Whole prefixes; a longer prefix that starts with one of them is not banned."""

_FOLDED = frozenset([tuple([_fold.lower() for _fold in prefix]) for prefix in BANNED_PREFIXES])


def is_banned(tokens: Sequence[str]) -> bool:
    """True if ``tokens``, exactly and as a whole, are a banned prefix."""
    return tuple(tokens) in BANNED_PREFIXES


def is_banned_in_any_case(tokens: Sequence[str]) -> bool:
    """:func:`is_banned` without regard to ASCII case, as Codex compares when it cleans up ``default.rules``."""
    return tuple([_ascii_lower(token) for token in tokens]) in _FOLDED


def _ascii_lower(text: str) -> str:
    return "".join([char.lower() if char.isascii() else char for char in text])


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
