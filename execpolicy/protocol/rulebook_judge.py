"""Judges the commands of shell tools by the effective rules and the heuristics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from execpolicy.core.decision import Decision
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.permissions.judged import deciding_reason, is_dangerous, is_not_understood, needs_person
from execpolicy.protocol.decisions import Ruling, Say
from execpolicy.protocol.shell_calls import ShellCall
from execpolicy.validators import folder, function, optional


class ShellJudge(Protocol):
    """Judges the command of a shell tool."""

    def judge(self, call: ShellCall, /) -> Ruling:
        """The ruling on a command."""


class RulebookShellJudge:
    """Judges by the effective rules and the heuristics.

    Args:
        rulebook: returns the effective rulebook; called for each request.
        home: the directory that replaces ``~``.
        root: the project root, for write rules.
    """

    def __init__(self, rulebook: Callable[[], Rulebook], *, home: str | None = None, root: str | None = None) -> None:
        self._rulebook = function(rulebook, "RulebookShellJudge: `rulebook`")
        self._home = optional(folder)(home, "RulebookShellJudge: `home`")
        self._root = optional(folder)(root, "RulebookShellJudge: `root`")

    def judge(self, call: ShellCall, /) -> Ruling:
        """The ruling on everything that the command can run."""
        situation = Situation(call.cwd, home=self._home, root=self._root)
        verdict = judge_script(read_command(call.command, shell=call.shell), self._rulebook(), situation)
        reason, rule_id = deciding_reason(verdict)
        if verdict.decision is Decision.FORBIDDEN:
            return Ruling(say=Say.DENY, reason=reason, rule_id=rule_id, grave=True)
        if verdict.decision is Decision.ALLOW and not call.doubts:
            grounds = tuple(dict.fromkeys(ground.code for ground in verdict.grounds))
            return Ruling(say=Say.ALLOW, reason=reason, rule_id=rule_id, grounds=grounds)
        if verdict.decision is Decision.ALLOW:
            reason, rule_id = call.doubts[0], None
        once, dangerous = needs_person(verdict), is_dangerous(verdict)
        grave = once or dangerous or bool(call.doubts) or is_not_understood(verdict)
        return Ruling(say=Say.ASK, reason=reason, rule_id=rule_id, grave=grave, dangerous=dangerous, once=once)
