"""Secrets of the environment that a script hands on: to a variable, a loop, a here-document, or a trace."""

from __future__ import annotations

from execpolicy.safety.secrets import secret_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts


def exposed_variable(facts: Facts) -> str | None:
    """The variable, a secret by its name, whose value is used elsewhere than in the words of a command.

    The words are for the heuristics, which know what a program prints. A value that is given to another variable, read
    by a loop, sent to standard input or printed by ``set -x`` is lost sight of. Whether it is set is no secret:
    ``[[ -n $X ]]``, ``${X:+set}`` and ``${#X}`` do not count.
    """
    text = facts.script.text
    left = [name for name in secret_variables(_without_conditions(text)) if name not in facts.assigned]
    if left and not _traces(facts):
        for command in facts.script.commands:
            for word in command.words:
                for name in secret_variables(word.literal if word.literal is not None else word.written):
                    if name in left:
                        left.remove(name)
    return left[0] if left else None


def _without_conditions(text: str) -> str:
    parts = text.split("[[ ")
    return parts[0] + "".join([part.partition(" ]]")[2] if " ]]" in part else part for part in parts[1:]])


def _traces(facts: Facts) -> bool:
    """Whether the shell prints what it runs."""
    for command in facts.script.commands:
        texts = [word.literal for word in command.words]
        if "set" in texts[:3] and any(text in ("xtrace", "verbose") or _is_tracing(text) for text in texts):
            return True
    return False


def _is_tracing(option: str | None) -> bool:
    return option is None or (option[:1] == "-" and option[1:2] != "-" and not set(option).isdisjoint("xv"))
