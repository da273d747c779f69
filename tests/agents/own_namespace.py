"""Mounts that nobody else sees, and a network that ends at the machine itself (needs root)."""

from __future__ import annotations

import os
import subprocess
import sys

_MARK = "EXECPOLICY_AGENTS_ALONE"


def is_alone() -> bool:
    """Whether this is the program that was started again."""
    return _MARK in os.environ


def enter(*, network: bool) -> None:
    """Start this program again where it cannot disturb.

    Args:
        network: leave it the network. Else no agent reaches anything but the scripted model.
    """
    if not is_alone():
        os.environ[_MARK] = "1"
        own = ["--mount"] if network else ["--mount", "--net"]
        os.execvp("unshare", ["unshare", *own, sys.executable, "-m", "tests.agents", *sys.argv[1:]])
    if not network:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
