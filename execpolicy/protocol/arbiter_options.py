"""How an arbiter behaves, and what it has counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from execpolicy.protocol.messages import short_name
from execpolicy.validators import count, flag, one_of, optional, seconds, settle


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterOptions:
    """How an arbiter behaves.

    Attributes:
        timeout_s: how long a question may stay open; then it is denied (section 4.2).
        default_action: what a question gets when nobody can be asked; a grave one is denied whatever this says.
        unwaited: what a denied or dangerous request of a child that does not wait leads to (section 8.1).
        max_parse_errors: so many broken event lines end the session; 0 for no limit (section 8.2).
        max_pending: so many requests may wait at once; further ones are denied.
        expires_in_ms: how long an *allow* holds; ``None`` for ever.
        ask_host: a question goes to the other side as the decision ``ask``, and a ``policy.answer`` comes back.
        run_id: names the session in what is sent for requests that name none.
    """

    timeout_s: float = 300.0
    default_action: Literal["allow", "deny"] = "deny"
    unwaited: Literal["warn", "abort"] = "warn"
    max_parse_errors: int = 100
    max_pending: int = 8_192
    expires_in_ms: int | None = None
    ask_host: bool = False
    run_id: str | None = None

    def __post_init__(self) -> None:
        settle(self, timeout_s=seconds, default_action=one_of("allow", "deny"), unwaited=one_of("warn", "abort"))
        settle(self, max_parse_errors=count, max_pending=count, expires_in_ms=optional(count))
        settle(self, ask_host=flag, run_id=optional(short_name))


@dataclass(slots=True)
class Counters:
    """What happened, for the end of the audit trail and for tests."""

    requests: int = 0
    allowed: int = 0
    denied: int = 0
    timed_out: int = 0
    repeated: int = 0
    reused: int = 0
    replayed: int = 0
    unknown_ids: int = 0
    parse_errors: int = 0
    unwritten: int = 0
    violations: int = 0
    warnings: int = 0
    by: dict[str, int] = field(default_factory=dict)
