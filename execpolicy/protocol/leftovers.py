"""Ends what a child started and did not wait for."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress

from execpolicy.protocol.processes import adopted, reap, signal_group

_PAUSE_S = 0.01


async def clear_leftovers(group: int, within_s: float, *, adopt: bool) -> bool:
    """End the rest of a process group: SIGTERM, then SIGKILL. ``False`` if something is left all the same.

    Args:
        within_s: how long each of the two signals has.
        adopt: every child of this process belongs to the agent, too (it was adopted), and is ended and collected.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        told: set[int] = set()
        deadline = asyncio.get_running_loop().time() + within_s
        while True:
            left = _left(adopt)
            alive = signal_group(group, 0)
            if not left and not alive:
                return True
            if alive and group not in told:
                signal_group(group, number)
            for pid in left:
                if pid not in told:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)
            told.update((group, *left))
            if asyncio.get_running_loop().time() > deadline:
                break
            await asyncio.sleep(_PAUSE_S)
    return False


def _left(adopt: bool) -> tuple[int, ...]:
    if not adopt:
        return ()
    reap(adopted())
    return adopted()
