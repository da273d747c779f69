"""Runs one command with faults, in a folder that is put back as it was before each try, and judges what came of it.

A try may end with an error, in time. It may not hang, say that it did what it did not do, decide milder than without
the fault, or leave a file that is neither what it was nor what it should become.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from execpolicy.gate.settings_edit import HookProgram
from execpolicy.hooks.agents import AGENTS
from tests.faults.commands import Command, furnish
from tests.faults.faults import NO_FAULT, Fault
from tests.faults.streams import Ends
from tests.support.running import run_captured

PROGRAM = [sys.executable, "-m", "execpolicy"]
PATIENCE_S = 120.0
"""More than this is a hang, however busy the machine is."""
TRACE = ["strace", "-f", "--seccomp-bpf", "-qq"]
_NOTES = re.compile(r"amendments\.jsonl|kept\.db$|/cache\.key$|/cache/|/gate/[^/]*\.json$|/answers$|/inbox/socket$")
"""Files of our own whose contents name times or are made up anew: that they are there is compared, not the rest."""
_RANDOM = re.compile(rb"execpolicy-[0-9a-f]{16}")
_DISK_MB = 8

Tree = dict[str, bytes | None]
"""What is in each file of the folder; ``None`` for a folder, or where it is not compared."""


@dataclass(frozen=True)
class Ended:
    """How a try ended.

    Attributes:
        status: ``None`` for a hang.
        tree: the files afterwards.
    """

    status: int | None
    out: bytes
    canary: bool
    tree: Tree


@dataclass
class Tally:
    """What the tries of one row came to."""

    tries: int = 0
    same: int = 0
    closed: int = 0
    hung: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    laxer: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """What must not have happened."""
        return [*self.hung, *self.lost, *self.laxer]

    def add(self, other: Tally) -> None:
        """Take the tries of ``other`` in."""
        self.tries += other.tries
        self.same += other.same
        self.closed += other.closed
        self.hung += other.hung
        self.lost += other.lost
        self.laxer += other.laxer


class Laboratory:
    """One command in ``folder``, which it makes. Use it as a context."""

    def __init__(self, folder: Path, command: Command) -> None:
        self.folder = folder
        self.command = command
        folder.mkdir(parents=True)
        self._is_mounted = _mount(folder)
        furnish(folder)
        home = str(folder / "home")
        self.env = {"PATH": "/usr/bin:/bin", "HOME": home, "EXECPOLICY_CACHE": "", "LANG": "C.UTF-8"}
        self.env["EXECPOLICY_SESSION"] = "tried"
        self.env["PYTHONPATH"] = str(Path(__file__).parents[2])
        if command.cache:
            self.env["EXECPOLICY_CACHE"] = str(folder / "cache")
            self._plain("check", "--", "true")  # makes the secret
            shutil.rmtree(folder / "cache", ignore_errors=True)
        for arguments in command.before:
            self._plain(*arguments)
        self._files = {path: (path.read_bytes(), path.stat()) for path in self._found() if path.is_file()}
        self._folders = {path for path in self._found() if path.is_dir()}
        self.before = self.tree()
        self.usual = self.run(NO_FAULT)
        self.again = self.run(NO_FAULT, put_back=False)
        self._opened = 0

    def __enter__(self) -> Laboratory:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_mounted:
            subprocess.run(["umount", "-l", str(self.folder)], check=False)

    @property
    def argv(self) -> list[str]:
        """What is started: for the hook, what ``install`` writes."""
        if self.command.program:
            return list(self.command.program)
        if self.command.arguments[0] == "hook":
            pins = {"HOME": self.env["HOME"], "EXECPOLICY_CACHE": ""}
            program = HookProgram(agent=AGENTS["claude"], pinned=pins, options=self.command.arguments[1:])
            return ["sh", "-c", program.shell]
        return [*PROGRAM, *self.command.arguments]

    @property
    def writes(self) -> bool:
        """Whether it changes files when it is let."""
        return self.usual.tree != self.before

    def put_back(self) -> None:
        """Everything as it was, in the same files: what notes where a file was finds it there."""
        for path in sorted(self._found(), reverse=True):
            if path in self._files or path in self._folders:
                continue
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()
        for folder in sorted(self._folders):
            folder.mkdir(exist_ok=True)
        for path, (content, status) in self._files.items():
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
            path.chmod(status.st_mode & 0o7777)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def tree(self) -> Tree:
        """What is in the folder now."""
        found: Tree = {}
        for path in self._found():
            name = str(path.relative_to(self.folder))
            is_compared = path.is_file() and not _NOTES.search(f"/{name}")
            if name not in ("canary", "filler") and ".cache/" not in name:  # names of rulebooks depend on a new secret
                found[name] = _compared(path) if is_compared else None
        return found

    def run(self, fault: Fault, *, put_back: bool = True, trace: Sequence[str] = ()) -> Ended:
        """One process with one fault; ``trace`` watches its system calls."""
        if put_back:
            self.put_back()
        canary = self.folder / "canary"
        canary.unlink(missing_ok=True)
        trace = trace or self._trace(fault)
        with self._full_disk(fault.full), Ends(fault, self.command.stdin) as ends:
            process = subprocess.Popen(
                [*trace, *self.argv],
                cwd=self.folder,
                env=self.env,
                stdin=ends.stdin,
                stdout=ends.stdout,
                stderr=ends.stderr,
                preexec_fn=lambda: ends.close_some(fault),
                start_new_session=True,
            )
            ends.started()
            status = self._end(process, ends)
            out = ends.output()
        tree = self.tree()
        return Ended(status, out, canary.exists(), tree)

    def judge(self, fault: Fault, tally: Tally) -> None:
        """Try once and say what came of it."""
        if fault.full and not self._is_mounted:
            return
        ended = self.run(fault)
        tally.tries += 1
        name = f"{self.command.name}: {fault.kind}, {fault.name}"
        whole = self._is_whole(ended)
        said = _squeezed(ended.out)
        if ended.status is None:
            tally.hung.append(name)
        elif laxer := self._laxer(ended, whole, said):
            tally.laxer.append(f"{name}: {laxer}: {ended.status} {ended.out[-200:]!r}")
        elif lost := self._lost(ended, whole, said, fault):
            tally.lost.append(f"{name}: {lost}: {ended.status} {ended.out[-200:]!r}")
        elif whole and ended.status == self.usual.status:
            tally.same += 1
        else:
            tally.closed += 1

    def torn(self, tree: Tree) -> list[str]:
        """Files that are neither what they were nor what they should become."""
        return [
            name
            for name in {**self.before, **self.usual.tree}
            if tree.get(name, b"") not in (self.before.get(name, b""), self.usual.tree.get(name, b""))
        ]

    def strays(self, tree: Tree) -> list[str]:
        """Files that nobody asked for."""
        own = re.compile(r"(^|/)(\.cache|cache|\.local|__pycache__)(/|$)")
        return [
            name for name in tree if name not in self.before and name not in self.usual.tree and not own.search(name)
        ]

    def counted(self, calls: str) -> Counter[str]:
        """How many of each of these system calls one process or thread of the command makes, at most."""
        log = self.folder.parent / f"{self.folder.name}.log"
        self.run(NO_FAULT, trace=[*TRACE, "-o", str(log), "-e", f"trace={calls}"])
        each = Counter(re.findall(r"^(\d+ +\w+)\(", log.read_text(errors="replace"), re.MULTILINE))
        most: Counter[str] = Counter()
        for key, number in each.items():
            name = key.split()[1]
            most[name] = max(most[name], number)
        return most

    def _is_whole(self, ended: Ended) -> bool:
        if self.command.differs:
            return bool(ended.out) == bool(self.usual.out)
        if self.command.varies:
            return len(ended.out) == len(self.usual.out)
        return _RANDOM.sub(b"", ended.out) == _RANDOM.sub(b"", self.usual.out)

    def _laxer(self, ended: Ended, whole: bool, said: bytes) -> str:
        usual = _squeezed(self.usual.out)
        if ended.canary:
            return "the command ran"
        if self.command.decides and b'"allow"' in said and b'"allow"' not in usual:
            return "allows"
        succeeded = ended.status == 0 and not (whole and self.usual.status == 0)
        if succeeded and (self.command.status_decides or self.usual.status != 0) and not _refuses(said):
            return "success"
        return ""

    def _lost(self, ended: Ended, whole: bool, said: bytes, fault: Fault) -> str:
        if torn := self.torn(ended.tree):
            return f"{torn} torn"
        if (strays := self.strays(ended.tree)) and (fault.kind != "signals" or self._stays_after_next()):
            return f"{strays} left behind"
        if ended.status != 0 or _refuses(said):
            return ""
        if _owed(ended.tree) != _owed(self.usual.tree):
            return "success, but not done"
        if not whole and (fault.stdout == "pipe" or (fault.stdout in ("full", "closed", "gone") and self.usual.out)):
            return "success, but not said"
        return "" if whole or fault.stdout != "gone" else "success, but not said"

    def _stays_after_next(self) -> bool:
        return bool(self.strays(self.run(NO_FAULT, put_back=False).tree))

    def _trace(self, fault: Fault) -> list[str]:
        if not fault.inject:
            return []
        when = ""
        if fault.stage is not None:
            self._opened = self._opened or self.counted("openat")["openat"]
            when = f":when={max(1, round(self._opened * fault.stage))}"
            self.put_back()
        return [*TRACE, "-o", os.devnull, "-e", f"inject={fault.inject}{when}"]

    def _end(self, process: subprocess.Popen[bytes], ends: Ends) -> int | None:
        """Wait for the end; the status."""
        until = time.monotonic() + PATIENCE_S
        if self.command.stays:
            while (
                process.poll() is None and not ends.has_said_something() and time.monotonic() < until - PATIENCE_S / 2
            ):
                time.sleep(0.01)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)  # who traces it takes no notice
        try:
            return process.wait(max(until - time.monotonic(), 1))
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None

    def _found(self) -> Iterator[Path]:
        return (path for path in list(self.folder.rglob("*")) if path.name != "__pycache__")

    def _plain(self, *arguments: str) -> None:
        run_captured([*PROGRAM, *arguments], cwd=self.folder, env=self.env, check=True, timeout=PATIENCE_S)

    @contextmanager
    def _full_disk(self, full: bool) -> Iterator[None]:
        filler = self.folder / "filler"
        if full:
            with filler.open("wb", buffering=0) as file, suppress(OSError):
                while file.write(bytes(4096)):
                    pass
        yield
        filler.unlink(missing_ok=True)


def _mount(folder: Path) -> bool:
    """A file system of its own for ``folder``, which can be filled; only root may."""
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={_DISK_MB}m", "none", str(folder)], check=False, capture_output=True
    )
    return made.returncode == 0


def _compared(path: Path) -> bytes:
    """What is in a file, without the random names of hooks; of an audit log, which names times, whether it holds
    anything but whole lines.
    """
    content = path.read_bytes()
    if path.name != "audit.jsonl" or not content:
        return _RANDOM.sub(b"execpolicy-random", content)
    return b"whole" if content.endswith(b"}\n") and b"}{" not in content else b"half a line"


def _owed(tree: Tree) -> Tree:
    """Without the cache and its key: nobody asked for them, and what they save is found again."""
    return {name: content for name, content in tree.items() if Path(name).name not in (".cache", "cache.key")}


def _squeezed(out: bytes) -> bytes:
    return out.replace(b" ", b"")


def _refuses(said: bytes) -> bool:
    return any(word in said for word in (b'"deny"', b'"ask"', b'"error"', b'"prompt"'))
