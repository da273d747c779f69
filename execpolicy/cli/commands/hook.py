"""``execpolicy hook`` as a click command; :mod:`execpolicy.cli.hook_command` defines its arguments and work."""

from __future__ import annotations

from execpolicy.cli.group import UnparsedCommand
from execpolicy.cli.hook_command import run_hook
from execpolicy.cli.hook_options import usage
from execpolicy.hooks.agents import AGENTS

command = UnparsedCommand("hook", run_hook, usage=usage(), help="Answer an agent's hook call.", words=tuple(AGENTS))
