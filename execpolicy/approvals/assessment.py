"""What rules and heuristics say about a request, command by command: the input of the decision, whoever made it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from execpolicy.approvals.requirement import ExecRequest
from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch


class Leaning(StrEnum):
    """What the heuristics think of a command that no rule settles."""

    SAFE = "safe"
    UNKNOWN = "unknown"
    DANGEROUS = "dangerous"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessedCommand:
    """One command that the request would run.

    Attributes:
        argv: its words; one that is only known at run time stands as it was written.
        matches: the rules that matched it.
        fallback: what it gets where no rule settles it; ``None`` if a rule does.
        opinion: what ``fallback`` was made of.
        granted: an allow rule covers it and nothing stands in the way.
        proposable: its words are literal, so that a prefix rule can name it.
    """

    argv: tuple[str, ...]
    matches: tuple[PrefixMatch, ...]
    fallback: Decision | None
    opinion: Leaning | None
    granted: bool
    proposable: bool = True

    @property
    def decision(self) -> Decision:
        """The strictest of the matching rules and the fallback."""
        decisions = [match.decision for match in self.matches]
        if self.fallback is not None:
            decisions.append(self.fallback)
        return max(decisions, default=Decision.PROMPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Everything that is known about a request.

    Attributes:
        commands: in source order; none where nothing could be seen.
        decision: the strictest of the commands' decisions, or stricter for what is not a command (a file written).
        shown: the argv that reasons name.
        covers: whether every command would be allowed if the given prefix were an allow rule.
        settles: whether that rule would settle at least one command that no rule settles now.
        prompt_note: why a question is asked by a rule that names no command (one about a written file).
        refusal: why it is forbidden, where no rule for a command says so.
        reason: why it is not allowed, in one line; ``None`` leaves that to the words of Codex.
        grave: something in it is dangerous, or may hide something: no rule is offered for a part of it.
    """

    commands: tuple[AssessedCommand, ...]
    decision: Decision
    shown: tuple[str, ...]
    covers: Callable[[tuple[str, ...]], bool]
    settles: Callable[[tuple[str, ...]], bool]
    prompt_note: str | None = None
    refusal: str | None = None
    reason: str | None = None
    grave: bool = False

    @property
    def granted(self) -> bool:
        """Every command is covered by an allow rule, and there is one."""
        return self.decision is Decision.ALLOW and self.matched and all(command.granted for command in self.commands)

    def rule_matches(self, decision: Decision) -> list[PrefixMatch]:
        """The rules that matched with ``decision``, in order."""
        return [match for command in self.commands for match in command.matches if match.decision is decision]

    @property
    def matched(self) -> bool:
        """Whether any rule matched any command."""
        return any(command.matches for command in self.commands)

    def first_fallback(self, decision: Decision) -> AssessedCommand | None:
        """The first command that no rule settles and whose fallback is ``decision``."""
        for command in self.commands:
            if command.fallback is decision:
                return command
        return None


class Assessor(Protocol):
    """Reads a request and applies rules to it. ``Rules`` differs: a policy for Codex's own reading, a rulebook here."""

    def __call__(self, request: ExecRequest, rules: object, fallback: Callable[[Leaning], Decision], /) -> Assessment:
        """Assess ``request``; commands that no rule settles get ``fallback`` of their opinion."""
        ...
