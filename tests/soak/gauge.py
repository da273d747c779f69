"""What a process holds while it runs: memory and descriptors, sampled."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

_PAUSE_S = 0.5
_SLACK = 1.02
"""Memory that allocators and caches may still move by, as a factor."""
_SLACK_MB = 1.0
_SLACK_DESCRIPTORS = 2


@dataclass(frozen=True)
class Held:
    """Medians of megabytes of memory and numbers of descriptors in each tenth of the run.

    Attributes:
        most_mb: the most memory at any moment.
    """

    memory: tuple[float, ...]
    descriptors: tuple[int, ...]
    most_mb: float

    @property
    def grew(self) -> bool:
        """Whether it held more at the end than two tenths earlier: what is remembered is full by then."""
        return (
            self.memory[-1] > self.memory[-3] * _SLACK + _SLACK_MB
            or self.descriptors[-1] > self.descriptors[-3] + _SLACK_DESCRIPTORS
        )


class Gauge:
    """Samples the process ``pid`` until :meth:`stop`."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._samples: list[tuple[float, int]] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def stop(self) -> Held:
        """What was seen."""
        self._over.set()
        self._thread.join()
        tenths = [
            self._samples[len(self._samples) * at // 10 :][: max(len(self._samples) // 10, 1)] for at in range(10)
        ]
        return Held(
            memory=tuple([median([megabytes for megabytes, _ in tenth]) for tenth in tenths]),
            descriptors=tuple([round(median([number for _, number in tenth])) for tenth in tenths]),
            most_mb=max(megabytes for megabytes, _ in self._samples),
        )

    def _sample(self) -> None:
        while not self._over.is_set():
            with suppress(OSError):
                self._samples.append((_resident_mb(self._pid), len(os.listdir(f"/proc/{self._pid}/fd"))))
            time.sleep(_PAUSE_S)


def _resident_mb(pid: int) -> float:
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
