"""The messages that an arbiter sends, with time and a nonce of their own."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
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
