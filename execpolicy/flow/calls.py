"""Calls of a function that the script defines: its body with the arguments of the call filled in, as evidence."""

from __future__ import annotations

from execpolicy.flow.index import index_of
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command

MAX_BODY = 32
"""How many commands of a body are filled in."""


def called(command: Command, facts: Facts, name: str) -> list[tuple[Command, tuple[Word, ...]]]:
    """The commands of the function ``name`` that use ``$1``, ``$@`` and their like, with the words of this call."""
    context = "function:" + name
    if context in command.context or len(command.words) < 2:
        return []
    found: list[tuple[Command, tuple[Word, ...]]] = []
    shifted = 0
    for at in index_of(facts).bodies.get(name, []):
        each = facts.script.commands[at]
        if any(word.literal == "shift" for word in each.words[:4]):  # `command shift`
            shifted += 1
        if len(found) >= MAX_BODY:
            break
        for skip in range(min(shifted, 9) + 1):
            words = _filled(each.words, command.words[1 + skip :], facts)
            if words is not None and len(found) < MAX_BODY:
                found.append((_within(each, command.context), words))
    return found


def _within(command: Command, context: tuple[str, ...]) -> Command:
    """``command`` in the context of the call, so that functions that call each other come to an end."""
    from execpolicy.shell.script import Command as Called

    return Called(
        command.words,
        command.span,
        redirects=command.redirects,
        context=(*context, *[name for name in command.context if name not in context]),
        piped_from=command.piped_from,
        body=command.body,
    )


def _filled(words: Sequence[Word], arguments: Sequence[Word], facts: Facts) -> tuple[Word, ...] | None:
    """``words`` with parameters replaced; ``None`` if there is nothing to replace."""
    made: list[Word] = []
    changed = False
    for word in words:
        name = _parameter(facts.script.text[word.span.start : word.span.end]) if word.literal is None else ""
        if name in ("@", "*"):
            made.extend(arguments)
            changed = True
        elif name.startswith("@"):
            made.extend(arguments[int(name[1:]) - 1 :])
            changed = True
        elif name:
            made.extend(arguments[int(name) - 1 : int(name)])
            changed = True
        else:
            made.append(word)
    return tuple(made) if changed and made else None


def _parameter(raw: str) -> str:
    """``"$@"`` → ``@``, ``${1}`` → ``1``, ``"${@:2}"`` → ``@2``; empty for anything else."""
    text = raw.strip('"')
    if text.startswith("${") and text.endswith("}"):
        text = "$" + text[2:-1]
    name = text[1:] if text.startswith("$") else ""
    if name.startswith("@:") and name[2:].isdigit():
        return "@" + name[2:]
    return name if name in ("@", "*") or (len(name) == 1 and name in "123456789") else ""
