"""Files that programs write whose grammar no table can say: the programs of ``awk`` and ``sed``, ``find``, ``tar``.

A function here is the part ``@NAME`` of what a record says in ``writes``, see :mod:`execpolicy.programs.written_files`.
"""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.flow.facts import Facts
from execpolicy.flow.tokens import Token, tokens
from execpolicy.programs.catalog import record_of
from execpolicy.programs.extractors.find import starting_points
from execpolicy.programs.extractors.languages import program_texts, sed_commands
from execpolicy.programs.options import Walk, every_option, option_table
from execpolicy.programs.written_files import WrittenFile, files_of, options_of
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word

_TAR = (
    "-A -c -d -r -t -u -x -a -B -g: -G -h -i -j -J -k -l -m -M -n -O -p -P -R -s -S -U -v -w -W -z -Z -b: -C: -f: -F: "
    "-H: -I: -K: -L: -N: -T: -V: -X: --create --extract --get --list --append --update --catenate --concatenate "
    "--delete --diff --compare --file: --directory: --to-stdout --to-command: --files-from: --exclude: --exclude-from: "
    "--listed-incremental: --index-file: --one-top-level? --remove-files --strip-components: --transform: --xform: "
    "--wildcards --no-same-owner --gzip --bzip2 --xz --zstd --verbose --use-compress-program: --owner: --group: "
    "--mode: --mtime: --sort: --format: --totals --test-label --checkpoint? --checkpoint-action:"
)
_PRINTING = ("print", "printf")
_BEHIND = frozenset([";", "}", "print", "printf", "next", "exit", "if", "for", "while", "getline", "close", "return"])
"""Characters that end the name of the file that an awk statement prints to."""


def sed(command: Command, facts: Facts) -> Iterator[WrittenFile]:
    """``w FILE`` and ``s/…/…/w FILE``; of a script that is not seen whole, also a file that it does not show."""
    record = record_of("sed")
    texts, _, whole = program_texts(command, facts, record) if record is not None else ([], 0, False)
    for text in texts:
        for letter, file in sed_commands(text):
            if letter == "w":
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


def tar(command: Command, facts: Facts) -> Iterator[WrittenFile]:
    """The archive that it makes, and the folder that it unpacks into, in which it writes what is not named."""
    way = every_option(option_table(_TAR), _dashed(command.words), 1)
    given = {each.name for each in way.seen}
    if given & {"-c", "-r", "-u", "-A", "--create", "--append", "--update", "--catenate", "--concatenate", "--delete"}:
        yield from _values(way, ("-f", "--file"), facts)
    yield from _values(way, ("-g", "--listed-incremental", "--index-file"), facts)
    if "--remove-files" in given:
        yield WrittenFile(None, sure=False)
    if given & {"-x", "--extract", "--get"} and not given & {"-O", "--to-stdout"}:
        yield from _values(way, ("-C", "--directory", "--one-top-level"), facts)
        yield WrittenFile(None, sure=False)


def _dashed(words: Sequence[Word]) -> list[Word]:
    """Letters without a dash, whose values are the next words in their order, as options: ``xfC a d``."""
    letters = words[1].literal if len(words) > 1 else None
    if letters is None or letters.startswith("-"):
        return list(words)
    found, values = list(words[:1]), list(words[2:])
    kinds = option_table(_TAR).kinds
    for letter in letters:
        found.append(Word("-" + letter, words[1].span))
        if kinds.get("-" + letter) == ":" and values:
            found.append(values.pop(0))
    return found + values


def _values(way: Walk, names: Sequence[str], facts: Facts) -> Iterator[WrittenFile]:
    for each in way.seen:
        if each.name in names:
            if each.glued is not None:
                yield WrittenFile(each.glued, sure=True)
            elif each.word is not None:
                yield from files_of(each.word, facts)
