"""The reason for a rule, in its author's words."""

from __future__ import annotations

from execpolicy import validators
from execpolicy.core.text import is_blank
from execpolicy.errors import InvalidRuleError


def justified(justification: str | None, what: str) -> str | None:
    """The reason as a plain text; ``None`` if there is none.

    Raises:
        InvalidRuleError: the reason is empty.
        UsageError: the reason is not a text.
    """
    if justification is None:
        return None
    if justification.__class__ is not str:
        justification = validators.text(justification, what)
    if is_blank(justification):
        raise InvalidRuleError("invalid rule: justification cannot be empty", help="say why, or leave it out")
    return justification
