"""Programs that run program text: from an option, a file or standard input."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.flow.streams import fed_texts
from execpolicy.programs.inner import Inner, run_text
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.shell.script import Command

_QUOTED = ('"', "'")


def each_text(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Every word that holds a constant: as code and, since such languages have no common way to call, as a command."""
    texts = [word.literal or "" for word in command.words[1:]]
    for text in [*texts, *fed_texts(command, facts)[0]]:
        yield from code_commands(name, command, text, record.language)
        for quote in _QUOTED:
            yield from [run_text(name, command, part.strip(), evidence=True) for part in text.split(quote)[1::2]]
