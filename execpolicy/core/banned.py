"""Prefixes that are too broad for an allow rule: they would allow everything that an interpreter can do.

Source: the executable of Codex 0.169.0, 88 entries, checked against about 3,700 probes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
