"""Whether somebody sits in front of the agent, where its envelope does not say."""

from __future__ import annotations

import os

_ALONE = frozenset(("-p", "--prompt", "--print", "exec", "run", "--headless", "--non-interactive"))
"""Arguments with which agents run without a person."""
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "env"))
_FURTHEST = 8
"""Processes above this one that are looked at: a shell or two that start the hook, then the agent."""


def person_is_there() -> bool:
    """Whether the agent that runs this process reads from a terminal and was not told to run alone.

    Known on Linux only; elsewhere nobody is taken to be there, and what needs a person is denied.
    """
    process = os.getppid()
    for _ in range(_FURTHEST):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                argv = file.read().decode(errors="replace").split("\0")
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            terminal = os.readlink(f"/proc/{process}/fd/0")
        except (OSError, ValueError, IndexError):
            return False
        if argv[0].rpartition("/")[2].lstrip("-") not in _SHELLS:
            return terminal.startswith(("/dev/pts/", "/dev/tty")) and not _ALONE.intersection(argv[1:])
        process = parent
    return False
