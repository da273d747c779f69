"""The rules behind the decision for an argv, in Codex's JSON shapes."""

from __future__ import annotations

from _collections_abc import Iterable

from execpolicy import validators
from execpolicy.core.decision import Decision
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import UsageError
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

RuleMatch: TypeAlias = "PrefixMatch | HeuristicsMatch"

NOT, POSSIBLY, SURELY = range(3)
"""How surely a command means what a rule says: it does not; it may, so that a person is asked; it does."""


@value
class PrefixMatch:
    """A match of one prefix rule.

    Attributes:
        prefix: the tokens of the argv that the rule matched, as the argv spells them (the base name first if the
            program was a path).
        resolved_program: the absolute path, if the program was matched by base name.
        is_meant: the words do not start with the pattern but are equivalent to words that do; ``prefix`` then contains
            the equivalent words.
        possible: only the run knows if the words mean the pattern.
    """

    prefix: tuple[str, ...]
    rule: PrefixRule
    resolved_program: str | None = None
    _: KW_ONLY
    is_meant: bool = False
    possible: bool = False

    @property
    def decision(self) -> Decision:
        """The decision of the rule, at most ``prompt`` if the match is only possible."""
        return Decision.PROMPT if self.possible else self.rule.decision

    def to_json(self) -> dict[str, Any]:
        """``{"prefixRuleMatch": {matchedPrefix, decision, resolvedProgram?, justification?, meaning?, possible?}}``.

        ``meaning`` and ``possible``, extensions of Codex's shape: the pattern that the words in ``matchedPrefix`` mean,
        and ``true`` if only the run knows that.
        """
        body: dict[str, Any] = {"matchedPrefix": list(self.prefix), "decision": self.decision.word}
        if self.resolved_program is not None:
            body["resolvedProgram"] = self.resolved_program
        if self.rule.justification is not None:
            body["justification"] = self.rule.justification
        if self.is_meant:
            body["meaning"] = [" | ".join(tokens) for tokens in self.rule.pattern.positions()]
        if self.possible:
            body["possible"] = True
        return {"prefixRuleMatch": body}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PrefixMatch) and (self.prefix, self.rule, self.resolved_program) == (
            other.prefix,
            other.rule,
            other.resolved_program,
        )

    def __hash__(self) -> int:
        return hash((self.prefix, self.rule, self.resolved_program))

    def __repr__(self) -> str:
        return f"PrefixMatch({self.prefix!r}, {self.rule!r})"


class HeuristicsMatch:
    """A match of the fallback, for an argv that no rule matched.

    Attributes:
        decision: the decision of the fallback.
        command: the argv; a word that is only known at run time is spelled as in the script.
    """

    __slots__ = ("command", "decision")

    def __init__(self, command: tuple[str, ...], decision: Decision) -> None:
        if command.__class__ is not tuple:
            raise _wrong(command)
        self.command = command
        self.decision = decision if decision.__class__ is Decision else Decision(decision)

    def to_json(self) -> dict[str, Any]:
        """``{"heuristicsRuleMatch": {command, decision}}``."""
        return {"heuristicsRuleMatch": {"command": list(self.command), "decision": self.decision.word}}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeuristicsMatch) and (self.command, self.decision) == (other.command, other.decision)

    def __hash__(self) -> int:
        return hash((self.command, self.decision))

    def __repr__(self) -> str:
        return f"HeuristicsMatch({self.command!r}, {self.decision.word})"


def _wrong(*given: object) -> Exception:
    return UsageError(
        "a match is made of the tuple of a command's words and a rule, not of "
        f"{', '.join(map(validators.shown, given))}"
    )


def strictest(matches: Iterable[RuleMatch]) -> Decision | None:
    """The strictest decision of ``matches``, or ``None`` if there are none."""
    return max([match.decision for match in matches], default=None)


class Evaluation:
    """Every match, in order, and the resulting decision.

    Attributes:
        decision: the strictest of the matches' decisions; ``None`` if nothing matched and there was no fallback.
    """

    __slots__ = ("decision", "matches")

    def __init__(self, matches: tuple[RuleMatch, ...]) -> None:
        try:
            self.decision = (matches[0].decision if len(matches) == 1 else strictest(matches)) if matches else None
        except (AttributeError, TypeError, KeyError):
            raise _wrong(matches) from None
        self.matches = matches

    def to_json(self) -> dict[str, Any]:
        """``{"matchedRules": […], "decision"?: …}``: ``decision`` is absent if nothing matched."""
        body: dict[str, Any] = {"matchedRules": [match.to_json() for match in self.matches]}
        if self.decision is not None:
            body["decision"] = self.decision.word
        return body

    def __repr__(self) -> str:
        return f"Evaluation({self.decision!r}, {self.matches!r})"
