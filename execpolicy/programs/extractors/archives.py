"""Archives and compression."""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, literal_words, run_text
from execpolicy.programs.options import every_option, option_table
from execpolicy.programs.record import Program
from execpolicy.programs.run_by_options import run_by_options
from execpolicy.programs.text_runs import option_file_texts, shown_texts
from execpolicy.shell.script import Command, replace

_VALUED = "bCfFgHIKLNTVX"
"""Letters of ``tar`` with a value, and among them those whose value is run."""
_RUN = "FI"
_LISTS = "-T: --files-from:"
_MOST_LINES = 400


def tar(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``tar cIf COMMAND FILE``: letters without a dash, whose values are the next words in their order.

    A list of files may hold options, too (``-T``).
    """
    for seen in every_option(option_table(_LISTS), command.words, 1).seen:
        yield from _listed(option_file_texts(seen, command, facts), command, facts, name, record)
    letters = command.words[1].literal if len(command.words) > 1 else None
    if letters is None or letters.startswith("-"):
        return
    valued = [letter for letter in letters if letter in _VALUED]
    for letter, word in zip(valued, command.words[2:], strict=False):
        if letter in _RUN and word.literal:
            yield run_text(name, command, word.literal)
        elif letter == "T":
            yield from _listed(shown_texts(word, command, facts), command, facts, name, record)


def _listed(texts: Sequence[str], command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """What the options run that stand in a list of files, one in a line."""
    for text in texts:
        said = literal_words([line.strip() for line in text.split("\n")[:_MOST_LINES]], command.span)
        told = replace(command, words=(*command.words[:1], *said), redirects=(), piped_from=(), body=None)
        yield from run_by_options(told, facts, name, record)
