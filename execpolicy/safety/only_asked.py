"""Tests that only ask whether a secret is there, or is one certain text: their answer says nothing else of it."""

from __future__ import annotations

import re
from _collections_abc import Sequence

from execpolicy.safety.secret_variables import secret_variable

_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+""", re.DOTALL)
_WHOLE = re.compile(r'"?[\w./-]*\$(?:\w+|\{\w+(?::?[-+][\w./-]*)?\})[\w./-]*"?', re.ASCII)
"""A variable with all that it holds: of a part of it (``${x:0:1}``, ``${x##a*}``) the answer is one letter."""
_TEXT = re.compile(r"""[\w./-]+|"[^"`\\]*"|'[^']*'""", re.ASCII)
"""One text and no pattern: of a pattern that grows the answers are letter after letter."""


def whole_secrets(words: Sequence[str]) -> bool:
    """True if each word with a secret, as it is written, is nothing but the whole value of one variable."""
    return all(secret_variable(word) is None or _WHOLE.fullmatch(word) is not None for word in words)


def only_asks(condition: str) -> bool:
    """True if ``condition``, the text of one ``[[ … ]]``, only asks whether its secrets are there, or a certain text.

    ``=~`` keeps what it found; what a substitution prints is printed.
    """
    if condition[:2] != "[[" or "=~" in condition or "`" in condition or "(" in condition.replace(" ( ", " "):
        return False
    clauses: list[list[str]] = [[]]
    for word in _WORD.findall(condition[2:].removesuffix("]]")):
        if word in ("&&", "||"):
            clauses.append([])
        elif word not in ("!", "(", ")"):
            clauses[-1].append(word)
    return all(_asks(clause) for clause in clauses if any(secret_variable(word) is not None for word in clause))


def _asks(clause: Sequence[str]) -> bool:
    if len(clause) == 3:
        return clause[1] in ("=", "==", "!=") and whole_secrets(clause[:1]) and _TEXT.fullmatch(clause[2]) is not None
    return len(clause) - (clause[0] in ("-n", "-z")) == 1 and whole_secrets(clause[-1:])
