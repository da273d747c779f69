"""Runs a command for this program as a separate process: ``PYTHON -I -S …/warden.py SOCKET PROGRAM``.

The warden starts the command and adopts its orphans (``PR_SET_CHILD_SUBREAPER``). These include grandchildren that
made their own session and outlived their parents. The warden reports how the command ended and exits once no
process of it is left.

The warden ends every process of the command in these cases:

- this program asks it to;
- the warden receives a signal to end;
- its socket closes, which the kernel does when this program dies;
- its parent is no longer PROGRAM: a fork of this program may still hold the socket.

The kernel kills the command (``PR_SET_PDEATHSIG``) if its warden is killed.

The warden is a separate process so that a program with other children or threads can also run commands.

The first message on the socket is the request: 4 bytes of length, then a ``marshal`` of this tuple: argv,
environment, working directory, descriptors to inherit, own session (true or false), reserved paths. Lines follow.
``signal N`` signals the command's process group. ``end MS`` ends every process: SIGTERM first, SIGKILL after MS
milliseconds.

The warden answers ``forked PID`` before the command can act, then ``started`` or ``failed ERRNO``. Later it sends
``ended CODE`` (negative for a signal), and ``left PID…`` for processes that could not be ended.

At the end it removes the reserved paths (:func:`give_back`), in case this program could not.

Outside Linux there is no adoption, and only the command's process group is ended.
"""

from __future__ import annotations

import ctypes
import fcntl
import marshal
import os
import select
import signal
import stat
import sys
from collections.abc import Sequence
from errno import ENOENT
from time import monotonic
from typing import Any, NoReturn

LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_FATAL = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)
_PAUSE_MS = 10
_WATCH_MS = 500
"""Milliseconds between two checks that this program is still alive."""
_GRACE_MS = 1_000
"""Milliseconds between SIGTERM and SIGKILL by default."""
_GIVE_UP_S = 5.0
"""Seconds to wait after SIGKILL for processes that changed their user or hang in the kernel."""


