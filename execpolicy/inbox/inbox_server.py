"""The server of the inbox: JSON lines over a socket file, for askers and for the person's own terminal."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.inbox.answering import Answering, Person
from execpolicy.inbox.inbox_question import MAX_LINE, question_from_json, word_of
from execpolicy.inbox.peer import (
    Kin,
    Peer,
    account_of,
    line_of,
    peer_of,
    process_row,
    same_user,
    side_of,
    why_not_in_person,
)
from execpolicy.inbox.waiting import MOST_WAITING, WaitingQuestion, WaitingQuestions, listening_socket, remove_socket
from execpolicy.permissions.audit import AuditLog, AuditSink

_LAST_WORD_S = 1.0
"""Seconds that a closing inbox waits for askers to confirm an answer that was sent."""


class InboxServer:
    """Listens in ``folder``. Start it in the event loop that it shall live in.

    Args:
        changed: called whenever a question is put, answered or over.
        address: makes an address under which a browser may answer once; ``None`` where there is no page.
    """

    def __init__(
        self,
        folder: str,
        *,
        audit: AuditSink | None = None,
        changed: Callable[[WaitingQuestion], None] = lambda one: None,
        address: Callable[[], str] | None = None,
    ) -> None:
        self.folder = folder
        self.waiting = WaitingQuestions(changed)
        kept = AuditLog(os.path.join(folder, "audit.jsonl")) if audit is None else audit
        self.answering = Answering(self.waiting, kept)
        self._address = address
        self._server: asyncio.Server | None = None
        self._persons: frozenset[Kin] = frozenset()
        self._open: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        """Starts to listen.

        Raises:
            InboxClosedError: another server already listens, or the folder is not the user's own.
        """
        self._persons = frozenset([row.kin for row in line_of(os.getpid())])
        listener = listening_socket(self.folder)
        self._server = await asyncio.start_unix_server(self._serve, sock=listener, limit=MAX_LINE, backlog=MOST_WAITING)

    async def close(self) -> None:
        """Stops listening and closes the connections of all askers."""
        if self._server is not None:
            self._server.close()
            remove_socket(self.folder)
        given = [one.taken for one in self.waiting.all() if one.stage == "answering" and one.settled.done()]
        if given:  # the asker acts on an answer that was sent: the trail must not call it late
            await asyncio.wait(given, timeout=_LAST_WORD_S)
        for writer in self._open:
            writer.transport.abort()
        while self._open:
            await asyncio.sleep(0.01)
        self.answering.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            peer = peer_of(writer.get_extra_info("socket"))
            if same_user(peer):
                await self._converse(reader, writer, peer)
        except (OSError, ValueError, asyncio.IncompleteReadError):
            pass  # the peer is gone, or speaks another protocol
        finally:
            self._open.discard(writer)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Peer) -> None:
        line = await reader.readline()
        try:
            body = json.loads(line)
            if not isinstance(body, dict):
                raise UsageError("a request is a JSON object")
            match body.get("do"):
                case "ask":
                    await self._ask(body, len(line), reader, writer, peer)
                case "list":
                    await _send(writer, {"questions": [one.to_json() for one in self.waiting.open()]})
                case "show":
                    id = str(body.get("id"))
                    study = await self.answering.study(id)
                    one = self.waiting.find(id)
                    await _send(writer, {**one.to_json(), "question": one.question.to_json(), **study.to_json()})
                case "answer":
                    await _send(writer, {"done": await self._answer(body, peer)})
                case "address":
                    await _send(writer, {"address": self._new_address(peer)})
                case _:
                    raise UsageError("unknown request")
        except ExecPolicyError as error:
            await _send(writer, {"error": str(error)})

    async def _ask(
        self, body: dict[str, Any], size: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Peer
    ) -> None:
        """Makes a question wait until it is answered or the asker disconnects."""
        question = question_from_json(body.get("question"))
        side = side_of(peer.pid, question.agent, self._persons)
        one = await self.answering.put(question, side, size)
        await _send(writer, {"id": one.id})
        hearing = asyncio.ensure_future(reader.readline())
        try:
            both: list[asyncio.Future[Any]] = [hearing, one.settled]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not one.settled.done():
                return
            answer = one.settled.result()
            await _send(
                writer, {"answer": word_of(answer), "message": answer.feedback, "prefix": list(answer.amendment)}
            )
            if b'"taken"' in await hearing and not one.taken.done():
                one.taken.set_result(True)
        finally:
            hearing.cancel()
            self.answering.left(one)

    async def _answer(self, body: dict[str, Any], peer: Peer) -> str:
        person = self._person(peer)
        prefixes = body.get("prefixes", [])
        if not isinstance(prefixes, list) or not all(each is None or isinstance(each, list) for each in prefixes):
            raise UsageError("`prefixes` is a list of lists of words, or `null` for exactly the command")
        return await self.answering.answer(
            str(body.get("id")),
            body.get("answer"),
            person,
            message=str(body.get("message", "")),
            prefixes=[None if each is None else [str(word) for word in each] for each in prefixes],
        )

    def _new_address(self, peer: Peer) -> str:
        self._person(peer)
        if self._address is None:
            raise UsageError("this inbox has no page")
        return self._address()

    def _person(self, peer: Peer) -> Person:
        """The person behind a process.

        Raises:
            UsageError: the process does not act for a person.
        """
        why = why_not_in_person(peer.pid, [one.side for one in self.waiting.open()])
        if why is not None:
            raise UsageError(f"this is for a person to do, on the page or at a terminal of their own: {why}")
        row = process_row(peer.pid)
        where = "gone" if row is None else row.terminal_name
        return Person("terminal", f"{account_of(peer.uid)}, {where}, process {peer.pid}")


async def _send(writer: asyncio.StreamWriter, body: dict[str, Any]) -> None:
    """Writes a message, which is one line."""
    writer.write(json.dumps(body).encode("ascii") + b"\n")
    await writer.drain()
