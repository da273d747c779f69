"""How much an allow rule for a prefix lets through: what may follow, by the records of the shelf."""

from __future__ import annotations

from execpolicy.programs.inner import literal_words
from execpolicy.programs.names import base_name
from execpolicy.programs.options import option_table, readings, walk
from execpolicy.programs.shelf import record_of
from execpolicy.programs.wrapped import behind_subcommand, table_of
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.programs.record import Program

_FOLLOWS = "it runs the command that follows"
_TEXT = "it runs any program text"
_SOME = "some of what may follow runs programs, fetches code or overwrites files"


def why_broad(words: Sequence[str]) -> str | None:
    """Why an allow rule for exactly the prefix ``words`` covers running or overwriting anything, if that is known."""
    record = _record(words[0])
    if record is None:
        return None
    if record.always:
        return record.always
    rest = words[1:]
    if not rest:
        return _reason(record) if record.carries_others() or record.broad is not None else None
    for inner in _inner(record, words):
        return why_broad(inner) if inner else _reason(record)
    listed = [each.strip() for each in (record.broad or "").split(",")]
    if " ".join(rest) in listed:
        return _reason(record)
    if not all(_is_option(word) or word in listed for word in rest):
        return None
    if "-*" in listed or rest[-1] in listed or _takes_code(record, rest[-1]):
        return _reason(record)
    return None


def hands_over(words: Sequence[str]) -> bool:
    """Whether the prefix ``words`` ends where the name of another program is expected: ``docker run``."""
    record = _record(words[0])
    return record is not None and any(not inner or hands_over(inner) for inner in _inner(record, words))


def always_broad(name: str) -> bool:
    """Whether no prefix for the program ``name``, however long, is narrow."""
    record = _record(name)
    return record is not None and bool(record.always)


def runs_shell(words: Sequence[str]) -> bool:
    """Whether an allow rule for the prefix ``words`` allows a shell, itself or behind wrappers, without a script."""
    record = _record(words[0].lower())
    if record is None:
        return False
    if record.language == "shell":
        return all(word.startswith(("-", "/c", "/k", "/C", "/K")) and "/" not in word[1:] for word in words[1:])
    return any(inner and runs_shell(inner) for inner in _inner(record, words))


def runs_program_text(name: str) -> bool:
    """Whether the program ``name`` is a shell or an interpreter: what it does can be rewritten between two runs."""
    record = _record(name)
    return record is not None and bool(record.language)


def _record(program: str) -> Program | None:
    name = base_name(program)
    return record_of(name) or record_of(name.rstrip("0123456789."))


def _reason(record: Program) -> str:
    if record.language:
        return _TEXT
    if any(not spec.subcommands for spec in record.wraps) or "-*" in (record.broad or ""):
        return _FOLLOWS
    return _SOME


def _inner(record: Program, words: Sequence[str]) -> Iterator[list[str]]:
    """What ``words`` say of the commands that they run: empty if the name of the program is still to come."""
    given = literal_words(list(words), Span(0, 0))
    for spec in record.wraps:
        table = table_of(spec, record.leading)
        for at in behind_subcommand(spec, record.leading, given):
            way = walk(table, given, at, operands=spec.operands, assignments=spec.assignments)
            if not any(option.name in spec.stop.split() for option in way.seen):
                yield list(words[way.starts[0] :]) if way.starts else []


def _takes_code(record: Program, option: str) -> bool:
    """Whether ``option`` is one whose value, which comes next, is run."""
    tables = (record.settings, record.options, *[spec.options for spec in record.wraps])
    return option.startswith("-") and any(
        reading.given[-1].kind in ("!", "*") and reading.takes
        for text in tables
        for reading in readings(option_table(text), option)
    )


def _is_option(word: str) -> bool:
    """Whether ``word`` is an option or the value of one, as far as that can be told without the program's grammar."""
    return word.startswith(("-", "+")) or "=" in word or word[:1].isdigit()
