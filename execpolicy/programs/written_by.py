"""Files that programs write whose grammar no table can say: the programs of ``awk`` and ``sed``, ``find``, ``tar``.

A function here is the part ``@NAME`` of what a record says in ``writes``, see :mod:`execpolicy.programs.written_files`.
"""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.extractors.find import starting_points
from execpolicy.programs.extractors.languages import program_texts
from execpolicy.programs.options import every_option
from execpolicy.programs.sed_script import possible_commands
from execpolicy.programs.tokens import Token, tokens
from execpolicy.programs.written_files import WrittenFile, files_of, options_of
from execpolicy.shell.script import Command

_PRINTING = ("print", "printf")
_BEHIND = frozenset([";", "}", "print", "printf", "next", "exit", "if", "for", "while", "getline", "close", "return"])
"""Characters that end the name of the file that an awk statement prints to."""


def sed(command: Command, facts: Facts) -> Iterator[WrittenFile]:
    """``w FILE`` and ``s/…/…/w FILE``; of a script that is not seen whole, also a file that it does not show."""
    record = record_of("sed")
    texts, _, whole = program_texts(command, facts, record) if record is not None else ([], 0, False)
    for text in texts:
        for kind, file in possible_commands(text):
            if kind[-1] in "wW":
                yield WrittenFile(file, sure=whole)
    if not whole:
        yield WrittenFile(None, sure=False)


def awk(command: Command, facts: Facts) -> Iterator[WrittenFile]:
    """``print > "FILE"`` and ``>>``; a file of another name than one constant is not known."""
    record = record_of("awk")
    texts, _, whole = program_texts(command, facts, record) if record is not None else ([], 0, False)
    for text in texts:
        parts = tokens(text, "awk")
        for at, token in enumerate(parts):
            if token.kind == ">" and parts[at - 1].kind != ">" and _prints(parts, at):
                behind = at + (2 if [part.kind for part in parts[at + 1 : at + 2]] == [">"] else 1)
                file, after = parts[behind : behind + 1], parts[behind + 1 : behind + 2]
                if file and file[0].kind == "text":
                    yield WrittenFile(file[0].value, sure=whole)
                if not file or file[0].kind != "text" or (after and after[0].value not in _BEHIND):
                    whole = False
    if not whole:
        yield WrittenFile(None, sure=False)


def _prints(parts: Sequence[Token], at: int) -> bool:
    """True if the ``>`` at ``at`` is no comparison: a ``print`` is in front of it, outside of brackets."""
    depth = 0
    for token in reversed(parts[:at]):
        if token.kind in (")", "]"):
            depth += 1
        elif token.kind in ("(", "["):
            depth -= 1
            if depth < 0:
                return False
        elif depth == 0 and token.kind in (";", "{", "}"):
            return False
        elif depth == 0 and token.value in _PRINTING and token.kind == "name":
            return True
    return False


def find(command: Command, facts: Facts) -> Iterator[WrittenFile]:
    """``-fprint FILE`` and its like; with ``-delete`` also what lies below the folders that it starts in."""
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word.literal in ("-fprint", "-fprint0", "-fprintf", "-fls"):
            yield from files_of(words[at + 1], facts)
    if not any(word.literal == "-delete" for word in words):
        return
    for word in starting_points(words):
        yield from files_of(word, facts)
    yield WrittenFile(None, sure=False)


def curl(command: Command, facts: Facts) -> Iterator[WrittenFile]:
    """``-w '%output{FILE}'``; a format that is in a file may name one, too."""
    record = record_of("curl")
    for each in every_option(options_of(record), command.words, 1).seen if record is not None else ():
        if each.name in ("-w", "--write-out"):
            text = each.glued if each.glued is not None else each.word.written if each.word is not None else ""
            for part in text.split("%output{")[1:]:
                yield WrittenFile(part.partition("}")[0].removeprefix(">>"), sure=True)
            if text[:1] == "@":
                yield WrittenFile(None, sure=False)
