"""The full reader: every script that is more than plain words, from its text to a ``Script``."""

from __future__ import annotations

from execpolicy.flow.finish import finish
from execpolicy.shell.grammar.lists import read_into
from execpolicy.shell.grammar.state import State, Unreadable
from execpolicy.shell.script import Script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.limits import Limits
    from execpolicy.shell.script import Command, Status

SHELLS = frozenset(("bash", "sh", "dash", "ksh", "zsh"))
"""Shells whose scripts are read; scripts of any other are opaque."""


def read_fully(text: str, shell: str, limits: Limits, positional: tuple[str, ...] | None = None) -> Script:
    """As ``read_script``, without the short way for plain scripts. Never raises."""
    reason = _refusal(text, shell, limits)
    state = State(shell, limits)
    if reason is None:
        try:
            read_into(state, text)
            finish(state)
            if "$(" in text or "`" in text:
                _read_hidden(state)
        except Unreadable as unreadable:
            reason = unreadable.reason
        except RecursionError:
            reason = "nested too deeply"
        if reason is None and state.doubts:
            reason = "; ".join(state.doubts)
        if reason is None and (shell == "zsh" or state.aliases):
            reason = _dialect(text, state, shell)
    assigned = None
    if state.dynamic or state.given:
        from execpolicy.flow.may import Evidence

        evidence = Evidence(state, positional)
        evidence.fill()
        assigned = evidence.assigned()
    commands = [command for command in state.commands if command is not None]
    if state.aliases:
        from execpolicy.shell.dialects import aliased

        commands += aliased(text, state, shell)
    if reason is not None:
        from execpolicy.shell.renumber import renumber

        commands = _with_salvaged(text, shell, limits, commands)
        renumber(state.commands, commands, state.effects)
    status: Status = "opaque" if reason else "structured" if state.rich or state.effects else "plain"
    return Script(
        text,
        shell,
        status,
        tuple(commands),
        reason=reason,
        effects=tuple(state.effects),
        functions=frozenset(state.functions),
        assigned=assigned,
    )


def _read_hidden(state: State) -> None:
    """Commands in quoted text that something evaluates, where there may be such."""
    if state.effects or state.texts or any(c is not None and c.words for c in state.commands):
        from execpolicy.flow.evaluated import read_hidden

        read_hidden(state)


def _dialect(text: str, state: State, shell: str) -> str | None:
    """Why the script means something else in ``shell`` than it does in bash, if so."""
    from execpolicy.shell.dialects import expands_aliases, zsh_doubt

    if state.aliases and expands_aliases(text, shell):
        return "aliases change what the script runs"
    return zsh_doubt(state) if shell == "zsh" else None


def _refusal(text: str, shell: str, limits: Limits) -> str | None:
    """Why the text is not even looked at, if so."""
    if shell not in SHELLS:
        return f"scripts for `{shell}` are not read"
    if len(text) > limits.characters:
        return f"longer than {limits.characters} characters"
    if "\0" in text:
        return "a NUL character"
    if "\x01" in text or "\x7f" in text:
        return "a control character that shells use internally"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "text that is not valid UTF-8"
    return None


def _with_salvaged(text: str, shell: str, limits: Limits, commands: list[Command]) -> list[Command]:
    """What was read before the reading failed, and whatever else can be seen."""
    from execpolicy.shell.salvage import salvage

    known = {(command.argv(), command.span.start) for command in commands}
    seen = [
        command
        for command in salvage(text, shell, limits.commands)
        if (command.argv(), command.span.start) not in known
    ]
    return sorted(commands + seen, key=lambda command: command.span.start)
