"""Commands behind a mark in the words, the input or the files of a program: ``socat EXEC:rm``, ``.sy rm`` of ``troff``.

The fact ``texts`` of a record lists the marks, see ``docs/records.md``.
"""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.core.text import option_values
from execpolicy.flow.facts import Facts
from execpolicy.flow.streams import fed_texts
from execpolicy.programs.inner import Inner
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import run_each, run_joined, shown_texts
from execpolicy.shell.script import Command

_QUOTES = {'"': '"', "'": "'", "`": "'"}


def marked_texts(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Yields what the texts behind the marks in ``record.texts`` run."""
    words = command.words
    texts = [word.prefix[start:] for word in words[1:] for start in option_values(word.prefix)]
    if record.script:
        texts += [text for word in words[1:] for text in shown_texts(word, command, facts)]
        texts += fed_texts(command, facts)[0]
    for item in record.texts.split("; "):
        mark, is_text, end = item.partition("TEXT")
        parts = mark.removesuffix("REST").rstrip(" " if not is_text else "").lower().split("…")
        if is_text:
            perhaps = end == "?"
            found = [said for text in texts for behind in _behind(text, parts) for said in _ended(behind, end)]
            yield from run_each(name, command, facts, list(dict.fromkeys(found)), "sh", evidence=perhaps)
            continue
        at = next((at for at, word in enumerate(words) if at and _is_mark(word.prefix, parts)), 0)
        at += bool(at) and [word.literal for word in words[at + 1 : at + 2]] == ["--"]
        yield from run_joined(name, command, facts, words[at + 1 :] if at else ())


def _is_mark(text: str, parts: Sequence[str]) -> bool:
    """True if ``text`` ends with ``parts``, or may end as it likes."""
    return any(not (behind and parts[-1]) for behind in _behind(text, parts))


def _behind(text: str, parts: Sequence[str]) -> Iterator[str]:
    """Yields what follows ``parts`` in each line of ``text``: the first at its start, the others anywhere, in order."""
    first, *others = parts
    for line in text.split("\n") if first else (text,):
        line = line.strip(" \t") if first else line
        low, at = line.lower(), len(first)
        if not low.startswith(first):
            continue
        for part in others[:-1]:
            at = low.find(part, at) + len(part) if low.find(part, at) >= 0 else len(low) + 1
        last = others[-1] if others else ""
        if not last:
            yield line[at:]
            continue
        while (at := low.find(last, at)) >= 0:
            at += len(last)
            yield line[at:]


def _ended(text: str, end: str) -> Iterator[str]:
    """The command at the start of ``text``: up to the first or the last ``end``, or to the end of the line."""
    for found in (text.partition(end)[0], text.rpartition(end)[0]) if end.strip("?") else (text.partition("\n")[0],):
        said = found.strip()
        if said[:1] in _QUOTES and said[-1:] == _QUOTES[said[0]]:
            said = said[1:-1]
        if said:
            yield said.strip("[]").replace(",", " ") if "[" in said[:1] or "]" in said[-1:] else said
