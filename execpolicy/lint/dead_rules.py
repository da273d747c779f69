"""What decides nothing: a rule, or an alternative of one."""

from __future__ import annotations

from dataclasses import dataclass

from execpolicy.lint.cache import Kind
from execpolicy.lint.project import ListedRule


@dataclass(frozen=True, slots=True)
class Idle:
    """A rule that decides nothing, why, and the rules that decide instead of it.

    Attributes:
        by_meaning: they do for what they mean, which Codex does not look at.
    """

    kind: Kind
    by: tuple[ListedRule, ...]
    by_meaning: bool = False


@dataclass(frozen=True, slots=True)
class IdleAlternative:
    """An alternative (``token`` at ``position`` of the pattern) that decides nothing, and the rules that do."""

    entry: ListedRule
    position: int
    token: str
    by: tuple[ListedRule, ...]
    by_meaning: bool
