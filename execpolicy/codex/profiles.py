"""Whose semantics hold: ``default`` (the written specification with our reader) or ``codex-0.169`` (as measured)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from execpolicy.approvals.default_profile import DEFAULT
from execpolicy.codex.codex_profile import CODEX_0_169
from execpolicy.errors import UsageError

if TYPE_CHECKING:
    from execpolicy.approvals.profile import Profile

_BY_NAME = {profile.name: profile for profile in (DEFAULT, CODEX_0_169)}


def profile_named(name: str) -> Profile:
    """The profile of that name.

    Raises:
        UsageError: there is none; the message lists the names.
    """
    profile = _BY_NAME.get(name) if isinstance(name, str) else None
    if profile is None:
        raise UsageError(f"unknown profile {name!r}: write one of {', '.join(_BY_NAME)}")
    return profile
