"""Whether a program is a shim of a version manager that runs what a file of the project says.

With ``node path:./evil`` in ``.tool-versions``, ``node --version`` starts ``./evil/bin/node`` where the shims of mise
or asdf come first in ``PATH``. A file that names plain versions only chooses among what is installed.

Sources: the manuals of asdf (".tool-versions"), mise ("Configuration", "Shims"), pyenv, rbenv, nodenv and proto.
"""

from __future__ import annotations

import os

from execpolicy.core.text import names
from execpolicy.judge.folders.upwards import upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.judge.situation import Situation

_LISTS = names(
    ".tool-versions .python-version .ruby-version .node-version .nvmrc .go-version .java-version .terraform-version "
    ".perl-version .php-version .lua-version .crystal-version .swift-version .deno-version .bun-version .zig-version"
)
"""Files of names and versions."""
_SETTINGS = names(
    "mise.toml .mise.toml mise.local.toml .mise.local.toml .config/mise.toml .config/mise/config.toml mise/config.toml "
    ".mise/config.toml .prototools"
)
"""Files that can say more: where tools come from, variables, what runs first."""
_ELSEWHERE = frozenset("/:\\~$`\"'{}[]()")
"""What stands in a path, an address or another way to get a version, and in none itself."""
_LONGEST = 10_000
"""Bytes of such a file that is read."""


def version_shim(program: str, situation: Situation, starts: Sequence[str]) -> str | None:
    """Why ``program``, which is a shim, may be what a file of the folder says, or ``None``.

    Args:
        starts: the folders that it may start in; none if nobody knows.
    """
    situation.looks += 1
    places = [place for start in starts for place in situation.places_of(start)]
    if not places:
        return f"`{program}` is a shim here, which runs what a file of the folder names, and nobody knows that folder"
    for place in places:
        for folder in upwards(place):
            for file in _choosing(folder) if folder != situation.home else ():
                return f"`{program}` is a shim here, which runs what `{file}` names"
    return None


def _choosing(folder: str) -> Iterator[str]:
    """The files in ``folder`` that may name more than plain versions."""
    for name in sorted(_SETTINGS):
        if os.path.lexists(f"{folder}/{name}"):
            yield f"{folder}/{name}"
    for name in sorted(_LISTS):
        if os.path.lexists(f"{folder}/{name}") and not _is_plain(f"{folder}/{name}"):
            yield f"{folder}/{name}"


def _is_plain(file: str) -> bool:
    if not os.path.isfile(file):
        return False
    try:
        with open(file, encoding="ascii") as opened:
            text = opened.read(_LONGEST + 1)
    except (OSError, UnicodeDecodeError):
        return False
    return len(text) <= _LONGEST and ".." not in text and _ELSEWHERE.isdisjoint(text)
