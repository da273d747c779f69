"""The child process of :mod:`execpolicy.insight.workers`: gets policies, then pieces of the work, and answers each.

It imports little, because nothing is decided before it has started.
"""

from __future__ import annotations

import gc
import marshal
from typing import IO, Any

from execpolicy.insight.decisions import HistoryDecider
from execpolicy.insight.portable import PortablePolicy

_COLLECT = 50_000
"""Objects between two collections: a verdict holds no cycles, so there is little to find."""


def serve(pipe: IO[bytes], answers: IO[bytes]) -> None:
    """What a child does: policies, then pieces, each answered, until the pipe ends."""
    gc.set_threshold(_COLLECT)
    decider: HistoryDecider | None = None
    while True:
        try:
            message = receive(pipe)
        except EOFError:
            return
        if isinstance(message, tuple):
            plain, shell = message
            decider = HistoryDecider([PortablePolicy(*one) for one in plain], shell=shell)
        elif decider is not None and isinstance(message, list):
            send(answers, [decider.decide(command) for command in message])


def send(pipe: IO[bytes], message: Any) -> None:
    """Write one message."""
    data = marshal.dumps(message)
    pipe.write(len(data).to_bytes(8, "big") + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> object:
    """The next message.

    Raises:
        EOFError: there is none.
    """
    head = pipe.read(8)
    if len(head) < 8:
        raise EOFError
    size = int.from_bytes(head, "big")
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return marshal.loads(data)
