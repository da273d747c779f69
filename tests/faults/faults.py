"""Faults that are put into real runs of every command: its streams, signals, limits and what it inherits."""

from __future__ import annotations

import resource
import signal
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
        kind: the row of the table it belongs to.
        prepare: what the process does before it becomes the command.
        stdout, stderr, stdin: what stands in for the stream.
        inject: what ``strace`` does to a kind of system call: every one, or with ``stage`` the one that comes after
            that part of all of them.
        full: nothing more fits on the file system.
    """

    kind: str
    name: str
    prepare: Callable[[], object] | None = None
    stdout: str = "pipe"
    stderr: str = "pipe"
    stdin: str = "pipe"
    inject: str = ""
    stage: float | None = None
    full: bool = False


def _limit(which: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(which, (most, most))


def _ignore(number: int) -> Callable[[], object]:
    return lambda: signal.signal(number, signal.SIG_IGN)


SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGXCPU, signal.SIGPIPE)
STAGES = (0.3, 0.8, 1.0)
"""Parts of all the files that a command opens: a moment that does not depend on how busy the machine is."""

FAULTS = (
    *[Fault("standard output", what, stdout=what) for what in ("closed", "full", "gone", "slow", "non-blocking")],
    *[Fault("standard error", what, stderr=what) for what in ("closed", "full", "gone", "slow", "non-blocking")],
    *[Fault("standard input", what, stdin=what) for what in ("closed", "slow", "non-blocking", "folder")],
    *[
        Fault("signals", f"{number.name} at {stage:.0%}", inject=f"openat:signal={number.name}", stage=stage)
        for number in SIGNALS
        for stage in STAGES
    ],
    *[Fault("descriptors", f"{most}", prepare=_limit(resource.RLIMIT_NOFILE, most)) for most in (4, 6, 8, 12)],
    *[Fault("memory", f"{most} MB", prepare=_limit(resource.RLIMIT_AS, most << 20)) for most in (24, 60, 150)],
    *[Fault("disk", f"{most} bytes", prepare=_limit(resource.RLIMIT_FSIZE, most)) for most in (0, 100)],
    Fault("disk", "full", full=True),
    Fault("processes", "none more", inject="clone,clone3,fork,vfork:error=EAGAIN"),
    Fault("processor time", "1 s", prepare=_limit(resource.RLIMIT_CPU, 1)),
    *[Fault("inherited", f"{s.name} ignored", prepare=_ignore(s)) for s in (signal.SIGCHLD, signal.SIGPIPE)],
)
NO_FAULT = Fault("none", "none")
