"""Commands of zsh that stand where bash sees arguments: evidence, for scripts that are not understood."""

from __future__ import annotations

from execpolicy.core.text import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.words import Word

_OPENING = names("{ } always")
"""Words of zsh behind which a command begins, wherever they stand: `if [[ x ]] { rm y }`."""
_MOST_READINGS = 20


def zsh_readings(words: Sequence[Word]) -> list[Sequence[Word]]:
    """The commands that zsh may see further on in ``words``, as far as they can be made out."""
    found: list[Sequence[Word]] = []
    for at, word in enumerate(words[:-1]):
        if len(found) >= _MOST_READINGS:
            break
        if not word.quoted and word.literal in _OPENING:
            found.append(words[at + 1 :])
    return found
