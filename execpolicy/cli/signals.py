"""Signals that would end a hook without an answer."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` only wraps it in enums, which takes 3 ms
import os

FATAL = (
    *("SIGALRM", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGXCPU"),
    *("SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGIO", "SIGPWR", "SIGSTKFLT"),
)
"""Signals that would end the process without an answer.

SIGPROF keeps that effect, in case Python cannot run a handler. SIGXFSZ is ignored, as in Python: a write over the
limit is then an error, and a partial write is undone.
"""
_DENIED = 2


def refuse_when_signalled() -> None:
    """Make every later signal end the process with a status that denies: agents treat a killed hook as consent.

    Before the answer is known, the status is the only possible answer. After an answer or a part of it, agents could
    not parse a second one.
    """
    for name in FATAL:
        number = getattr(signal, name, None)  # not every system has all
        if number is not None:
            signal.signal(number, _refuse)


def _refuse(number: int, frame: object) -> None:
    os._exit(_DENIED)
