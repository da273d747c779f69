"""One process per measurement: wall and processor time, peak memory, and alternating runs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Case(NamedTuple):
    """A command to measure, with its whole environment."""

    command: Sequence[str]
    environment: Mapping[str, str]


class Times(NamedTuple):
    """What the runs of one case took, in milliseconds."""

    wall: list[float]
    cpu: list[float]

    def row(self) -> tuple[float, float, float, float]:
        """Median and least wall time, median and least processor time."""
        return statistics.median(self.wall), min(self.wall), statistics.median(self.cpu), min(self.cpu)


def run_once(case: Case) -> tuple[float, float]:
    """Wall and processor milliseconds of one run, its children included.

    Raises:
        SystemExit: it did not exit with 0. A measurement of a failure would look fast.
    """
    start = time.perf_counter()
    pid = os.posix_spawn(
        case.command[0],
        list(case.command),
        dict(case.environment),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
    )
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"exit status {os.waitstatus_to_exitcode(status)}: {' '.join(case.command)}")
    return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def alternate(cases: Mapping[str, Case], runs: int, say: Callable[[str], None]) -> dict[str, Times]:
    """Measure every case ``runs`` times, one after the other, so that a noisy moment hurts all of them alike."""
    found = {name: Times([], []) for name in cases}
    for case in cases.values():
        run_once(case)  # fills file system and compiled caches
    for number in range(runs):
        say(f"round {number + 1} of {runs}")
        for name, case in cases.items():
            wall, cpu = run_once(case)
            found[name].wall.append(wall)
            found[name].cpu.append(cpu)
    return found


_PEAK = """
import os, sys
null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
_, _, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=null), 0)
print(usage.ru_maxrss)
"""


def peak(case: Case) -> float:
    """Peak resident mebibytes of one run.

    A child starts with the memory of who starts it, so a small interpreter does; its own size is the floor.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _PEAK, *case.command],
        env=dict(case.environment),
        capture_output=True,
        check=True,
    )
    return int(done.stdout) / 1024
