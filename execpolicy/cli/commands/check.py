"""``execpolicy check`` and ``execpolicy hook`` as click commands; their own modules define their arguments and work."""

from __future__ import annotations

from execpolicy.cli.check_command import run_check
from execpolicy.cli.group import UnparsedCommand
from execpolicy.cli.hook_command import run_hook
from execpolicy.cli.hook_options import usage
from execpolicy.cli.rule_options import usage_of
from execpolicy.hooks.agents import AGENTS

command = UnparsedCommand("check", run_check, usage=usage_of("check"), help="Decide whether a command may run.")
hook_command = UnparsedCommand(
    "hook", run_hook, usage=usage(), help="Answer an agent's hook call.", words=tuple(AGENTS)
)
