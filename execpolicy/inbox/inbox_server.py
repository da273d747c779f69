"""The server of the inbox: listens on a socket for askers and the person's terminal, and executes the answers."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from execpolicy.amend.preview import why_not_savable
from execpolicy.core.answer import Answer
from execpolicy.core.quoting import join
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.inbox.inbox_question import MAX_LINE, InboxQuestion, answer_in_words, question_from_json, word_of
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
from execpolicy.inbox.study import Choices, RulePreview, Studies, Study
from execpolicy.inbox.waiting import MOST_WAITING, WaitingQuestion, WaitingQuestions, listening_socket, remove_socket
from execpolicy.permissions.audit import AuditLog, AuditSink

_T = TypeVar("_T")
_MOST_STUDIES = 128
_MOST_RECENT = 200
_MOST_REMEMBERED = 10_000
_LONGEST_MESSAGE = 2_000
"""The maximum number of characters of a person's words for an agent."""
_NOTED = ("source", "agent", "session", "cwd", "commands", "tool", "network", "reason")
"""The fields of a question in the audit trail."""


@dataclass(frozen=True, slots=True)
class Person:
    """The person who answers.

    Attributes:
        via: ``page`` or ``terminal``; ``session`` for an answer that was given before, for the session.
        detail: the user, and the window and browser, or the terminal and process.
    """

    via: str
    detail: str

    def __str__(self) -> str:
        return f"{self.via} {self.detail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRules:
    """Rules that were saved with an answer, kept for undo.

    Attributes:
        files: the lines that were saved, by file.
    """

    id: str
    files: dict[str, tuple[str, ...]]
    cwd: str

    @property
    def lines(self) -> tuple[str, ...]:
        """Every line that was saved."""
        return tuple([line for lines in self.files.values() for line in lines])


