"""Signals that end a command which has something to end first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Collection

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def handle_signals(handle: Callable[[int], None], numbers: Collection[signal.Signals] = ENDING) -> None:
    """Give signals (those that end a program) to ``handle``, but for those that are ignored (``nohup``)."""
    loop = asyncio.get_running_loop()
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, handle, number)
