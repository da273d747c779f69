"""Arguments of ``printf``: a format that neither assigns nor evaluates.

``printf -v NAME`` and ``%n`` assign variables (bash 5.2); ksh and zsh evaluate the arguments of numeric conversions.
"""

from __future__ import annotations

from execpolicy.safety.grammar import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.words import Word

_TEXT = "csbqQ%"
_NUMERIC = "diouxXeEfFgGaA"


def refusal(words: Sequence[Word], at: int) -> Refusal | None:
    """Why the arguments ``words[at:]`` of ``printf`` are not known to be harmless, or ``None`` if they are."""
    if at < len(words) and words[at].literal == "--":
        at += 1
    elif at < len(words) and (words[at].literal or words[at].prefix).startswith("-"):
        return Refusal("option", at, "the options of printf assign variables")
    if at >= len(words):
        return None
    form = words[at]
    if form.literal is None:
        if form.many or at + 1 < len(words):
            return Refusal("dynamic", at, "a format that is only known at run time could assign variables")
        return None
    if conversions(form.literal) is None:
        return Refusal("expression", at, f"the format `{form.literal}` has a conversion that is not on the list")
    return None


def evaluates_in_ksh_or_zsh(words: Sequence[Word]) -> bool:
    """Whether ksh or zsh would evaluate an argument of this call that may not be a plain number."""
    at = 2 if len(words) > 1 and words[1].literal == "--" else 1
    if at >= len(words):
        return False
    form = words[at].literal
    found = conversions(form) if form is not None else "d"
    if found is None or not any(letter in _NUMERIC + "T*" for letter in found):
        return False
    return not all(
        word.number or (word.literal is not None and word.literal.lstrip("-").isdigit()) for word in words[at + 1 :]
    )


def conversions(form: str) -> str | None:
    """The conversion letters of a format, or ``None`` if one of them is unknown.

    ``*`` stands for each width or precision that is taken from the arguments, ``T`` for a date.
    """
    found: list[str] = []
    at, end = 0, len(form)
    while True:
        at = form.find("%", at)
        if at < 0:
            return "".join(found)
        at += 1
        while at < end and form[at] in "-+ #0'*.123456789hlLjzt":
            if form[at] == "*":
                found.append("*")
            at += 1
        if at < end and form[at] == "(":
            close = form.find(")", at)
            inside = form[at + 1 : close]
            # a shell that finds no `T` behind the matching parenthesis goes on with what is inside
            if close < 0 or form[close + 1 : close + 2] != "T" or "(" in inside or "%n" in inside:
                return None
            found.append("T")
            at = close + 2
            continue
        if at >= end or form[at] not in _TEXT + _NUMERIC:
            return None
        found.append(form[at])
        at += 1