class Answering:
    """Answers the questions of ``waiting``, each once. Use it from one event loop.

    Args:
        audit: called with every question and answer. A question that it cannot record is not answered.
    """

    def __init__(self, waiting: WaitingQuestions, audit: AuditSink) -> None:
        self.waiting = waiting
        self.saved: deque[SavedRules] = deque(maxlen=50)
        self._audit = audit
        self._studies = Studies()
        self._thread = ThreadPoolExecutor(1, "execpolicy-inbox")
        self._known: OrderedDict[str, Study] = OrderedDict()
        self._recent: deque[InboxQuestion] = deque(maxlen=_MOST_RECENT)
        self._for_session: OrderedDict[bytes, str] = OrderedDict()
        self._tasks: set[asyncio.Future[Any]] = set()

    async def put(self, question: InboxQuestion, side: frozenset[Kin], size: int) -> WaitingQuestion:
        """Adds ``question`` to those that wait, or repeats the earlier answer of its session.

        Raises:
            ExecPolicyError: it cannot wait: there are too many, or it cannot be recorded.
        """
        one = self.waiting.put(question, side, size)
        try:
            self._note("asked", one, {name: getattr(question, name) for name in _NOTED})
        except ExecPolicyError:
            self.waiting.leave(one)
            raise
        self._recent.append(question)
        before = self._for_session.get(_digest(question))
        if before is not None and not question.once:
            self.waiting.claim(one.id)
            task = asyncio.ensure_future(self._answer_as_before(one, before))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return one

    async def study(self, id: str) -> Study:
        """The study of the question ``id``.

        Raises:
            UsageError: there is none.
        """
        one = self.waiting.find(id)
        known = self._known.get(id)
        if known is None:
            known = self._known[id] = await self.in_thread(lambda: self._studies.study(one.question))
            while len(self._known) > _MOST_STUDIES:
                self._known.popitem(last=False)
        return known

    async def preview(self, id: str, prefixes: Choices) -> list[RulePreview]:
        """The effect of saving ``prefixes`` on the question and on recent ones."""
        question = self.waiting.find(id).question
        recent = [each for each in self._recent if each is not question]
        return await self.in_thread(lambda: self._studies.preview(question, prefixes, recent))

    async def answer(self, id: str, word: object, person: Person, *, message: str = "", prefixes: Choices = ()) -> str:
        """Answers the question ``id`` and returns the result in one line.

        Raises:
            UsageError: there is no such question, it does not accept this answer, or it is over.
            ExecPolicyError: the rule could not be saved, or the answer could not be recorded: the question still waits.
        """
        chosen = word_of(answer_in_words(word))
        one = self.waiting.claim(id)
        try:
            prefix: tuple[str, ...] = ()
            saved: tuple[str, ...] = ()
            if chosen in ("session", "always"):
                study = await self.study(id)
                if chosen not in study.choices:
                    raise UsageError(f"`{chosen}` is no answer to this question: {', '.join(study.choices)} are")
                if chosen == "always":
                    prefix, saved = await self._save(one.question, study, prefixes)
            answer = answer_in_words(chosen, message.strip()[:_LONGEST_MESSAGE], prefix)
            taken = await self._give(one, answer, person, saved)
        except BaseException:
            self.waiting.give_back(one)
            raise
        if not taken:
            return f"too late: who asked {id} did not wait any longer" + ("; the rule is saved" if saved else "")
        if chosen == "session":
            self._remember(one.question, str(person))
        return f"{id}: {chosen}" + (f"; saved {' and '.join(saved)}" if saved else "")

    async def undo(self, id: str, person: Person) -> tuple[str, ...]:
        """Removes the rules that were saved with the answer to ``id`` and returns the removed lines.

        Raises:
            ExecPolicyError: there are none, or they are no longer there.
        """
        found = next((each for each in self.saved if each.id == id), None)
        if found is None:
            raise UsageError(f"no rule was saved with the answer to `{id}`")
        manager = self._studies.manager_at(found.cwd)

        def take_back() -> tuple[str, ...]:
            return tuple([line for path, lines in found.files.items() for line in manager.undo_lines(path, lines)])

        removed = await self.in_thread(take_back)
        self.saved.remove(found)
        self._known.clear()
        self._audit.write({"event": "inbox.undone", "id": id, "by": str(person), "rules": list(removed)})
        return removed

    async def in_thread(self, work: Callable[[], _T]) -> _T:
        """Runs ``work`` in the thread that reads rules and judges."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def left(self, one: WaitingQuestion) -> None:
        """Ends a question whose asker has disconnected."""
        was = one.stage
        self.waiting.leave(one)
        self._known.pop(one.id, None)
        if was == "waiting":
            self._note(one.stage, one, {})
        elif was == "late" and one.taken.result():  # the asker was only slow, and acts on the answer all the same
            self._note("taken", one, {})

    def close(self) -> None:
        """Ends the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _save(
        self, question: InboxQuestion, study: Study, prefixes: Choices
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The prefix that the asker saves himself, or the lines that are saved here."""
        if question.own_saving:
            prefix = tuple(prefixes[0] or ()) if prefixes else question.own_saving
            whole = question.own_saving
            if not prefix or (prefix != whole if study.whole else whole[: len(prefix)] != prefix):
                raise UsageError(f"only `{join(whole)}`" + ("" if study.whole else " or a beginning of it"))
            refused = why_not_savable(prefix)
            if refused is not None:
                raise UsageError(refused)
            return prefix, ()
        files = await self.in_thread(lambda: self._studies.save(question, prefixes))
        id = next((one.id for one in self.waiting.open() if one.question is question), "")
        saved = SavedRules(id=id, files=files, cwd=question.cwd)
        self.saved.append(saved)
        self._known.clear()
        return (), saved.lines

    async def _give(self, one: WaitingQuestion, answer: Answer, person: Person, saved: tuple[str, ...]) -> bool:
        entry = {
            "answer": word_of(answer),
            "message": answer.feedback,
            "by": str(person),
            "saved": list(saved) or list(answer.amendment),
            "shown": _shown(one.question, self._known.get(one.id)),
        }
        self._note("answered", one, entry)
        taken = await self.waiting.settle(one, answer, str(person))
        self._note("taken" if taken else "late", one, {})
        return taken

    async def _answer_as_before(self, one: WaitingQuestion, before: str) -> None:
        try:
            await self._give(one, answer_in_words("session"), Person("session", before), ())
        except ExecPolicyError:  # it cannot be recorded: a person has to answer it
            self.waiting.give_back(one)

    def _remember(self, question: InboxQuestion, by: str) -> None:
        if question.session:
            self._for_session[_digest(question)] = by
            while len(self._for_session) > _MOST_REMEMBERED:
                self._for_session.popitem(last=False)

    def _note(self, event: str, one: WaitingQuestion, entry: dict[str, Any]) -> None:
        self._audit.write({"event": f"inbox.{event}", "id": one.id, **entry})


def _shown(question: InboxQuestion, study: Study | None) -> dict[str, Any]:
    """The content shown to the person: the digest of the text and, if it was studied, each part with the reason."""
    parts = [] if study is None else [part for each in study.explanations for part in each.parts]
    return {
        "text_sha256": hashlib.sha256(question.text.encode("utf-8", "surrogatepass")).hexdigest(),
        "characters": len(question.text),
        "reason": question.reason,
        "parts": [{"command": each.shown, "decision": each.decision, "why": each.reason} for each in parts[:50]],
        "files": sorted(question.changes or question.writes),
    }


def _digest(question: InboxQuestion) -> bytes:
    return hashlib.sha256(question.sameness.encode("utf-8", "surrogatepass")).digest()


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
