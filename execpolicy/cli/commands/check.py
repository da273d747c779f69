"""``execpolicy check`` as a click command; :mod:`execpolicy.cli.check_command` defines its arguments and work."""

from __future__ import annotations

from execpolicy.cli.check_command import run_check
from execpolicy.cli.check_options import USAGE
from execpolicy.cli.group import UnparsedCommand

command = UnparsedCommand("check", run_check, usage=USAGE, help="Decide whether a command may run.")
