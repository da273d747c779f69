"""The questions that wait, each until it is answered once, expires or is withdrawn.

One event loop owns them. The caller of :meth:`WaitingQuestions.claim` has to check the identity of the person; this
module does not.

The inbox listens on a socket that only its user can open, in a folder that only its user can enter. The path of the
folder depends on the home directory alone, not on ``XDG_RUNTIME_DIR``: an installed hook takes no variable from the
agent, and a job without a login has none. The asker must look where the person's server listens.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from execpolicy.core.answer import Answer
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.inbox.inbox_question import InboxQuestion, word_of
from execpolicy.inbox.peer import Kin, peer_of
from execpolicy.permissions.audit import now_rfc3339, state_folder
from execpolicy.system import why_not

_SOCKET = "socket"


class InboxClosedError(ExecPolicyError):
    """No inbox listens, or it is not the user's own; the message names the remedy."""


def inbox_folder(environ: Mapping[str, str]) -> str:
    """The folder of the inbox of the user with these environment variables.

    Raises:
        UsageError: there is no home directory.
    """
    folder = state_folder(environ)
    if folder is None:
        raise UsageError("there is no home folder to keep the inbox in: set HOME")
    return os.path.join(folder, "inbox")


def make_folder(folder: str) -> None:
    """Creates ``folder`` for its owner alone.

    Raises:
        InboxClosedError: it cannot be created, or another user could write to it.
    """
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise InboxClosedError(f"the inbox `{folder}` cannot be made: {error.strerror}") from None
    problem = why_not_own(folder)
    if problem is not None:
        raise InboxClosedError(problem)


def why_not_own(folder: str) -> str | None:
    """The reason why ``folder`` may hold files of another user; ``None`` if only this user can write to it."""
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
    """A socket that listens in ``folder``; it replaces a socket without a listener.

    Raises:
        InboxClosedError: another server listens there, or the folder is not the user's own.
    """
    _refuse_elsewhere()
    make_folder(folder)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _socket_path(folder) as path:
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
    """Removes the socket in ``folder`` when the server ends."""
    with suppress(OSError):
        os.unlink(os.path.join(folder, _SOCKET))


def connected_socket(folder: str) -> socket.socket:
    """A connection to the inbox in ``folder``, after a check that a process of this user listens.

    Raises:
        InboxClosedError: there is none.
    """
    _refuse_elsewhere()
    problem = why_not_own(folder)
    if problem is not None:
        raise InboxClosedError(f"{problem}; `execpolicy ui` opens the inbox")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _socket_path(folder) as path:
            connection.settimeout(5)
            connection.connect(path)
        if peer_of(connection).uid != os.getuid():
            raise InboxClosedError("another user's process listens in place of the inbox")
    except OSError:
        connection.close()
        raise InboxClosedError("no one looks at the inbox: `execpolicy ui` opens it") from None
    except InboxClosedError:
        connection.close()
        raise
    return connection


def _refuse_elsewhere() -> None:
    """Raises on a system that does not tell which process of which user is at the other end of a socket."""
    problem = why_not("the inbox")
    if problem is not None:
        raise InboxClosedError(problem)


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


@contextmanager
def _socket_path(folder: str) -> Iterator[str]:
    """The path of the socket through an open folder: a socket's path is limited to about a hundred characters."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{_SOCKET}"
    finally:
        os.close(descriptor)


MOST_WAITING = 5_000
MAX_WAITING_BYTES = 256 << 20
_ALPHABET = "bcdfghjkmnpqrstvwxz23456789"
_KEPT = 200
"""The number of finished questions that are still shown, so that two windows agree on their results."""
_TAKING_S = 10.0

Stage = Literal["waiting", "answering", "answered", "late", "expired", "withdrawn"]


@dataclass(slots=True)
class WaitingQuestion:
    """One question and its state.

    Attributes:
        side: the processes that may not answer it.
        expires: on the monotonic clock.
        settled: the answer in the form for the asker.
        by: the person who answered.
    """

    id: str
    question: InboxQuestion
    side: frozenset[Kin]
    size: int
    asked: str = field(default_factory=now_rfc3339)
    expires: float = 0.0
    stage: Stage = "waiting"
    by: str = ""
    answer: Answer | None = None
    settled: asyncio.Future[Answer] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    taken: asyncio.Future[bool] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def to_json(self) -> dict[str, Any]:
        """The form for lists: ``{id, stage, source, agent, session, cwd, command, reason, asked, seconds_left, …}``."""
        asked = self.question
        return {
            "id": self.id,
            "stage": self.stage,
            **{name: getattr(asked, name) for name in ("source", "agent", "session", "cwd")},
            "command": asked.text[:_SHOWN],
            "cut": max(len(asked.text) - _SHOWN, 0),
            "reason": asked.reason[:_SHOWN],
            "asked": self.asked,
            "seconds_left": round(max(self.expires - time.monotonic(), 0.0), 1) if self.stage == "waiting" else 0,
            "answer": word_of(self.answer),
            "by": self.by,
        }


_SHOWN = 2_000
"""The maximum number of characters of a command in a list."""


class WaitingQuestions:
    """All questions, oldest first.

    Args:
        changed: called whenever a question is put, answered or over.
    """

    def __init__(self, changed: Callable[[WaitingQuestion], None] = lambda one: None) -> None:
        self._by_id: dict[str, WaitingQuestion] = {}
        self._over: list[str] = []
        self._changed = changed
        self._size = 0

    def put(self, question: InboxQuestion, side: frozenset[Kin], size: int) -> WaitingQuestion:
        """Adds ``question`` to those that wait.

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
        """The questions that can be answered, or are being answered right now."""
        return [one for one in self._by_id.values() if one.stage in ("waiting", "answering")]

    def all(self) -> list[WaitingQuestion]:
        """The open questions, and the last ones that are over."""
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
        """Reserves the question for one answer; any other answer is refused from then on.

        Raises:
            UsageError: there is none, or it is answered, answered right now, or over.
        """
        one = self.find(id)
        if one.stage != "waiting":
            raise UsageError(f"question `{id}` {_WHY_NOT[one.stage]}")
        self._move(one, "answering")
        return one

    def give_back(self, one: WaitingQuestion) -> None:
        """Returns a claimed question without an answer to those that wait."""
        if one.stage == "answering" and not one.settled.done():
            self._move(one, "waiting")

    async def settle(self, one: WaitingQuestion, answer: Answer, by: str) -> bool:
        """Gives the claimed question its answer; True if the asker took it in time."""
        if one.stage != "answering":
            return False
        one.answer, one.by = answer, by
        one.settled.set_result(answer)
        await asyncio.wait([one.taken], timeout=_TAKING_S)
        return self._end(one)

    def leave(self, one: WaitingQuestion) -> None:
        """Ends a question whose asker has disconnected, unless he took his answer before."""
        if not one.taken.done():
            one.taken.set_result(False)
        if one.stage == "waiting":
            self._move(one, "expired" if time.monotonic() >= one.expires - 1.0 else "withdrawn")
        else:
            self._end(one)

    def _end(self, one: WaitingQuestion) -> bool:
        """Ends a claimed question, with its answer, too late for it, or without any; True if the answer was taken."""
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
        """A short name that no earlier question had: numbers would restart with the next server."""
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
