"""How a child is run under an arbiter, and how that ended.

How an arbiter behaves, and what it has counted.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from execpolicy.errors import UsageError
from execpolicy.protocol.messages import AbortCode, short_name
from execpolicy.validators import count, flag, folder, mapping, member, one_of, optional, seconds, settle, shown, text
from execpolicy.validators import number as whole


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


ABORTED = 125
"""Exit status when the arbiter ended the session."""

OUTPUT_LOST = 1
"""Exit status when all went well but the output, or a line of the audit trail, could not be written."""

BROKEN_PIPE = 128 + signal.SIGPIPE
"""Exit status when all went well but nobody reads the output any more."""

CANNOT_RUN = 126

NOT_FOUND = 127


def _start(value: Any, what: str) -> str:
    if "\n" not in text(value, what):
        return str(value)
    raise UsageError(f"{what} must be what a line can start with, not {shown(value)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """How a child is run.

    Attributes:
        cwd: the child's working folder, absolute; ``None`` for that of this process.
        prefix: what event lines start with; empty means plain JSON lines.
        stderr_events: events are looked for on standard error too.
        ping: tell the child first that decisions will come.
        grace_s: how long the child gets after an abort or a signal, and again after SIGTERM.
        leftovers_s: how long what the child left behind gets between SIGTERM and SIGKILL.
        drain_s: how long output may still come when everything is over.
        stall_s: how long the child may leave its standard input full.
        own_process: this process exists for this session only, so that every process below it at the end is something
            that the agent left behind when somebody killed its warden, and is ended.
    """

    cwd: str | None = None
    env: Mapping[str, str] | None = None
    prefix: str = ""
    stderr_events: bool = True
    ping: bool = True
    grace_s: float = 5.0
    leftovers_s: float = 1.0
    drain_s: float = 2.0
    stall_s: float = 60.0
    own_process: bool = False

    def __post_init__(self) -> None:
        settle(self, cwd=optional(folder), env=optional(mapping), prefix=_start, stderr_events=flag, ping=flag)
        settle(self, grace_s=seconds, leftovers_s=seconds, drain_s=seconds, stall_s=seconds, own_process=flag)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a session ended.

    Attributes:
        status: for this process to exit with: the child's own, 128 + signal, or 125 to 127.
        returncode: the child's, negative for a signal; ``None`` if it never ran.
        aborted: the code, if the arbiter ended it.
    """

    status: int
    returncode: int | None
    aborted: AbortCode | None = None

    def __post_init__(self) -> None:
        settle(self, status=whole, returncode=optional(whole), aborted=optional(member(AbortCode)))
