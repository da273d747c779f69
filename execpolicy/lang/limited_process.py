"""Evaluates rule text in a child process whose address space, processor time and wall-clock time are limited."""

from __future__ import annotations

import contextlib
import marshal
import os
import resource
import select
import signal
import sys
import threading
import time

from execpolicy.lang import starlark_run
from execpolicy.lang.file_limits import FileLimits
from execpolicy.lang.recording import Failure, Recording

_CHILD = "from execpolicy.lang.limited_process import child_main; child_main()"
_GRACE_SECONDS = 2.0
_STACK = 256 << 20
_LEAST = 96 << 20
"""The bytes of memory that Python and Starlark need for any real file; with less, every attempt would fail slowly."""
_TRIES = 2
_VALUES = 8
"""The bytes of values for each character of the size limit: every later step processes the values."""
_FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT")
"""Signals that no rule file can cause: a user, or a system without free memory, ended the process."""


def is_limited() -> bool:
    """True if this process has a limit on its memory."""
    return any(_limit(which) is not None for which in ("RLIMIT_AS", "RLIMIT_DATA"))


def _memory(limits: FileLimits) -> int:
    """The memory limit for an evaluating process: the smaller of the file's limit and this process's own limit."""
    inherited = _limit("RLIMIT_AS")
    return limits.memory if inherited is None else min(limits.memory, inherited)


def _limit(which: str) -> int | None:
    """The soft limit of this process, ``None`` if there is none."""
    limit = resource.getrlimit(getattr(resource, which))[0]
    return None if limit == resource.RLIM_INFINITY else limit


def evaluate_in_child(text: str, limits: FileLimits) -> Recording:
    """The recording of ``text``, evaluated by a child process with limits. Never raises."""
    memory = _memory(limits)
    if memory < _LEAST:
        message = f"evaluation needs at least {_LEAST >> 20} MiB of memory, and the limit is {memory >> 20} MiB"
        return Recording([], Failure("EP006", message))
    try:
        payload = marshal.dumps((text.encode(), limits.size, limits.statements, limits.seconds, memory))
    except UnicodeEncodeError as error:
        return Recording([], Failure("EP001", f"invalid input `{ascii(text[error.start])[1:-1]}`: not UTF-8"))
    for _ in range(_TRIES):
        try:
            answer, ended_by = _ask_child(payload, limits)
        except OSError as error:
            return Recording([], Failure("EP006", f"cannot start a process to evaluate this file: {error.strerror}"))
        if answer is None or ended_by == "SIGXCPU":
            message = f"evaluation took longer than {limits.seconds:g} s"
            return Recording([], Failure("EP006", message, help="remove the endless loop"))
        if len(answer) > limits.size * _VALUES:
            message = f"what its rules say comes to more than {limits.size * _VALUES:,} bytes"
            return Recording([], Failure("EP006", message, help="a rule file has no use for values of this size"))
        recording = None if ended_by else _recording(answer)
        if recording is not None:
            return recording
        if ended_by not in ("", *_FROM_OUTSIDE):
            break
    if ended_by in _FROM_OUTSIDE:
        message = f"the process that evaluates was ended by {ended_by}, twice"
        return Recording([], Failure("EP006", message, help="try again"))
    message = f"evaluation needed more than {memory >> 20:,} MiB of memory or all of its stack"
    if not ended_by:
        message = f"the process that evaluates gave no answer: it was ended, or {message}"
    return Recording([], Failure("EP006", message, help="a rule file has no use for values of this size"))


def _recording(answer: bytes) -> Recording | None:
    try:
        return Recording.from_plain(marshal.loads(answer))
    except (EOFError, ValueError, TypeError):
        return None  # the process ended before it had written its whole answer


def _ask_child(payload: bytes, limits: FileLimits) -> tuple[bytes | None, str]:
    """The answer of an evaluating process to ``payload``, ``None`` if it takes longer; and the cause of its end.

    An answer that is longer than ``limits`` permit is cut, but still exceeds the limit. The cause is the name of a
    signal, ``exit`` for a failure, and empty if the process succeeded or the cause is unknown.

    Raises:
        OSError: the process cannot be started.
    """
    most = limits.size * _VALUES
    pid, to_child, from_child = _start_child()
    try:
        _write_all(to_child, payload)
        answer = _read_all(from_child, limits.seconds + _GRACE_SECONDS, max(limits.clock, limits.seconds), most, pid)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    else:
        if answer is None or len(answer) > most:
            os.kill(pid, signal.SIGKILL)
    finally:
        os.close(from_child)
        ended_by = _ended_by(pid)
    return answer, ended_by


