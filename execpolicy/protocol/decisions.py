"""The decision of the policy about a tool request, before any question, and the table of tool calls.

Each call has a state machine (seed 004, section 6.1): New → Pending → Allowed, Denied, DeniedTimeout or FailedTransport
→ Completed. The ledger counts and records the calls.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Generic, Protocol, TypeVar

from execpolicy.amend.preview import why_not_savable
from execpolicy.core.decision import Decision
from execpolicy.diagnostics.render_text import visible
from execpolicy.permissions.audit import AuditSink
from execpolicy.permissions.ruleset import PermissionRule, applicable_rules, rules_only
from execpolicy.permissions.tool_names import DOOM_LOOP
from execpolicy.permissions.tool_use import DoomLoops, Loop
from execpolicy.protocol.messages import Choice, Counters, PolicyAnswer, ToolRequest
from execpolicy.validators import Checked, argv, instance, port


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling(Checked, decision=lambda value, what: Decision(value), proposal=argv):
    """A policy's answer.

    Attributes:
        reason: one line for the child and the person.
        rule_id: the id of the deciding rule.
        constraints: the limits of an allowed call.
        grave: true if only a person may allow it: no default action turns *ask* into *allow*.
        dangerous: true if the call is known to be dangerous; an agent that does not wait may be ended for it.
        once: true if an approval is valid for this one call only, because an administrator's rule requires it.
        grounds: the codes of the grounds for allowing a command (``execpolicy.judge.grounds``), for the audit trail.
        proposal: an argv prefix that could be allowed permanently, added for the question; empty if there is none.
    """

    decision: Decision
    reason: str
    rule_id: str | None = None
    constraints: Mapping[str, Any] | None = None
    grave: bool = False
    dangerous: bool = False
    once: bool = False
    grounds: tuple[str, ...] = ()
    proposal: tuple[str, ...] = ()

    def choices(self) -> tuple[Choice, ...]:
        """The answers that a host may send."""
        session = () if self.once else (Choice.SESSION,)
        keep = (Choice.KEEP,) if self.proposal else ()
        return (Choice.ONCE, *session, *keep, Choice.DENY, Choice.ABORT, Choice.UNAVAILABLE)

    def offers(self, prefix: tuple[str, ...]) -> bool:
        """True if ``prefix`` is the proposal or its first words, and is not too broad to be saved."""
        offered = bool(self.proposal) and self.proposal[: len(prefix)] == prefix
        return offered and why_not_savable(prefix or self.proposal) is None

    def changed(self, decision: Decision, reason: str) -> Ruling:
        """A ruling with another decision and reason, but the same rule and constraints."""
        return Ruling(decision=decision, reason=reason, rule_id=self.rule_id, constraints=self.constraints)


def refusal(reason: str) -> Ruling:
    """A refusal by this program itself, not by a rule."""
    return Ruling(decision=Decision.FORBIDDEN, reason=reason)


def question(reason: str, rule_id: str | None = None) -> Ruling:
    """A question that only a person may answer."""
    return Ruling(decision=Decision.PROMPT, reason=reason, rule_id=rule_id, grave=True)


def ruling_of(rule: PermissionRule | None, permission: str) -> Ruling:
    """The ruling of a permission rule; without one, a question."""
    if rule is None:
        return Ruling(decision=Decision.PROMPT, reason=f"no permission rule for {permission} matches")
    decision = rule.action.decision
    name = f"permission:{rule.permission}:{rule.pattern}"
    reason = f"permission {rule.permission} `{rule.pattern}`"
    return Ruling(decision=decision, reason=reason, rule_id=name, grave=decision is Decision.PROMPT)


def stricter(one: Ruling, other: Ruling | None) -> Ruling:
    """The stricter of two rulings; of two equally strict ones, the grave one."""
    if other is None or (one.decision, one.grave) >= (other.decision, other.grave):
        return one
    return other


class Decider(Protocol):
    """Decides about tool requests by rules alone."""

    def decide(self, request: ToolRequest, /) -> Ruling:
        """The ruling. An exception denies the request."""


class Keeper(Protocol):
    """Saves an approved prefix permanently."""

    def propose(self, request: ToolRequest, /) -> tuple[str, ...]:
        """The argv prefix that a person may allow permanently with this request; empty if there is none."""

    async def keep(self, prefix: tuple[str, ...], /) -> str:
        """Makes a rule for ``prefix`` effective and returns one line that describes the change.

        Raises:
            ExecPolicyError: it could not be saved.
        """


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
        return Ruling(decision=Decision.PROMPT, reason=reason, rule_id="permission:doom_loop")
    found = ruling_of(rules[0], DOOM_LOOP)
    return Ruling(decision=found.decision, reason=reason, rule_id=found.rule_id, grave=found.grave)


REMEMBERED_CALLS = 50_000
"""The minimum number of settled calls that are remembered. Older ids count as new and are judged like any other."""


class CallState(StrEnum):
    """The state of a call."""

    PENDING = "pending"
    ALLOWED = "allowed"
    DENIED = "denied"
    DENIED_TIMEOUT = "denied_timeout"
    FAILED_TRANSPORT = "failed_transport"
    COMPLETED = "completed"


class Arrival(StrEnum):
    """The relation of a ``tool.request`` to the calls in the table."""

    NEW = "new"
    REPEATED = "repeated"
    """The same request again while its call is open: it needs no action."""
    REUSED = "reused"
    """An id of a different request, or of a completed one: never granted."""


@dataclass(slots=True)
class Call:
    """The call of one id.

    Attributes:
        request: the request, while the call is pending.
        allowed: true if the decision was to allow it.
        size: the size of the request in characters.
        waits: true if the child waits for the decision.
        handed_over: the question that was passed to the host.
        answer: the host's answer.
    """

    digest: bytes
    opened: float
    waits: bool
    request: ToolRequest | None
    size: int
    state: CallState = CallState.PENDING
    allowed: bool = False
    handed_over: Ruling | None = None
    answer: PolicyAnswer | None = None


class CallTable:
    """All calls of a session. Pending ones are kept until they are settled, settled ones for a limited time."""

    def __init__(self, *, remembered: int = REMEMBERED_CALLS) -> None:
        self._pending: dict[str, Call] = {}
        self._settled: Recent[Call] = Recent(remembered)
        self.pending_size = 0

    def __len__(self) -> int:
        return len(self._pending)

    def get(self, id: str) -> Call | None:
        """The call of this id."""
        return self._pending.get(id) or self._settled.get(id)

    def pending(self) -> tuple[Call, ...]:
        """The calls that wait for a decision, oldest first."""
        return tuple(self._pending.values())

    def open(self, request: ToolRequest, now: float) -> Arrival:
        """Records a request; a new one becomes pending."""
        text = _asked(request)
        digest = _digest(text)
        known = self.get(request.id)
        if known is None:
            self._pending[request.id] = Call(digest, now, request.requires_policy, request, len(text))
            self.pending_size += len(text)
            return Arrival.NEW
        if known.digest != digest or known.state is CallState.COMPLETED:
            return Arrival.REUSED
        return Arrival.REPEATED

    def settle(self, id: str, state: CallState, *, allowed: bool = False) -> Call | None:
        """Settles a pending call. Returns ``None`` and changes nothing if the call is not pending."""
        call = self._pending.pop(id, None)
        if call is None:
            return None
        self.pending_size -= call.size
        call.state = state
        call.allowed = allowed
        call.request = None
        self._settled.put(id, call)
        return call

    def complete(self, id: str) -> tuple[Call, CallState] | None:
        """Completes a call; returns the call and its previous state, or ``None`` for an unknown id."""
        call = self.get(id)
        if call is None:
            return None
        before = call.state
        if before is CallState.PENDING:
            self.settle(id, CallState.COMPLETED)
        call.state = CallState.COMPLETED
        return call, before


def digest_of(request: ToolRequest) -> bytes:
    """A digest that is equal for requests with the same content."""
    return _digest(_asked(request))


def _asked(request: ToolRequest) -> str:
    return json.dumps([request.tool, request.action, request.args, request.requires_policy], sort_keys=True)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("ascii"), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class CallLedger:
    """The calls of one session, counted and written to the audit trail.

    Args:
        run_id: the id of the session; part of every entry of the audit trail.
        warn: shows a line to the person; must not block.
        audit: receives every request, decision and result. A call whose record cannot be stored is not allowed.
    """

    run_id: str | None
    warn: Callable[[str], None]
    audit: AuditSink | None
    calls: CallTable = field(default_factory=CallTable)
    counters: Counters = field(default_factory=Counters)

    def warning(self, text: str) -> None:
        """Shows a warning to the person, as one printable line."""
        self.counters.warnings += 1
        self.warn(visible(text))

    def note(self, event: str, id: str | None, entry: Mapping[str, Any]) -> bool:
        """Writes to the audit trail; ``False`` if that failed."""
        if self.audit is None:
            return True
        try:
            self.audit.write({"event": event, "run_id": self.run_id, "id": id, **entry})
        except Exception as error:
            self.counters.unwritten += 1
            self.warning(f"the audit trail: {error}")
            return False
        return True

    def settle(self, request: ToolRequest, state: CallState, ruling: Ruling, *, by: str) -> Call | None:
        """Closes the call of ``request``; ``None`` if it is not open. An unrecorded decision allows nothing."""
        call = self.calls.settle(request.id, state, allowed=state is CallState.ALLOWED)
        if call is None:
            return None
        entry: dict[str, Any] = {
            "decision": state.value,
            "by": by,
            "reason": ruling.reason,
            "rule_id": ruling.rule_id,
            "duration_ms": round((time.monotonic() - call.opened) * 1000, 3),
        }
        if call.allowed and ruling.grounds:
            entry["grounds"] = list(ruling.grounds)
        if not self.note("decision", request.id, entry) and call.allowed:
            call.state, call.allowed = CallState.DENIED, False
        self.counters.allowed += call.allowed
        self.counters.denied += not call.allowed
        self.counters.by[by] = self.counters.by.get(by, 0) + 1
        return call
