"""What one command of a history gets, reduced to plain data that crosses processes and adds up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.core.writes import WriteRule
from execpolicy.insight.missing_rules import Needs, Prefix, dangers_of, needs_of
from execpolicy.insight.portable import PortablePolicy
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.verdict import Verdict, WriteMatch

Recorded: TypeAlias = str | tuple[str, ...]
"""A command as a history has it: a script, or an argv."""

RuleKey: TypeAlias = tuple[str, str, str]
"""A rule by place (``path:line``, or empty), decision and pattern."""

Decided: TypeAlias = tuple[int, tuple[RuleKey, ...], Needs, tuple[Prefix, ...]]
"""Decision, the rules that fired, what would have to be saved for it to be allowed, the dangerous commands in it."""


def shown(command: Recorded) -> str:
    """``command`` as a person writes it."""
    return command if isinstance(command, str) else join(command)


def key_of(rule: PrefixRule | WriteRule) -> RuleKey:
    """The name of ``rule`` in counts: the same in every process."""
    pattern = str(getattr(rule, "pattern", "")) or " ".join(getattr(rule, "paths", ()))
    return ("" if rule.place is None else str(rule.place), rule.decision.word, pattern)


class HistoryDecider:
    """Decides commands under one policy, or under two to compare them. One per process."""

    def __init__(self, policies: Sequence[PortablePolicy], *, shell: str = "bash") -> None:
        self.shell = shell
        self._policies = [(policy.rulebook(), policy.situation()) for policy in policies]
        self._keys: dict[int, tuple[object, RuleKey]] = {}

    def verdicts(self, command: Recorded) -> tuple[Verdict, ...]:
        """The verdict of each policy; the command is read once."""
        script = read_command(command, shell=self.shell)
        return tuple([judge_script(script, rulebook, situation) for rulebook, situation in self._policies])

    def decide(self, command: Recorded) -> tuple[Decided, ...]:
        """The verdicts as plain data."""
        return tuple([self.reduced(verdict) for verdict in self.verdicts(command)])

    def reduced(self, verdict: Verdict) -> Decided:
        """One verdict as plain data."""
        fired: dict[RuleKey, None] = {}
        for command in verdict.commands:
            for match in command.matches:
                if isinstance(match, (PrefixMatch, WriteMatch)):
                    fired[self._key(match.rule)] = None
        needs = needs_of(verdict) if verdict.decision is Decision.PROMPT else None
        return (verdict.decision.strictness, tuple(fired), needs, dangers_of(verdict))

    def _key(self, rule: PrefixRule | WriteRule) -> RuleKey:
        known = self._keys.get(id(rule))
        if known is None:
            known = self._keys[id(rule)] = (rule, key_of(rule))  # with the rule, so that its id stays its own
        return known[1]
