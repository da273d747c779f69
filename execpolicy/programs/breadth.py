"""How much an allow rule for a prefix lets through: what may follow, by the records of the catalog.

``docs/records.md`` describes ``extensions``, the fact that says it.
"""

from __future__ import annotations

from _collections_abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product

from execpolicy.core.quoting import join, split
from execpolicy.programs.catalog import record_of, runners
from execpolicy.programs.inner import literal_words
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.names import base_name
from execpolicy.programs.options import USAGE, VALUES, Options, option_table, readings, walk
from execpolicy.programs.record import Program
from execpolicy.programs.wrapped import behind_subcommand, table_of
from execpolicy.source import Span
from execpolicy.value import value

MOST_COMBINATIONS = 200
"""Of the alternatives of a rule so many are looked at."""
_PROGRAM = "./evil"
"""An invented program, for examples that are shown."""
_MOST_OPERANDS = 4
"""So many operands are tried in front of a command."""
_VERSION = "0123456789."
_FOLLOWS = "it runs the command that follows"
_TEXT = "it runs any program text"
_READS = "it may run what it reads"
_SOME = "some of what may follow runs programs, fetches code or overwrites files"


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
        return _TEXT
    plain = without_options(words)
    return _why_broad(record, words) or (_why_broad(record, plain) if plain != tuple(words) else None)


def _why_broad(record: Program, words: Sequence[str]) -> str | None:
    rest = words[1:]
    if not rest:
        return _reason(record) if record.runs_others() or record.broad is not None or _does_many(record) else None
    for inner in _inner(record, words):
        return why_broad(inner) if inner else _reason(record)
    listed = _listed(record.broad or "")
    if " ".join(rest) in listed:
        return _reason(record)
    runs_next = _takes(record, rest[-1], ("!", "*", "="))
    if runs_next and not record.language:
        return _reason(record)
    if not record.language and rest[-1] in listed and _is_option(rest[-1]):
        return _reason(record)  # `psql -h host -c`
    if not all(_is_option(word) or word in listed for word in rest):
        return None  # an option behind a script is the script's
    return _reason(record) if "-*" in listed or rest[-1] in listed or runs_next else None


def without_options(words: Sequence[str]) -> tuple[str, ...]:
    """``words`` without the known options in front of the first operand, which do not narrow what may follow.

    Options stay whose value runs or says what the program does, and those of calls that print usage or a version.
    """
    front = _front_options(words[0]) if words[1:] and _is_option(words[1]) else None
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


def why_broad_alone(words: Sequence[str]) -> str | None:
    """Returns why ``words`` cover running anything even if no word may follow; ``None`` for ``make``, whose tasks
    are words.
    """
    why = why_broad(words)
    record = known_record(words[0])
    if is_fed(words):
        return _READS
    if record is None or (record.writes and not record.language and "named" not in record.writes):
        return None
    if why != _SOME:
        return why
    return None if _does_many(record) and all(_is_option(word) for word in words[1:]) else _READS


def is_fed(words: Sequence[str]) -> bool:
    """True if the program that ``words`` run in the end takes words or code from its input: ``xargs rm``, ``bash``."""
    tail, _ = innermost(words)
    record = known_record(tail[0]) if tail else None
    if record is None or record.fed:
        return record is not None
    if any(spec.shell for spec in record.wraps):
        return not any(_inner(record, tail))
    if not record.language or any(kind == "alone" for kind, _ in facts_behind(tail)):
        return False
    return why_broad(tail) == _TEXT and all(map(_is_option, tail[1:]))


@value
class Worst:
    """The worst that a prefix can come to mean.

    Attributes:
        words: a command line that an allow rule for the prefix would cover.
        why: what that does, as a phrase.
    """

    words: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        return f"`{join(self.words)}`: {self.why}"

    def beside(self, prefix: Sequence[str]) -> str:
        """Returns what a person should know of a rule for ``prefix``, of which this is the worst."""
        return str(self) if self.words == tuple(prefix) else f"`{join(tuple(prefix))}` also allows {self}"


