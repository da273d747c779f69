"""The files that a command creates, changes or removes: its redirections, and what its program does to its operands.

A program's record describes what it writes (``writes``, see ``docs/records.md``).

Where the record lists no options, those of the program's grammar count.

For restricting only: a program without such a text may write whatever it likes, see
:func:`perhaps_written`.
"""

from __future__ import annotations

from _collections_abc import Iterator, Sequence
from itertools import pairwise, zip_longest

from execpolicy.core.text import option_values
from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.names import base_name
from execpolicy.programs.options import Options, Walk, every_option, option_table, walk
from execpolicy.programs.record import Program
from execpolicy.programs.standing import below_known
from execpolicy.programs.unwrap import unwrap
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word
from execpolicy.source import Span

_TARGET = ("-t", "--target-directory")
_FOLDERS = ("-C", "--work-tree")
_AS_A_WHOLE = ("-T", "--no-target-directory")
_CONTENTS = ("/", "/.", "/..")
"""Ends of what names the contents of a folder, not itself: ``a/.``, ``..`` and, to rsync, ``a/``."""
_TREES = ("-r", "-R", "-a", "--recursive", "--archive")


class WrittenFile:
    """One file that is written.

    Attributes:
        path: as the command names it; ``None`` if that is only known at run time.
        sure: the command surely writes it when it runs; without a path: it does write a file that it names.
        names: what is written in it if it is a folder; empty for what can only be a file.
        below: everything below it may be written too.
        start: what its name visibly begins with; empty where an unseen variable may be in front.
    """

    __slots__ = ("below", "names", "path", "start", "sure")

    def __init__(
        self, path: str | None, *, sure: bool, names: tuple[str, ...] = (), below: bool = False, start: str = ""
    ) -> None:
        self.path = path
        self.start = start or (path or "" if sure else "")
        self.sure = sure
        self.names = names
        self.below = below


def written_files(command: Command, facts: Facts) -> Iterator[WrittenFile]:
    """Yields what ``command`` itself writes; what it runs is judged separately."""
    for redirect in command.redirects:
        if redirect.writes:
            yield from files_of(redirect.target, facts)
    words = command.words
    name = words[0].literal if words else None
    record = record_of(base_name(name)) if name else None
    if record is None or not record.writes:
        return
    starts = walk(option_table(record.leading), words, 1).starts if ": " in record.writes else ()
    for part in record.writes.split(", "):
        verbs, colon, rest = part.rpartition(": ")
        if colon:
            for start in starts if rest != "none" else ():
                yield from _behind_verb(words, start, verbs.split(), rest, record, facts)
        elif part.startswith("@"):
            finder = getattr(__import__("execpolicy.programs.written_by", fromlist=("",)), part[1:])
            yield from finder(command, facts)
        elif part.split(" ")[0] not in ("none", "named", "linked"):
            yield from _written(words, rest, options_of(record), facts)


def options_of(record: Program, *verbs: str) -> Options:
    """The options of the program, or behind its sub-commands ``verbs``: its record's, or else those of its grammar."""
    from execpolicy.programs.meaning.command_grammar import grammar_of

    grammar = grammar_of(record.names[0]) if verbs or not record.options else None
    line = grammar.line(verbs) if grammar is not None else None
    return line.options if line is not None else option_table("" if verbs else record.options)


def _behind_verb(
    words: Sequence[Word], start: int, verbs: Sequence[str], part: str, record: Program, facts: Facts
) -> Iterator[WrittenFile]:
    """Yields what the sub-command that begins at ``start`` writes, if it is one of ``verbs``."""
    for verb in verbs:
        path = verb.split("/")
        at = start + len(path) - 1
        if [word.literal for word in words[start : at + 1]] != path:
            continue
        front = [word for each in words[1:start] for word in _split(each)]
        folder = "".join([f"{word.literal}/" for option, word in pairwise(front) if option.literal in _FOLDERS])
        for one in _written(words[at:], part, options_of(record, *path), facts):
            inside = folder and one.path is not None and not one.path.startswith(("/", "~"))
            yield replace(one, path=f"{folder}{one.path}") if inside else one


def _split(word: Word) -> list[Word]:
    """``--work-tree=x`` as the two words that it also may be."""
    name, equals, value = (word.literal or "").partition("=")
    return [Word(name, word.span), Word(value, word.span)] if equals else [word]


def does(part: str, options: Options, words: Sequence[Word]) -> bool:
    """True if the condition of ``part``, if it has one, holds for ``words``."""
    what, _, unless = part.partition(" unless ")
    wanted = what.partition(" if ")[2]
    if not (wanted or unless):
        return True
    way = every_option(options, words, 1, lenient=True)
    return (not wanted or _given(way, wanted.split())) and not _given(way, unless.split())


def _written(words: Sequence[Word], part: str, options: Options, facts: Facts) -> Iterator[WrittenFile]:
    if not does(part, options, words):
        return
    what = part.partition(" if ")[0].partition(" unless ")[0]
    way = every_option(options, words, 1, lenient=True)
    if what == "?":
        yield WrittenFile(None, sure=False)
        return
    sure = not way.ambiguous and not what.endswith("?")
    what = what.rstrip("?")
    operands = [words[at] for at in way.operands]
    if way.ambiguous and what in ("all", "rest", "into", "from"):
        # Which words are operands is not known: any of them may be a file.
        texts = [word for word in words[1:] if not (word.literal or "").startswith("-")]
        found = [one for word in texts for one in files_of(word, facts)]
        yield from [replace(one, sure=False) for one in found]
    elif what in ("into", "from"):
        targets, sources = _put(way, operands)
        whole = any(each.name in _AS_A_WHOLE for each in way.seen)
        yield from _moved(sources, facts) if what == "from" else _into(targets, sources, facts, whole=whole)
    elif what in ("all", "rest"):
        behind = 1 if what == "rest" and not _has_program(way) else 0
        below = any(each.name in _TREES for each in way.seen)
        for word in operands[behind:]:
            for one in files_of(word, facts):
                yield replace(one, sure=sure and one.sure, below=below or one.below)
    elif what.startswith("urls"):
        addresses = [word.written.partition("?")[0] for word in operands if "." in word.written]
        names = tuple([base_name(text) for text in addresses if text.rpartition("://")[2].count("/")])
        folders = [one for word in _values(way, what.split()[1:]) for one in files_of(word, facts)]
        yield from [replace(one, names=names) for one in folders or [WrittenFile(".", sure=True)]]
    elif what in ("1st", "2nd"):
        for word in operands[int(what[0]) - 1 : int(what[0])]:
            yield from files_of(word, facts)
    elif what.endswith("="):
        for word, value in zip_longest(operands, operands[1:]):
            if word.beginning.startswith(what):
                yield from files_of(word.behind(len(what)), facts)
            elif word.literal == what[:-1] and value is not None:
                yield from files_of(value, facts)
    else:
        for word in _values(way, (what.rstrip("/"),)):
            for one in files_of(word, facts):
                yield replace(one, sure=sure and one.sure, below=one.below or what.endswith("/"))


def _put(way: Walk, operands: Sequence[Word]) -> tuple[Sequence[Word], Sequence[Word]]:
    """Where files are copied, moved or linked to, and which."""
    targets = _values(way, _TARGET)
    return (targets, operands) if targets else (operands[-1:], operands[:-1] or operands)


def _into(targets: Sequence[Word], sources: Sequence[Word], facts: Facts, *, whole: bool) -> Iterator[WrittenFile]:
    """Yields what is put into ``targets``; ``whole``: a source takes the place of one, with all that is in it."""
    whole = whole or any(word.literal is not None and f"/{word.literal}".endswith(_CONTENTS) for word in sources)
    names = tuple([base_name(word.literal.rstrip("/")) for word in sources if word.literal])
    known = len(names) == len(sources)
    for target in targets:
        for one in files_of(target, facts):
            # `host:path` of scp and rsync is on another machine
            here = one.path is None or ":" not in one.path.partition("/")[0]
            below = one.below or not known or whole
            yield replace(one, sure=here and one.sure, names=names, below=below)


def _moved(sources: Sequence[Word], facts: Facts) -> Iterator[WrittenFile]:
    for word in sources:
        yield from [replace(one, below=True) for one in files_of(word, facts)]


def _has_program(way: Walk) -> bool:
    """True if an option holds the program text or names its file, so that every operand is a file."""
    return any(each.kind == "!" or each.name in ("-f", "--file", "-E", "--exec") for each in way.seen)


def _given(way: Walk, options: Sequence[str]) -> bool:
    """True if one of ``options`` is given, with the value that is there."""
    for option in options:
        name, equals, value = option.partition("=")
        if any(each.name == name and (not equals or each.value() == value) for each in way.seen):
            return True
    return False


def _values(way: Walk, names: Sequence[str]) -> list[Word]:
    found: list[Word] = []
    for each in way.seen:
        if each.name in names and each.kind:
            if each.glued is not None and each.word is None:
                found.append(Word(each.glued, Span(0, 0)))
            elif each.word is not None:
                found.append(each.word)
    return found


def files_of(word: Word, facts: Facts) -> Iterator[WrittenFile]:
    """The files that ``word`` names."""
    if word.literal is not None:
        yield WrittenFile(word.literal, sure=True)
        return
    named = below_known(word, facts)
    if named is not None:
        yield WrittenFile(named, sure=True)
        return
    cases = facts.cases(word)
    if cases and all(len(case) == 1 for case in cases):
        for case in cases:
            yield from files_of(case[0], facts)
        return
    folder, slash, rest = word.prefix.rpartition("/")
    if word.kind == "glob" and "/." not in f"/{rest}{(word.pattern or '/.')[len(word.prefix) :]}":
        # Files that a pattern finds are below the folder that is written out, unless it may find `..`.
        folder = folder or slash or "."
        yield WrittenFile(folder, sure=False, below=True, start=folder)
        return
    for value in facts.values(word):
        yield from [WrittenFile(path, sure=False) for path in value]
    yield WrittenFile(None, sure=True, start=word.prefix or word.beginning)


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
    said = {what.partition(" ")[0] for _, _, what in parts if " " not in what or does(what, options_of(record), words)}
    return None if "named" in said else said


def _without_inner(command: Command, facts: Facts) -> list[Word]:
    """The words that are not those of what the command runs, which is judged itself."""
    inner = {id(word) for one in unwrap(command, facts) if not one.evidence for word in one.words}
    return [word for word in command.words[1:] if id(word) not in inner]
