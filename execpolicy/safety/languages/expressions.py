"""Programs whose arguments are a language of their own, read as a whole."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.programs.evaluating import printf_evaluates
from execpolicy.safety.grammar import Refusal
from execpolicy.safety.languages import conditions, find, printing
from execpolicy.safety.languages.formats import variable_refusal
from execpolicy.shell.words import Word


def refusal(name: str, words: Sequence[Word], at: int) -> Refusal | None:
    """Returns why the expression ``words[at:]`` of the kind ``name`` is not known to be harmless, or ``None`` if it
    is.
    """
    if name == "any":
        return None
    if name == "find":
        return find.refusal(words, at)
    if name == "test":
        return conditions.refusal(words, at)

    return printing.refusal(words, at)


def _is_filled(text: str) -> bool:
    """True if ``text`` is a variable that ``read`` must not fill: zsh reads ``PATH`` by ``read -t PATH x``."""

    return "[" in text or (text.isidentifier() and variable_refusal(text) is not None)


def evaluates_arithmetic(name: str, words: Sequence[Word]) -> bool:
    """True if the builtin ``name`` of ksh or zsh would evaluate one of ``words`` as arithmetic, or fill it."""
    if name == "read":  # the values of `-t`, `-k`, `-n` and `-u`, which take none or none but numbers elsewhere
        return any((word.literal is None and not word.number) or _is_filled(word.literal or "") for word in words[1:])
    if name != "printf":
        return not all(word.number or (word.literal or "").isdigit() for word in words[1:])

    return printf_evaluates(words[1:])
