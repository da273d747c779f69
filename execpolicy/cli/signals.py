"""Signals that would end a hook without an answer."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` only wraps it in enums, which takes 3 ms
import os

FATAL = (
    *("SIGALRM", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGXCPU"),
    *("SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGIO", "SIGPWR", "SIGSTKFLT"),
)
"""Signals that would end the process without an answer. SIGPROF is left to do that, where Python gets no turn.
SIGXFSZ is ignored, as Python has it: what does not fit is an error then, and half of it is taken back."""
_DENIED = 2


def refuse_when_signalled() -> None:
    """From here on a signal ends the process with a status that denies: agents take a hook that was killed for consent.

    Before an answer is known this is all that can be said; behind one, or a part of it, a second one would be nothing
    that an agent can read.
    """
    for name in FATAL:
        number = getattr(signal, name, None)  # not every system has all
        if number is not None:
            signal.signal(number, _refuse)


def _refuse(number: int, frame: object) -> None:
    os._exit(_DENIED)
