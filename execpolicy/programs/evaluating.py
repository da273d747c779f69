"""Builtins that evaluate what should be a number, or a name, in ksh and zsh: ``printf %d "$x"``, ``read -t "$x"``.

Tried with zsh 5.9, mksh R59 and ksh93u+m, with an array's subscript as the value. zsh runs what is in it behind
``printf %d``, ``%*s`` and ``read -t``. Some options take a value in bash and none in zsh or mksh, so that the value is
the name of a variable.
"""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.core.text import word_set
from execpolicy.flow.effects import printing
from execpolicy.flow.facts import Facts
from execpolicy.shell.script import ARITHMETIC
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    Said = tuple[str, str] | tuple[str, str, tuple[int, ...]]
    """The kind of an effect, what a person should know, and the commands that it hangs on (``ShellEffect.inner``)."""

EVALUATING_SHELLS = ("zsh", "ksh", "sh")
"""Shells whose ``test``, ``shift``, ``exit`` … evaluate what should be a number; ``sh`` may be any of them."""
TEXT = "csbqQ%"
NUMERIC = "diouxXeEfFgGaA"
"""Conversions of ``printf`` that take a text, and those that take a number."""
_HARMLESS_OF_PRINT = frozenset("rnlNe")
"""Options of ``print`` that say how words are printed. Others evaluate (``-f``, ``-P``), fill (``-v``) and remember."""
_EXPANDED_OF_COMPGEN = frozenset("WCFV")
"""Options of ``compgen`` whose value is expanded, run or filled."""


def printf_evaluates(words: Sequence[Word], facts: Facts | None = None) -> bool:
    """True if ksh or zsh would evaluate an argument of ``printf`` that may not be a plain number.

    Args:
        facts: what variables may hold, where ``words`` are not yet what they come to.
    """
    at = 0
    if words and (words[0].literal or "").startswith("-v"):
        at = 2 if words[0].literal == "-v" else 1
    at += at < len(words) and words[at].literal == "--"
    if at >= len(words):
        return False
    form = words[at].literal
    found = conversions(form) if form is not None else None
    arguments = words[at + 1 :]
    if found is not None:
        taken = found.replace("%", "") or TEXT
        if taken.strip(TEXT) == "":
            return False
        if not any(word.many for word in arguments):  # the format is used again for the arguments that are left
            arguments = [word for at, word in enumerate(arguments) if taken[at % len(taken)] not in TEXT]
    return not all(_is_number(word, facts) for word in arguments)


def _is_number(word: Word, facts: Facts | None) -> bool:
    if word.number or (word.literal or "").lstrip("-").replace(".", "", 1).isdigit():
        return True
    cases = facts.cases(word) if facts is not None and word.literal is None else ()
    return bool(cases) and all(len(case) == 1 and _is_number(case[0], None) for case in cases)


def conversions(form: str) -> str | None:
    """The conversion letters of a format, or ``None`` if one of them is unknown.

    ``*`` means each width or precision that is taken from the arguments, ``T`` for a date.
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
        if at >= end or form[at] not in TEXT + NUMERIC:
            return None
        found.append(form[at])
        at += 1


def read_evaluates(words: Sequence[Word], facts: Facts) -> bool:
    """True if a word behind ``read`` is only known at run time, where it may be a name as well as a number."""
    return any(word.literal is None and not _is_number(word, facts) for word in words)


def print_evaluates(words: Sequence[Word]) -> bool:
    """True if ``print`` of zsh or ksh may do more than print ``words``."""
    for word in words:
        text = word.literal
        if text in ("-", "--"):
            return False
        if text is None:
            if word.may_start_with_dash():
                return True
        elif text[:1] != "-":
            return False
        elif not _HARMLESS_OF_PRINT.issuperset(text[1:]):
            return True
    return False


def compgen_evaluates(words: Sequence[Word]) -> bool:
    """True if ``compgen`` of bash expands, runs or fills something: ``compgen -W "$x"`` runs what ``x`` holds."""
    texts = [word.literal for word in words]
    options = [text for text in texts if text is not None and text[:1] == "-" and text != "--"]
    return None in texts or any(not _EXPANDED_OF_COMPGEN.isdisjoint(option) for option in options)


_BINARY = word_set("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef -a -o ]")


def test_evaluates(words: Sequence[Word], facts: Facts) -> Iterator[Said]:
    """``test -v NAME`` evaluates a subscript; zsh and ksh also evaluate the operands of ``-eq`` and ``-t``."""
    evaluates = facts.script.shell in EVALUATING_SHELLS
    for at, word in enumerate(words):
        text = word.literal
        following = words[at + 1] if at + 1 < len(words) else None
        if text is None and word.may_start_with_dash() and not _is_operand(word, facts):
            if word.many or (following is not None and following.literal not in _BINARY):
                detail = "an operator of `test` is only known at run time"
                yield ARITHMETIC, detail, _printing(word, facts)
        elif following is None:
            return
        elif text == "-v" or text == "-R":
            if following.literal is None or "[" in following.literal:
                yield ARITHMETIC, "`test -v` evaluates the subscript of its operand"
        elif text in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge") and evaluates and at > 0:
            for side in (words[at - 1], following):
                if not _is_number(side, facts):
                    yield ARITHMETIC, f"`test {text}` evaluates its operands", _printing(side, facts)
        elif text == "-t" and evaluates and not _is_number(following, facts):
            yield ARITHMETIC, "`test -t` evaluates its operand"


def _is_operand(word: Word, facts: Facts) -> bool:
    """True if a word that only the run knows is no operator: a number, or one of values that begin otherwise."""
    cases = facts.cases(word)
    return word.number or (
        bool(cases) and all(len(case) == 1 and (case[0].number or not case[0].may_start_with_dash()) for case in cases)
    )


def _printing(word: Word, facts: Facts) -> tuple[int, ...]:
    """The commands whose output ``word`` is, if it is nothing else: where they print numbers alone, it is no operator.

    Unquoted it may be several words, or none.
    """
    substitutions: list[Sequence[int]] = []
    for case in facts.cases(word) or ((word,),):
        for one in case:
            if any(piece.kind != "substitution" and not piece.number for piece in one.pieces) or not one.pieces:
                return ()
            substitutions += [piece.inner for piece in one.pieces if piece.kind == "substitution"]
    return printing(facts, substitutions) or ()
