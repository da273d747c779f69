"""Programs that run a command with another environment, priority or time limit, or later, or again."""

from __future__ import annotations

from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_text, run_unknown
from execpolicy.programs.input_text import fed_lines
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import run_file, run_stdin, shown_texts
from execpolicy.shell.script import Command

_FIELDS = {"crontab": 5, "incrontab": 2}
"""Fields in front of the command, in a table of jobs."""


def at_job(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``at`` and ``batch``: a shell script on standard input, run later; ``crontab -`` likewise, behind five fields.

    Of ``incrontab`` they are two, a path and what happens to it.
    """

    texts = [word.literal or "" for word in command.words[1:]]
    if name in _FIELDS:
        shown = [text for word in command.words[1:] for text in shown_texts(word, command, facts)]
        if texts and not shown and not any(text in ("-", "/dev/stdin") for text in texts):
            return []
        lines = [line for text in shown for line in text.split("\n")] or fed_lines(command, facts)
        lines = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
        found = []
        for line in lines:
            fields = line.split(None, 1 if line.lstrip().startswith("@") else _FIELDS[name])
            found.append(run_text(name, command, fields[-1]))
        return found or [run_unknown(name, command, "installs jobs that are only known at run time")]
    if "-f" in texts[:-1]:
        return run_file(name, command, facts, command.words[texts.index("-f") + 2], "sh")
    if any(text in ("-l", "-r", "-d", "-c", "-V") for text in texts):
        return []
    return run_stdin(name, command, facts, "sh")
