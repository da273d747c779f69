"""The worst that an allow rule for a prefix covers: advice for people, from the records of programs."""

from __future__ import annotations

from _collections_abc import Iterator, Sequence
from itertools import islice, product

from execpolicy.core.quoting import join, split
from execpolicy.programs.breadth import (
    KINDS,
    SOME,
    does_many,
    facts_behind,
    inner_words,
    innermost,
    is_fed,
    is_option,
    known_record,
    reason_of,
    takes_value,
    why_broad,
)
from execpolicy.programs.record import Program
from execpolicy.value import value

MOST_COMBINATIONS = 200
"""Of the alternatives of a rule so many are looked at."""
_PROGRAM = "./evil"
"""An invented program, for examples that are shown."""
_MOST_OPERANDS = 4
"""So many operands are tried in front of a command."""
_READS = "it may run what it reads"
_CODE = {"python": "import evil"}


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
    if why != SOME:
        return why
    return None if does_many(record) and all(is_option(word) for word in words[1:]) else _READS


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
        """The sentence that warns of this worst case of a rule for ``prefix``."""
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
        (kind, Worst((*start, *tail, *_further(tail, behind)), KINDS[kind]))
        for kind, behind in (facts_behind(tail) if tail and not takes_text else ())
        if kind in KINDS and not ("--" in tail and _is_handed_on(kind, behind[0]))
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
        if [_PROGRAM] in inner_words(record, line):
            return line
    return _example(record, words) if record.example else None


def _example(record: Program, words: Sequence[str]) -> Sequence[str] | None:
    """How ``record`` says that its program runs another one, if that may follow ``words``."""
    given = (split(record.example.replace("rm x", _PROGRAM)) or [""])[1:]
    said = list(words[1:])
    if given[: len(said)] == said:
        return (*words, *given[len(said) :]) if len(given) > len(said) else None
    flags = all(word[:1] == "-" for word in said) and not takes_value(record, said[-1], (":", "!", "*", "="))
    return (*words, *given) if flags else None


def _value(words: Sequence[str]) -> list[str]:
    """Returns what has to come first behind an option that takes a value: ``git commit -m``."""
    record, last = known_record(words[0]), words[-1]
    said = any(kind == "plain" and f"{last}:" in behind for kind, behind in facts_behind(words))
    return ["x"] if said or (record is not None and takes_value(record, last, (":",))) else []


def _further(words: Sequence[str], behind: list[str]) -> list[str]:
    """The part of ``behind`` that ``words`` lack: for ``npm publish`` nothing has to follow to
    publish.
    """
    if behind[0] == words[-1] or (len(behind) == 1 and behind[0] in words):
        return behind[1:]
    return [*_value(words), *behind]


def _sample(record: Program, words: Sequence[str]) -> Sequence[str] | None:
    """A harmful continuation of the prefix ``words``, if any program or program text may follow it."""
    last = words[-1]
    if record.language == "shell":
        return (*words, _PROGRAM)
    if record.language:
        code = _CODE.get(record.language, "evil()") if takes_value(record, last, ("!", "*", "=")) else "evil"
        return (*words, code if last[:1] == "-" else _PROGRAM)
    line = _handed_over(words)
    if line is not None or takes_value(record, last, ("!", "*", "=")):
        return line or (*words, _PROGRAM)
    if record.runs and reason_of(record) == SOME:
        option = record.runs.split()[0].rstrip(":!*=")
        return (*words, *_value(words), f"{option}={_PROGRAM}" if option[:2] == "--" else f"{option}{_PROGRAM}")
    return (*words, _PROGRAM) if record.runs_others() and reason_of(record) != SOME else None


def hands_over(words: Sequence[str]) -> bool:
    """True if the prefix ``words`` ends where the name of another program is expected: ``docker run``."""
    record = known_record(words[0])
    return record is not None and any(not inner or hands_over(inner) for inner in inner_words(record, words))


def is_known(program: str) -> bool:
    """True if anything is known of ``program``: if not, no prefix for it is broad or runs a shell."""
    return known_record(program) is not None or known_record(program.lower()) is not None


def always_broad(name: str) -> bool:
    """True if no prefix for the program ``name``, however long, is narrow."""
    record = known_record(name)
    return record is not None and bool(record.always)


def changes_operands(name: str) -> bool:
    """True if the program ``name`` makes, changes or removes the files that it is given: ``rm``, ``tee``."""
    record = known_record(name)
    return record is not None and record.writes.split(",")[0].split(" ")[0] in ("all", "into", "from")


def runs_program_text(name: str) -> bool:
    """True if the program ``name`` is a shell or an interpreter: what it does can be rewritten between two runs."""
    record = known_record(name)
    return record is not None and bool(record.language)
