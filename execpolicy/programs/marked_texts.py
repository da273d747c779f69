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
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word

_QUOTES = {'"': '"', "'": "'", "`": "'"}


def marked_texts(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Yields what the texts behind the marks in ``record.texts`` run."""
    words = command.words
    texts = [word.prefix[start:] for word in words[1:] for start in option_values(word.prefix)]
    if record.script:
        texts += [text for word in words[1:] for text in shown_texts(word, command, facts)]
        texts += fed_texts(command, facts)[0]
    for item in record.texts.split("; "):
        evidence = item[-1] == "?"
        mark, is_text, end = item.removesuffix("?").partition("TEXT")
        if is_text:
            parts = mark.lower().split("…")
            found = [said for text in texts for behind in _behind(text, parts) for said in _ended(behind, end)]
            yield from run_each(name, command, facts, list(dict.fromkeys(found)), "sh", evidence=evidence)
            continue
        inners = run_joined(name, command, facts, _rest(mark.removesuffix("REST"), words))
        yield from [replace(each, evidence=True) for each in inners if not each.opaque] if evidence else inners


def _rest(mark: str, words: Sequence[Word]) -> Sequence[Word]:
    """The words behind the first that is ``mark``; with what is behind ``mark`` in it, if no blank ends that."""
    parts = mark.rstrip().lower().split("…")
    for at, word in enumerate(words[1:], 1):
        behind = next(_behind(word.prefix, parts), None)
        if behind is None or (behind and parts[-1] and mark[-1] == " "):
            continue
        glued = [Word(behind, word.span)] if behind and parts[-1] else []
        rest = words[at + 1 :]
        return [*glued, *rest[bool(rest) and rest[0].literal == "--" :]]
    return ()


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
    for found in (text.partition(end)[0], text.rpartition(end)[0]) if end else (text.partition("\n")[0],):
        said = found.strip()
        inside = said[1:-1]
        if said[:1] in _QUOTES and said[-1:] == _QUOTES[said[0]] and said[0] not in inside:
            said = inside
        if said:
            yield said.strip("[]").replace(",", " ") if "[" in said[:1] or "]" in said[-1:] else said
