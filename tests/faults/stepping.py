"""``SIGKILL`` at every system call that can change a file, one after the other, in every command that writes.

After each kill every file is what it was or what it should become, and the next run of the same command ends as if
nothing had been or as a second one, with nothing left behind.
"""

from __future__ import annotations

import os
import subprocess

from tests.faults.faults import NO_FAULT, Fault
from tests.faults.laboratory import TRACE, Laboratory, Tally

CHANGING = (
    *("write", "pwrite64", "writev", "ftruncate", "fsync", "fdatasync", "rename", "renameat", "renameat2"),
    *("link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "chmod", "fchmod", "fchown", "utimensat"),
)
"""Between two of these, and two openings that make or cut a file, nothing on the disk changes."""


def moments(laboratory: Laboratory) -> list[tuple[str, int]]:
    """Each call that can change a file: its kind, and its number among those of its kind, in one run untouched."""
    log = laboratory.folder.parent / f"{laboratory.folder.name}.calls"
    kinds = f"openat,{','.join(CHANGING)}"
    laboratory.run(NO_FAULT, trace=[*TRACE, "-o", str(log), "-e", f"trace={kinds}"])
    found: dict[tuple[str, int], None] = {}
    counts: dict[tuple[str, str], int] = {}
    for line in log.read_text(errors="replace").splitlines():
        process, _, rest = line.partition(" ")
        kind, bracket, arguments = rest.lstrip().partition("(")
        if not bracket or not kind.isidentifier():
            continue
        counts[process, kind] = number = counts.get((process, kind), 0) + 1
        if kind != "openat" or "O_CREAT" in arguments or "O_TRUNC" in arguments:
            found[kind, number] = None
    return list(found)


def killed_everywhere(laboratory: Laboratory, *, every: int = 1) -> Tally:
    """Kill the command at each of its :func:`moments`, or, where there are many, at one of ``every``."""
    tally = Tally()
    found = moments(laboratory)
    for kind, number in found[:: every if len(found) > every else 1]:
        inject = f"{kind}:signal=SIGKILL:when={number}"
        ended = laboratory.run(Fault("killed", inject, inject=inject))
        name = f"{laboratory.command.name}: killed at {kind} {number}"
        tally.tries += 1
        torn = laboratory.torn(ended.tree)
        after = laboratory.run(NO_FAULT, put_back=False)
        ends_well = any(
            after.status == good.status and (after.out == good.out or not laboratory.command.repeats)
            for good in (laboratory.usual, laboratory.again)
        )
        left = laboratory.strays(after.tree)
        if ended.status is None or after.status is None:
            tally.hung.append(name)
        elif ended.canary or after.canary:
            tally.laxer.append(name)
        elif torn:
            tally.lost.append(f"{name}: {torn} torn")
        elif not ends_well or after.tree not in (laboratory.usual.tree, laboratory.again.tree):
            different = [
                each for each in {**after.tree, **laboratory.usual.tree} if _differs(laboratory, after.tree, each)
            ]
            said = after.out[-200:]
            tally.lost.append(f"{name}: the next run ended with {after.status}, {different} different: {said!r}")
        elif left:
            tally.lost.append(f"{name}: {left} left behind")
        elif ended.status == laboratory.usual.status and ended.tree == laboratory.usual.tree:
            tally.same += 1
        else:
            tally.closed += 1
    return tally


def _differs(laboratory: Laboratory, tree: dict[str, bytes | None], name: str) -> bool:
    return tree.get(name, b"?") != laboratory.usual.tree.get(name, b"?")


def can_step() -> bool:
    """Whether there is an ``strace`` that can do it."""
    done = subprocess.run([*TRACE, "-o", os.devnull, "true"], check=False, capture_output=True)
    return done.returncode == 0
