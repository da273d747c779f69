"""Arguments of ``test`` and ``[``.

They look at files and compare, with one exception: ``-v`` and ``-R`` evaluate a subscript, ``test -v 'a[$(cmd)]'`` runs
``cmd`` (bash 5.2). ksh and zsh also evaluate the operands of ``-eq`` and its like, which is an effect of the builtin
(``programs/evaluating.py``); bash and dash want plain integers.
"""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.safety.grammar import Refusal
from execpolicy.shell.words import Word

_EVALUATING = ("-v", "-R")
ARITHMETIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))


def refusal(words: Sequence[Word], at: int) -> Refusal | None:
    """Returns why the arguments ``words[at:]`` are not known to be harmless, or ``None`` if they are."""
    after_dynamic = False
    end = len(words)
    for index in range(at, end):
        word = words[index]
        text = word.literal
        if text is None:
            if word.number:
                after_dynamic = False
                continue
            if word.many:
                return Refusal("dynamic", index, "an unquoted word could bring operators of its own")
            if after_dynamic:
                return Refusal("dynamic", index, "the first of two words known only at run time could be `-v`")
            after_dynamic = True
            continue
        if after_dynamic and _could_run(text):
            return Refusal("expression", index, f"`{text}` could be evaluated as a subscript")
        after_dynamic = False
        if text in _EVALUATING:
            following = words[index + 1].literal if index + 1 < end else "]"
            if following is None or not (following == "]" or _is_name(following)):
                return Refusal("expression", index, f"`{text}` evaluates the subscript of what follows")
        elif text in ARITHMETIC:
            for operand in words[max(at, index - 1) : index + 2]:
                if operand.literal is not None and _could_run(operand.literal):
                    return Refusal("expression", index, f"`{operand.literal}` is not a number")
    return None


def _could_run(text: str) -> bool:
    return "[" in text[:-1] or "$" in text or "`" in text


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()