def adopt_orphans(wanted: bool) -> None:
    """Start (or stop) adopting the orphans of descendants. No effect outside Linux."""
    if LINUX:
        _libc().prctl(_PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def descendants() -> list[int]:
    """The ids of all descendants of this process that are not reaped yet."""
    children: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc") if LINUX else []
    except OSError:
        names = []
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except OSError:  # it has just ended
            continue
        children.setdefault(parent, []).append(int(name))  # zombies too: other threads of one may still run
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += below
    return found


def signal_all(processes: Sequence[int], number: int) -> None:
    """Send a signal to each process that still exists and may be signalled."""
    for process in processes:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue


def signal_group(group: int, number: int) -> None:
    """Send a signal to a process group if it has a process that may be signalled."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def reap() -> list[tuple[int, int]]:
    """Reap the children that have ended and return pairs of process id and return code (negative for a signal).

    Raises:
        ChildProcessError: no child is left.
    """
    found: list[tuple[int, int]] = []
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            if found:
                return found
            raise
        if process == 0:
            return found
        found.append((process, os.waitstatus_to_exitcode(status)))


def give_back(path: bytes | str, descriptor: int) -> None:
    """Remove the empty folder or file that reserved ``path``.

    It is removed only if ``descriptor`` has it open, its sticky bit marks it as reserved, and no other user needs it.
    Each user holds a shared lock on it.
    """
    found = os.fstat(descriptor)
    if not found.st_mode & stat.S_ISVTX:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISDIR(found.st_mode):
            os.rmdir(path)
        elif os.path.samestat(found, os.lstat(path)) and found.st_size == 0:
            os.unlink(path)
    except OSError:  # another command needs it, or it has content now
        return


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


class Warden:
    """One command, until none of its processes is left."""

    def __init__(self, control: int, program: int) -> None:
        self._control = control
        self._program = program
        os.set_inheritable(control, False)
        self._said = b""
        self._command = 0
        self._ignored: list[signal.Signals] = []
        self._wake, wake = os.pipe()
        for end in (self._wake, wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._over = False
        self._told_to_end = False
        self._kill_at: float | None = None
        self._reserved: list[bytes] = []

    def guard(self) -> None:
        """Start the command and wait until it and every process that it started have ended."""
        self._ignored = [number for number in _FATAL if signal.getsignal(number) is signal.SIG_IGN]
        for number in (*_FATAL, signal.SIGCHLD):
            signal.signal(number, self._told)
        adopt_orphans(True)
        request = self._request()
        if request is None:
            return
        *wanted, self._reserved = request
        if self._start(*wanted):
            self._wait()
        self._give_back()

    def _give_back(self) -> None:
        for path in self._reserved:
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except OSError:  # already removed
                continue
            give_back(path, descriptor)
            os.close(descriptor)

    def _wait(self) -> None:
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while self._some_left():
            for ready, _ in poll.poll(_WATCH_MS if self._kill_at is None else _PAUSE_MS):
                if ready == self._wake:
                    os.read(self._wake, 4096)
                elif not self._listen():
                    poll.unregister(self._control)
            if self._kill_at is None and (self._told_to_end or os.getppid() != self._program):
                self._end(_GRACE_MS)

    def _told(self, number: int, frame: object) -> None:
        self._told_to_end = self._told_to_end or number != signal.SIGCHLD

    def _request(self) -> tuple[Any, ...] | None:
        """Read the request from the socket; ``None`` if the socket closed first."""
        data = b""
        while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
            more = os.read(self._control, 1 << 16)
            if not more:
                return None
            data += more
        size = 4 + int.from_bytes(data[:4], "big")
        self._said = data[size:]
        request: tuple[Any, ...] = marshal.loads(data[4:size])
        return request

    def _start(
        self, argv: list[bytes], environment: dict[bytes, bytes], folder: bytes | None, handed: list[int], session: bool
    ) -> bool:
        prctl, warden = _libc().prctl if LINUX else None, os.getpid()
        failure, report = os.pipe()
        try:
            process = os.fork()
        except OSError as error:
            self._tell(f"failed {error.errno}")
            return False
        if process == 0:
            try:
                os.setsid() if session else os.setpgid(0, 0)
                signal.set_wakeup_fd(-1)
                for number in (*_FATAL, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
                    signal.signal(number, signal.SIG_IGN if number in self._ignored else signal.SIG_DFL)
                if prctl is not None:
                    prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
                if os.getppid() != warden:  # the warden died before the call
                    os._exit(127)
                if folder is not None:
                    os.chdir(folder)
                self._tell(f"forked {os.getpid()}")
                _execute(argv, environment)
            except OSError as error:
                os.write(report, str(error.errno).encode())
            finally:
                os._exit(127)
        os.close(report)
        why = os.read(failure, 16)
        os.close(failure)
        if why:
            os.waitpid(process, 0)
            self._tell(f"failed {why.decode()}")
            return False
        self._command = process
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # readers of the command's output must see it end
            os.dup2(null, stream)
        for descriptor in handed:
            os.close(descriptor)
        self._tell("started")
        return True

    def _some_left(self) -> bool:
        """Reap ended processes and, once due, kill the remaining ones. True if some are left."""
        try:
            over = reap()
        except ChildProcessError:
            return False
        for process, code in over:
            if process == self._command:
                self._over = True
                self._tell(f"ended {code}")
        if self._kill_at is None:
            return True
        late = monotonic() - self._kill_at
        if late > _GIVE_UP_S:
            self._tell(" ".join(["left", *map(str, descendants())]))
            return False
        if late >= 0:
            self._signal_all(signal.SIGKILL)
        return True

    def _listen(self) -> bool:
        """Carry out the lines from the socket. ``False`` at its end, after which every process is ended."""
        try:
            more = os.read(self._control, 4096)
        except OSError:
            more = b""
        *lines, self._said = (self._said + more).split(b"\n")
        for line in lines:
            word, _, number = line.partition(b" ")
            if word == b"signal" and not self._over:
                signal_group(self._command, int(number))
            elif word == b"end":
                self._end(int(number))
        if not more and self._kill_at is None:
            self._end(_GRACE_MS)
        return bool(more)

    def _end(self, patience_ms: int) -> None:
        """End every process: SIGTERM now, and SIGKILL after ``patience_ms`` milliseconds."""
        at = monotonic() + patience_ms / 1000
        self._kill_at = at if self._kill_at is None else min(at, self._kill_at)
        self._signal_all(signal.SIGTERM if patience_ms else signal.SIGKILL)
        if patience_ms:
            self._signal_all(signal.SIGCONT)  # a stopped process receives SIGTERM only after it continues

    def _signal_all(self, number: int) -> None:
        found = descendants()
        signal_all(found, number)
        if not found and not self._over:  # /proc is missing here
            signal_group(self._command, number)

    def _tell(self, line: str) -> None:
        try:
            os.write(self._control, line.encode() + b"\n")
        except OSError:  # the socket is closed: the remaining processes will be ended
            return


def _execute(argv: list[bytes], environment: dict[bytes, bytes]) -> NoReturn:
    """Replace this process with the program, found through ``PATH``; raises ``OSError`` if it cannot be started."""
    if b"/" in argv[0]:
        os.execve(argv[0], argv, environment)
    problem = OSError(ENOENT, "no such program")
    for folder in environment.get(b"PATH", os.fsencode(os.defpath)).split(b":"):
        try:
            os.execve(os.path.join(folder, argv[0]), argv, environment)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            problem = error
    raise problem


if __name__ == "__main__":
    Warden(int(sys.argv[1]), int(sys.argv[2])).guard()
