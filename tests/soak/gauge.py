"""What a process holds while it runs: memory and descriptors, sampled."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

_PAUSE_S = 0.5
_SLACK = 1.05
"""Memory that allocators and caches may still move by, as a factor."""
_SLACK_MB = 2.0
_SLACK_DESCRIPTORS = 2


@dataclass(frozen=True)
class Held:
    """Megabytes of memory and numbers of descriptors: when the first tenth of the run was over, and after it.

    Attributes:
        end_mb: the median of the last tenth.
    """

    start_mb: float
    most_mb: float
    end_mb: float
    start_descriptors: int
    most_descriptors: int
    end_descriptors: int

    @property
    def grew(self) -> bool:
        """Whether it held more at the end than after the first tenth."""
        return (
            self.end_mb > self.start_mb * _SLACK + _SLACK_MB
            or self.end_descriptors > self.start_descriptors + _SLACK_DESCRIPTORS
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
        tenth = max(len(self._samples) // 10, 1)
        memory = [megabytes for megabytes, _ in self._samples]
        descriptors = [number for _, number in self._samples]
        return Held(
            start_mb=max(memory[: tenth + 1]),
            most_mb=max(memory[tenth:]),
            end_mb=median(memory[-tenth:]),
            start_descriptors=max(descriptors[: tenth + 1]),
            most_descriptors=max(descriptors[tenth:]),
            end_descriptors=round(median(descriptors[-tenth:])),
        )

    def _sample(self) -> None:
        while not self._over.is_set():
            with suppress(OSError):
                self._samples.append((_resident_mb(self._pid), len(os.listdir(f"/proc/{self._pid}/fd"))))
            time.sleep(_PAUSE_S)


def _resident_mb(pid: int) -> float:
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
