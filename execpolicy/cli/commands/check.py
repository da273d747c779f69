"""``execpolicy check`` as click sees it; the work and the arguments are those of :mod:`execpolicy.cli.check`."""

from __future__ import annotations

from execpolicy.cli.by_hand import CommandByHand
from execpolicy.cli.check import run_check
from execpolicy.cli.check_options import USAGE

command = CommandByHand("check", run_check, usage=USAGE, help="Decide whether a command may run.")
