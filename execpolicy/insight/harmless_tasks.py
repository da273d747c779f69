"""Words that are known to do no harm behind a rule: see :mod:`execpolicy.programs.breadth`."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.core.exclusion import left_out_by
from execpolicy.core.text import glob_matches
from execpolicy.programs.breadth import facts_behind, innermost, known_record

OUTSIDE = ("/*", "~*", "..", "@*", "*://*")
"""Entries of ``unless`` for everything that leads out of the project."""
ANY_OPTION = "-*"
_WHOLE = frozenset(["run", "publish", "delete", "fetch", "device", "outside"])
_LOOKED_AT = ("files", "exact", "named")


def takes_files(words: Sequence[str]) -> bool:
    """True if operands inside the project do no harm behind the prefix ``words``, as far as is known of the program."""
    return _says("files", innermost(words)[0])


def harmless_as_it_is(words: Sequence[str]) -> bool:
    """True if what the prefix ``words`` does is known to do no harm if nothing may follow it."""
    tail, _ = innermost(words)
    return _says("exact", tail) or runs_alone(tail)


def is_unlisted(words: Sequence[str]) -> bool:
    """True if it was said which sub-commands of the program do no harm, and the one of ``words`` is none of them."""
    tail, _ = innermost(words)
    listed = [each for kind, behind in (facts_behind(tail) if tail else ()) if kind in _LOOKED_AT for each in behind]
    named = any(each[:1] != "-" for each in listed) and any(word[:1] != "-" for word in tail[1:])
    return named and not any(_says(kind, tail) for kind in _LOOKED_AT)


def runs_named_tasks(words: Sequence[str]) -> bool:
    """True if names that the project gave say what ``words`` do."""
    tail, _ = innermost(words)
    return _says("named", tail) or any(kind == "target" for kind, _ in (facts_behind(tail) if tail else ()))


def runs_alone(words: Sequence[str]) -> bool:
    """True if ``words`` are a program alone that then does what the project defines: ``make``."""
    return len(words) == 1 and _says("alone", words)


def _says(wanted: str, tail: Sequence[str]) -> bool:
    """True if the record says ``wanted`` of the task ``tail``: of the last word, or of the program itself.

    What is said of all names behind a sub-command (``[task] named``) counts before what a name says elsewhere.
    """
    facts = list(facts_behind(tail)) if tail else []
    whole = len(tail) == 1 or (bool(tail) and _is_task_of_its_own(tail))
    any_name = len(tail) > 1 and whole and any(kind in _LOOKED_AT and not behind for kind, behind in facts)
    return any(
        kind == wanted and ((tail[-1] in behind and not any_name) if behind else whole) for kind, behind in facts
    )


def actions_behind(words: Sequence[str]) -> tuple[str, ...]:
    """Words behind ``words`` that would do something else, and harm, where any file may stand: ``vitest init``."""
    tail, _ = innermost(words)
    return tuple([behind[0] for kind, behind in facts_behind(tail) if kind in _WHOLE and behind[0][:1].isalpha()])


def has_facts(words: Sequence[str]) -> bool:
    """True if it is known what may follow ``words``."""
    tail, _ = innermost(words)
    record = known_record(tail[0]) if tail else None
    return record is not None and bool(record.extensions)


def has_tasks(words: Sequence[str]) -> bool:
    """True if it is known what may follow ``words``, and how many words say what is done."""
    tail, _ = innermost(words)
    record = known_record(tail[0]) if tail else None
    return record is not None and bool(record.extensions and record.task)


def is_plain_option(words: Sequence[str], option: str) -> bool:
    """True if ``option`` is known to do no harm behind ``words``."""
    tail, _ = innermost(words)
    return bool(tail) and any(
        kind == "plain" and any(glob_matches(each.rstrip(":"), option) for each in behind)
        for kind, behind in facts_behind(tail)
    )


def said_worst(words: Sequence[str]) -> str | None:
    """A word of the command line ``words`` that lets others say what runs, or that leads out of the project."""
    tail, _ = innermost(words)
    said: list[str] = []
    for kind, behind in facts_behind(tail) if tail else ():
        if kind in _WHOLE and not is_plain_option(words, behind[0]):
            name, equals, _ = behind[0].partition("=")
            said.append(name if name[:1] == "-" else name + equals)
    return next(
        (
            word
            for word in words[1:]
            if left_out_by((*OUTSIDE, *said), [word]) is not None and not is_plain_option(words, word)
        ),
        None,
    )


def _is_task_of_its_own(words: Sequence[str]) -> bool:
    """``vitest run``: all of the words are what the record counts as saying what is done."""
    record = known_record(words[0])
    return record is not None and f"{words[1]}={len(words)}" in record.task.split()
