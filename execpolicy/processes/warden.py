"""What stands between this program and a command that it runs: ``PYTHON -I -S …/warden.py SOCKET PROGRAM``.

The warden starts the command, adopts whatever that leaves behind (``PR_SET_CHILD_SUBREAPER``: also a grandchild that
made a session of its own and outlived its parents), tells how the command ended, and does not leave before nothing of
it is left. It ends all of it when it is told to, when a signal tells it to end, when its socket closes, which the
kernel does in whatever way this program dies, and when its parent is no longer PROGRAM: somebody whom this program
forked may still hold the socket. A command is killed (``PR_SET_PDEATHSIG``) if its warden is.

It is a process of its own so that a program with other children, or other threads, can run commands as well.

On the socket comes first what to run, as the length of a ``marshal`` in 4 bytes and that: (argv, environment, working
folder, descriptors to hand down, whether in a session of its own, what is reserved for it). Then lines: ``signal N``
for the command's process group; ``end MS`` ends everything, SIGTERM first and SIGKILL after so many milliseconds. It
answers with ``forked PID`` before the command can do anything, then ``started`` or ``failed ERRNO``, later ``ended
CODE`` (negative for a signal), and ``left PID…`` for what could not be ended.

At the end it removes what was reserved for the command (:func:`give_back`), in case this program could not.

Outside Linux there is no adoption, and what is ended is the command's process group.
"""

from __future__ import annotations

import marshal
import os
import select
import signal
import stat
import sys
from errno import ENOENT
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_FATAL = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)
_PAUSE_MS = 10
_WATCH_MS = 500
"""So often it looks whether this program is still there."""
_GRACE_MS = 1_000
"""Between SIGTERM and SIGKILL where nobody says how long."""
_GIVE_UP_S = 5.0
"""After SIGKILL, for what runs as another user by now or hangs in the kernel."""


def adopt_orphans(wanted: bool) -> None:
    """Become (or stop being) the parent of what descendants leave behind. No effect outside Linux."""
    if LINUX:
        _libc().prctl(_PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def descendants() -> list[int]:
    """Every process that this one, or one that it started, has started and that is not yet collected."""
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
        children.setdefault(parent, []).append(int(name))  # zombies too: other threads of one may run on
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += below
    return found


def signal_all(processes: Sequence[int], number: int) -> None:
    """Send a signal to each that is still there and may be signalled."""
    for process in processes:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue


def signal_group(group: int, number: int) -> None:
    """Send a signal to a process group, if there is anybody in it who may be signalled."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def reap() -> list[tuple[int, int]]:
    """Collect the children that are over: number and return code, negative for a signal.

    Raises:
        ChildProcessError: there is no child left.
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
    """Remove the empty folder or file that was made in a place so that a command could not take it.

    Only if that is what ``descriptor`` has open (its sticky bit says so) and nobody else needs it: each user holds a
    shared lock on it meanwhile.
    """
    import fcntl

    found = os.fstat(descriptor)
    if not found.st_mode & stat.S_ISVTX:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISDIR(found.st_mode):
            os.rmdir(path)
        elif os.path.samestat(found, os.lstat(path)) and found.st_size == 0:
            os.unlink(path)
    except OSError:  # somebody needs it, or has put something there
        return


def _libc() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


class Warden:
    """One command, until nothing of it is left."""

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
        """Start the command and wait until it and all that it started are over."""
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
            except OSError:  # it has gone
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
        """What to run; ``None`` if whoever wants it has gone."""
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
        self,
        argv: list[bytes],
        environment: dict[bytes, bytes],
        folder: bytes | None,
        handed: list[int],
        session: bool,
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
                if os.getppid() != warden:  # it died before the call
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
        for stream in (0, 1, 2):  # whoever reads the command's output must see it end
            os.dup2(null, stream)
        for descriptor in handed:
            os.close(descriptor)
        self._tell("started")
        return True

    def _some_left(self) -> bool:
        """Collect what is over; end what is left, if it is time."""
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
        late = _now() - self._kill_at
        if late > _GIVE_UP_S:
            self._tell(" ".join(["left", *map(str, descendants())]))
            return False
        if late >= 0:
            self._signal_all(signal.SIGKILL)
        return True

    def _listen(self) -> bool:
        """Obey what the socket says; ``False`` at its end, after which everything ends."""
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
        """End everything; what is left after so many milliseconds is killed."""
        at = _now() + patience_ms / 1000
        self._kill_at = at if self._kill_at is None else min(at, self._kill_at)
        self._signal_all(signal.SIGTERM if patience_ms else signal.SIGKILL)
        if patience_ms:
            self._signal_all(signal.SIGCONT)  # what is stopped does not hear of anything else

    def _signal_all(self, number: int) -> None:
        found = descendants()
        signal_all(found, number)
        if not found and not self._over:  # no /proc here
            signal_group(self._command, number)

    def _tell(self, line: str) -> None:
        try:
            os.write(self._control, line.encode() + b"\n")
        except OSError:  # nobody listens any more: what is left will be ended
            return


def _execute(argv: list[bytes], environment: dict[bytes, bytes]) -> NoReturn:
    """Become the program, looked for in the ``PATH`` of ``environment``.

    Raises:
        OSError: it cannot be started.
    """
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


def _now() -> float:
    return monotonic()


if __name__ == "__main__":
    Warden(int(sys.argv[1]), int(sys.argv[2])).guard()
