"""``execpolicy check`` as click sees it; work and arguments are those of :mod:`execpolicy.cli.check_command`."""

from __future__ import annotations

from execpolicy.cli.check_command import run_check
from execpolicy.cli.check_options import USAGE
from execpolicy.cli.unparsed_command import UnparsedCommand

command = UnparsedCommand("check", run_check, usage=USAGE, help="Decide whether a command may run.")
