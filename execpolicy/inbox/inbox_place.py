"""Where the inbox listens: a socket that only its user can open, in a folder that only its user can enter.

The folder follows from the home folder alone, and not from ``XDG_RUNTIME_DIR``: an installed hook takes no variable
from the agent, a job without a login has none, and who asks must look where the person's server listens.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Mapping
from contextlib import suppress

from execpolicy.approvals.remembered import state_folder
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.inbox.peer import peer_of

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
