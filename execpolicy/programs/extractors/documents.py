"""Typesetting, pictures, sound, models: programs that make documents, and can be told to run others."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_text
from execpolicy.programs.input_text import fed_lines
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import shown_texts
from execpolicy.shell.script import Command


def _lines(command: Command, facts: Facts) -> list[str]:
    """What is set, as far as it can be seen: in words, on standard input and in files that the script wrote."""
    texts = [word.literal for word in command.words[1:] if word.literal is not None]
    texts += [text for word in command.words[1:] for text in shown_texts(word, command, facts)]
    return [line for text in texts for line in text.split("\n")] + fed_lines(command, facts)


def tex(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    r"""``\write18{cmd}`` and ``\input{|"cmd"}``."""
    for line in _lines(command, facts):
        for lead in ("\\write18", "\\input", "\\ShellEscape", "\\directlua"):
            rest = line.partition(lead)[2].lstrip(" {|\"'")
            if rest and ("|" in line or "18" in lead or lead[1] in "Sd"):
                yield run_text(name, command, rest.partition("}")[0].strip("\"' "))


def troff(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``.sy cmd`` and ``.pso cmd``."""
    for line in _lines(command, facts):
        verb, _, rest = line.lstrip(".' ").partition(" ")
        if line[:1] in (".", "'") and verb in ("sy", "pso", "pi"):
            yield run_text(name, command, rest)


def postscript(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``(%pipe%cmd) (w) file``."""
    for line in _lines(command, facts):
        for part in line.split("%pipe%")[1:]:
            yield run_text(name, command, part.partition(")")[0])
