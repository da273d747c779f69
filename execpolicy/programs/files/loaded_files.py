"""Files that a script writes and from which a program then loads orders in its own language: ``vim -c 'so a.vim'``.

Which file an order loads is a question of folders, search paths, patterns and what was edited before. It is not
followed: once the words of a program say that it loads files, each file that the script writes counts as loaded. Its
lines are read as the orders that the program takes on its command line. It is evidence for restricting.
"""

from __future__ import annotations

import re

from execpolicy.flow.streams import written_texts
from execpolicy.programs.files.made_files import called_anywhere
from execpolicy.programs.files.recipes import included
from execpolicy.programs.files.source_files import language_of
from execpolicy.programs.inner import literal_words
from execpolicy.programs.input_text import fed_lines
from execpolicy.shell.limits import COMMAND, READ
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.inner_scripts import Carried
    from execpolicy.programs.record import Loading, Program
    from execpolicy.shell.script import Command

_MOST_LINES = 400
_LOADED = (None, "lua", "shell")
"""What :func:`language_of` says of files that are loaded by a search path; of others only those that are named."""
_KEYS = str.maketrans(dict.fromkeys("\r\x1b\0\t", "\n"))
"""Keys that end an order, as files of typed keys hold them, and what stands in front of one in a file of tags."""


def loaded_files(command: Command, facts: Facts, name: str, record: Program, carried: Carried) -> Iterator[Inner]:
    """What the files make ``command``, a call of ``name``, run that it loads, as far as the script writes them.

    Args:
        carried: says what a program runs, for the shells that write such files.
    """
    loading, carries = record.loads, record.carries
    if loading is None or carries is None:
        return
    said = _said(loading, command, facts)
    if not facts.budget.spend(READ * len(said)):
        return
    patterns = ("*",) if re.search(loading.says, said) else tuple(loading.unasked.split())
    texts: dict[str, None] = {}
    for each, (path, key) in called_anywhere(facts.outermost, carried, patterns):
        if language_of(path) in _LOADED or path.rpartition("/")[2] in said:
            texts.update(dict.fromkeys(written_texts(key, each)))
    for each, (_, key) in called_anywhere(facts.outermost, carried, included("\n".join(texts))):
        texts.update(dict.fromkeys(written_texts(key, each)))
    for text in texts:
        if not facts.budget.spend(COMMAND + READ * len(text)):
            return
        given = [part for order in orders_of(text, loading.comment) for part in (loading.option, order)]
        words = (*command.words[:1], *literal_words(given, command.span), *command.words[1:])
        told = changed(command, words=words, redirects=(), piped_from=(), body=None)
        for inner in carries(told, facts, name, record) if given else ():
            if not inner.opaque:
                yield changed(inner, transparent=False, evidence=True)


def orders_of(text: str, comment: str) -> list[str]:
    """The lines of ``text`` that say something; keys that end a line end one here, too."""
    lines = [line.strip() for line in text.translate(_KEYS).split("\n")[:_MOST_LINES]]
    return [line for line in lines if line and not line.startswith(comment)]


def _said(loading: Loading, command: Command, facts: Facts) -> str:
    """What the words, the input and the variables of ``command`` say."""
    said = [word.literal if word.literal is not None else word.written for word in command.words[1:]]
    said += [text for one in command.assignments if one.value is not None for text in facts.texts(one.value)]
    said += [value for variable in loading.variables.split() for value in facts.assigned.get(variable, ())]
    said += [one.name for one in command.assignments]
    return "\n".join([*said, *fed_lines(command, facts)])
