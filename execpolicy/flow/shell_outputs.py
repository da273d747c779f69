"""What a shell prints that is given a text: ``bash -c 'echo rm'``. Evidence for restricting."""

from __future__ import annotations

from execpolicy.core.quoting import quote
from execpolicy.shell.limits import READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.streams import VisibleStreams
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_MOST_TEXTS = 4
"""Texts of one shell that are looked at."""


def printed_by_shell(streams: VisibleStreams, command: Command, words: Sequence[Word]) -> list[bytes]:
    """What the shell, or ``printenv``, that ``words`` call prints, behind the assignments in front of it."""
    from execpolicy.shell.read import read_script

    given = [(one.name, one.value.literal) for one in command.assignments if one.value is not None]
    behind = next((at for at, word in enumerate(command.words) if word is words[0]), 0)
    pairs = [(word.literal or "").partition("=") for word in command.words[:behind]]
    given += [(name, value) for name, equals, value in pairs if equals and name.isidentifier()]
    set_before = "".join([f"{name}={quote(value)}\n" for name, value in given if value is not None])
    found: list[bytes] = []
    for text, arguments in _texts(streams, command, words):
        if not streams.facts.budget.spend(READ * len(text)):
            break
        script = read_script("{ " + set_before + text + "\n} | cat", shell="bash", positional=arguments)
        last = script.commands[-1] if script.commands else None
        if last is not None and last.piped_from:
            found += type(streams)(streams.facts.within(script), streams.as_written).outputs(last.piped_from)[0]
    return found


def _texts(
    streams: VisibleStreams, command: Command, words: Sequence[Word]
) -> list[tuple[str, tuple[str, ...] | None]]:
    literals = [word.literal for word in words]
    if (literals[0] or "").rpartition("/")[2] == "printenv":
        return [(f'echo "${{{name}}}"', None) for name in literals[1:] if name is not None and name.isidentifier()]
    at = next((at for at, text in enumerate(literals) if text and text[0] == "-" != text[1:2] and "c" in text), 0)
    if at and at + 1 < len(literals):
        text = literals[at + 1]
        rest = [each for each in literals[at + 2 :] if each is not None]
        return [(text, tuple(rest) or None)] if text is not None else []
    if len(literals) == 1:
        fed = streams.input(command)[0]
        return [(each.decode("utf-8", "surrogateescape"), None) for each in fed[:_MOST_TEXTS]]
    return []
