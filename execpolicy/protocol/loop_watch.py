"""Asks when an agent repeats itself: the permission ``doom_loop`` in a session.

Source: seed 002, "Doom Loop Detection".

What was seen lately: values by name, of which the oldest are forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from execpolicy.permissions.ruleset import PermissionRule, rules_only, speaking
from execpolicy.permissions.shell_patterns import DOOM_LOOP
from execpolicy.permissions.tool_use import DoomLoops, Loop
from execpolicy.protocol.decisions import Decider, Ruling, Say
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.policy_decider import ruling_of, stricter
from execpolicy.validators import instance, port

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The newest values: at least ``least`` of them, at most twice as many.

    They are forgotten a whole generation at a time: a table from which one is taken for each that comes is made anew,
    and larger, again and again, and over a million requests a process grew by a tenth.
    """

    def __init__(self, least: int) -> None:
        self._least = least
        self._young: dict[str, Value] = {}
        self._old: dict[str, Value] = {}

    def get(self, name: str) -> Value | None:
        """The value of this name, ``None`` if it was never put or is forgotten."""
        found = self._young.get(name)
        return self._old.get(name) if found is None else found

    def put(self, name: str, value: Value) -> None:
        """Remember ``value``."""
        if len(self._young) >= self._least:
            self._old, self._young = self._young, {}
        self._young[name] = value


REMEMBERED = 5_000
"""At least so many calls back an id is still known, so that deciding about it once more is no further call."""


class LoopWatch:
    """What ``decider`` says, and a question where a call repeats the ones before it. One for each session.

    Args:
        ruleset: a rule for ``doom_loop`` (its pattern is the name of the tool) settles the question; without one a
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
        """The ruling on a request, which counts as one call however often it is decided about."""
        known = self._known.get(request.id)
        if known is None:
            known = (self._looped(request),)
            self._known.put(request.id, known)
        (looped,) = known
        ruling = self._decider.decide(request)
        return ruling if looped is None else stricter(ruling, looped)

    def _looped(self, request: ToolRequest) -> Ruling | None:
        loop = self._loops.record("", request.tool, dict(request.args))
        return None if loop is None else ruling_on_loop(loop, self._ruleset)


def ruling_on_loop(loop: Loop, ruleset: Sequence[PermissionRule]) -> Ruling:
    """What a rule for ``doom_loop`` says about it; without one it is asked about."""
    reason = f"the agent calls `{loop.tool}` with the same input, {loop.repeats} times in a row"
    rules = speaking(ruleset, (DOOM_LOOP,), (loop.tool,))
    if not rules:
        return Ruling(say=Say.ASK, reason=reason, rule_id="permission:doom_loop")
    found = ruling_of(rules[0], DOOM_LOOP)
    return Ruling(say=found.say, reason=reason, rule_id=found.rule_id, grave=found.grave)
