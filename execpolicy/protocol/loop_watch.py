"""Asks when an agent repeats itself: the permission ``doom_loop`` (seed 002, "Doom Loop Detection") in a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from execpolicy.permissions.ruleset import PermissionRule, applicable_rules, rules_only
from execpolicy.permissions.tool_names import DOOM_LOOP
from execpolicy.permissions.tool_use import DoomLoops, Loop
from execpolicy.protocol.decisions import Decider, Ruling, Say, ruling_of, stricter
from execpolicy.protocol.messages import ToolRequest
from execpolicy.validators import instance, port

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The newest values by name: at least ``least`` of them, at most twice as many.

    A whole generation of values is dropped at a time. A single table that drops one value for each new one is rebuilt,
    and enlarged, again and again: over a million requests the memory of a process grew by a tenth.
    """

    def __init__(self, least: int) -> None:
        self._least = least
        self._young: dict[str, Value] = {}
        self._old: dict[str, Value] = {}

    def get(self, name: str) -> Value | None:
        """The value of this name; ``None`` if it was never stored or has been dropped."""
        found = self._young.get(name)
        return self._old.get(name) if found is None else found

    def put(self, name: str, value: Value) -> None:
        """Stores ``value``."""
        if len(self._young) >= self._least:
            self._old, self._young = self._young, {}
        self._young[name] = value


REMEMBERED = 5_000
"""The minimum number of recent ids that are remembered. A second decision about a known id does not count as a call."""


class LoopWatch:
    """A decider that adds a question to the rulings of ``decider`` when a call repeats the previous ones.

    Each session needs its own instance.

    Args:
        ruleset: a rule for ``doom_loop`` (its pattern is the name of the tool) decides the question; without one a
            person is asked.
    """

    def __init__(
        self, decider: Decider, *, ruleset: Sequence[PermissionRule] = (), loops: DoomLoops | None = None
    ) -> None:
        self._decider: Decider = port("decide")(decider, "LoopWatch: `decider`")
        self._ruleset = rules_only(ruleset)
        self._loops: DoomLoops = instance(DoomLoops)(DoomLoops() if loops is None else loops, "LoopWatch: `loops`")
        self._known: Recent[tuple[Ruling | None]] = Recent(REMEMBERED)

    def decide(self, request: ToolRequest, /) -> Ruling:
        """The ruling on a request. Several decisions about one request count as one call."""
        known = self._known.get(request.id)
        if known is None:
            loop = self._loops.record("", request.tool, dict(request.args))
            known = (None if loop is None else ruling_on_loop(loop, self._ruleset),)
            self._known.put(request.id, known)
        return stricter(self._decider.decide(request), known[0])


def ruling_on_loop(loop: Loop, ruleset: Sequence[PermissionRule]) -> Ruling:
    """The ruling of a rule for ``doom_loop`` on ``loop``; without a rule, a question."""
    reason = f"the agent calls `{loop.tool}` with the same input, {loop.repeats} times in a row"
    rules = applicable_rules(ruleset, (DOOM_LOOP,), (loop.tool,))
    if not rules:
        return Ruling(say=Say.ASK, reason=reason, rule_id="permission:doom_loop")
    found = ruling_of(rules[0], DOOM_LOOP)
    return Ruling(say=found.say, reason=reason, rule_id=found.rule_id, grave=found.grave)
