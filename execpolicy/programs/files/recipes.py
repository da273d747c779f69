"""What may be commands in files of settings, recipes and lists, whose forms nobody follows: each likely part."""

from __future__ import annotations

import re

from execpolicy.core.text import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COMMENTS = ("# ", "// ", "-- ", "; ", "<!--")
_FRONT = "@+-!*%^:=,$&.;> \t"
"""What may stand in front of a command in a line."""
_BREAKING = str.maketrans(dict.fromkeys("<>{}[]()`\"'|", "\n"))
_NAMING = names("command cmd args arg argv arguments params program executable value run exec options script path")
"""What names a command and its words among the texts of a file of settings."""
_MOST_LINES = 400
_MOST_SUFFIXES = 6
"""Words of a part of a line at which a command may begin: ``run git push``."""
_INCLUDING = re.compile(r"(?m)^[ \t]{0,40}[-@]?(?:s?include|so|source|source-file)[ \t]{1,40}(\S.{0,400})$")
_PATTERN = re.compile(r"[\w.*?/~+-]+")


def in_windows(values: Sequence[str]) -> list[str]:
    """``values`` from each on, as the words of one command."""
    return [*values, *[" ".join(values[at : at + _MOST_SUFFIXES]) for at in range(min(len(values), _MOST_LINES) - 1)]]


def beyond(text: str) -> str:
    """The lines of ``text`` in which :func:`orders` looks for nothing, because there are so many in front of them."""
    return "\n".join(text.split("\n")[_MOST_LINES:])


def included(text: str) -> tuple[str, ...]:
    """The files that lines like ``include x.mk``, ``so x`` and ``@include "x"`` name, as patterns without folders."""
    named = [part for line in _INCLUDING.findall(text) for part in _PATTERN.findall(line)]
    return tuple(dict.fromkeys([base for each in named if (base := each.rpartition("/")[2])]))


def orders(text: str) -> list[str]:
    """What may be commands in the text of a file of settings or recipes: in its first lines, see :func:`beyond`."""
    found: dict[str, None] = {}
    listed: list[str] = []
    before: list[str] = []
    broken = "\\\n" if "\\\n" in text else "`\n"  # which a recipe of containers may choose, and PowerShell has
    whole = [text.replace(broken, joined) for joined in (" ", "")] if broken in text else [text]
    for line in "\n".join(whole).split("\n")[:_MOST_LINES]:
        stripped = line.strip()
        if stripped.startswith(COMMENTS):
            continue
        listed = [*listed, stripped[2:].strip("\"'")] if stripped.startswith("- ") else []
        found.update(dict.fromkeys([stripped.lstrip(_FRONT), " ".join(listed)]))
        quoted = [part for quote in ('"', "'") for part in stripped.split(quote)[1::2]]
        values = [part for part in quoted if part not in _NAMING]
        if stripped[:1] == "<":  # <string>rm</string><string>x</string>
            values += [inside for part in stripped.split("<") if (inside := part.partition(">")[2].strip())]
        found.update(dict.fromkeys([" ".join(quoted), *quoted, *in_windows([*before, *values])]))
        before = values[-_MOST_SUFFIXES:] or before
        for part in stripped.translate(_BREAKING).split("\n"):
            words = part.split()
            starts = range(min(len(words), _MOST_SUFFIXES))
            found.update(dict.fromkeys([" ".join(words[at:]).lstrip(_FRONT) for at in starts]))
            if "," in part:  # [git, push]
                found[" ".join(part.replace(",", " ").split())] = None
            found.update(dict.fromkeys([behind.strip() for mark in "=:" for behind in part.partition(mark)[2:]]))
    return [order for order in found if order.strip()]
