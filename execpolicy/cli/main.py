"""The ``execpolicy`` command. ``check`` and ``hook`` go straight to their modules; all others go through click."""

from __future__ import annotations

import gc
import os
import sys
from _collections_abc import Sequence

from execpolicy.cli import check_command, group, hook_command, signals
from execpolicy.cli.output import BROKEN_PIPE, PROBLEM, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def run() -> None:
    """The installed command: run the command line and exit."""
    if os.name == "nt":
        from execpolicy.system import NOT_ON_WINDOWS

        _tell(f"error: {NOT_ON_WINDOWS}\n")
        os._exit(USAGE)  # which an agent takes as a refusal
    if sys.argv[1:2] == ["hook"]:
        _answer()
    try:
        status = main()
        if sys.stdout is not None and not sys.stdout.closed:  # the language server closes it
            sys.stdout.flush()
    except BrokenPipeError:
        os._exit(BROKEN_PIPE)  # flushes nothing again
    except OSError as error:
        _tell(f"error: {_what_cannot_be_done()}: {error.strerror or error}\n")
        os._exit(PROBLEM)
    if sys.argv[1:2] in (["check"], ["ui"]):
        if sys.stderr is not None:
            sys.stderr.flush()
        # an orderly interpreter shutdown costs a fifth of a check, and waits for requests of a page that is closed
        os._exit(status)
    sys.exit(status)


def _answer() -> NoReturn:
    """Answer an agent's call. An agent may take any status but 2 as consent, so every failure exits with 2."""
    try:
        status = main()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BaseException as error:
        status = USAGE
        _tell(f"error: {type(error).__name__}: {error}\n")
    os._exit(status)


def _what_cannot_be_done() -> str:
    """The cause of an unexpected system error."""
    try:
        os.getcwd()
    except OSError:
        return "the working folder cannot be used"
    return "cannot write the output"


def _tell(message: str) -> None:
    """Write to standard error, if it is open."""
    try:
        os.write(2, message.encode())
    except OSError:
        return


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status. ``argv`` is without the program name."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["hook"]:
        gc.disable()
        signals.refuse_when_signalled()
        return hook_command.run_hook(arguments[1:], sys.stdin, sys.stdout, sys.stderr)
    if sys.stdout is None:
        _tell("error: standard output is closed\n")
        return PROBLEM
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)  # occupies descriptor 0, so that no other file gets it
    if sys.stderr is None:
        sys.stderr = open(os.open(os.devnull, os.O_WRONLY), "w")  # noqa: SIM115  # open until the process ends
    try:
        if arguments[:1] in (["check"], ["fmt"]) or (arguments[:1] == ["lint"] and "--watch" not in arguments):
            gc.disable()  # one answer and exit: garbage collection would only cost time
        if arguments[:1] == ["check"]:
            return check_command.run_check(arguments[1:], sys.stdin, sys.stdout, sys.stderr)
        return group.run_group(arguments)
    except BrokenPipeError:  # the reader of the output is gone, so no message can reach it
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return 130
    except RuntimeError as error:
        if "new thread" not in str(error):
            raise
        _tell("error: no thread can be started: the limit on processes or memory is used up\n")
        return PROBLEM
    except MemoryError:
        _tell("error: there is not enough memory\n")
        return PROBLEM
