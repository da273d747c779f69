"""Runs the real arbiter around the real reference child."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHILD = Path(__file__).with_name("reference_child.py")
PROGRAM = [sys.executable, "-c", "import sys; from execpolicy.cli.main import main; sys.exit(main())"]
BOUND = 60.0
"""No run may take longer, whatever the machine does beside."""

RULES = """\
prefix_rule(pattern=["build"], decision="allow")
prefix_rule(pattern=["deploy"], decision="prompt", justification="ask the release team")
prefix_rule(pattern=["destroy"], decision="forbidden", justification="never destroy")
"""


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    status: int
    out: bytes
    err: bytes
    seconds: float

    @property
    def lines(self) -> list[str]:
        return self.out.decode().splitlines()


class Arbitration:
    """Starts arbiters in a folder of their own, with rules of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rules = folder / "test.rules"
        self.rules.write_text(RULES)
        self.audit = folder / "audit.jsonl"

    def argv(self, *options: str, child: Sequence[str]) -> list[str]:
        return [*PROGRAM, "arbiter", "-r", str(self.rules), "--audit", str(self.audit), *options, "--", *child]

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**os.environ, "HOME": str(self.folder), "PYTHONWARNINGS": "error", **(extra or {})}

    def start(
        self, steps: Sequence[Sequence[Any]], *options: str, env: Mapping[str, str] | None = None, **popen: Any
    ) -> "subprocess.Popen[bytes]":
        (self.folder / "steps.json").write_text(json.dumps(steps))  # may be longer than an argument can be
        child = [sys.executable, "-S", str(CHILD), "@steps.json"]
        popen = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen}
        return subprocess.Popen(
            self.argv(*options, child=child),
            cwd=self.folder,
            env=self.environment(env),
            start_new_session=True,
            **popen,
        )

    def run(self, steps: Sequence[Sequence[Any]], *options: str, env: Mapping[str, str] | None = None) -> Ran:
        started = time.monotonic()
        process = self.start(steps, *options, env=env)
        return finish(process, started)

    def entries(self, event: str | None = None) -> list[dict[str, Any]]:
        found = [json.loads(line) for line in self.audit.read_text().splitlines()]
        return [entry for entry in found if event is None or entry["event"] == event]


def finish(process: "subprocess.Popen[bytes]", started: float) -> Ran:
    """The end of a run, within bounds."""
    try:
        out, err = process.communicate(timeout=BOUND)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"the arbiter hangs; stdout {out[-500:]!r}, stderr {err[-500:]!r}") from None
    return Ran(process.returncode, out, err, time.monotonic() - started)


def read_until(process: "subprocess.Popen[bytes]", text: bytes) -> bytes:
    """Standard output up to ``text``, within bounds."""
    assert process.stdout is not None
    found = b""
    deadline = time.monotonic() + BOUND
    os.set_blocking(process.stdout.fileno(), False)
    try:
        while text not in found:
            assert time.monotonic() < deadline, found
            chunk = process.stdout.read(65536)
            if chunk == b"":
                raise AssertionError(f"the output ended: {found!r}")
            found += chunk or b""
            time.sleep(0.01)
    finally:
        os.set_blocking(process.stdout.fileno(), True)
    return found


def alive(pid: int) -> bool:
    """Whether a process runs; a dead one that nobody has collected does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
