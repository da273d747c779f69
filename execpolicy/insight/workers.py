"""Decides many commands on all processors: plain child processes receive the policy and then pieces of the work.

``multiprocessing`` is unsuitable: a fork beside the threads of Arrow and DuckDB is not safe, and a spawn runs the
caller's main module again. A child that dies costs only time: its piece is decided in this process.

The child process imports little, because no command is decided before it has started.
"""

from __future__ import annotations

import gc
import marshal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Condition, Thread
from typing import IO, Any

from execpolicy.insight.portable import PortablePolicy, cores
from execpolicy.insight.tally import Decided, HistoryDecider, Recorded

_COLLECT = 50_000
"""Objects between two collections: a verdict holds no cycles, so there is little to collect."""


def serve(pipe: IO[bytes], answers: IO[bytes]) -> None:
    """Runs a child: receives policies, then pieces, and answers each until the pipe ends."""
    gc.set_threshold(_COLLECT)
    decider: HistoryDecider | None = None
    while True:
        try:
            message = receive(pipe)
        except EOFError:
            return
        if isinstance(message, tuple):
            plain, shell = message
            decider = HistoryDecider([PortablePolicy(*one) for one in plain], shell=shell)
        elif decider is not None and isinstance(message, list):
            send(answers, [decider.decide(command) for command in message])


def send(pipe: IO[bytes], message: Any) -> None:
    """Writes one message."""
    data = marshal.dumps(message)
    pipe.write(len(data).to_bytes(8, "big") + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> object:
    """Reads the next message.

    Raises:
        EOFError: there is none.
    """
    head = pipe.read(8)
    if len(head) < 8:
        raise EOFError
    size = int.from_bytes(head, "big")
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return marshal.loads(data)


_PIECE = 200
"""The number of commands in one piece of work."""
_PATIENCE = 0.2
"""Seconds between two checks for a piece that a child gave back."""
WORTH_A_PROCESS = 2_000
"""The minimum number of commands for which starting a child saves time."""


class Workers:
    """Child processes that decide under ``policies``, and this process beside them.

    They start when it is created. :meth:`begin` gives them work while a history is still being read. A context manager:
    they end with it.
    """

    def __init__(self, policies: Sequence[PortablePolicy], *, shell: str = "bash", children: int | None = None) -> None:
        """Starts ``children`` child processes; one less than the number of processors if not given."""
        self.policies = tuple(policies)
        self.shell = shell
        self._work: SimpleQueue[list[Recorded] | None] = SimpleQueue()
        self._begun: dict[Recorded, None] = {}
        self._done: dict[Recorded, tuple[Decided, ...]] = {}
        self._open = 0
        self._changed = Condition()
        self._children: list[subprocess.Popen[bytes]] = []
        self._threads: list[Thread] = []
        for _ in range(cores() - 1 if children is None else children):
            child = _started()
            if child is None:
                break
            self._children.append(child)
            self._threads.append(Thread(target=self._feed, args=(child,), daemon=True))
            self._threads[-1].start()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            child.kill()
            self._work.put(None)
        for thread in self._threads:
            thread.join()
        for child in self._children:
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):  # the child ended before it read everything
                        pipe.close()
        self._children.clear()

    def begin(self, commands: Iterable[Recorded]) -> None:
        """Lets the children decide those of ``commands`` that are new."""
        new = [command for command in dict.fromkeys(commands) if command not in self._begun]
        self._begun.update(dict.fromkeys(new))
        for start in range(0, len(new), _PIECE):
            with self._changed:
                self._open += 1
            self._work.put(new[start : start + _PIECE])

    def decide(
        self, commands: Sequence[Recorded], progress: Callable[[int], None] | None = None
    ) -> list[tuple[Decided, ...]]:
        """One result for each command and policy, in order; ``progress`` is called with the number of new results."""
        self.begin(commands)
        here: HistoryDecider | None = None
        told = 0
        while self._open:
            try:
                piece = self._work.get_nowait()
            except Empty:  # the children have the rest; one that dies gives its piece back
                with self._changed:
                    if self._open:
                        self._changed.wait(_PATIENCE)
            else:
                if piece is not None:
                    here = here or HistoryDecider(self.policies, shell=self.shell)
                    self._finish(piece, [here.decide(command) for command in piece])
            if progress is not None:
                done = min(len(self._done), len(commands))
                progress(done - told)
                told = done
        if progress is not None:
            progress(len(commands) - told)
        results = [self._done[command] for command in commands]
        self._done.clear()  # the next call counts its own
        self._begun.clear()
        return results

    def _finish(self, piece: Sequence[Recorded], results: Sequence[tuple[Decided, ...]]) -> None:
        with self._changed:
            self._done.update(zip(piece, results, strict=True))
            self._open -= 1
            self._changed.notify_all()

    def _feed(self, child: subprocess.Popen[bytes]) -> None:
        """Sends pieces to one child until none are left, or it fails."""
        pipe, answers = child.stdin, child.stdout
        assert pipe is not None
        assert answers is not None
        try:
            send(pipe, ([policy.plain() for policy in self.policies], self.shell))
        except OSError:
            return
        while (piece := self._work.get()) is not None:
            try:
                send(pipe, piece)
                answer = receive(answers)
            except (OSError, EOFError, ValueError, TypeError):
                answer = None
            if not isinstance(answer, list) or len(answer) != len(piece):
                self._work.put(piece)
                with self._changed:
                    self._changed.notify_all()
                return
            self._finish(piece, answer)


def decide_all(
    commands: Sequence[Recorded],
    policies: Sequence[PortablePolicy],
    *,
    shell: str = "bash",
    children: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[tuple[Decided, ...]]:
    """The results for ``commands`` under each of ``policies``, in order; uses child processes where they save time."""
    if children is None and len(commands) < WORTH_A_PROCESS:
        children = 0
    with Workers(policies, shell=shell, children=children) as workers:
        return workers.decide(commands, progress)


def _started() -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-P", "-c", _CHILD, marshal.dumps(sys.path).hex()]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except (OSError, ValueError, TypeError):  # the interpreter does not know its own path
        return None


_CHILD = (
    "import marshal, sys; sys.path[:] = marshal.loads(bytes.fromhex(sys.argv[1]));"
    " from execpolicy.insight.workers import serve; serve(sys.stdin.buffer, sys.stdout.buffer)"
)
"""The program of a child, which imports the same modules from the same places as this process."""
