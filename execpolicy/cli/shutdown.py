"""Signal handling for commands that have to clean up before they end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Collection

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def handle_signals(handle: Callable[[int], None], numbers: Collection[signal.Signals] = ENDING) -> None:
    """Handle signals (those that end a program) with ``handle``, except ignored ones (``nohup``)."""
    loop = asyncio.get_running_loop()
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, handle, number)
