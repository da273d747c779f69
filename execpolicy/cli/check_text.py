"""``check`` for people: scripts from files and standard input, questions about likely mistakes, an answer as text."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TextIO

from execpolicy.cli.check_options import FLAGS, VALUED, CheckOptions
from execpolicy.cli.judgement import Judging
from execpolicy.cli.output import wants_color, write_line
from execpolicy.cli.rule_options import MODES
from execpolicy.cli.script_input import script_given
from execpolicy.cli.suspicious_args import question_shell, question_words
from execpolicy.core.decision import Decision
from execpolicy.diagnostics.render_text import visible
from execpolicy.insight.explain import answer_text
from execpolicy.judge.situation import Situation


def complete(options: CheckOptions, stdin: TextIO, stderr: TextIO) -> None:
    """Read the script if it is not on the command line, and question likely mistakes.

    Raises:
        UsageError: there is no script to read.
    """
    if options.file is not None:
        options.script, options.shell = script_given(options.file, options.shell, stdin)
    if options.shell is not None:
        question_shell(options.shell, stderr)
    if stderr.isatty():  # for a program it is just a command
        question_words(options.command, {*FLAGS, *MODES, *VALUED} - {"-h", "--help"}, stderr)


def tell(
    judging: Judging, command: str | Sequence[str], situation: Situation, shell: str, profile: str, stdout: TextIO
) -> Decision:
    """Write the answer as text and return the decision."""
    if profile != "default":
        body, decision = judging.answer(command, situation, shell=shell)
        whose = body["permission"]["reason"] if "permission" in body else f"as Codex decides ({profile})"
        text = f"{decision.word}: {visible(whose)}"
    else:
        verdict = judging.verdict(command, situation, shell=shell)
        restricted = judging.restriction(command, situation, shell=shell)
        if restricted is not None and restricted[0] <= verdict.decision:
            restricted = None  # the rules give a fuller reason
        decision = verdict.decision if restricted is None else restricted[0]
        width = shutil.get_terminal_size().columns
        text = answer_text(verdict, restricted, color=wants_color(stdout), width=width).rstrip("\n")
    write_line(stdout, text)
    return decision
