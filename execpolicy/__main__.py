"""``python -m execpolicy``."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the cwd, which may contain a module of any name

from execpolicy.cli.main import run

run()
