"""Asks the person at the terminal: the question goes to standard error, the answer comes from ``/dev/tty``.

Source: seed 004, section 7. The child's standard input is the control channel and has no part in it.
"""

from __future__ import annotations

import asyncio
import json
import os
import termios
from collections.abc import Callable
from contextlib import suppress

from execpolicy.core.quoting import join
from execpolicy.permissions.redaction import printable, redact
from execpolicy.protocol.asking import Choice, PersonAnswer
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.rulings import Ruling

MAX_SHOWN = 3_000
"""Characters of one argument that are shown: of a longer one both ends, and how much is left out."""
MAX_READ = 200_000


class TerminalAsker:
    """Puts questions at a terminal.

    Args:
        tty: the terminal's path.
        show: where questions go, for instance standard error.
        keeps: an answer may allow the proposed prefix for good.
    """

    def __init__(self, *, show: Callable[[str], None], tty: str = "/dev/tty", keeps: bool = False) -> None:
        self._tty = tty
        self._show = show
        self._keeps = keeps

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> PersonAnswer:
        """The person's answer; :attr:`Choice.UNAVAILABLE` if the terminal is gone."""
        fd = self._open()
        if fd is None:
            return PersonAnswer(Choice.UNAVAILABLE)
        keeps = self._keeps and bool(ruling.proposal) and not ruling.grave
        try:
            with suppress(termios.error):
                termios.tcflush(fd, termios.TCIFLUSH)  # what was typed before the question is no answer to it
            self._show(question(request, ruling, keeps=keeps))
            while True:
                line = await _read_line(fd)
                if line is None:
                    self._show("\n")
                    return PersonAnswer(Choice.UNAVAILABLE)
                answer = read_choice(line, keeps=keeps)
                if answer is not None:
                    return answer
                self._show("please answer with one of the letters in brackets: ")
        except asyncio.CancelledError:
            self._show("\n(the question is withdrawn)\n")
            raise
        finally:
            os.close(fd)

    def _open(self) -> int | None:
        try:
            fd = os.open(self._tty, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            foreground = os.tcgetpgrp(fd) == os.getpgrp()  # in the background, reading would stop this process
        except OSError:
            foreground = False
        if foreground:
            return fd
        os.close(fd)
        return None


def question(request: ToolRequest, ruling: Ruling, *, keeps: bool) -> str:
    """The text of a question: tool, action, redacted arguments, reasons, and what may be answered."""
    lines = ["", f"execpolicy: the agent asks to run {_shown(request.tool)}"]
    if request.action:
        lines.append(f"  action: {_shown(request.action)}")
    args = redact(request.args, limit=MAX_READ)
    for name, value in args.items():
        lines.append(f"  {_shown(str(name))}: {_shown(_text(value))}")
    if ruling.reason:
        lines.append(f"  why you are asked: {_shown(ruling.reason)}")
    if request.rationale:
        lines.append(f"  the agent says: {_shown(str(redact(request.rationale)))}")
    choices = ["[y] yes, once"]
    if not ruling.once:
        choices.append("[s] yes, and this same call for the session")
    if keeps:
        choices.append(f"[p] always `{_shown(join(ruling.proposal))}`")
    choices += ["[N] no (words behind it go to the agent)", "[a] abort the session"]
    return "\n".join([*lines, "  " + "  ".join(choices), "> "])


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return join(value)
    return json.dumps(value, ensure_ascii=False)


def _shown(text: str) -> str:
    text = printable(text)
    if len(text) <= MAX_SHOWN:
        return text
    half = MAX_SHOWN // 2
    return f"{text[:half]} ⟪{len(text) - 2 * half} characters are not shown here⟫ {text[-half:]}"


def read_choice(line: str, *, keeps: bool) -> PersonAnswer | None:
    """What a line means; ``None`` if it is none of the answers. An empty line is no."""
    word, _, rest = line.strip().partition(" ")
    said = rest.strip() or None
    match word.lower():
        case "" | "n" | "no":
            return PersonAnswer(Choice.DENY, said)
        case "a" | "abort":
            return PersonAnswer(Choice.ABORT, said)
        case "y" | "yes" if said is None:
            return PersonAnswer(Choice.ONCE)
        case "s" | "session" if said is None:
            return PersonAnswer(Choice.SESSION)
        case "p" | "prefix" if said is None and keeps:
            return PersonAnswer(Choice.KEEP)
    return None


async def _read_line(fd: int) -> str | None:
    """One line; ``None`` at end of file or when the terminal is lost."""
    loop = asyncio.get_running_loop()
    data = b""
    while not data.endswith(b"\n"):
        ready: asyncio.Future[None] = loop.create_future()

        def settle(ready: asyncio.Future[None] = ready) -> None:
            if not ready.done():
                ready.set_result(None)

        loop.add_reader(fd, settle)
        try:
            await ready
        finally:
            loop.remove_reader(fd)
        try:
            chunk = os.read(fd, 4096)
        except BlockingIOError:
            continue
        except OSError:
            return None
        if not chunk:
            return None
        data += chunk
    return data.decode("utf-8", "replace")
