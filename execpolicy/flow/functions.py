"""Functions of a script that stand in nobody's way: their commands are judged where they are written."""

from __future__ import annotations

from execpolicy.core.name_set import names
from execpolicy.shell import effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.grammar.state import State
    from execpolicy.shell.script import Command

_BUILTINS = names(
    "alias bg bind break builtin caller case cd chdir command compgen complete compopt continue coproc declare dirs "
    "disown echo enable eval exec exit export false fc fg function getopts hash help history in jobs kill let local "
    "logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test "
    "time times trap true type typeset ulimit umask unalias unset until wait while command_not_found_handle"
)


def settle_functions(state: State, commands: list[Command]) -> None:
    """Take back the effect of defining functions if every call surely runs the body that the script gives.

    Each function has a plain name that no builtin has, is defined at the top of the script, unconditionally and before
    it is called, and none calls itself, directly or by way of others. What their commands do is judged as for any other
    command, with unknown arguments.
    """
    if state.shell not in ("bash", "sh", "dash"):
        return
    defined: dict[str, int] = {}
    for one in state.given:
        if one.name.endswith("()") and one.certain and not one.doubted and len(one.blocks) == 1:
            defined.setdefault(one.name[:-2], one.position)
    for name in state.functions:
        plain = name.isascii() and name.replace("-", "_").isidentifier() and name[0].islower()
        if name not in defined or not plain or name in _BUILTINS:
            return
    calls: dict[str, set[str]] = {}
    for command in commands:
        program = command.words[0].literal if command.words else None
        if program is None or program not in defined:
            continue
        if command.span.start <= defined[program]:
            return
        for part in command.context:
            if part.startswith("function:"):
                calls.setdefault(part[9:], set()).add(program)
    if not _comes_to_an_end(calls):
        return
    state.effects[:] = [effect for effect in state.effects if effect.kind != effects.REDEFINITION]


def runs_function(command: Command, facts: Facts) -> bool:
    """Whether ``command``, named like a function of the script, surely runs that: the reader has no doubt about it."""
    return (
        facts.script.status == "structured"
        and not any(part.startswith("wrapper:") for part in command.context)
        and not any(effect.kind in (effects.REDEFINITION, effects.RECURSION) for effect in facts.script.effects)
        # `unset name` takes the function away where there is no variable of that name
        and not any(word.literal == "unset" for other in facts.script.commands for word in other.words)
    )


def _comes_to_an_end(calls: dict[str, set[str]]) -> bool:
    """Whether no function reaches itself."""
    while calls:
        last = [name for name, called in calls.items() if not called & calls.keys()]
        if not last:
            return False
        for name in last:
            del calls[name]
    return True
