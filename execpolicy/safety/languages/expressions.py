"""Programs whose arguments are a language of their own, read as a whole.

Arguments of ``test`` and ``[``.

They look at files and compare, with one exception: ``-v`` and ``-R`` evaluate a subscript, ``test -v 'a[$(cmd)]'`` runs
``cmd`` (bash 5.2). ksh and zsh also evaluate the operands of ``-eq`` and its like, which is an effect of the builtin
(``programs/evaluating.py``); bash and dash want plain integers.

Arguments of ``printf``: a format that neither assigns nor evaluates.

``printf -v NAME`` and ``%n`` assign variables (bash 5.2); ksh and zsh evaluate the arguments of numeric conversions.
"""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.programs.evaluating import conversions, printf_evaluates
from execpolicy.safety.grammar import Refusal
from execpolicy.safety.languages import find
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
        return conditions_refusal(words, at)

    return printing_refusal(words, at)


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


_EVALUATING = ("-v", "-R")
ARITHMETIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))


def conditions_refusal(words: Sequence[Word], at: int) -> Refusal | None:
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


def printing_refusal(words: Sequence[Word], at: int) -> Refusal | None:
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
