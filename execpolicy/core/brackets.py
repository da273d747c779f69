"""Where a bracket expression of a shell pattern ends."""

from __future__ import annotations


def bracket_end(pattern: str, at: int) -> int:
    """The offset of the ``]`` that closes the ``[`` at ``at``, or -1 if none does and it stands for itself.

    A ``]`` in front is one of the characters, and ``[:alpha:]``, ``[=a=]`` and ``[.a.]`` have brackets of their own
    (POSIX, 2.13.1).
    """
    here = at + 1
    if pattern[here : here + 1] in ("!", "^"):
        here += 1
    if pattern[here : here + 1] == "]":
        here += 1
    while here < len(pattern):
        char = pattern[here]
        if char == "]":
            return here
        if char == "\\":
            here += 1
        elif char == "[" and pattern[here + 1 : here + 2] in (":", "=", "."):
            close = pattern.find(pattern[here + 1] + "]", here + 2)
            here = close + 1 if close >= 0 else here
        here += 1
    return -1
