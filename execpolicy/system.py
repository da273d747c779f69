"""The system that this runs on, and the parts of the program that need a certain one."""

from __future__ import annotations

import sys

LINUX = sys.platform == "linux"
NOT_ON_WINDOWS = "execpolicy does not work on Windows itself: run it in WSL, where the agent runs too"


def why_not(part: str) -> str | None:
    """The reason that ``part`` of the program cannot work on this system; ``None`` if it can."""
    return None if LINUX else f"{part} needs Linux, and this is {sys.platform}"
