"""The questions that wait, each from being put to being answered once, expiring or being withdrawn.

One event loop owns them. Nothing here asks who answers: whoever calls :meth:`WaitingQuestions.answer` has checked that.

Where the inbox listens: a socket that only its user can open, in a folder that only its user can enter.

The folder follows from the home folder alone, and not from ``XDG_RUNTIME_DIR``: an installed hook takes no variable
from the agent, a job without a login has none, and who asks must look where the person's server listens.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from execpolicy.approvals.approval_store import state_folder
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.inbox.inbox_question import InboxAnswer, InboxQuestion
from execpolicy.inbox.peer import Kin, peer_of
from execpolicy.permissions.audit import now_rfc3339

_SOCKET = "socket"


class InboxClosedError(ExecPolicyError):
    """No inbox listens, or it is not the user's own; the message says what to do."""


def inbox_folder(environ: Mapping[str, str]) -> str:
    """The folder of the inbox of whoever has these variables.

    Raises:
        UsageError: there is no home folder.
    """
    folder = state_folder(environ)
    if folder is None:
        raise UsageError("there is no home folder to keep the inbox in: set HOME")
    return os.path.join(folder, "inbox")


def make_folder(folder: str) -> None:
    """Make ``folder`` for its owner alone.

    Raises:
        InboxClosedError: it cannot be made, or somebody else could put things into it.
    """
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise InboxClosedError(f"the inbox `{folder}` cannot be made: {error.strerror}") from None
    problem = why_not_own(folder)
    if problem is not None:
        raise InboxClosedError(problem)


def why_not_own(folder: str) -> str | None:
    """Why ``folder`` may hold what somebody else put there; ``None`` if only this user can write to it."""
    try:
        found = os.lstat(folder)
    except OSError:
        return f"there is no inbox: nothing is at `{folder}`"
    if not stat.S_ISDIR(found.st_mode):
        return f"`{folder}` is not a folder: remove it"
    if found.st_uid != os.getuid():
        return f"`{folder}` belongs to another user: remove it"
    if found.st_mode & 0o077:
        return f"others can enter `{folder}`: make it yours alone (chmod 700)"
    return None


def listening_socket(folder: str) -> socket.socket:
    """A socket that listens in ``folder``, in place of one that nobody listens on any more.

    Raises:
        InboxClosedError: another server listens there, or the folder is not the user's own.
    """
    make_folder(folder)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _Entrance(folder) as path:
            if os.path.lexists(path):
                if _answers(path):
                    raise InboxClosedError("another inbox is open already: `execpolicy ui` runs elsewhere")
                os.unlink(path)
            mask = os.umask(0o177)
            try:
                listener.bind(path)
            finally:
                os.umask(mask)
        listener.listen(socket.SOMAXCONN)
    except OSError as error:
        listener.close()
        raise InboxClosedError(f"the inbox cannot listen in `{folder}`: {error.strerror}") from None
    except InboxClosedError:
        listener.close()
        raise
    return listener


def remove_socket(folder: str) -> None:
    """Nobody listens in ``folder`` any more."""
    with suppress(OSError):
        os.unlink(os.path.join(folder, _SOCKET))


def connected_socket(folder: str) -> socket.socket:
    """A connection to the inbox in ``folder``, of which it is known that this user's process listens.

    Raises:
        InboxClosedError: there is none.
    """
    problem = why_not_own(folder)
    if problem is not None:
        raise InboxClosedError(f"{problem}; `execpolicy ui` opens the inbox")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _Entrance(folder) as path:
            connection.settimeout(5)
            connection.connect(path)
        if peer_of(connection).uid != os.getuid():
            raise InboxClosedError("another user's process listens in place of the inbox")
    except OSError:
        connection.close()
        raise InboxClosedError("nobody looks at the inbox: `execpolicy ui` opens it") from None
    except InboxClosedError:
        connection.close()
        raise
    return connection


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        trial.settimeout(1)
        try:
            trial.connect(path)
        except ConnectionRefusedError:
            return False
        except OSError:
            return os.path.exists(path)
    return True


