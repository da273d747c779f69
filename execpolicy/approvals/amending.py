"""Saves approved prefixes in a rule file, for hosts that have no policy manager."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from execpolicy.amend.store import append_lines
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import RuleStoreError
from execpolicy.lang.render import render_prefix_rule

if TYPE_CHECKING:
    from collections.abc import Callable


class RuleFileAmender:
    """An :class:`execpolicy.approvals.ports.Amender` for one file.

    Args:
        path: the rule file; it and its folder are made when needed.
        put_in_force: called in the event loop with every rule that was saved.
    """

    def __init__(self, path: str, put_in_force: Callable[[PrefixRule], None]) -> None:
        self._path = path
        self._put_in_force = put_in_force
        self._lock = asyncio.Lock()

    async def amend(self, prefix: tuple[str, ...]) -> None:
        """Append the rule, then put it in force. One at a time: the file and the memory stay in the same order.

        Raises:
            RuleStoreError: there is no token, or the file could not be written.
        """
        if not prefix:
            raise RuleStoreError(f"failed to update rules file {self._path}: prefix rule requires at least one token")
        line = render_prefix_rule(prefix)
        async with self._lock:
            await asyncio.to_thread(append_lines, self._path, (line,))
            self._put_in_force(PrefixRule(PrefixPattern.of(prefix)))
