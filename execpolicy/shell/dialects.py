"""Differences in how zsh, and shells that expand aliases in scripts, read a script compared with bash."""

from __future__ import annotations

from execpolicy.core.text import word_set
from execpolicy.shell import recovery
from execpolicy.shell.script import Command
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.grammar.state import State
    from execpolicy.shell.words import Word

FOLLOWED = frozenset(("bash", "sh", "dash", "zsh"))
"""Shells with the same variable names, expansions and function calls, so that values can be proven.

zsh splits no value; a value that the other shells would split is not proven.
"""
ZSH_PROGRAMS = word_set(
    "- autoload disable emulate enable end foreach functions nocorrect noglob repeat sched setopt unsetopt vared "
    "zcompile zle zmodload zparseopts zstyle zsystem"
)
"""Reserved words, precommand modifiers and builtins of zsh that change the meaning of the rest of the script (zsh
manual,
"Shell Grammar" and "Builtins").
"""


def zsh_ambiguity(state: State) -> str | None:
    """The reason why a script that was read like bash is not understood as zsh, or ``None``."""
    for command in state.commands:
        if command is None:
            continue
        if any(_expanded(word) and word.literal != "=" for word in command.words):
            return "zsh expands words that begin with `=`"
        values = [value for given in command.assignments for value in (given.value, *given.items) if value]
        if any(map(_expanded, values)):
            return "zsh expands values that begin with `=`"
        if any(map(_ends_group, (*command.words, *values, *[redirect.target for redirect in command.redirects]))):
            return "zsh ends a group at any `}`"
        program = next((word.literal for word in command.words if word.literal not in _LOOKING_ON), None)
        if program in ZSH_PROGRAMS:
            return f"`{program}` changes what zsh runs"
    if state.bare_redirects:
        return "zsh runs a command for redirections without one"
    return None


def _expanded(value: Word) -> bool:
    """True if zsh replaces ``value`` by the path of a program (``x==git``)."""
    first = value.pieces[0] if value.pieces else None
    return value.beginning.startswith("=") and not (value.quoted if first is None else first.quoted)


def _ends_group(word: Word) -> bool:
    """True if zsh ends a group at the brace at the end of ``word``: ``{ ls a} always { rm x; }``."""
    if not word.pieces:
        bare = "" if word.quoted else word.literal or ""
    elif word.pieces[-1].kind != "literal" or word.pieces[-1].quoted:
        return False
    else:
        bare = "".join([piece.text or "" for piece in word.pieces if piece.kind == "literal" and not piece.quoted])
    return bare.endswith("}") and bare.count("{") < bare.count("}")


_LOOKING_ON = frozenset(("builtin", "command", "exec"))


def aliased(text: str, state: State, shell: str) -> list[Command]:
    """The commands that the aliases of this script may turn its commands into."""
    found: list[Command] = []
    values: dict[str, str] = {}
    for name, value in state.aliases:
        values[name] = values[name] + "\n" + value if name in values else value
    for command in state.commands:
        if command is None or not command.words or len(found) > state.limits.commands:
            continue
        rest = text[command.words[0].span.end : command.span.end]
        program = command.words[0].literal
        for _ in range(3):
            if program is None or program not in values:
                break
            made = [one for value in values[program].split("\n") for one in recovery.recover(value + rest, shell, 50)]
            for one in made:
                span = Span(command.span.start, command.span.end)
                found.append(Command(one.words, span, redirects=one.redirects, context=command.context))
            program = made[0].words[0].literal if made and made[0].words else None
    return found
