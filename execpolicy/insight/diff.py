"""What a change of rules changes: every kind of command whose rule decision differs, with a shortest example.

Exact, not sampled: which rules match an argv depends on finitely many words, so both policies are walked together word
by word, and words that no rule tells apart are looked at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from execpolicy.core.decision import Decision
from execpolicy.core.text import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.core.policy import Policy
    from execpolicy.core.rules import PrefixRule

_NO_RULE = "no rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A kind of command whose decision differs.

    Attributes:
        example: a shortest argv of that kind.
        before: the strictest rule decision before; ``None`` if no rule matched.
        after: the same afterwards.
        rules_before: the rules that made ``before``.
        rules_after: the rules that made ``after``.
    """

    example: tuple[str, ...]
    before: Decision | None
    after: Decision | None
    rules_before: tuple[PrefixRule, ...]
    rules_after: tuple[PrefixRule, ...]

    @property
    def direction(self) -> str:
        """``stricter`` or ``laxer``. Losing an allow rule is stricter, losing a prompt or forbid rule laxer."""
        return "stricter" if _weight(self.after) > _weight(self.before) else "laxer"

    def to_json(self) -> dict[str, Any]:
        """``{direction, example, before, after, rulesBefore, rulesAfter}``."""
        return {
            "direction": self.direction,
            "example": list(self.example),
            "before": None if self.before is None else self.before.word,
            "after": None if self.after is None else self.after.word,
            "rulesBefore": [_named(rule) for rule in self.rules_before],
            "rulesAfter": [_named(rule) for rule in self.rules_after],
        }

    def words(self) -> str:
        """``allow → prompt`` and the like."""
        before = _NO_RULE if self.before is None else self.before.word
        after = _NO_RULE if self.after is None else self.after.word
        return f"{before} → {after}"


def _weight(decision: Decision | None) -> float:
    """Where no rule speaks, heuristics and people do: between *allow* and *prompt*."""
    return 0.5 if decision is None else int(decision)


def _named(rule: PrefixRule) -> str:
    place = "" if rule.place is None else f"{rule.place}: "
    return f"{place}{rule.decision.word} `{rule.pattern}`"


def policy_diff(before: Policy, after: Policy) -> tuple[Change, ...]:
    """Every kind of command that the prefix rules of the two policies decide differently, shortest examples first.

    A kind ends where another rule begins to matter, so one changed rule gives one change for each way in which the
    other rules already decide what it matches.
    """
    walk = _Walk(before.rules, after.rules)
    return tuple(sorted(walk.changes(), key=lambda change: (len(change.example), change.example)))


@dataclass(frozen=True, slots=True)
class _State:
    """Rules that the words so far have not ruled out, and the rules that they have matched."""

    open: tuple[int, ...]
    matched: tuple[int, ...]


class _Walk:
    def __init__(self, before: Sequence[PrefixRule], after: Sequence[PrefixRule]) -> None:
        self.rules = (*before, *after)
        self.border = len(before)

    def changes(self) -> Iterator[Change]:
        seen: set[tuple[int, _State]] = set()
        stack: list[tuple[tuple[str, ...], _State]] = [((), _State(tuple(range(len(self.rules))), ()))]
        while stack:
            words, state = stack.pop()
            if (len(words), state) in seen:
                continue
            seen.add((len(words), state))
            alike: set[_State] = set()
            for token in self._tokens(state, len(words)):
                argv = (*words, token)
                following = self._step(state, token, len(words))
                if following in alike:
                    continue  # no rule tells this word from an earlier one
                alike.add(following)
                if following.matched != state.matched:
                    change = self._change(argv, following, state)
                    if change is not None:
                        yield change
                if following.open:
                    stack.append((argv, following))

    def _step(self, state: _State, token: str, depth: int) -> _State:
        still: list[int] = []
        matched = list(state.matched)
        for index in state.open:
            pattern = self.rules[index].pattern
            if pattern.accepts(depth, token):
                if len(pattern) == depth + 1:
                    matched.append(index)
                else:
                    still.append(index)
        return _State(tuple(still), tuple(sorted(matched)))

    def _change(self, argv: tuple[str, ...], state: _State, parent: _State) -> Change | None:
        before, after = self._decisions(state)
        if before == after or (before, after) == self._decisions(parent):
            return None
        return Change(
            example=argv,
            before=before,
            after=after,
            rules_before=tuple(
                self.rules[i] for i in state.matched if i < self.border and self.rules[i].decision is before
            ),
            rules_after=tuple(
                self.rules[i] for i in state.matched if i >= self.border and self.rules[i].decision is after
            ),
        )

    def _decisions(self, state: _State) -> tuple[Decision | None, Decision | None]:
        before = [self.rules[index].decision for index in state.matched if index < self.border]
        after = [self.rules[index].decision for index in state.matched if index >= self.border]
        return max(before, default=None), max(after, default=None)

    def _tokens(self, state: _State, depth: int) -> list[str]:
        """One word for each way in which the open rules tell words apart at this position."""
        exact: dict[str, None] = {}
        keys: dict[str, None] = {}
        for index in state.open:
            pattern = self.rules[index].pattern
            for token in pattern.positions()[depth]:
                if pattern.canonical_matching:
                    keys[canonical(token)] = None
                else:
                    exact[token] = None
        found = dict(exact)
        for key in keys:
            if not any(canonical(token) == key for token in exact):
                found[key] = None
                continue
            for other in (key, key.upper(), key.title(), key.swapcase()):
                if other not in exact and canonical(other) == key:
                    found[other] = None
                    break
        return list(found)
