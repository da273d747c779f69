"""A disk that fills up while an agent works (needs root)."""

from __future__ import annotations

import contextlib
import errno
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.agents.headless import Environment, Place

_BLOCK = b"x" * (1 << 20)


class FullDisk:
    """Fills the home folder of an agent as soon as its first command ran, and keeps it full for a while."""

    def __init__(self, first: str) -> None:
        self._first = first
        self.was_full = False
        self.ready = threading.Event()

    @contextlib.contextmanager
    def mounted(self, folder: Path) -> Iterator[None]:
        """``folder`` is a disk of its own, of 256 MB."""
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(folder)], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)

    def __call__(self, place: Place, environment: Environment) -> None:
        del environment
        self.ready.set()
        ends = time.monotonic() + 300
        while time.monotonic() < ends and not (place.work / self._first).exists():
            time.sleep(0.01)
        ends = time.monotonic() + 15
        with open(place.home / "filler", "ab", buffering=0) as file:
            while time.monotonic() < ends:
                try:
                    file.write(_BLOCK)
                except OSError as error:
                    self.was_full = error.errno == errno.ENOSPC
                    time.sleep(0.05)
