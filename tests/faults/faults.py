"""Faults that are put into real runs of every command: its streams, signals, limits and what it inherits.

Each try is one process with one fault. What it may do: end in time, with a status that is not success unless all of its
output arrived, and never with a milder decision than without the fault.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import Any

from execpolicy.gate.hook_program import HookProgram
from execpolicy.hooks.agents import AGENTS

PROGRAM = [sys.executable, "-m", "execpolicy"]
PATIENCE_S = 40.0
"""More than this is a hang, however busy the machine is."""
RULES = """\
prefix_rule(pattern=["echo"], decision="allow", match=["echo x"])
prefix_rule(pattern=["frobnicate"], decision="prompt")
prefix_rule(pattern=["touch"], decision="forbidden", justification="never touch")
"""
FORBIDDEN = '{"script": "touch canary"}\n'
CALL = '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "touch canary"}}'
REQUEST = (
    '{"v":1,"type":"tool.request","ts":0,"id":"1","tool":"shell","args":{"command":"touch canary"},'
    '"requires_policy":true}\n'
)
AGENT = (
    f"printf '%s\\n' '{REQUEST.strip()}'; head -n 2 >answers; "
    'grep -q \'"decision":"allow"\' answers && touch canary; echo end'
)
"""An agent that asks, and does what it was allowed to."""


@dataclass(frozen=True)
class Command:
    """A command of the command line, asked about something forbidden where it decides.

    Attributes:
        decides: an ``allow`` in its output, or status 0 with ``status_decides``, would be milder.
    """

    name: str
    arguments: tuple[str, ...]
    stdin: str = ""
    decides: bool = False
    status_decides: bool = False
    varies: bool = False
    """Its output names times and numbers: its length alone is compared."""


COMMANDS = (
    Command("check", ("check", "-r", "r.rules", "--exit-code", "--", "touch", "canary"), "", True, True),
    Command("check --jsonl", ("check", "-r", "r.rules", "--jsonl"), FORBIDDEN * 3, True),
    Command("check --compat", ("check", "--compat", "codex-0.169", "-r", "r.rules", "touch", "canary"), "", True),
    Command("hook, installed", ("hook",), CALL, True, True),
    Command("explain", ("explain", "-r", "r.rules", "--", "touch", "canary"), "", True),
    Command("split", ("split", "touch canary | cat"), ""),
    Command("split --jsonl", ("split", "--jsonl"), FORBIDDEN * 3),
    Command("list", ("list", "-r", "r.rules")),
    Command("lint", ("lint", "-"), RULES),
    Command("fmt", ("fmt", "-"), RULES),
    Command("test", ("test", "r.rules")),
    Command("diff", ("diff", "r.rules", "other.rules")),
    Command("replay", ("replay", "-r", "r.rules", "-"), "touch canary\necho x\n", varies=True),
    Command(
        "run, forbidden",
        ("run", *("-r", "r.rules", "--sandbox", "danger-full-access"), "--", "touch", "canary"),
        "",
        False,
        True,
    ),
    Command("run, allowed", ("run", *("-r", "r.rules", "--sandbox", "danger-full-access"), "--", "echo", "x")),
    Command("serve", ("serve", "-r", "r.rules"), REQUEST, True, varies=True),
    Command("arbiter", ("arbiter", "-r", "r.rules", "--no-ask", "--", "sh", "-c", AGENT), ""),
)


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
        kind: the row of the table it belongs to.
        prepare: what the process does before it becomes the command.
        stdout, stderr, stdin: what stands in for the stream.
        signal: is sent after ``after`` seconds.
    """

    kind: str
    name: str
    prepare: Callable[[], object] | None = None
    stdout: str = "pipe"
    stderr: str = "pipe"
    stdin: str = "pipe"
    signal: int = 0
    after: float = 0.0


def _limit(which: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(which, (most, most))


def _ignore(number: int) -> Callable[[], object]:
    return lambda: signal.signal(number, signal.SIG_IGN)


FAULTS = (
    *[Fault("standard output", what, stdout=what) for what in ("closed", "full", "gone", "slow", "non-blocking")],
    *[Fault("standard error", what, stderr=what) for what in ("closed", "full", "gone", "non-blocking")],
    *[Fault("standard input", what, stdin=what) for what in ("closed", "slow", "non-blocking", "folder")],
    *[
        Fault("signals", f"{signal.Signals(number).name} after {after} s", signal=number, after=after)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGXCPU)
        for after in (0.02, 0.06, 0.12, 0.25)
    ],
    *[Fault("descriptors", f"{most}", prepare=_limit(resource.RLIMIT_NOFILE, most)) for most in (4, 6, 8, 12)],
    *[Fault("memory", f"{most} MB", prepare=_limit(resource.RLIMIT_AS, most << 20)) for most in (24, 60, 150)],
    *[Fault("disk", "nothing may be written", prepare=_limit(resource.RLIMIT_FSIZE, 0))],
    *[Fault("processes", "none more", prepare=_limit(resource.RLIMIT_NPROC, 0))],
    *[Fault("processor time", "1 s", prepare=_limit(resource.RLIMIT_CPU, 1))],
    *[Fault("inherited", f"{s.name} ignored", prepare=_ignore(s)) for s in (signal.SIGCHLD, signal.SIGPIPE)],
)


