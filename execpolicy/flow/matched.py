"""What ``[[ text =~ expression ]]`` finds. Evidence for restricting only."""

from __future__ import annotations

from execpolicy.core.text import names

_CLASSES = {
    "[:alpha:]": "a-zA-Z", "[:digit:]": "0-9", "[:alnum:]": "a-zA-Z0-9", "[:upper:]": "A-Z", "[:lower:]": "a-z",
    "[:space:]": r"\s", "[:blank:]": r" \t", "[:punct:]": r"!-/:-@\[-`{-~", "[:xdigit:]": "0-9a-fA-F",
    "[:word:]": r"\w",
}  # fmt: skip
_REPEATING = "*+{?|"
_REPEATED_GROUPS = names(")* )+ ){")
_OTHER_IN_PYTHON = names("[[ -- && ~~ ||")
"""What Python's own expressions may read in another way some day, and warn of."""
_MOST_STEPS = 200_000
"""Of a search that tries everything; an expression that may take more is not followed."""


def matched(text: str, expression: str) -> list[str]:
    """The whole match and its groups; where the expression is not followed, ``text`` and its words."""
    found = _search(text, expression)
    if found is None:
        return [text, *text.split()[:8]]
    return found


def _search(text: str, expression: str) -> list[str] | None:
    import re

    repeats = sum(map(expression.count, _REPEATING))
    nested = any(group in expression for group in _REPEATED_GROUPS)
    if "(?" in expression or max(len(text), 2) ** min(repeats + 1 + 3 * nested, 20) > _MOST_STEPS:
        return None
    for name, characters in _CLASSES.items():
        expression = expression.replace(name, characters)
    if any(each in expression for each in _OTHER_IN_PYTHON):
        return None
    try:
        match = re.search(expression, text)
    except (re.error, RecursionError, OverflowError):
        return None
    return [] if match is None else [part for part in (match.group(), *match.groups()) if part]
