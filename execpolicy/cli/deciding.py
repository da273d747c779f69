"""The full decision for one command or script, as ``check`` prints it."""

from __future__ import annotations

import os

from execpolicy.cli.loading import load_rulebook
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

    from execpolicy.cli.check_options import CheckOptions
    from execpolicy.core.decision import Decision
    from execpolicy.judge.rulebook import Rulebook


def answer(options: CheckOptions, stderr: TextIO) -> tuple[dict[str, Any], Decision]:
    """The JSON body and the decision.

    Raises:
        RuleFileError: a rule file that was named has a problem.
        UsageError: the shell or the folder does not exist.
    """
    require_program(options.command)
    situation = situation_at(options.cwd)
    rulebook = load_rulebook(
        stderr,
        files=options.rules,
        cwd=situation.cwd,
        mode=options.mode,
        ignore_rules=options.ignore_rules,
    )
    return decide(
        options.command if options.script is None else options.script,
        rulebook,
        situation,
        shell=options.shell,
        profile=options.profile,
    )


def decide(
    command: str | Sequence[str],
    rulebook: Rulebook,
    situation: Situation,
    *,
    shell: str = "bash",
    profile: str = "default",
) -> tuple[dict[str, Any], Decision]:
    """The JSON body and the decision for one command under ``profile``."""
    if profile != "default":
        from execpolicy.codex.decide import decide_as_codex

        return decide_as_codex(command, rulebook, situation, shell=shell)
    verdict = check(command, rulebook, shell=shell, situation=situation)
    return verdict.to_json(), verdict.decision


def require_program(words: Sequence[str]) -> None:
    """Refuse a command whose first word is empty.

    Raises:
        UsageError: it names no program.
    """
    if words and not words[0]:
        from execpolicy.errors import UsageError

        raise UsageError("the first word of the command is empty: it must name a program")


def situation_at(cwd: str | None) -> Situation:
    """Where the command would run: ``cwd``, or here."""
    from execpolicy.errors import UsageError

    if cwd is None:
        return Situation.of_process()
    if not os.path.isdir(cwd):
        raise UsageError(f"`{cwd}` is not a folder: give one that exists to --cwd")
    return Situation(os.path.abspath(cwd), home=os.environ.get("HOME"))