@dataclass
class Ended:
    """How a try ended; ``None`` for a hang."""

    status: int | None
    out: bytes
    canary: bool


@dataclass
class Tally:
    """What the tries of one row came to."""

    tries: int = 0
    same: int = 0
    closed: int = 0
    hung: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    laxer: list[str] = field(default_factory=list)


class Laboratory:
    """Runs commands with faults in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = folder / "home"
        (home / ".codex" / "rules").mkdir(parents=True, exist_ok=True)
        (home / ".codex" / "rules" / "default.rules").write_text(RULES)
        (folder / "r.rules").write_text(RULES)
        (folder / "other.rules").write_text(RULES.replace('"forbidden"', '"prompt"'))
        self._env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "EXECPOLICY_CACHE": "", "LANG": "C.UTF-8"}
        self._usual: dict[str, Ended] = {}

    def usual(self, command: Command) -> Ended:
        """How the command ends without a fault."""
        if command.name not in self._usual:
            self._usual[command.name] = self.run(command, Fault("none", "none"))
        return self._usual[command.name]

    def judge(self, command: Command, fault: Fault, tally: Tally) -> None:
        """Try once and say what came of it."""
        usual, ended = self.usual(command), self.run(command, fault)
        name = f"{command.name}: {fault.kind}, {fault.name}"
        tally.tries += 1
        whole = len(ended.out) == len(usual.out) if command.varies else ended.out == usual.out
        said = ended.out.replace(b" ", b"")
        allowed = command.decides and b'"allow"' in said and b'"allow"' not in usual.out.replace(b" ", b"")
        passed = command.status_decides and ended.status == 0 and not (whole and usual.status == 0)
        if ended.status is None:
            tally.hung.append(name)
        elif ended.canary or allowed or (passed and not self._refuses(ended.out)):
            tally.laxer.append(f"{name}: {ended.status} {ended.out[-200:]!r}")
        elif whole and ended.status == usual.status:
            tally.same += 1
        elif ended.status == 0 and not whole and fault.stdout == "pipe" and not self._refuses(ended.out):
            tally.lost.append(f"{name}: {ended.out[-200:]!r}")
        elif ended.status == 0 and fault.stdout in ("full", "closed", "gone") and usual.out:
            tally.lost.append(name)
        else:
            tally.closed += 1

    @staticmethod
    def _refuses(out: bytes) -> bool:
        said = out.replace(b" ", b"")
        return b'"deny"' in said or b'"ask"' in said or b'"error"' in said or b'"prompt"' in said

    def argv(self, command: Command) -> list[str]:
        """What is started: for the hook, what ``install`` writes."""
        if command.arguments == ("hook",):
            pins = {"HOME": self._env["HOME"], "EXECPOLICY_CACHE": ""}
            program = HookProgram(agent=AGENTS["claude"], pinned=pins, options=("-r", str(self.folder / "r.rules")))
            return ["sh", "-c", program.shell]
        return [*PROGRAM, *command.arguments]

    def run(self, command: Command, fault: Fault) -> Ended:
        """One process with one fault."""
        canary = self.folder / "canary"
        canary.unlink(missing_ok=True)
        with _Ends(fault, command.stdin) as ends:
            process = subprocess.Popen(
                self.argv(command),
                cwd=self.folder,
                env=self._env,
                stdin=ends.stdin,
                stdout=ends.stdout,
                stderr=ends.stderr,
                preexec_fn=lambda: ends.close_some(fault),
                start_new_session=True,
            )
            ends.started()
            if fault.signal:
                time.sleep(fault.after)
                with suppress(ProcessLookupError):
                    process.send_signal(fault.signal)
            try:
                status: int | None = process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                status = None
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            out = ends.output()
        return Ended(status, out, canary.exists())


class _Ends:
    """The streams of a try, and who sits at their other ends."""

    def __init__(self, fault: Fault, said: str) -> None:
        self._fault = fault
        self._said = said.encode()
        self._ours: list[int] = []
        self._theirs: list[int] = []
        self._collected: dict[str, bytes] = {}
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> _Ends:
        self.stdout = self._output(self._fault.stdout, "out")
        self.stderr = self._output(self._fault.stderr, "err")
        self.stdin = self._input(self._fault.stdin)
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join(2)

    def close_some(self, fault: Fault) -> None:
        """In the child: close what is to be closed, and set limits."""
        for number, what in ((0, fault.stdin), (1, fault.stdout), (2, fault.stderr)):
            if what == "closed":
                os.close(number)
        if fault.prepare is not None:
            fault.prepare()

    def started(self) -> None:
        """The child has its own copies."""
        for fd in self._theirs:
            os.close(fd)
        for thread in self._threads:
            thread.start()

    def output(self) -> bytes:
        """What came on standard output."""
        for thread in self._threads:
            thread.join(2)
        return self._collected.get("out", b"")

    def _output(self, what: str, name: str) -> int:
        if what == "full":
            full = os.open("/dev/full", os.O_WRONLY)
            self._theirs.append(full)
            return full
        read, write = os.pipe()
        self._theirs.append(write)
        if what == "gone":
            os.close(read)
            return write
        if what == "non-blocking":
            os.set_blocking(write, False)
        pause = 0.4 if what in ("slow", "non-blocking") else 0.0
        self._threads.append(threading.Thread(target=self._collect, args=(read, name, pause), daemon=True))
        return write

    def _collect(self, fd: int, name: str, pause: float) -> None:
        time.sleep(pause)
        while block := os.read(fd, 65536):
            self._collected[name] = self._collected.get(name, b"") + block
        os.close(fd)

    def _input(self, what: str) -> int:
        if what == "folder":
            folder = os.open("/", os.O_RDONLY)
            self._theirs.append(folder)
            return folder
        read, write = os.pipe()
        self._theirs.append(read)
        if what == "non-blocking":
            os.set_blocking(read, False)
        pause = 0.3 if what in ("slow", "non-blocking") else 0.0
        self._threads.append(threading.Thread(target=self._feed, args=(write, pause), daemon=True))
        return read

    def _feed(self, fd: int, pause: float) -> None:
        half = len(self._said) // 2
        with suppress(OSError):
            for part in (self._said[:half], self._said[half:]):
                time.sleep(pause)
                os.write(fd, part)
        os.close(fd)


def tallies(folder: Path, chosen: Callable[[Command, Fault], bool]) -> Iterator[tuple[Command, str, Tally]]:
    """The tally of each command and kind of fault, of the tries that are chosen."""
    laboratory = Laboratory(folder)
    for command in COMMANDS:
        rows: dict[str, Tally] = {}
        for fault in FAULTS:
            if chosen(command, fault):
                laboratory.judge(command, fault, rows.setdefault(fault.kind, Tally()))
        for kind, tally in rows.items():
            yield command, kind, tally


def page(rows: dict[str, Any], told: list[str]) -> str:
    """``docs/reliability.md``."""
    lines = [
        *_HEAD,
        "| fault | tries | as without it | ended closed | hung | output lost | laxer |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    total = Tally()
    for kind, tally in rows.items():
        cells = (tally.tries, tally.same, tally.closed, len(tally.hung), len(tally.lost), len(tally.laxer))
        lines.append(f"| {kind} | {' | '.join(map(str, cells))} |")
        total.tries += tally.tries
        total.same += tally.same
        total.closed += tally.closed
        total.hung += tally.hung
        total.lost += tally.lost
        total.laxer += tally.laxer
    cells = (total.tries, total.same, total.closed, len(total.hung), len(total.lost), len(total.laxer))
    lines.append(f"| **all** | {' | '.join(map(str, cells))} |")
    if told:
        lines += ["", "What went wrong:", "", *[f"* `{one}`" for one in told]]
    return "\n".join(lines) + "\n"


_NAMES = ", ".join(f"`{command.name}`" for command in COMMANDS)
_HEAD = (
    "# What happens when something breaks",
    "",
    *wrap(f"Real processes, one fault each: {len(FAULTS)} faults in {len(COMMANDS)} commands ({_NAMES}).", 120),
    "Every command that decides is asked about something forbidden; the agent under `arbiter` and the command under",
    "`run` would leave a file behind if they were let. `python -m tests.faults` makes this page again.",
    "",
    "*As without it*: same status, same output. *Ended closed*: an error, or no milder decision. *Hung*: no end in",
    f"{PATIENCE_S:g} s. *Output lost*: status 0 although something of the output did not arrive. *Laxer*: an allow, a",
    "success or a command that ran, where without the fault there was none.",
    *(("The limit on processes does not hold root, who made this page.",) if os.geteuid() == 0 else ()),
    "",
)
