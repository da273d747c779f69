"""Evaluates rule text within its limits: literal files are read here, everything else runs in a process of its own.

Starlark has no memory limit, aborts on huge values and cannot be interrupted in several operations. A hostile file may
therefore only hurt a child process, whose address space, processor time and wall clock are bounded.
"""

from __future__ import annotations

import marshal
import os
import sys

from execpolicy.lang.literal import record_literal
from execpolicy.lang.recording import Failure, Recording
from execpolicy.lang.scan import exceeded_limit, shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.lang.file_limits import FileLimits

_CHILD = "from execpolicy.lang.evaluate import child_main; child_main()"
_GRACE_SECONDS = 2.0
_STACK = 256 << 20


def evaluate(text: str, limits: FileLimits, *, trusted: bool = False) -> tuple[Recording, tuple[tuple[str, int], ...]]:
    """What ``text`` does, and where it rebinds a builtin's name (``(name, line)``). Never raises.

    Args:
        trusted: the text is the package's own; it is evaluated in this process.
    """
    failure = exceeded_limit(text, limits)
    if failure is not None:
        return Recording([], failure), ()
    literal = record_literal(text)
    if literal is not None:
        if len(literal.calls) > limits.statements:
            return Recording([], Failure("EP006", f"the file defines more than {limits.statements:,} rules")), ()
        return literal, ()
    measured = shape(text, limits)
    if measured.failure is not None:
        return Recording([], measured.failure), measured.rebound
    if trusted:
        from execpolicy.lang.starlark_run import run_starlark

        return run_starlark(text, limits), measured.rebound
    return _in_child(text, limits), measured.rebound


def _in_child(text: str, limits: FileLimits) -> Recording:
    import signal

    try:
        payload = marshal.dumps((text.encode(), limits.size, limits.statements, limits.seconds, limits.memory))
    except UnicodeEncodeError as error:
        return Recording([], Failure("EP001", f"invalid input `{ascii(text[error.start])[1:-1]}`: not UTF-8"))
    try:
        pid, to_child, from_child = _start_child()
    except OSError as error:
        return Recording([], Failure("EP002", f"cannot start a process to evaluate this file: {error.strerror}"))
    try:
        _write_all(to_child, payload)
        answer = _read_all(from_child, limits.seconds + _GRACE_SECONDS)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    else:
        if answer is None:
            os.kill(pid, signal.SIGKILL)
    finally:
        os.close(from_child)
        status = _status(pid)
    if answer is None:
        return Recording(
            [], Failure("EP006", f"evaluation took longer than {limits.seconds:g} s", help="remove the endless loop")
        )
    if status and os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
        name = signal.Signals(os.WTERMSIG(status)).name
        return Recording([], Failure("EP006", f"the process that evaluates was ended by {name}", help="try again"))
    if status or not answer:
        memory = f"evaluation needed more than {limits.memory >> 20:,} MiB of memory or all of its stack"
        return Recording([], Failure("EP006", memory, help="a rule file has no use for values of this size"))
    return Recording.from_plain(marshal.loads(answer))


def _start_child() -> tuple[int, int, int]:
    """The evaluating process: its number, and the descriptors that write to it and read from it.

    Raises:
        OSError: it cannot be started.
    """
    opened: list[int] = []
    try:
        for _ in range(2):
            opened += os.pipe()
        theirs, to_child, from_child, answers = opened
        environment = {key: value for key, value in os.environ.items() if key in ("PATH", "LD_LIBRARY_PATH")}
        environment["PYTHONPATH"] = os.pathsep.join([part for part in sys.path if os.path.isabs(part)])
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-P", "-S", "-c", _CHILD],  # -P: nothing is imported from the working folder
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


def _read_all(fd: int, seconds: float) -> bytes | None:
    """Everything up to the end of ``fd``; ``None`` if that takes longer."""
    import select
    import time

    deadline = time.monotonic() + seconds
    readable = select.poll()  # `select` knows no descriptor above 1,023
    readable.register(fd, select.POLLIN | select.POLLHUP)
    chunks: list[bytes] = []
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not readable.poll(left * 1000):
            return None
        chunk = os.read(fd, 1 << 20)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)


def _status(pid: int) -> int:
    """How a child ended; 0 where the system keeps no record, because this process inherited SIGCHLD as ignored."""
    try:
        return os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return 0


def _write_all(fd: int, data: bytes) -> None:
    """Write and close; a child that died early closes its end, which is not our failure."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except BrokenPipeError:
        pass
    finally:
        os.close(fd)


def child_main() -> None:
    """The evaluating process: request on standard input, recording on standard output, both ``marshal``."""
    import resource
    import threading

    from execpolicy.lang.file_limits import FileLimits
    from execpolicy.lang.starlark_run import run_starlark

    data = b""
    while chunk := os.read(0, 1 << 20):
        data += chunk
    raw, size, statements, seconds, memory = marshal.loads(data)
    limits = FileLimits(size=size, statements=statements, seconds=seconds, memory=memory)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2, int(seconds) + 3))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.stack_size(_STACK)
    answers: list[Recording] = []
    worker = threading.Thread(target=lambda: answers.append(run_starlark(raw.decode(), limits)))
    worker.start()
    worker.join()
    if answers:
        view = memoryview(marshal.dumps(answers[0].to_plain()))
        while view:
            view = view[os.write(1, view) :]
