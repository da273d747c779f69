"""Files that a script shows and hands, by their names, to a program on no list: ``tool -c <(echo 'exec = CMD')``.

What a record says of the files that its program obeys is :mod:`execpolicy.programs.files.obeyed_files`. Of other
programs nobody knows whether they obey a file or only show it, so that what is found is as evident as on their standard
input.
"""

from __future__ import annotations

from bisect import bisect_left

from execpolicy.core.text import names
from execpolicy.flow.look_ups import LookUps
from execpolicy.flow.streams import output_texts, written_texts
from execpolicy.judge.evidence.prose import is_prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_MARKED = ("@", "file://")
"""What says that an argument is the name of a file."""
_DOCUMENTS = names("md txt rst adoc html csv tsv log")
"""Endings of files that are read by people."""
_LAST = "\U0010ffff"
"""Behind every other character."""


def shown_lines(command: Command, facts: Facts, name: str, *, alone: bool) -> list[str]:
    """The lines of what ``command`` is handed in process substitutions and in files that the script writes.

    Args:
        name: of its program, after which it may call files that it reads unasked: ``.lintstagedrc``, ``mprocs.yaml``.
        alone: only process substitutions; of files a record says which are obeyed.
    """
    words = command.words
    found: dict[str, None] = {}
    written = None if alone else facts.once(_WrittenNames)
    for at in range(1, len(words)):
        word, text = words[at], words[at].literal
        if is_prose(words[0].literal or "", text or "", words[at - 1].literal or ""):
            continue
        if word.kind == "process":
            found.update(dict.fromkeys(output_texts(word.inner, facts)[0]))
        elif text and (text.startswith(_MARKED) or (written and text.rpartition(".")[2].lower() not in _DOCUMENTS)):
            for path in dict.fromkeys((text, text.rpartition("=")[2], text.lstrip("@").removeprefix("file://"))):
                found.update(dict.fromkeys(written_texts(path, facts) if path else ()))
    for path in written.of(name, words) if written is not None else ():
        found.update(dict.fromkeys(written_texts(path, facts)))
    lines = [line for text in found for line in text.split("\n") if line.strip()]
    return lines + [text for text in found if "arg" in text]  # what they say in several lines


class _WrittenNames:
    """The paths that a script writes, by what programs call their files: many commands ask, of many files."""

    __slots__ = ("_by_letters", "_by_stem", "_letters")

    def __init__(self, facts: Facts) -> None:
        look_ups = facts.once(LookUps)
        self._by_stem: dict[str, list[str]] = {}
        by_letters: list[tuple[str, str]] = []
        for path in dict.fromkeys((*look_ups.writers, *look_ups.edited)):
            base = path.rpartition("/")[2]
            by_letters.append((_letters(base), path))
            self._by_stem.setdefault(base.rpartition(".")[0], []).append(path)
        self._by_letters = sorted(by_letters)
        self._letters = [letters for letters, _ in self._by_letters]

    def __bool__(self) -> bool:
        return bool(self._letters)

    def of(self, name: str, words: Sequence[Word]) -> Iterator[str]:
        """The files that a program called ``name`` may read unasked, and those called like one of its ``words``."""
        own = _letters(name)
        start = bisect_left(self._letters, own) if len(own) > 2 else len(self._letters)
        for _, path in self._by_letters[start : bisect_left(self._letters, own + _LAST)]:
            yield path
        for operand in dict.fromkeys([word.literal for word in words[1:]]):
            yield from self._by_stem.get(operand or "\0", ())


def _letters(name: str) -> str:
    """``name`` without what parts its words: ``lint-staged`` calls its file ``.lintstagedrc``."""
    return "".join(filter(str.isalnum, name)).lower()
