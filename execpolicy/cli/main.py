"""The ``execpolicy`` command. ``check`` and ``hook`` go straight to their module; all else goes through click."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def run() -> None:
    """The installed command: run the command line and leave."""
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.argv[1:2] in (["check"], ["hook"]):
        os._exit(status)  # taking the interpreter apart in order costs a fifth of a check, for nothing
    sys.exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status. ``argv`` is without the program name."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments[:1] in (["check"], ["hook"]):
            gc.disable()  # one answer and out: collecting garbage would cost more than all of it
        if arguments[:1] == ["check"]:
            from execpolicy.cli.check_command import run_check

            return run_check(arguments[1:], sys.stdin, sys.stdout, sys.stderr)
        if arguments[:1] == ["hook"]:
            from execpolicy.cli.hook_command import run_hook

            return run_hook(arguments[1:], sys.stdin, sys.stdout, sys.stderr)
        from execpolicy.cli.group import run_group

        return run_group(arguments)
    except BrokenPipeError:  # the reader of our output went away; there is nobody left to tell
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
