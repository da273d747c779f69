"""Secrets of the environment that a script hands on: to a variable, a loop, a here-document, or a trace."""

from __future__ import annotations

import re
from _collections_abc import Sequence

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.names import base_name
from execpolicy.safety.secret_variables import own_variables, secret_variable, secret_variables
from execpolicy.shell.script import Command, Script
from execpolicy.shell.vocabulary import COMPLAINING, DECLARING, SHIFTING, run_here
from execpolicy.shell.words import Word


def exposed_variable(facts: Facts) -> str | None:
    """The variable, a secret by its name, whose value is used elsewhere than in the words of a command.

    The words are for the heuristics, which know what a program prints. A value is exposed if it is
    given to another variable, read by a loop, sent to standard input or printed by ``set -x``. A builtin that takes a
    number or a folder prints it in its error message. Whether it is set is no secret:
    ``[[ -n $X ]]``, ``${X:+set}`` and ``${#X}`` do not count, as long as nothing prints what is compared.
    """
    traced = _traces(facts)
    text = facts.script.text if traced else _without_conditions(facts.script)
    own = own_variables(facts)
    left = [name for name in secret_variables(text) if name not in own]
    if left and not traced:
        for command in facts.script.commands:
            for word in _judged_words(command, facts):
                for name in secret_variables(word.literal if word.literal is not None else word.written):
                    if name in left:
                        left.remove(name)
    return left[0] if left else None


_LAST_WORD = re.compile(r"\$\{?[!#]?_(?!\w)")
"""``$_`` is the last word of the command before, in bash, ksh and zsh."""
_UNARY = word_set("-n -z -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -O -S")
_BRACKETS = frozenset("()!")
_COMPLAINING = COMPLAINING | SHIFTING | {"unset", "let", "unalias"}


def _judged_words(command: Command, facts: Facts) -> tuple[Word, ...]:
    """The words that the heuristics look at.

    What a declaration, a function or the text behind ``sh -c`` gets is a value of a variable then.
    """
    words = command.words
    if not words or words[0].literal in facts.script.functions:
        return ()
    at = run_here(words)
    name = words[at].literal
    if name in _COMPLAINING or (name in ("test", "[") and not _compares_texts(words[at:], facts.script.shell)):
        return ()
    if name == "test" and _LAST_WORD.search(facts.script.text.replace("\\\n", "")) is not None:
        return ()
    return () if any(word.literal in DECLARING or _is_shell(word.literal) for word in words) else words


def _compares_texts(words: tuple[Word, ...], shell: str) -> bool:
    """True if ``test`` only asks whether whole texts are empty or the same.

    Of what it takes for a number, or for an operator too many, it complains with the value (every shell, tried); so
    does dash of ``==``, which it does not know.
    """
    same = ("=", "!=") if shell == "sh" else ("=", "==", "!=")
    operands = [word.literal for word in words[1:] if words[0].literal == "test" or word.literal != "]"]
    clauses: list[list[str | None]] = [[]]
    for word in operands:
        if word in ("-a", "-o"):
            clauses.append([])
        elif word != "!" or clauses[-1]:
            clauses[-1].append(word)
    return whole_secrets([word.written for word in words if word.literal is None]) and all(
        _is_complete(one, same) for one in clauses
    )


def _is_complete(clause: list[str | None], same: tuple[str, ...]) -> bool:
    """True if ``test`` cannot complain of what is between ``-a`` and ``-o``, whatever is unknown in it.

    Of what is left over or lacks an operand the shells complain with the next word (mksh, busybox; tried).
    """
    if len(clause) == 3:
        return clause[1] in same and not _BRACKETS.intersection(clause)
    operand = clause[-1] if clause else "-"
    if len(clause) == 2 and (clause[0] not in _UNARY or (operand is None and clause[0] not in ("-n", "-z"))):
        return False
    return len(clause) < 3 and (operand is None or (operand[:1] != "-" and operand not in _BRACKETS))


def _is_shell(name: str | None) -> bool:
    record = None if name is None else record_of(base_name(name))
    return record is not None and record.language == "shell"


def _without_conditions(script: Script) -> str:
    """The text of ``script`` without the conditions that only ask whether a secret is there."""
    kept: list[str] = []
    at = 0
    for span in sorted(script.seen.conditions, key=lambda span: span.start):
        if span.start >= at and only_asks(script.text[span.start : span.end]):
            kept.append(script.text[at : span.start])
            at = span.end
    return "".join([*kept, script.text[at:]])


def _traces(facts: Facts) -> bool:
    """True if the shell prints what it runs."""
    for command in facts.script.commands:
        texts = [word.literal for word in command.words]
        if "set" in texts[:3] and any(text in ("xtrace", "verbose") or _is_tracing(text) for text in texts):
            return True
    return False


def _is_tracing(option: str | None) -> bool:
    return option is None or (option[:1] == "-" and option[1:2] != "-" and not set(option).isdisjoint("xv"))


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
