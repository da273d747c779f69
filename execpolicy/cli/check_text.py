"""``check`` for people: scripts from files and standard input, questions about likely mistakes, an answer as text."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TextIO

from execpolicy.cli.check_options import FLAGS, VALUED, CheckOptions
from execpolicy.cli.judgement import Judging
from execpolicy.cli.output import wants_color, write_line
from execpolicy.cli.rule_options import MODES
from execpolicy.cli.suspicious_args import question_shell, question_words
from execpolicy.core.decision import Decision
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import UsageError, os_reason
from execpolicy.insight.explain import answer_text
from execpolicy.judge.situation import Situation
from execpolicy.safe_open import read_named
from execpolicy.shell.script import SHELLS


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


_HARMLESS = frozenset("euvx")
"""Shell options that only end a script earlier or print its commands."""


def script_given(file: str, shell: str | None, stdin: TextIO) -> tuple[str, str]:
    """The script in ``file`` (``-``: standard input), and the shell that reads it: ``shell``, or the one it names.

    Raises:
        UsageError: there is no script to read, or it is not UTF-8.
    """
    name = "standard input" if file == "-" else f"`{file}`"
    try:
        data = stdin.buffer.read() if file == "-" else read_named(file, pipes=True)
        script = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 at byte {error.start}") from None
    except (OSError, ValueError, AttributeError) as error:  # the last two if standard input is closed
        what = f"the script on {name} cannot be read" if file == "-" else f"cannot read the script {name}"
        raise UsageError(f"{what}: {os_reason(error)}") from None
    return script, shell or shell_of(script, file)


def shell_of(script: str, name: str) -> str:
    """The shell in the first line of ``script`` (``#!/bin/sh``); bash if there is no such line.

    Raises:
        UsageError: the line names another kind of program, or options that change how the script is read.
    """
    if not script.startswith("#!"):
        return "bash"
    words = script[2:].partition("\n")[0].split()
    if words and words[0].rpartition("/")[2] == "env":
        words = words[2:] if words[1:2] == ["-S"] else words[1:]
    shell = words[0].rpartition("/")[2] if words else ""
    if shell not in SHELLS:
        raise UsageError(
            f"`{name}` is a script for `{shell or 'nothing'}` and not for a shell that is read here"
            f" ({', '.join(SHELLS)}): ask about the command that runs it, or name the shell with --shell"
        )
    for option in words[1:]:
        if option != "-" and not (option.startswith("-") and _HARMLESS.issuperset(option[1:])):
            raise UsageError(
                f"`{name}` starts `{shell}` with `{option}`, which is not understood: name --shell to ignore it"
            )
    return shell
