"""Functions of a script that block no grant: their commands are judged where they are written."""

from __future__ import annotations

from execpolicy.core.text import word_set
from execpolicy.shell.dialects import FOLLOWED, ZSH_PROGRAMS
from execpolicy.shell.script import RECURSION, REDEFINITION
from execpolicy.shell.vocabulary import CALLING, NAMES, RESERVED, run_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command


TAKEN = (
    NAMES
    | RESERVED
    | ZSH_PROGRAMS
    | word_set(
        "chpwd command_not_found_handle command_not_found_handler periodic preexec precmd zshaddhistory zshexit "
        "zsh_directory_name"
    )
)
"""Names by which a function is something else, too: of builtins, reserved words and hooks of bash and zsh."""


def are_settled(facts: Facts) -> bool:
    """True if every call of a function surely runs the body that the script gives, so that defining it is no effect.

    Each function has a plain name that no builtin has, is defined at the top of the script, unconditionally and before
    it is called, and none calls itself, directly or by way of others. What their commands do is judged as for any other
    command, with unknown arguments.
    """
    script = facts.script
    if script.shell not in FOLLOWED:
        return False
    defined: dict[str, int] = {}
    for one in script.seen.given:
        if one.name.endswith("()") and one.certain and not one.doubted and len(one.blocks) == 1:
            defined.setdefault(one.name[:-2], one.position)
    for name in script.functions:
        plain = name.isascii() and name.replace("-", "_").isidentifier() and name[0].islower()
        if name not in defined or not plain or name in TAKEN:
            return False
    calls: dict[str, set[str]] = {}
    for command in script.commands:
        program = command.words[0].literal if command.words else None
        if program is None or program not in defined:
            continue
        if command.span.start <= defined[program]:
            return False
        for part in command.context:
            if part.startswith("function:"):
                calls.setdefault(part[9:], set()).add(program)
    return _comes_to_an_end(calls)


def runs_function(command: Command, facts: Facts) -> bool:
    """True if ``command``, named like a function of the script, surely runs that: there is no doubt about it."""
    return (
        facts.script.status == "structured"
        and not any(part.startswith("wrapper:") for part in command.context)
        and not any(effect.kind in (REDEFINITION, RECURSION) for effect in facts.effects)
        and not facts.once(_unsets)
    )


def _unsets(facts: Facts) -> bool:
    """True if some name may be unset: that takes the function away where there is no variable of that name."""
    return any(
        evaluates(command) or any(word.literal == "unset" for word in command.words)
        for command in facts.script.commands
    )


def evaluates(command: Command) -> bool:
    """True if it runs a text in this shell, which may call, define and remove functions unseen.

    A program that is only known at run time is never granted, so that nothing else in the script is either.
    """
    words = command.words
    return bool(words) and words[run_here(words)].literal in CALLING


def _comes_to_an_end(calls: dict[str, set[str]]) -> bool:
    """True if no function reaches itself."""
    while calls:
        last = [name for name, called in calls.items() if not called & calls.keys()]
        if not last:
            return False
        for name in last:
            del calls[name]
    return True
