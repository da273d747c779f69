"""Prefixes that are too broad to be saved. The data lives in ``core``, because the linter needs it too."""

from __future__ import annotations

from execpolicy.core.banned import BANNED_PREFIXES, is_banned, is_banned_in_any_case

__all__ = ["BANNED_PREFIXES", "is_banned", "is_banned_in_any_case"]
