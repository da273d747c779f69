"""Decides many commands on all processors: plain child processes that get the policy and then pieces of the work.

Not ``multiprocessing``: a fork beside the threads of Arrow and DuckDB is not safe, and a spawn runs the caller's main
module again. A child that dies costs nothing but time: its piece is decided here.
"""

from __future__ import annotations

import marshal
import subprocess
import sys
from collections import deque
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

from execpolicy.insight.decided import Decider
from execpolicy.insight.portable import cores
from execpolicy.insight.worker import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.insight.decided import Decided, Recorded
    from execpolicy.insight.portable import PortablePolicy

_PIECE = 200
"""Commands that are handed out at once."""
WORTH_A_PROCESS = 2_000
"""Fewer commands than this are decided sooner than a child has started."""


class Workers:
    """Child processes that decide under ``policies``, and this process beside them.

    They start when it is made, so that they are ready when the work is. A context manager: they end with it.
    """

    def __init__(self, policies: Sequence[PortablePolicy], *, shell: str = "bash", children: int | None = None) -> None:
        """``children``: how many; one less than there are processors if not given."""
        self.policies = tuple(policies)
        self.shell = shell
        self._children: list[subprocess.Popen[bytes]] = []
        for _ in range(cores() - 1 if children is None else children):
            child = _started()
            if child is None:
                break
            self._children.append(child)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):  # what it did not read any more
                        pipe.close()
        self._children.clear()

    def decide(
        self, commands: Sequence[Recorded], progress: Callable[[int], None] | None = None
    ) -> list[tuple[Decided, ...]]:
        """One result for each command and policy, in order. ``progress`` is told how many more are done."""
        pieces = deque(range(0, len(commands), _PIECE))
        results: dict[int, list[tuple[Decided, ...]]] = {}
        threads = [Thread(target=self._feed, args=(child, commands, pieces, results)) for child in self._children]
        for thread in threads:
            thread.start()
        here = Decider(self.policies, shell=self.shell)
        told = 0
        while True:
            while pieces:
                try:
                    start = pieces.popleft()
                except IndexError:  # a child took the last one
                    break
                results[start] = [here.decide(command) for command in commands[start : start + _PIECE]]
                if progress is not None:
                    done = sum([len(result) for result in list(results.values())])
                    progress(done - told)
                    told = done
            for thread in threads:
                thread.join()
            if not pieces:  # a child that died has put its piece back
                break
            threads = []
        if progress is not None:
            progress(len(commands) - told)
        return [one for start in range(0, len(commands), _PIECE) for one in results[start]]

    def _feed(
        self,
        child: subprocess.Popen[bytes],
        commands: Sequence[Recorded],
        pieces: deque[int],
        results: dict[int, list[tuple[Decided, ...]]],
    ) -> None:
        """Hand pieces to one child until there are none left, or it fails."""
        pipe, answers = child.stdin, child.stdout
        assert pipe is not None
        assert answers is not None
        try:
            send(pipe, ([policy.plain() for policy in self.policies], self.shell))
        except OSError:
            return
        while pieces:
            try:
                start = pieces.popleft()
            except IndexError:  # somebody else took the last one
                return
            piece = list(commands[start : start + _PIECE])
            try:
                send(pipe, piece)
                answer = receive(answers)
            except (OSError, EOFError, ValueError, TypeError):
                answer = None
            if not isinstance(answer, list) or len(answer) != len(piece):
                pieces.append(start)
                return
            results[start] = answer


def decide_all(
    commands: Sequence[Recorded],
    policies: Sequence[PortablePolicy],
    *,
    shell: str = "bash",
    children: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[tuple[Decided, ...]]:
    """What each of ``commands`` gets from each of ``policies``, in order; in child processes too where that pays."""
    if children is None and len(commands) < WORTH_A_PROCESS:
        children = 0
    with Workers(policies, shell=shell, children=children) as workers:
        return workers.decide(commands, progress)


def _started() -> subprocess.Popen[bytes] | None:
    command = [sys.executable, "-P", "-c", _CHILD, marshal.dumps(sys.path).hex()]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except (OSError, ValueError):
        return None


_CHILD = (
    "import marshal, sys; sys.path[:] = marshal.loads(bytes.fromhex(sys.argv[1]));"
    " from execpolicy.insight.worker import serve; serve(sys.stdin.buffer, sys.stdout.buffer)"
)
"""The same modules as here, wherever they come from."""
