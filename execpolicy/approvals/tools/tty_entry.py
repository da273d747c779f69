"""Gives a command a terminal of its own: ``tty_entry.py COMMAND...``. A program of its own, by the standard library."""

import os
import pty
import sys


def main() -> None:
    """Run the command on a new terminal and pass on what it prints; with its status."""
    code = os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:]))
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
