"""Saves lasting answers of the approval layer as rules."""

from __future__ import annotations

import asyncio

from execpolicy.core.decision import Decision
from execpolicy.errors import RuleStoreError
from execpolicy.manager.policy_manager import PolicyManager
from execpolicy.manager.snapshot import Amendment
from execpolicy.validators import instance, optional, text


class PolicyAmender:
    """Saves lasting answers as rules without blocking the event loop.

    Args:
        path: the rule file; the user's rule file by default.
    """

    def __init__(self, manager: PolicyManager, path: str | None = None) -> None:
        self._manager: PolicyManager = instance(PolicyManager)(manager, "PolicyAmender: `manager`")
        self.path = optional(text)(path, "PolicyAmender: `path`")

    async def amend(self, prefix: tuple[str, ...], /) -> None:
        """Save ``prefix`` as an allow rule.

        Raises:
            RuleStoreError: the rule was not saved, or was saved but is not effective; the message says which and why.
        """
        _check(await self._manager.aamend(prefix, path=self.path))

    async def amend_network(self, host: str, protocol: str, decision: Decision, /) -> None:
        """Save a rule for connections to ``host``.

        Raises:
            RuleStoreError: as for :meth:`amend`.
        """
        _check(await asyncio.to_thread(self._manager.amend_network, host, protocol, decision, path=self.path))


def _check(done: Amendment) -> None:
    if done.not_in_force is not None:
        raise RuleStoreError(f"saved in {done.appended.path}, but not in force: {done.not_in_force}")