def worst_of(words: Sequence[str]) -> Worst | None:
    """The worst that an allow rule for the prefix ``words`` covers; ``None`` if no harm is known."""
    return next(worsts_of(words), None)


def worst_of_any(positions: Sequence[Sequence[str]]) -> Worst | None:
    """The worst that an allow rule with these alternatives covers: of what is broad, or of the first that has one."""
    every = list(islice(product(*positions), MOST_COMBINATIONS))
    ordered = sorted(every, key=lambda words: why_broad(words) is None)
    return next((worst for words in ordered if (worst := worst_of(words)) is not None), None)


def worsts_of(words: Sequence[str]) -> Iterator[Worst]:
    """Yields what an allow rule for the prefix ``words`` covers and is worse than what it names, worst first."""
    tail, start = innermost(words)
    broad = why_broad(words)
    record = known_record(tail[0]) if tail else None
    takes_text = record is not None and bool(record.language) and tail[-1][:1] == "-"
    facts = [
        (kind, Worst((*start, *tail, *_further(tail, behind)), _KINDS[kind]))
        for kind, behind in (facts_behind(tail) if tail and not takes_text else ())
        if kind in _KINDS and not ("--" in tail and _is_handed_on(kind, behind[0]))
    ]
    yield from [each for kind, each in facts if kind == "run"]
    if tail and broad is not None and hands_over(tail):
        yield Worst((*start, *(_handed_over(tail) or (*tail, _PROGRAM))), broad)
    yield from [each for kind, each in facts if kind != "run"]
    if broad is None:
        return
    for front, behind in ((start, tail), ([], list(words))):
        record = known_record(behind[0]) if behind else None
        line = None if record is None else _sample(record, behind)
        if record is not None and line is None and len(behind) > 2:  # `psql -h host -c`: as behind `psql -c`
            short = _sample(record, [behind[0], behind[-1]])
            line = None if short is None else [*behind[:-1], *short[1:]]
        if line is not None:
            yield Worst((*front, *line), broad)
            return


def _is_handed_on(kind: str, word: str) -> bool:
    """True if behind ``--`` a word is none to the program: an option, or the name of a task."""
    return word != "--" and (word[:1] == "-" or kind == "target")


def _handed_over(words: Sequence[str]) -> Sequence[str] | None:
    """``words`` with a program behind them, and with what has to be in front of it; ``None`` if none is run there."""
    record = known_record(words[0])
    if record is None:
        return None
    paths = [spec.subcommands.partition(",")[0].split() for spec in record.wraps]
    for path, count, mark in product(([], *paths), range(_MOST_OPERANDS), ([], ["--"])):
        line = [*words, *path, *["x"] * count, *mark, _PROGRAM]
        if [_PROGRAM] in _inner(record, line):
            return line
    return _example(record, words) if record.example else None


def _example(record: Program, words: Sequence[str]) -> Sequence[str] | None:
    """How ``record`` says that its program runs another one, if that may stand behind ``words``."""
    given = (split(record.example.replace("rm x", _PROGRAM)) or [""])[1:]
    said = list(words[1:])
    if given[: len(said)] == said:
        return (*words, *given[len(said) :]) if len(given) > len(said) else None
    flags = all(word[:1] == "-" for word in said) and not _takes(record, said[-1], (":", "!", "*", "="))
    return (*words, *given) if flags else None


def _value(words: Sequence[str]) -> list[str]:
    """Returns what has to come first behind an option that takes a value: ``git commit -m``."""
    record, last = known_record(words[0]), words[-1]
    said = any(kind == "plain" and f"{last}:" in behind for kind, behind in facts_behind(words))
    return ["x"] if said or (record is not None and _takes(record, last, (":",))) else []


def _further(words: Sequence[str], behind: list[str]) -> list[str]:
    """Returns what of ``behind`` does not stand in ``words`` already: for ``npm publish`` nothing has to follow to
    publish.
    """
    if behind[0] == words[-1] or (len(behind) == 1 and behind[0] in words):
        return behind[1:]
    return [*_value(words), *behind]


