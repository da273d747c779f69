"""The messages that an arbiter sends, with time and a nonce of their own.

Lines for the person, written by a thread of its own: a standard error that nobody reads delays no decision.
"""

from __future__ import annotations

import os
import queue
import secrets
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from execpolicy.permissions.audit import now_rfc3339
from execpolicy.protocol.messages import (
    ANSWERS,
    CAPABILITIES,
    AbortCode,
    Choice,
    DecisionWord,
    PolicyAbort,
    PolicyDecision,
    PolicyPing,
)

MAX_WAITING = 1_000
"""Texts that may wait; further ones are dropped, for nobody is reading."""


class Notices:
    """Writes texts to a descriptor, in order."""

    def __init__(self, fd: int = 2) -> None:
        self._fd = fd
        self._queue: queue.Queue[str | None] = queue.Queue(MAX_WAITING)
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)
        self._thread.start()

    def show(self, text: str) -> None:
        """Write ``text`` as it is."""
        with suppress(queue.Full):
            self._queue.put_nowait(text)

    def warn(self, line: str) -> None:
        """Write one line in the program's name."""
        self.show(f"execpolicy: {line}\n")

    def close(self, timeout_s: float = 1.0) -> None:
        """Write what waits, at most so long."""
        with suppress(queue.Full):
            self._queue.put_nowait(None)
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while (text := self._queue.get()) is not None:
            rest = memoryview(text.encode("utf-8", "backslashreplace"))
            try:
                while rest:
                    rest = rest[os.write(self._fd, rest) :]
            except OSError:
                continue


def ping(*, run_id: str | None, timeout_s: float, answers: bool = False, id: str | None = None) -> PolicyPing:
    """The approval channel works.

    Args:
        answers: a host may answer questions.
        id: of the ping that this one answers.
    """
    return PolicyPing(
        id=id or f"ping-{secrets.token_hex(4)}",
        ts=now_rfc3339(),
        run_id=run_id,
        nonce=secrets.token_hex(8),
        capabilities=(*CAPABILITIES, ANSWERS) if answers else CAPABILITIES,
        timeout_ms=round(timeout_s * 1000),
    )


def decision(
    word: DecisionWord,
    reason: str,
    *,
    id: str,
    run_id: str | None,
    request_nonce: str | None = None,
    rule_id: str | None = None,
    constraints: Mapping[str, Any] | None = None,
    expires_in_ms: int | None = None,
    choices: tuple[Choice, ...] | None = None,
    proposal: tuple[str, ...] | None = None,
) -> PolicyDecision:
    """The answer to a request. It repeats the nonce of the request, so that the child can tell which one is meant."""
    return PolicyDecision(
        id=id,
        ts=now_rfc3339(),
        run_id=run_id,
        nonce=secrets.token_hex(8),
        decision=word,
        reason=reason,
        request_nonce=request_nonce,
        rule_id=rule_id,
        constraints=constraints,
        expires_in_ms=expires_in_ms,
        choices=choices,
        proposal=proposal,
    )


def abort(code: AbortCode, reason: str, *, run_id: str | None) -> PolicyAbort:
    """The session ends."""
    return PolicyAbort(
        id=f"abort-{secrets.token_hex(4)}",
        ts=now_rfc3339(),
        run_id=run_id,
        nonce=secrets.token_hex(8),
        reason=reason,
        code=code.value,
    )
