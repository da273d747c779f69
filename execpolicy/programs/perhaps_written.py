"""The files that the words of a command name, for a program of which nobody says which of them it writes.

It may write any of them: an operand, the value of an option in whatever spelling, a constant of a program text, a name
in the text that it is fed. Evidence for restricting, and rather too much than too little.
"""

from __future__ import annotations

import os
from itertools import pairwise

from execpolicy.programs.names import base_name
from execpolicy.programs.options import option_table, walk
from execpolicy.programs.shelf import record_of
from execpolicy.programs.written_files import WrittenFile, does, files_of
from execpolicy.shell.limits import STEP
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_BETWEEN = dict.fromkeys(map(ord, "\"'`()[]{}<>|;,=:&@"), " ")
"""What may stand between names in a text beside white space: operators, brackets, quotes."""
_MOVING = frozenset(["-C", "--directory", "--cwd", "--chdir", "--prefix", "--root"])
"""Options whose value is a folder that other names are relative to."""
_LONGEST = 10_000
"""Characters of a word or an input that are looked at."""
_TOGETHER = 3
"""Constants side by side that a program may put together: ``"build" + "/x"``, ``join("build", "x")``."""


def perhaps_written(command: Command, facts: Facts, behind: int = 1) -> Iterator[WrittenFile]:
    """What ``command`` may write of what it names, if nobody says that it does not: never sure.

    Args:
        behind: how many words a rule names; one of them without a slash is a sub-command and no file.
    """
    words = command.words
    name = words[0].literal if words else None
    record = record_of(base_name(name)) if name else None
    said = _said(record, words) if record is not None else None
    if said is not None:
        if "linked" in said:
            for word in words[1:]:
                yield from [changed(one, below=True) for one in files_of(word, facts)]
        elif said != {"none"} and _may_be_options(words, facts):
            yield WrittenFile(None, sure=False)
        return
    own: Sequence[Word] = words[1:]
    if record is not None and record.carries_others():
        own = _without_inner(command, facts)
    named = {id(word) for word in words[1:behind] if "/" not in (word.literal or "/")}
    own = [word for word in own if id(word) not in named]
    folders = [value.literal for option, value in pairwise(words) if option.literal in _MOVING and value.literal]
    for word in own:
        texts = [word.literal] if word.literal is not None else [text for value in facts.values(word) for text in value]
        for text in texts:
            if not facts.budget.spend(STEP + len(text)):
                return
            for name in _names(text, record):
                yield from [WrittenFile(os.path.join(folder, name), sure=False) for folder in ["", *folders]]
        if word.literal is None:
            yield from files_of(word, facts)
    if command.piped_from or command.body is not None:
        from execpolicy.flow.streams import fed_texts

        for text in fed_texts(command, facts)[0]:
            yield from [WrittenFile(name, sure=False) for name in _names(text, record)]


def _said(record: Program, words: Sequence[Word]) -> set[str] | None:
    """What ``record`` says that the command writes; ``None`` if it may write something else that it names."""
    if record.language == "shell" or any(wrapper.grant is not None for wrapper in record.wraps):
        return {"none"}  # what they run is judged itself
    parts = [part.rpartition(": ") for part in record.writes.split(", ")] if record.writes else [("", "", "named")]
    if any(verbs for verbs, _, _ in parts):
        starts = walk(option_table(record.leading), words, 1).starts
        given = {words[at].literal or "" for at in starts}
        parts = [part for part in parts if not given.isdisjoint(part[0].split())]
        if not given or any(all(verb not in part[0].split() for part in parts) for verb in given):
            return None
    said = {what.partition(" ")[0] for _, _, what in parts if does(what, record.options, words)}
    return None if "named" in said else said


def _may_be_options(words: Sequence[Word], facts: Facts) -> bool:
    """Whether a word that is only known at run time may be an option, of those that name a file to write."""
    for word in words[1:]:
        if word.literal == "--":
            return False
        if word.literal is None and word.may_start_with_dash() and not facts.cases(word):
            return True
    return False


def _without_inner(command: Command, facts: Facts) -> list[Word]:
    """The words that are not those of what the command runs, which is judged itself."""
    from execpolicy.programs.unwrap import unwrap

    inner = {id(word) for one in unwrap(command, facts) if not one.evidence for word in one.words}
    return [word for word in command.words[1:] if id(word) not in inner]


def _names(text: str, record: Program | None) -> list[str]:
    """The names in ``text``: itself, what is glued to an option or stands behind ``=``, and what looks like one."""
    text = text[:_LONGEST]
    found = [text, *text.translate(_BETWEEN).split()]
    if record is not None and record.language and not text.startswith("-"):
        from execpolicy.flow.tokens import tokens
        from execpolicy.programs.letters import spelt_out

        constants = [token.value for token in tokens(spelt_out(text), record.language) if token.kind in ("text", "run")]
        found += constants
        for at in range(len(constants)):
            for count in range(2, _TOGETHER + 1):
                some = constants[at : at + count]
                found += ["".join(some), "/".join(some)]
    return [name for name in dict.fromkeys([name[2:] if name.startswith("-") else name for name in found]) if name]
