"""The paths that the words of a command name, for a program whose record does not say which of them it writes."""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.core.text import option_values
from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.names import base_name
from execpolicy.programs.options import option_table, walk
from execpolicy.programs.record import Program
from execpolicy.programs.unwrap import unwrap
from execpolicy.programs.written_files import WrittenFile, does, files_of
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word


def perhaps_written(command: Command, facts: Facts, ruled: Sequence[Word] = ()) -> Iterator[WrittenFile]:
    """The paths that ``command`` may write because a literal word names them: never sure.

    Of the words ``ruled``, which a rule contains, one without a slash is a sub-command and no file.
    """
    words = command.words
    name = words[0].literal if words else None
    record = record_of(base_name(name)) if name else None
    said = _said(record, words) if record is not None else None
    if said is not None:
        if "linked" in said:
            for word in words[1:]:
                yield from [replace(one, below=True) for one in files_of(word, facts)]
        return
    own: Sequence[Word] = words[1:]
    if record is not None and record.runs_others():
        own = _without_inner(command, facts)
    named = {id(word) for word in ruled if "/" not in (word.literal or "/")}
    for word in [word for word in own if id(word) not in named]:
        if word.literal is None:
            yield from [replace(one, sure=False) for one in files_of(word, facts) if one.path is not None]
        else:
            yield from [WrittenFile(word.literal[start:], sure=False) for start in option_values(word.literal)]


def _said(record: Program, words: Sequence[Word]) -> set[str] | None:
    """Returns what ``record`` says that the command writes; ``None`` if it may write something else that it names."""
    if record.language == "shell" or any(wrapper.grant is not None for wrapper in record.wraps):
        return {"none"}  # what they run is judged itself
    parts = [part.rpartition(": ") for part in record.writes.split(", ")] if record.writes else [("", "", "named")]
    if any(verbs for verbs, _, _ in parts):
        starts = walk(option_table(record.leading), words, 1).starts
        given = {words[at].literal or "" for at in starts}
        parts = [part for part in parts if not given.isdisjoint(part[0].split())]
        if not given or any(all(verb not in part[0].split() for part in parts) for verb in given):
            return None
    said = {what.partition(" ")[0] for _, _, what in parts if does(what, option_table(record.options), words)}
    return None if "named" in said else said


def _without_inner(command: Command, facts: Facts) -> list[Word]:
    """The words that are not those of what the command runs, which is judged itself."""
    inner = {id(word) for one in unwrap(command, facts) if not one.evidence for word in one.words}
    return [word for word in command.words[1:] if id(word) not in inner]
