"""``check --jsonl``: one request after the other, and many at once."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import threading
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.samples import SCRIPT, history, home_folder, saved_rules, work_folder

RULES = 1_000
DISTINCT = 8_000
_HISTORY = history(50_000, DISTINCT)
KINDS = {
    "argv": lambda at: {"argv": [f"prog{at % RULES}", "sub"]},
    "history": lambda at: {"script": _HISTORY[-1 - at]},
    "script": lambda at: {"script": f"{SCRIPT} {at}"},
}
"""Argvs that a rule allows; scripts as agents give them, some often and most once or twice; scripts that all differ."""


class Streamed(NamedTuple):
    """What one kind of request took: microseconds there and back, requests a second, processor time of each."""

    kind: str
    median: float
    least: float
    late: float
    rate: float
    cpu: float


def measure(python: str, folder: str, *, trips: int, pipelined: int) -> list[Streamed]:
    """Every kind of request against a process with 1,000 rules."""
    rules = Path(folder, "stream.rules")
    rules.write_text(saved_rules(RULES))
    command = [str(Path(python).parent / "execpolicy"), "check", "--jsonl", "-r", str(rules)]
    environment = {"PATH": os.environ["PATH"], "HOME": home_folder(folder), "EXECPOLICY_CACHE": folder + "/cache"}
    work = work_folder(folder)
    found = []
    for kind, make in KINDS.items():
        lines = [json.dumps({"id": at, **make(at)}).encode() + b"\n" for at in range(max(trips, pipelined))]
        times, _ = _ping_pong(command, environment, work, lines[:trips])
        seconds, cpu = _pipelined(command, environment, work, lines[:pipelined])
        found.append(
            Streamed(
                kind,
                statistics.median(times) * 1e6,
                min(times) * 1e6,
                sorted(times)[len(times) * 99 // 100] * 1e6,
                pipelined / seconds,
                cpu / pipelined * 1e6,
            )
        )
    return found


def _start(command: list[str], environment: dict[str, str], work: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, cwd=work, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _ping_pong(
    command: list[str], environment: dict[str, str], work: str, lines: list[bytes]
) -> tuple[list[float], float]:
    """Seconds of each round trip without the first hundred, and processor seconds of the process."""
    process = _start(command, environment, work)
    assert process.stdin is not None
    assert process.stdout is not None
    times = []
    for line in lines:
        start = time.perf_counter()
        os.write(process.stdin.fileno(), line)
        answer = process.stdout.readline()
        times.append(time.perf_counter() - start)
        _must_be_a_decision(answer)
    return times[100:], _finish(process)


def _pipelined(command: list[str], environment: dict[str, str], work: str, lines: list[bytes]) -> tuple[float, float]:
    """Seconds from the first request to the last answer, and processor seconds of the process."""
    process = _start(command, environment, work)
    assert process.stdin is not None
    assert process.stdout is not None
    os.write(process.stdin.fileno(), lines[0])
    process.stdout.readline()  # the rules are loaded by now
    stdin = process.stdin

    def write() -> None:
        for at in range(0, len(lines), 500):
            stdin.write(b"".join(lines[at : at + 500]))
        stdin.flush()

    start = time.perf_counter()
    threading.Thread(target=write, daemon=True).start()
    for _ in lines:
        answer = process.stdout.readline()
    seconds = time.perf_counter() - start
    _must_be_a_decision(answer)
    return seconds, _finish(process)


def _must_be_a_decision(answer: bytes) -> None:
    if b'"decision":"' not in answer:
        raise SystemExit(f"unexpected answer: {answer[:300]!r}")


def _finish(process: subprocess.Popen[bytes]) -> float:
    assert process.stdin is not None
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime
