"""How much an allow rule for a prefix lets through: what may follow, by the records of the catalog.

``docs/records.md`` describes ``extensions``, the fact that says it.
"""

from __future__ import annotations

from _collections_abc import Iterator, Sequence
from functools import lru_cache

from execpolicy.core.quoting import split
from execpolicy.programs.catalog import record_of, runners
from execpolicy.programs.inner import literal_words
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.names import base_name
from execpolicy.programs.options import USAGE, VALUES, Options, option_table, readings, walk
from execpolicy.programs.record import Program
from execpolicy.programs.wrapped import behind_subcommand, table_of
from execpolicy.source import Span

_VERSION = "0123456789."
_FOLLOWS = "it runs the command that follows"
TEXT = "it runs any program text"
SOME = "some of what may follow runs programs, fetches code or overwrites files"


def why_broad(words: Sequence[str]) -> str | None:
    """Returns why an allow rule for exactly the prefix ``words`` covers running or overwriting anything, if that is
    known.
    """
    record = known_record(words[0])
    if record is None:
        return None
    if record.always:
        return record.always
    if record.language == "shell" and runs_shell(words):
        return TEXT
    plain = without_options(words)
    return _why_broad(record, words) or (_why_broad(record, plain) if plain != tuple(words) else None)


def _why_broad(record: Program, words: Sequence[str]) -> str | None:
    rest = words[1:]
    if not rest:
        return reason_of(record) if record.runs_others() or record.broad is not None or does_many(record) else None
    for inner in inner_words(record, words):
        return why_broad(inner) if inner else reason_of(record)
    listed = _listed(record.broad or "")
    if " ".join(rest) in listed:
        return reason_of(record)
    runs_next = takes_value(record, rest[-1], ("!", "*", "="))
    if runs_next and not record.language:
        return reason_of(record)
    if not record.language and rest[-1] in listed and is_option(rest[-1]):
        return reason_of(record)  # `psql -h host -c`
    if not all(is_option(word) or word in listed for word in rest):
        return None  # an option behind a script is the script's
    return reason_of(record) if "-*" in listed or rest[-1] in listed or runs_next else None


def without_options(words: Sequence[str]) -> tuple[str, ...]:
    """``words`` without the known options in front of the first operand, which do not narrow what may follow.

    Options stay whose value runs or says what the program does, and those of calls that print usage or a version.
    """
    front = _front_options(words[0]) if words[1:] and is_option(words[1]) else None
    if front is None:
        return tuple(words)
    table, narrowing = front
    way = walk(table, literal_words(list(words), Span(0, 0)), 1)
    if way.ambiguous or any(given.kind in narrowing or given.name in narrowing for given in way.seen):
        return tuple(words)
    tells = len(words) == 2 and words[1] in USAGE and not way.seen[0].kind
    return tuple(words) if tells else (words[0], *(words[way.starts[0] :] if way.starts else ()))


@lru_cache(maxsize=4096)
def _front_options(program: str) -> tuple[Options, frozenset[str]] | None:
    """The options in front of the first operand, and those, or their kinds, that say what the program does."""
    record = known_record(program)
    if record is None:
        return None
    grammar = grammar_of(record.names[0])
    line = None if grammar is None else grammar.line(())
    table = option_table(f"{record.leading} {record.options} {record.runs}")
    more = {} if line is None else line.options.kinds
    narrowing = frozenset([*"!*", *(VALUES if record.language else ()), *(() if line is None else line.last)]) - {""}
    return Options({**more, **table.kinds}, numeric=table.numeric), narrowing


def is_fed(words: Sequence[str]) -> bool:
    """True if the program that ``words`` run in the end takes words or code from its input: ``xargs rm``, ``bash``."""
    tail, _ = innermost(words)
    record = known_record(tail[0]) if tail else None
    if record is None or record.fed:
        return record is not None
    if any(spec.shell for spec in record.wraps):
        return not any(inner_words(record, tail))
    if not record.language or any(kind == "alone" for kind, _ in facts_behind(tail)):
        return False
    return why_broad(tail) == TEXT and all(map(is_option, tail[1:]))


KINDS = {
    "run": "it runs a program that its arguments name",
    "load": "it loads code or settings from elsewhere",
    "publish": "it publishes",
    "delete": "it throws work away",
    "write": "it overwrites any file",
    "fetch": "it fetches code",
    "elsewhere": "it acts on another project, folder, host or account",
    "target": "it does whatever else is defined there",
    "device": "it writes to a device",
    "outside": "it writes outside of the project",
}


def innermost(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of the program that a prefix runs in the end, and those in front: ``npx``, ``uv run``."""
    at = _inner_start(tuple(words))
    return list(words[at:]), list(words[:at])


@lru_cache(maxsize=4096)
def _inner_start(words: tuple[str, ...]) -> int:
    tail = list(words)
    for _ in range(4):
        record = known_record(tail[0])
        if record is None:
            break
        if record.language == "python" and tail[1:2] == ["-m"] and len(tail) > 2:
            tail = tail[2:]
            continue
        inner = next((each for each in inner_words(record, tail) if each and each != tail), None)
        if inner is None or len(inner) >= len(tail) or (tail[1:2] == ["run"] and known_record(inner[0]) is None):
            break  # `yarn run build`: the word behind may name an entry of the project instead of a program
        tail = inner
    return len(words) - len(tail)


def facts_behind(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yields what the record says of what may follow ``words``, for their sub-command: kind, and words to add."""
    record = known_record(words[0])
    words = without_options(words)
    said = [word for word in words[1:] if word[:1] not in "-+"]
    for path, ends, kind, more in _extensions(record.extensions) if record is not None and record.extensions else ():
        if ends and said and said[-1] != path:
            continue
        if (path == "]" and said) or (path not in ("", "]") and len(words) > 1 and path not in said):
            continue
        named = path and path != "]" and kind in KINDS
        yield kind, [path, *more] if named and (not said or not more) else [*more]


@lru_cache(maxsize=2048)
def _extensions(text: str) -> list[tuple[str, bool, str, list[str]]]:
    """Returns the items of a fact ``extensions``: sub-command, whether nothing may follow it, kind, and words."""
    found: list[tuple[str, bool, str, list[str]]] = []
    for item in text.split("; "):
        path = ""
        if item[0] == "[":
            path, _, item = item[1:].partition("] ") if item[1] != "]" else ("]", "", item[3:])
        kind, _, behind = item.partition(" ")
        found.append((path.removesuffix("="), path[-1:] == "=", kind, split(behind) or behind.split()))
    return found


def runs_shell(words: Sequence[str]) -> bool:
    """True if an allow rule for the prefix ``words`` allows a shell, itself or behind wrappers, without a script."""
    record = known_record(words[0].lower())
    if record is None:
        return False
    if record.language == "shell":
        return all(word.startswith(("-", "/c", "/k", "/C", "/K")) and "/" not in word[1:] for word in words[1:])
    if not record.wraps or not any(_is_shell(word.lower()) for word in words[1:]):
        return False  # what a wrapper runs is named by one of its words
    return any(inner and runs_shell(inner) for inner in inner_words(record, words))


def _is_shell(word: str) -> bool:
    """True if ``word`` names a shell. Most words name nothing that is known, which the index says at once."""
    name, known = base_name(word), runners()
    if name not in known and name.rstrip(_VERSION) not in known:
        return False
    record = known_record(word)
    return record is not None and record.language == "shell"


def does_many(record: Program) -> bool:
    """True if the first words behind it choose between things of which some are known to do harm."""
    by_words = record.task[:1] not in ("", "1") and (record.extensions or record.far or record.fetches)
    return bool(by_words) or any(kind == "target" for kind, _ in facts_behind([record.names[0]]))


@lru_cache(maxsize=4096)
def known_record(program: str) -> Program | None:
    name = base_name(program)
    return record_of(name) or record_of(name.rstrip(_VERSION))


def reason_of(record: Program) -> str:
    if record.language:
        return TEXT
    if any(not spec.subcommands for spec in record.wraps) or "-*" in (record.broad or ""):
        return _FOLLOWS
    return SOME


def inner_words(record: Program, words: Sequence[str]) -> Iterator[list[str]]:
    """Yields what ``words`` say of the commands that they run: empty if the name of the program is still to come."""
    if not record.wraps:
        return
    given = literal_words(list(words), Span(0, 0))
    for spec in record.wraps:
        table = table_of(spec, record.leading)
        for at in behind_subcommand(record.names[0], spec, record.leading, given):
            way = walk(table, given, at, operands=spec.operands, assignments=spec.assignments)
            if not any(option.name in spec.stop.split() for option in way.seen):
                yield list(words[way.starts[0] :]) if way.starts else []


def takes_value(record: Program, option: str, kinds: Sequence[str]) -> bool:
    """True if ``option`` is one whose value, which comes next, is of one of ``kinds``."""
    tables = (record.runs, record.leading, record.options, *[spec.options for spec in record.wraps])
    return (
        option[:1] == "-"
        and option not in ("-", "--")
        and any(
            reading.takes and reading.given[-1].kind in kinds
            for text in tables
            for reading in readings(option_table(text), option)
        )
    )


@lru_cache(maxsize=256)
def _listed(broad: str) -> list[str]:
    """Returns what the field ``broad`` of a record lists."""
    return [each.strip() for each in broad.split(",")]


def is_option(word: str) -> bool:
    """True if ``word`` is an option or the value of one, as far as that can be told without the program's grammar."""
    return word.startswith(("-", "+")) or "=" in word or word[:1].isdigit()


def takes_plain_value(words: Sequence[str], option: str) -> bool:
    """True if the word behind ``option`` is a value that is known to do no harm: ``gradle test --tests LoginTest``."""
    tail, _ = innermost(words)
    return bool(tail) and any(kind == "plain" and f"{option}:" in behind for kind, behind in facts_behind(tail))