def _sample(record: Program, words: Sequence[str]) -> Sequence[str] | None:
    """Returns what is harmful behind the prefix ``words``, if any program or program text may stand there."""
    last = words[-1]
    if record.language == "shell":
        return (*words, _PROGRAM)
    if record.language:
        code = _CODE.get(record.language, "evil()") if _takes(record, last, ("!", "*", "=")) else "evil"
        return (*words, code if last[:1] == "-" else _PROGRAM)
    line = _handed_over(words)
    if line is not None or _takes(record, last, ("!", "*", "=")):
        return line or (*words, _PROGRAM)
    if record.runs and _reason(record) == _SOME:
        option = record.runs.split()[0].rstrip(":!*=")
        return (*words, *_value(words), f"{option}={_PROGRAM}" if option[:2] == "--" else f"{option}{_PROGRAM}")
    return (*words, _PROGRAM) if record.runs_others() and _reason(record) != _SOME else None


_KINDS = {
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
_CODE = {"python": "import evil"}


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
        inner = next((each for each in _inner(record, tail) if each and each != tail), None)
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
        named = path and path != "]" and kind in _KINDS
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


def hands_over(words: Sequence[str]) -> bool:
    """True if the prefix ``words`` ends where the name of another program is expected: ``docker run``."""
    record = known_record(words[0])
    return record is not None and any(not inner or hands_over(inner) for inner in _inner(record, words))


def is_known(program: str) -> bool:
    """True if anything is known of ``program``: if not, no prefix for it is broad or runs a shell."""
    return known_record(program) is not None or known_record(program.lower()) is not None


def always_broad(name: str) -> bool:
    """True if no prefix for the program ``name``, however long, is narrow."""
    record = known_record(name)
    return record is not None and bool(record.always)


def runs_shell(words: Sequence[str]) -> bool:
    """True if an allow rule for the prefix ``words`` allows a shell, itself or behind wrappers, without a script."""
    record = known_record(words[0].lower())
    if record is None:
        return False
    if record.language == "shell":
        return all(word.startswith(("-", "/c", "/k", "/C", "/K")) and "/" not in word[1:] for word in words[1:])
    if not record.wraps or not any(_is_shell(word.lower()) for word in words[1:]):
        return False  # what a wrapper runs is named by one of its words
    return any(inner and runs_shell(inner) for inner in _inner(record, words))


def changes_operands(name: str) -> bool:
    """True if the program ``name`` makes, changes or removes the files that it is given: ``rm``, ``tee``."""
    record = known_record(name)
    return record is not None and record.writes.split(",")[0].split(" ")[0] in ("all", "into", "from")


def _is_shell(word: str) -> bool:
    """True if ``word`` names a shell. Most words name nothing that is known, which the index says at once."""
    name, known = base_name(word), runners()
    if name not in known and name.rstrip(_VERSION) not in known:
        return False
    record = known_record(word)
    return record is not None and record.language == "shell"


def runs_program_text(name: str) -> bool:
    """True if the program ``name`` is a shell or an interpreter: what it does can be rewritten between two runs."""
    record = known_record(name)
    return record is not None and bool(record.language)


def _does_many(record: Program) -> bool:
    """True if the first words behind it choose between things of which some are known to do harm."""
    by_words = record.task[:1] not in ("", "1") and (record.extensions or record.far or record.fetches)
    return bool(by_words) or any(kind == "target" for kind, _ in facts_behind([record.names[0]]))


@lru_cache(maxsize=4096)
def known_record(program: str) -> Program | None:
    name = base_name(program)
    return record_of(name) or record_of(name.rstrip(_VERSION))


def _reason(record: Program) -> str:
    if record.language:
        return _TEXT
    if any(not spec.subcommands for spec in record.wraps) or "-*" in (record.broad or ""):
        return _FOLLOWS
    return _SOME


def _inner(record: Program, words: Sequence[str]) -> Iterator[list[str]]:
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


def _takes(record: Program, option: str, kinds: Sequence[str]) -> bool:
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


def _is_option(word: str) -> bool:
    """True if ``word`` is an option or the value of one, as far as that can be told without the program's grammar."""
    return word.startswith(("-", "+")) or "=" in word or word[:1].isdigit()
