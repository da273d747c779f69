"""Arguments of ``printf``: a format that neither assigns nor evaluates.

``printf -v NAME`` and ``%n`` assign variables (bash 5.2); ksh and zsh evaluate the arguments of numeric conversions.
"""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.programs.evaluating import conversions
from execpolicy.safety.grammar import Refusal
from execpolicy.shell.words import Word


def refusal(words: Sequence[Word], at: int) -> Refusal | None:
    """Returns why the arguments ``words[at:]`` of ``printf`` are not known to be harmless, or ``None`` if they are."""
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
