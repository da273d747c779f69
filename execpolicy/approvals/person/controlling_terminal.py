"""The terminal that a person sits at: questions are put and answered there, never on standard input."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import shutil
import termios
from collections.abc import Callable

from execpolicy.approvals.person.question import PROMPT, Question
from execpolicy.approvals.review import ReviewDecision

_LONGEST_ANSWER = 8192


class ControllingTerminal:
    """An open terminal, without blocking the event loop. Use as a context manager.

    Args:
        path: its device.

    Raises:
        OSError: there is none.
    """

    def __init__(self, path: str = "/dev/tty") -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)

    def __enter__(self) -> ControllingTerminal:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._descriptor)

    def in_background(self) -> bool:
        """Whether reading would stop this process, since the terminal belongs to another job or to nobody."""
        try:
            return os.tcgetpgrp(self._descriptor) != os.getpgrp()
        except OSError:
            return True

    async def put(self, question: Question, *, show: Callable[[str], None] | None = None) -> ReviewDecision | None:
        """The answer to ``question``; ``None`` if the terminal is gone.

        Args:
            show: where the question goes, for instance standard error; to the terminal where it is not given.
        """
        show = self.write if show is None else show
        self._drop_typed()
        show(question.text(shutil.get_terminal_size().columns))
        try:
            while True:
                line = await self._line()
                if line is None:
                    show("\n")
                    return None
                answer = question.read(line)
                if not isinstance(answer, str):
                    return answer
                show(f"{answer}\n{PROMPT}")
        except asyncio.CancelledError:
            show("\n(the question is withdrawn)\n")
            raise

    def write(self, text: str) -> None:
        """Write ``text``; a terminal that is gone swallows it."""
        data = text.encode("utf-8", "replace")
        with contextlib.suppress(OSError):
            while data:
                select.select([], [self._descriptor], [])
                with contextlib.suppress(BlockingIOError):
                    data = data[os.write(self._descriptor, data) :]

    def _drop_typed(self) -> None:
        """Forget what was typed before the question stood there: it was no answer to it."""
        with contextlib.suppress(termios.error):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    async def _line(self) -> str | None:
        """The next line; ``None`` at the end of input, or when the terminal is gone."""
        loop = asyncio.get_running_loop()
        line = bytearray()
        while not line.endswith(b"\n"):
            readable = asyncio.Event()
            loop.add_reader(self._descriptor, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(self._descriptor)
            try:
                block = os.read(self._descriptor, 4096)
            except BlockingIOError:
                continue
            except OSError:
                return None
            if not block or len(line) > _LONGEST_ANSWER:
                return None
            line += block
        return line.decode("utf-8", "replace")
