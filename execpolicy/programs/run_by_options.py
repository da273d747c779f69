"""Programs with options whose value is a command: ``tar --to-command``, ``rsync -e``, ``rg --pre``, ``sort`` …

The table of a record lists only the options that run something, in every spelling; what it lacks is skipped. An option
is looked for in every word, so that the order of options and operands does not matter."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_text
from execpolicy.programs.options import option_table, readings
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import option_value, with_input
from execpolicy.shell.script import Command


def run_by_options(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Yields what the values of the options in ``record.runs`` run."""
    words = command.words
    table = option_table(record.runs)
    for at in range(1, len(words)):
        text = words[at].prefix
        if not text or len(text) < 2 or text[0] != "-" or text == "--":
            continue
        given = {(option.name, option.glued): option for each in readings(table, text) for option in each.given}
        for seen in given.values():
            if seen.kind not in ("!", "*", "="):
                continue
            if seen.glued is None and at + 1 < len(words):
                seen.word = words[at + 1]
            value = seen.value()
            if value is None:
                yield from option_value(name, seen, command, facts)
            elif seen.kind != "=":  # of a setting that is known, `texts` says what it runs
                texts = [text for text in (_texts(record.form, value) if seen.kind == "!" else [value]) if text.strip()]
                yield from [run_text(name, command, text) for text in texts]
                if command.body is not None or command.piped_from:  # which it may hand on, or a part of it
                    handed = [run_text(name, command, text, evidence=True) for text in texts]
                    yield from with_input(handed, command, facts)


def _texts(form: str, value: str) -> list[str]:
    """The shell texts in a value: it, also as a sub-command of ``cargo``, or with blanks for ``commas``."""
    return [value.replace(",", " ")] if form == "commas" else ["cargo " + value, value] if form == "cargo" else [value]
