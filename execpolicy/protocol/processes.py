"""Starting a child so that nothing of it is left behind.

The child leads a process group of its own. On Linux it is told when this process dies (``PR_SET_PDEATHSIG``), and this
process adopts what the child leaves behind (``PR_SET_CHILD_SUBREAPER``), so that a grandchild that started a session
of its own is found too.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def spawn(
    argv: Sequence[str],
    *,
    cwd: str | None,
    env: Mapping[str, str],
    stdin: int,
    stdout: int,
    stderr: int,
    die_with_parent: bool,
) -> subprocess.Popen[bytes]:
    """Start ``argv`` with these descriptors.

    Args:
        die_with_parent: it gets SIGTERM when the thread that calls this ends (Linux).

    Raises:
        OSError: it cannot be started.
    """
    return subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=dict(env),
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        process_group=0,
        preexec_fn=_tell_of_death() if die_with_parent and sys.platform == "linux" else None,
        restore_signals=True,
    )


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _tell_of_death() -> Callable[[], None]:
    prctl, parent = _libc().prctl, os.getpid()  # looked up here: between fork and exec nothing may be loaded

    def tell() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
        if os.getppid() != parent:  # it died before the call
            os._exit(127)

    return tell


def adopt_orphans(wanted: bool) -> None:
    """Become (or stop being) the parent of what descendants leave behind. No effect outside Linux."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group; ``False`` if nobody is left in it."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # something in it runs as another user by now
        return True
    return True


def adopted() -> tuple[int, ...]:
    """Processes whose parent this process is."""
    found: set[int] = set()
    try:
        threads = os.listdir("/proc/self/task")
    except OSError:
        return ()
    for thread in threads:
        with suppress(OSError), open(f"/proc/self/task/{thread}/children", encoding="ascii") as file:
            found.update(int(word) for word in file.read().split())
    return tuple(sorted(found))


def reap(pids: Sequence[int]) -> None:
    """Collect those that are over."""
    for pid in pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def exit_status(returncode: int) -> int:
    """A shell's number for how a process ended: its status, or 128 + the signal that ended it."""
    return returncode if returncode >= 0 else 128 - returncode