def _start_child() -> tuple[int, int, int]:
    """Starts the evaluating process; returns its id, and the descriptors that write to it and read from it."""
    opened: list[int] = []
    try:
        for _ in range(2):
            opened += os.pipe()
        theirs, to_child, from_child, answers = opened
        environment = {key: value for key, value in os.environ.items() if key in ("PATH", "LD_LIBRARY_PATH")}
        environment["MALLOC_ARENA_MAX"] = "1"  # an arena for a thread reserves 128 MB, or tries to at each allocation
        environment["PYTHONPATH"] = os.pathsep.join([part for part in sys.path if os.path.isabs(part)])
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-P", "-S", "-c", _CHILD],  # -P: no import from the cwd
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs, 0),
                (os.POSIX_SPAWN_DUP2, answers, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
    except OSError:
        for each in opened:
            os.close(each)
        raise
    os.close(theirs)
    os.close(answers)
    return pid, to_child, from_child


def _read_all(fd: int, seconds: float, clock: float, most: int, pid: int) -> bytes | None:
    """The data up to the end of ``fd``, or slightly more than ``most`` bytes of it; ``None`` on a timeout.

    A timeout occurs when the writing process ``pid`` has used ``seconds`` of processor time, when it stops computing
    after ``seconds``, or after ``clock``. The cost of a file is processor time: wall-clock time also depends on the
    load of the machine.
    """
    latest = time.monotonic() + clock
    deadline = min(time.monotonic() + seconds, latest)
    spent = 0.0
    readable = select.poll()  # `select` fails above descriptor 1,023
    readable.register(fd, select.POLLIN | select.POLLHUP)
    chunks: list[bytes] = []
    while most >= 0:
        left = deadline - time.monotonic()
        if left > 0 and readable.poll(left * 1000):
            chunk = os.read(fd, 1 << 20)
            if not chunk:
                break
            chunks.append(chunk)
            most -= len(chunk)
            continue
        before, spent = spent, _processor_time(pid)
        if not before < spent < seconds or time.monotonic() >= latest:
            return None
        deadline = min(time.monotonic() + _GRACE_SECONDS, latest)
    return b"".join(chunks)


def _processor_time(pid: int) -> float:
    """The processor time of a process in seconds; 0 if the system does not report it."""
    if sys.platform != "linux":
        return 0.0
    try:
        return time.clock_gettime(~pid << 3 | 2)  # the clock id of a process: see clock_getcpuclockid(3)
    except OSError:
        return 0.0


def _ended_by(pid: int) -> str:
    """The cause of a process's end, see :func:`_ask_child`; there is no record if SIGCHLD is inherited as ignored."""
    try:
        status = os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return ""
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return "exit" if status else ""


def _write_all(fd: int, data: bytes) -> None:
    """Writes and closes; a child that ended early closes its end, which is not an error here."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except BrokenPipeError:
        pass
    finally:
        os.close(fd)


def child_main() -> None:
    """Runs the evaluating process: request on standard input, recording on standard output, both ``marshal``."""
    data = b""
    while chunk := os.read(0, 1 << 20):
        data += chunk
    raw, size, statements, seconds, memory = marshal.loads(data)
    limits = FileLimits(size=size, statements=statements, seconds=seconds, memory=memory)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with contextlib.suppress(ValueError):  # an inherited lower limit also holds
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2, int(seconds) + 3))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.stack_size(min(_STACK, memory // 4))
    answers: list[Recording] = []
    worker = threading.Thread(target=lambda: answers.append(starlark_run.run_starlark(raw.decode(), limits)))
    worker.start()
    worker.join()
    if answers:
        view = memoryview(marshal.dumps(answers[0].to_plain()))
        while view:
            view = view[os.write(1, view) :]
