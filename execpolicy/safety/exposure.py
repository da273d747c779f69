"""Secrets of the environment that a script hands on: to a variable, a loop, a here-document, or a trace."""

from __future__ import annotations

from execpolicy.programs.names import base_name
from execpolicy.programs.shelf import record_of
from execpolicy.safety.secrets import secret_variables
from execpolicy.shell.vocabulary import COMPLAINING, DECLARING, SHIFTING, run_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word


def exposed_variable(facts: Facts) -> str | None:
    """The variable, a secret by its name, whose value is used elsewhere than in the words of a command.

    The words are for the heuristics, which know what a program prints. A value that is given to another variable (also
    by a declaration or a call of a function), read by a loop, sent to standard input or printed by ``set -x`` is lost
    sight of; a builtin that takes a number or a folder prints it when it complains. Whether it is set is no secret:
    ``[[ -n $X ]]``, ``${X:+set}`` and ``${#X}`` do not count.
    """
    text = facts.script.text
    left = [name for name in secret_variables(_without_conditions(text)) if name not in facts.assigned]
    if left and not _traces(facts):
        for command in facts.script.commands:
            for word in _judged_words(command, facts):
                for name in secret_variables(word.literal if word.literal is not None else word.written):
                    if name in left:
                        left.remove(name)
    return left[0] if left else None


_COMPLAINING = COMPLAINING | SHIFTING | {"unset", "let", "unalias"}


def _judged_words(command: Command, facts: Facts) -> tuple[Word, ...]:
    """The words that the heuristics look at.

    What a declaration, a function or the text behind ``sh -c`` gets is a value of a variable then.
    """
    words = command.words
    if not words or words[0].literal in facts.script.functions:
        return ()
    at = run_here(words)
    if words[at].literal in _COMPLAINING:
        return ()
    if words[at].literal in ("test", "[") and not _compares_texts(words[at:], facts.script.shell):
        return ()
    return () if any(word.literal in DECLARING or _is_shell(word.literal) for word in words) else words


def _compares_texts(words: tuple[Word, ...], shell: str) -> bool:
    """Whether ``test`` only asks whether texts are empty or the same.

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
    return all(
        None not in one
        or len(one) == 1
        or (len(one) == 2 and one[0] in ("-n", "-z"))
        or (len(one) == 3 and one[1] in same)
        for one in clauses
    )


def _is_shell(name: str | None) -> bool:
    record = None if name is None else record_of(base_name(name))
    return record is not None and record.language == "shell"


def _without_conditions(text: str) -> str:
    """``text`` without what only compares; a comparison with a pattern stores what it found (``BASH_REMATCH``)."""
    parts = text.split("[[ ")
    kept = [parts[0]]
    for part in parts[1:]:
        inside, end, behind = part.partition(" ]]")
        kept.append(behind if end and "=~" not in inside else part)
    return "".join(kept)


def _traces(facts: Facts) -> bool:
    """Whether the shell prints what it runs."""
    for command in facts.script.commands:
        texts = [word.literal for word in command.words]
        if "set" in texts[:3] and any(text in ("xtrace", "verbose") or _is_tracing(text) for text in texts):
            return True
    return False


def _is_tracing(option: str | None) -> bool:
    return option is None or (option[:1] == "-" and option[1:2] != "-" and not set(option).isdisjoint("xv"))
