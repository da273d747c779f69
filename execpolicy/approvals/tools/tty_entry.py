"""Runs a command on its own terminal: ``tty_entry.py COMMAND...``. A separate program of standard-library modules."""

import os
import pty
import signal
import sys


def main() -> None:
    """Run the command on a new terminal, forward its output and exit with its status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # early keyboard input must not end in a traceback
    running, runs = os.pipe()  # the command's end closes when the command starts
    waiting = [runs]

    def typed(descriptor: int) -> bytes:
        """Read input once the command has started."""
        while waiting:
            os.close(waiting.pop())
            os.read(running, 1)
        return os.read(descriptor, 1024)

    try:
        status = pty.spawn(sys.argv[1:], stdin_read=typed)
    except OSError as error:
        print(f"execpolicy: cannot run `{sys.argv[1]}`: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
