"""The options and the outcome of a child's run under an arbiter, and the options and counters of the arbiter."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from execpolicy.errors import UsageError
from execpolicy.protocol.messages import AbortCode, short_name
from execpolicy.validators import Checked, folder, optional, shown, text
from execpolicy.validators import number as whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterOptions(Checked, run_id=optional(short_name)):
    """The options of an arbiter.

    Attributes:
        timeout_s: the time limit of a question in seconds; afterwards the request is denied (section 4.2).
        default_action: the answer to a question that no person can be asked; a grave one is always denied.
        unwaited: the reaction to a denied or dangerous request of a child that does not wait (section 8.1).
        max_parse_errors: the number of broken event lines that ends the session; 0 for no limit (section 8.2).
        max_pending: the maximum number of requests that wait at once; further ones are denied.
        expires_in_ms: the validity of an *allow* in milliseconds; ``None`` for no limit.
        ask_host: true to send a question to the other side as the decision ``ask``, which a ``policy.answer`` answers.
        run_id: the name of the session in answers to requests that name none.
    """

    timeout_s: float = 300.0
    default_action: Literal["allow", "deny"] = "deny"
    unwaited: Literal["warn", "abort"] = "warn"
    max_parse_errors: int = 100
    max_pending: int = 8_192
    expires_in_ms: int | None = None
    ask_host: bool = False
    run_id: str | None = None


@dataclass(slots=True)
class Counters:
    """The counters of a session, for the end of the audit trail and for tests."""

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
"""The exit status if the arbiter ended the session."""

OUTPUT_LOST = 1
"""The exit status if only the output, or a line of the audit trail, could not be written."""

BROKEN_PIPE = 128 + signal.SIGPIPE
"""The exit status if the only failure is that the output has no reader any more."""

CANNOT_RUN = 126

NOT_FOUND = 127


def _start(value: Any, what: str) -> str:
    if "\n" not in text(value, what):
        return str(value)
    raise UsageError(f"{what} must be what a line can start with, not {shown(value)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions(Checked, cwd=optional(folder), prefix=_start):
    """The options of a child's run.

    Attributes:
        cwd: the child's working directory, absolute; ``None`` for that of this process.
        prefix: the start of event lines; empty for plain JSON lines.
        stderr_events: true to look for events on standard error too.
        ping: true to send a ping first, which promises decisions.
        grace_s: the time in seconds for the child to end after an abort or a signal, and again after SIGTERM.
        leftovers_s: the time in seconds between SIGTERM and SIGKILL for the processes that the child left behind.
        drain_s: the time in seconds in which output is still read after the end.
        stall_s: the time in seconds that the child may leave its standard input full.
        own_process: true if this process exists for this session only. Every process below it at the end was then left
            behind by an agent whose warden was killed, and is ended.
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


@dataclass(frozen=True, slots=True)
class Outcome(Checked, status=whole, returncode=optional(whole)):
    """The outcome of a session.

    Attributes:
        status: the exit status for this process: the child's own, 128 + signal, or 125 to 127.
        returncode: the child's return code, negative for a signal; ``None`` if it never ran.
        aborted: the code, if the arbiter ended the session.
    """

    status: int
    returncode: int | None
    aborted: AbortCode | None = None
