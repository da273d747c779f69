"""Asks the inbox and waits: one question, one answer, or the reason why there is none."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Mapping
from typing import Any

from execpolicy.core.answer import Answer
from execpolicy.errors import UsageError
from execpolicy.inbox.inbox_question import MAX_LINE, InboxQuestion, answer_in_words, no_answer
from execpolicy.inbox.peer import agents_own, peer_of, started_by
from execpolicy.inbox.waiting import InboxClosedError, connected_socket, inbox_folder

_PATIENCE_S = 20.0
"""Seconds that a question waits for a server that has disappeared and may be restarting."""
_PAUSE_S = 0.2


def ask_inbox(question: InboxQuestion, environ: Mapping[str, str] | None = None) -> Answer:
    """Sends ``question`` to the inbox and waits for the answer, at most as long as it says.

    Without a server the answer comes at once: it is ``unavailable`` and names the remedy.
    """
    return asyncio.run(ask_inbox_async(question, environ))


async def ask_inbox_async(question: InboxQuestion, environ: Mapping[str, str] | None = None) -> Answer:
    """:func:`ask_inbox` in an event loop; cancelling it withdraws the question."""
    folder = inbox_folder(os.environ if environ is None else environ)
    try:
        async with asyncio.timeout(question.wait_s):
            return await _answer(question, folder)
    except TimeoutError:
        return no_answer("no one answered in time")


async def _answer(question: InboxQuestion, folder: str) -> Answer:
    """The server's answer. If the server disappears, the question is put again, for it may be restarting."""
    ends = time.monotonic() + question.wait_s
    problem = "the inbox does not take the question: start `execpolicy ui` again"
    gone: float | None = None
    while gone is None or time.monotonic() - gone <= _PATIENCE_S:
        try:
            connection = _connected(question, folder)
        except (InboxClosedError, OSError) as error:
            problem = str(error)
            if gone is None:
                break
            await asyncio.sleep(_PAUSE_S)
            continue
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=MAX_LINE)
        try:
            writer.write(_line({"do": "ask", "question": {**question.to_json(), "wait_s": ends - time.monotonic()}}))
            while (line := await reader.readline()).endswith(b"\n"):
                said = json.loads(line)
                if "error" in said:
                    return no_answer(f"the inbox refused the question: {said['error']}")
                if "answer" in said:
                    writer.write(_line({"taken": True}))  # the answer counts once the server knows that it arrived
                    await writer.drain()
                    return answer_in_words(said["answer"], said["message"], tuple(said["prefix"]))
                gone = None
        except OSError:
            pass  # the server is gone
        finally:
            writer.close()
        gone = gone or time.monotonic()
    return no_answer(problem)


def _connected(question: InboxQuestion, folder: str) -> socket.socket:
    """A connection to the inbox in ``folder``, unless the agent that asks listens there itself."""
    connection = connected_socket(folder)
    if started_by(peer_of(connection).pid, agents_own(question.agent)) is not None:
        connection.close()
        raise InboxClosedError("the agent itself listens in place of the inbox")
    return connection


def _line(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode("ascii") + b"\n"


def call_inbox(body: dict[str, Any], environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Sends one request of another kind (``list``, ``show``, ``answer``, ``address``) and returns the server's reply.

    Raises:
        InboxClosedError: no server, or it does not answer.
        UsageError: the server refuses; the message says why.
    """
    with connected_socket(inbox_folder(os.environ if environ is None else environ)) as connection:
        connection.settimeout(30)
        try:
            connection.sendall(_line(body))
            with connection.makefile("rb") as file:
                said = json.loads(file.readline())
        except (OSError, ValueError):
            raise InboxClosedError("the inbox does not answer: start `execpolicy ui` again") from None
    if "error" in said:
        raise UsageError(str(said["error"]))
    found: dict[str, Any] = said
    return found
