"""Asks the inbox and waits: one question, one answer, or the reason why there is none."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Mapping
from typing import Any

from execpolicy.errors import UsageError
from execpolicy.inbox.inbox_question import InboxAnswer, InboxQuestion, answer_word
from execpolicy.inbox.peer import agents_own, peer_of, started_by
from execpolicy.inbox.waiting import InboxClosedError, connected_socket, inbox_folder

_PATIENCE_S = 20.0
"""Seconds that a question waits for a server that has disappeared and may be restarting."""
_PAUSE_S = 0.2
_NOBODY = "nobody answered in time"


def ask_inbox(question: InboxQuestion, environ: Mapping[str, str] | None = None) -> InboxAnswer:
    """Sends ``question`` to the inbox and waits for the answer, at most as long as it says.

    Without a server the answer comes at once: ``word`` is ``None``, and the message names the remedy.
    """
    asking = _Asking(question, environ)
    try:
        while True:
            answer = asking.step()
            if answer is not None:
                return answer
            if asking.connection is None:
                time.sleep(_PAUSE_S)
                continue
            asking.connection.settimeout(asking.left())
            try:
                asking.feed(asking.connection.recv(1 << 16))
            except TimeoutError:
                continue
            except OSError:
                asking.feed(b"")
    finally:
        asking.close()


async def ask_inbox_async(question: InboxQuestion, environ: Mapping[str, str] | None = None) -> InboxAnswer:
    """:func:`ask_inbox` in an event loop; cancelling it withdraws the question."""
    asking = _Asking(question, environ)
    loop = asyncio.get_running_loop()
    try:
        while True:
            answer = asking.step()
            if answer is not None:
                return answer
            if asking.connection is None:
                await asyncio.sleep(_PAUSE_S)
                continue
            asking.connection.setblocking(False)
            try:
                async with asyncio.timeout(asking.left()):  # unlike `wait_for`, it never swallows a cancellation
                    block = await loop.sock_recv(asking.connection, 1 << 16)
                asking.feed(block)
            except TimeoutError:
                continue
            except OSError:
                asking.feed(b"")
    finally:
        asking.close()


class _Asking:
    """One question in progress, as a state machine that never blocks.

    The blocking and the asynchronous form both drive it.

    Attributes:
        connection: to the server; ``None`` while there is none.
    """

    def __init__(self, question: InboxQuestion, environ: Mapping[str, str] | None) -> None:
        self._question = question
        self._folder = inbox_folder(os.environ if environ is None else environ)
        self._ends = time.monotonic() + question.wait_s
        self._gone: float | None = None
        self._problem = "the inbox does not take the question: start `execpolicy ui` again"
        self._held = b""
        self._answer: InboxAnswer | None = None
        self.connection: socket.socket | None = None

    def left(self) -> float:
        """Seconds until an answer would be too late."""
        return max(self._ends - time.monotonic(), 0.001)

    def step(self) -> InboxAnswer | None:
        """The answer, if it has arrived or the wait is over; otherwise makes sure that a server has the question."""
        if self._answer is None and time.monotonic() >= self._ends:
            self._answer = InboxAnswer(None, _NOBODY)
        if self._answer is None and self.connection is None:
            if self._gone is not None and time.monotonic() - self._gone > _PATIENCE_S:
                self._answer = InboxAnswer(None, self._problem)
            else:
                self._connect()
        return self._answer

    def feed(self, block: bytes) -> None:
        """Reads the received bytes; no bytes mean the end of the connection."""
        if not block:
            self.close()
            self._gone = self._gone or time.monotonic()
            return
        *lines, self._held = (self._held + block).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def close(self) -> None:
        """Closes the connection, which withdraws an open question."""
        if self.connection is not None:
            self.connection.close()
        self.connection = None
        self._held = b""

    def _connect(self) -> None:
        try:
            self.connection = connected_socket(self._folder)
            if started_by(peer_of(self.connection).pid, agents_own(self._question.agent)) is not None:
                raise InboxClosedError("the agent itself listens in place of the inbox")
            body = {"do": "ask", "question": {**self._question.to_json(), "wait_s": self.left()}}
            self._send(body)
        except (InboxClosedError, OSError) as error:
            self.close()
            self._problem = str(error)
            if self._gone is None:
                self._answer = InboxAnswer(None, self._problem)

    def _send(self, body: dict[str, Any]) -> None:
        assert self.connection is not None
        self.connection.settimeout(_PATIENCE_S)
        self.connection.sendall(json.dumps(body).encode("ascii") + b"\n")

    def _take(self, said: dict[str, Any]) -> None:
        """Handles a message of the server. An answer counts once its receipt is confirmed to the server."""
        if self._answer is not None:
            return
        if "error" in said:
            self._answer = InboxAnswer(None, f"the inbox refused the question: {said['error']}")
        elif "answer" in said:
            try:
                answer = InboxAnswer(answer_word(said["answer"]), str(said.get("message", "")), _prefix(said))
                self._send({"taken": True})
            except (OSError, UsageError):
                return
            self._answer = answer
        else:
            self._gone = None


def _prefix(said: dict[str, Any]) -> tuple[str, ...]:
    words = said.get("prefix", [])
    return tuple([str(word) for word in words]) if isinstance(words, list) else ()


def call_inbox(body: dict[str, Any], environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Sends one request of another kind (``list``, ``show``, ``answer``, ``address``) and returns the server's reply.

    Raises:
        InboxClosedError: no server, or it does not answer.
        UsageError: the server refuses; the message says why.
    """
    with connected_socket(inbox_folder(os.environ if environ is None else environ)) as connection:
        connection.settimeout(30)
        try:
            connection.sendall(json.dumps(body).encode("ascii") + b"\n")
            with connection.makefile("rb") as file:
                said = json.loads(file.readline())
        except (OSError, ValueError):
            raise InboxClosedError("the inbox does not answer: start `execpolicy ui` again") from None
    if "error" in said:
        raise UsageError(str(said["error"]))
    found: dict[str, Any] = said
    return found
