"""Runs a program once for every system call of some kinds that it makes, and kills it there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

CHANGING = ("write", "pwrite64", "ftruncate", "fsync", "rename", "unlink")
"""System calls between which a file that is written may look different. Numbers of calls are counted for each kind."""
_MOST = 60


def killed_at_every_call(
    code: str,
    arguments: Sequence[str],
    put_back: Callable[[], object],
    *,
    calls: Sequence[str] = CHANGING,
    env: dict[str, str] | None = None,
) -> Iterator[tuple[str, int]]:
    """Run ``code`` with ``arguments`` again and again, killed by ``SIGKILL`` as it enters the nth call of one kind.

    The first thing that it writes says that it begins; calls before that are not of interest. Yields the kind and n
    after each run that was killed. ``put_back`` is called before each run.
    """
    command = [sys.executable, "-c", code, *arguments]
    put_back()
    for call in calls:
        first = _calls_before(command, call, env)
        for number in range(first + 1, first + _MOST):
            trace = ["strace", "-qq", "-o", os.devnull, "-e", f"trace={call}"]
            put_back()
            inject = f"inject={call}:signal=KILL:when={number}"
            done = subprocess.run(
                [*trace, "-e", inject, *command], env=env, stdout=subprocess.DEVNULL, check=False, timeout=60
            )
            if done.returncode == 0:
                break
            assert done.returncode in (-9, 137), (call, number, done)
            yield call, number


def _calls_before(command: list[str], call: str, env: dict[str, str] | None) -> int:
    """How many calls of the kind are made before the program begins, the one that says so included."""
    trace = ["strace", "-qq", "-e", f"trace={call},write"]
    stopped = subprocess.run(
        [*trace, "-e", "inject=write:signal=KILL:when=1", *command],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    lines = [line for line in stopped.stderr.splitlines() if line.startswith(f"{call}(")]
    return len(lines)