class _Entrance:
    """The path of the socket by way of an open folder: a socket's path has room for a hundred characters only."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> str:
        self._descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        return f"/proc/self/fd/{self._descriptor}/{_SOCKET}"

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


MOST_WAITING = 5_000
MAX_WAITING_BYTES = 256 << 20
_ALPHABET = "bcdfghjkmnpqrstvwxz23456789"
_KEPT = 200
"""Questions that are over and still shown, so that two windows agree on what became of them."""
_TAKING_S = 10.0

Stage = Literal["waiting", "answering", "answered", "late", "expired", "withdrawn"]


@dataclass(slots=True)
class WaitingQuestion:
    """One question and where it stands.

    Attributes:
        side: the processes that may not answer it.
        expires: on the monotonic clock.
        settled: the answer as it goes to who asks.
        by: who answered.
    """

    id: str
    question: InboxQuestion
    side: frozenset[Kin]
    size: int
    asked: str = field(default_factory=now_rfc3339)
    expires: float = 0.0
    stage: Stage = "waiting"
    by: str = ""
    answer: InboxAnswer | None = None
    settled: asyncio.Future[InboxAnswer] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    taken: asyncio.Future[bool] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def to_json(self) -> dict[str, Any]:
        """For lists: ``{id, stage, source, agent, session, cwd, command, reason, asked, seconds_left, …}``."""
        asked = self.question
        return {
            "id": self.id,
            "stage": self.stage,
            "source": asked.source,
            "agent": asked.agent,
            "session": asked.session,
            "cwd": asked.cwd,
            "command": asked.text[:_SHOWN],
            "cut": max(len(asked.text) - _SHOWN, 0),
            "reason": asked.reason[:_SHOWN],
            "asked": self.asked,
            "seconds_left": round(max(self.expires - time.monotonic(), 0.0), 1) if self.stage == "waiting" else 0,
            "answer": None if self.answer is None else self.answer.word,
            "by": self.by,
        }


_SHOWN = 2_000
"""Characters of a command that a list has."""


class WaitingQuestions:
    """All of them, oldest first.

    Args:
        changed: called whenever something is put, answered or over.
    """

    def __init__(self, changed: Callable[[WaitingQuestion], None] = lambda one: None) -> None:
        self._by_id: dict[str, WaitingQuestion] = {}
        self._over: list[str] = []
        self._changed = changed
        self._size = 0

    def put(self, question: InboxQuestion, side: frozenset[Kin], size: int) -> WaitingQuestion:
        """Let ``question`` wait.

        Raises:
            UsageError: too many wait already.
        """
        if len(self.open()) >= MOST_WAITING or self._size + size > MAX_WAITING_BYTES:
            raise UsageError("too many questions wait already")
        one = WaitingQuestion(self._new_id(), question, side, size, expires=time.monotonic() + question.wait_s)
        self._by_id[one.id] = one
        self._size += size
        self._changed(one)
        return one

    def open(self) -> list[WaitingQuestion]:
        """Those that can be answered, or are being answered right now."""
        return [one for one in self._by_id.values() if one.stage in ("waiting", "answering")]

    def all(self) -> list[WaitingQuestion]:
        """Those, and the last ones that are over."""
        return list(self._by_id.values())

    def find(self, id: str) -> WaitingQuestion:
        """The question of that id.

        Raises:
            UsageError: there is none.
        """
        one = self._by_id.get(id)
        if one is None:
            raise UsageError(f"no question `{id}` waits")
        return one

    def claim(self, id: str) -> WaitingQuestion:
        """Take the question for answering: from here on nobody else can.

        Raises:
            UsageError: there is none, or it is answered, answered right now, or over.
        """
        one = self.find(id)
        if one.stage != "waiting":
            raise UsageError(f"question `{id}` {_WHY_NOT[one.stage]}")
        self._move(one, "answering")
        return one

    def give_back(self, one: WaitingQuestion) -> None:
        """It was claimed and no answer went out: it waits again."""
        if one.stage == "answering" and not one.settled.done():
            self._move(one, "waiting")

    async def settle(self, one: WaitingQuestion, answer: InboxAnswer, by: str) -> bool:
        """Give the claimed question its answer; whether who asks took it in time."""
        if one.stage != "answering":
            return False
        one.answer, one.by = answer, by
        one.settled.set_result(answer)
        await asyncio.wait([one.taken], timeout=_TAKING_S)
        return self._end(one)

    def leave(self, one: WaitingQuestion) -> None:
        """Who asks is gone: the question is over, unless he took his answer with him."""
        if not one.taken.done():
            one.taken.set_result(False)
        if one.stage == "waiting":
            self._move(one, "expired" if time.monotonic() >= one.expires - 1.0 else "withdrawn")
        else:
            self._end(one)

    def _end(self, one: WaitingQuestion) -> bool:
        """A claimed question is over, with its answer, too late for it, or without any; whether that was taken."""
        taken = one.taken.done() and one.taken.result()
        if one.stage == "answering":
            self._move(one, "answered" if taken else "late" if one.settled.done() else "withdrawn")
        return taken

    def _move(self, one: WaitingQuestion, stage: Stage) -> None:
        one.stage = stage
        if stage not in ("waiting", "answering"):
            self._size -= one.size
            self._over.append(one.id)
            while len(self._over) > _KEPT:
                self._by_id.pop(self._over.pop(0), None)
        self._changed(one)

    def _new_id(self) -> str:
        """A short name that no earlier question had: numbers would begin again with the next server."""
        while True:
            id = "".join([secrets.choice(_ALPHABET) for _ in range(7)])
            if id not in self._by_id:
                return id


_WHY_NOT: dict[str, str] = {
    "answering": "is being answered elsewhere",
    "answered": "is answered already",
    "late": "was answered too late: who asked did not wait any longer",
    "expired": "has waited too long and got no answer",
    "withdrawn": "was withdrawn by who asked",
}
