"""``execpolicy hook`` as click sees it; the work and the arguments are those of :mod:`execpolicy.cli.hook`."""

from __future__ import annotations

from execpolicy.cli.by_hand import CommandByHand
from execpolicy.cli.hook import run_hook, usage
from execpolicy.hooks.agents import AGENTS

command = CommandByHand("hook", run_hook, usage=usage(), help="Answer an agent's hook call.", words=tuple(AGENTS))
