"""Starts the writers, kills them, and says what became of what they confirmed."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

OURS = """
import sys
from execpolicy.amend.append import append_lines
from execpolicy.amend.journal import Journal
from execpolicy.amend.undo import undo_last
from execpolicy.errors import RuleStoreError
path, name, first, last, undoes = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] == "undo"
journal = Journal(path + ".journal")
for number in range(first, last):
    print("saving", number, flush=True)
    lines = (f'prefix_rule(pattern=["{name}", "{number}"], decision="allow")',)
    ids = []
    announce = lambda text, at: ids.append(journal.announce(path, lines, text, at))
    confirm = lambda state: journal.confirm(ids[-1], state)
    append_lines(path, lines, timeout=600, **({"announce": announce, "confirm": confirm} if undoes else {}))
    print("saved", number, flush=True)
    if undoes and number % 5:
        print("undoing", number, flush=True)
        taken = undo_last(path, journal, id=ids[-1], timeout=600)
        assert taken == lines, taken
        print("undone", number, flush=True)
"""
THEIRS = """
import fcntl, os, sys
path, name, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for number in range(first, last):
    line = f'prefix_rule(pattern=["{name}", "{number}"], decision="allow")'.encode()
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    fcntl.flock(fd, fcntl.LOCK_EX)
    size = os.fstat(fd).st_size
    if size and os.pread(fd, 1, size - 1) != b"\\n":
        os.write(fd, b"\\n")
    os.write(fd, line + b"\\n")
    os.close(fd)
    print("saved", number, flush=True)
"""
_RULE = re.compile(r'prefix_rule\(pattern=\["(\w+)", "(\d+)"\], decision="allow"\)')
_UNDONE = re.compile(r"# undone: .*|")

Rule = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a race gave.

    Attributes:
        saved: rules that were confirmed and not undone.
        undone: rules whose removal was confirmed.
        kills: processes that were ended by ``SIGKILL``.
        lost: confirmed rules that are not in the file.
        left: rules that are in it though their removal was confirmed.
        torn: lines that are neither rules nor what we set aside.
        doubled: rules that are in it more than once.
        failures: what writers said that ended by themselves without success.
    """

    saved: int
    undone: int
    kills: int
    lost: list[Rule]
    left: list[Rule]
    torn: list[str]
    doubled: list[Rule]
    failures: list[str]

    def is_clean(self) -> bool:
        """Whether nothing was lost, left, torn or doubled, and nobody failed."""
        return not (self.lost or self.left or self.torn or self.doubled or self.failures)


class _Writer:
    """One writer, started again behind where it was killed."""

    def __init__(self, path: Path, name: str, count: int, way: str) -> None:
        self.path, self.name, self.count, self.way = path, name, count, way
        self.process: subprocess.Popen[str] | None = None
        self.said: list[tuple[str, int]] = []
        self.kills = 0
        self.failures: list[str] = []

    def run(self) -> None:
        """Start until all was tried."""
        first = 0
        code = THEIRS if self.way == "theirs" else OURS
        while first < self.count:
            arguments = [str(self.path), self.name, str(first), str(self.count), self.way]
            with subprocess.Popen(
                [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            ) as process:
                self.process = process
                assert process.stdout is not None
                assert process.stderr is not None
                for line in process.stdout:
                    word, _, number = line.strip().partition(" ")
                    if number.isdecimal():
                        self.said.append((word, int(number)))
                        first = int(number) + 1
                error = process.stderr.read()
            status = process.returncode
            if status not in (0, -9):
                self.failures.append(f"{self.name}: {error[-500:]}")
                return
            if status == 0:
                return
            self.kills += 1


def race(folder: Path, *, writers: int, appends: int, foreign: int, undo: bool, kills: int, seed: int = 1) -> Outcome:
    """``writers`` of ours and ``foreign`` ones append to one file; at ``kills`` moments on the way one of ours dies."""
    path = folder / "default.rules"
    path.touch()
    ours = [_Writer(path, f"w{number}", appends, "undo" if undo else "append") for number in range(writers)]
    theirs = [_Writer(path, f"f{number}", appends, "theirs") for number in range(foreign)]
    threads = [threading.Thread(target=each.run) for each in (*ours, *theirs)]
    for thread in threads:
        thread.start()
    choose = random.Random(seed)
    moments = sorted(choose.uniform(0.1, 0.9) * writers * appends for _ in range(kills))
    while moments and any(thread.is_alive() for thread in threads[:writers]):
        tried = sum(len({number for _, number in writer.said}) for writer in ours)
        victims = [process for writer in ours if (process := writer.process) is not None and process.poll() is None]
        if tried >= moments[0] and victims:
            del moments[0]
            time.sleep(choose.uniform(0, 0.003))
            choose.choice(victims).kill()
        time.sleep(0.002)
    for thread in threads:
        thread.join()
    return _outcome(path, (*ours, *theirs))


def _outcome(path: Path, writers: tuple[_Writer, ...]) -> Outcome:
    found: Counter[Rule] = Counter()
    torn: list[str] = []
    for line in path.read_text().split("\n"):
        rule = _RULE.fullmatch(line)
        if rule is not None:
            found[rule[1], int(rule[2])] += 1
        elif not _UNDONE.fullmatch(line):
            torn.append(line)
    saved: set[Rule] = set()
    undoing: set[Rule] = set()
    undone: set[Rule] = set()
    for writer in writers:
        for word, number in writer.said:
            sets = {"saved": saved, "undoing": undoing, "undone": undone}
            sets.get(word, set()).add((writer.name, number))
    return Outcome(
        saved=len(saved - undoing),
        undone=len(undone),
        kills=sum(writer.kills for writer in writers),
        lost=sorted(rule for rule in saved - undoing if not found[rule]),
        left=sorted(rule for rule in undone if found[rule]),
        torn=torn,
        doubled=sorted(rule for rule, times in found.items() if times > 1),
        failures=[failure for writer in writers for failure in writer.failures],
    )
