"""Whose semantics hold: ``default`` (the written specification with our reader) or a version of Codex (as measured)."""

from __future__ import annotations

from dataclasses import replace

from execpolicy.approvals.default_profile import DEFAULT
from execpolicy.approvals.profile import Profile
from execpolicy.codex import RANGES
from execpolicy.codex.codex_profile import CODEX_0_169, shell_without_login
from execpolicy.errors import UsageError
from execpolicy.validators import flag

_OF_RANGES = dict(zip(RANGES, (CODEX_0_169,), strict=True))
_BY_NAME = {
    "default": DEFAULT,
    **{
        name: profile if name == profile.name else replace(profile, name=name)
        for names, profile in _OF_RANGES.items()
        for name in names
    },
}


def profile_named(name: str, *, allow_login_shell: bool = True) -> Profile:
    """The profile of that name.

    Args:
        allow_login_shell: what Codex's settings say under this name. It is nothing to the profile ``default``.

    Raises:
        UsageError: there is none; the message lists the names.
    """
    profile = _BY_NAME.get(name) if isinstance(name, str) else None
    if profile is None:
        raise UsageError(f"unknown profile {name!r}: write one of {', '.join(_BY_NAME)}")
    if flag(allow_login_shell, "`allow_login_shell`") or profile is DEFAULT:
        return profile
    return replace(profile, argv_of=shell_without_login)
