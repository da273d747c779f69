"""Where and when measurements were taken, and how busy it was."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import date
from pathlib import Path

MADE_BY = re.compile(r"(?:Made|Checked) by `([^`]+)` on \d{4}-\d\d-\d\d\.")


def made_by(command: str) -> str:
    """The sentence of a page of evidence that says how and on which day it was made."""
    return f"Made by `{command}` on {date.today()}."


def undated(page: str) -> str:
    """The page without the days on which it was made."""
    return MADE_BY.sub(r"\1", page)


def describe(python: str) -> list[str]:
    """Processor, cores, memory, system and interpreter, one line each."""
    processor = next(
        (
            line.partition(":")[2].strip()
            for line in _read("/proc/cpuinfo").splitlines()
            if line.startswith("model name")
        ),
        platform.processor() or "unknown",
    )
    memory = next((line.split()[1] for line in _read("/proc/meminfo").splitlines() if line.startswith("MemTotal")), "0")
    version = subprocess.run([python, "-V"], capture_output=True, encoding="utf-8", check=True).stdout.strip()
    return [
        f"{processor}, {os.cpu_count()} cores, {int(memory) / (1 << 20):.0f} GiB",
        f"{platform.system()} {platform.release()}, {version}",
    ]


def load() -> float:
    """How many processes wanted to run, over the last minute."""
    return os.getloadavg()[0]


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError:
        return ""
