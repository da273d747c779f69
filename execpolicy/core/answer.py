"""A person's answer to a question. Foreign formats translate their words to it at their edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from execpolicy.validators import Checked, OneOf, folder, optional, texts


class AnswerKind(OneOf):
    """The kind of an answer."""

    APPROVE = "approve"
    APPROVE_SESSION = "approve_session"
    """Yes, also for the same request again in this session."""
    APPROVE_RULE = "approve_rule"
    """Yes, and save a rule."""
    DENY = "deny"
    ABORT = "abort"
    """No, and stop."""
    UNAVAILABLE = "unavailable"
    """No answer: no person could be asked, or none answered."""


@dataclass(frozen=True, slots=True)
class Answer(Checked, amendment=texts, root=optional(folder)):
    """An answer; ``kind`` may be given by its word.

    Attributes:
        feedback: the person's words for the agent, or the reason why there is no answer.
        amendment: the command prefix to allow permanently; empty for the one that was offered.
        params: parameters that replace those of the tool call; ``None`` keeps them.
        root: a folder that may be written for the rest of the session.
    """

    kind: AnswerKind
    feedback: str | None = None
    amendment: tuple[str, ...] = ()
    params: Mapping[str, Any] | None = None
    root: str | None = None

    @property
    def approves(self) -> bool:
        """True if the call may run."""
        return self.kind in (AnswerKind.APPROVE, AnswerKind.APPROVE_SESSION, AnswerKind.APPROVE_RULE)
