"""Many sessions with random faults in one process: nothing hangs, no task, thread, descriptor or memory is left.

``EXECPOLICY_SOAK_SECONDS=600`` makes it a long run by hand.
"""

import asyncio
import gc
import json
import os
import random
import signal
import sys
import threading
import time
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.permissions.audit import MemoryAudit
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.messages import ArbiterOptions, DecisionWord, Outcome, SessionOptions, ToolRequest
from execpolicy.protocol.session import RunnerSession

pytestmark = pytest.mark.slow

CHILD = Path(__file__).with_name("reference_child.py")
SECONDS = float(os.environ.get("EXECPOLICY_SOAK_SECONDS", "10"))
AT_ONCE = 3
OPTIONS = SessionOptions(grace_s=0.3, leftovers_s=0.3, drain_s=0.5, stall_s=2.0)


class Words:
    """Decides by the command's text."""

    def decide(self, request: ToolRequest, /) -> Ruling:
        word = request.args["command"]
        if word == "boom":
            raise RuntimeError(word)
        return Ruling(decision=DecisionWord(word).decision, reason=word)


class Moody:
    """Answers at random, late, or not at all."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> Answer:
        await asyncio.sleep(self._rng.choice((0.0, 0.01, 0.1, 60.0)))
        if self._rng.random() < 0.1:
            raise RuntimeError("no screen")
        return Answer(self._rng.choice([kind for kind in AnswerKind if kind is not AnswerKind.ABORT]))


def random_steps(rng: random.Random) -> list[list[Any]]:
    steps: list[list[Any]] = []
    for number in range(rng.randint(1, 8)):
        args = {"command": rng.choice(("allow", "deny", "ask", "boom"))}
        id = f"t{rng.randint(0, 5) if rng.random() < 0.2 else number}"
        steps.append(
            rng.choice(
                (
                    ["request", id, "shell", args],
                    ["request", id, "shell", args],
                    ["send", id, "shell", args],
                    ["burst", rng.choice((10, 500)), "shell", args],
                    ["out", "text without newline"],
                    ["out", '{"v":1,"type":"tool.request","id":'],
                    ["hex", os.urandom(64).hex()],
                    ["err", "warning\n"],
                    ["line", {"type": "tool.result", "id": "unknown", "ok": True}],
                    ["line", {"type": "tool.request", "id": 5}],
                    ["flood", 1_000_000],
                    ["spawn", 60, False],
                    ["close_stdin"],
                    ["ignore", "SIGTERM"],
                    ["wait", 0.05],
                )
            )
        )
    steps.append(rng.choice((["exit", 0], ["exit", 7], ["die"], ["wait", 0.3], ["wait", 60])))
    return steps


async def one_session(rng: random.Random, sink: int) -> Outcome:
    audit = MemoryAudit()
    limits = ArbiterOptions(timeout_s=0.2, max_parse_errors=rng.choice((1, 100)))
    environment = {**os.environ, "REFERENCE_CHILD_TIMEOUT": "1"}
    if rng.random() < 0.2:
        environment["REFERENCE_CHILD_STUBBORN"] = "1"
    steps = random_steps(rng)
    session = RunnerSession(
        [sys.executable, "-S", str(CHILD), json.dumps(steps)],
        lambda send, abort: Arbiter(Words(), send=send, abort=abort, asker=Moody(rng), audit=audit, options=limits),
        options=SessionOptions(
            env=environment,
            grace_s=OPTIONS.grace_s,
            leftovers_s=OPTIONS.leftovers_s,
            drain_s=OPTIONS.drain_s,
            stall_s=OPTIONS.stall_s,
        ),
        stdout=sink,
        stderr=sink,
    )
    running = asyncio.create_task(session.run())
    # whatever it is waiting for, it ends: by itself, or because a signal comes
    await asyncio.wait([running], timeout=rng.choice((0.3, 2.0, 4.0)))
    if not running.done():
        session.signal(rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
    outcome = await asyncio.wait_for(running, 30)
    allowed = [
        entry["id"] for entry in audit.entries if entry["event"] == "decision" and entry["decision"] == "allowed"
    ]
    assert len(allowed) == len(set(allowed))
    texts = {e["id"]: e["args"]["command"] for e in reversed(audit.entries) if e["event"] == "request"}
    assert {texts[id] for id in allowed} <= {"allow", "ask"}
    assert len(session.arbiter.calls) == 0
    return outcome


async def sessions(rng: random.Random, sink: int, until: float) -> Counter[int]:
    ends: Counter[int] = Counter()
    while time.monotonic() < until:
        outcomes = await asyncio.gather(*[one_session(random.Random(rng.random()), sink) for _ in range(AT_ONCE)])
        ends.update(outcome.status for outcome in outcomes)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    return ends


def settled_threads(limit: int) -> int:
    deadline = time.monotonic() + 60
    while threading.active_count() > limit and time.monotonic() < deadline:
        time.sleep(0.05)
    return threading.active_count()


def test_random_faults_leave_nothing_behind() -> None:
    rng = random.Random(7)
    sink = os.open(os.devnull, os.O_WRONLY)
    others = threading.active_count()  # of what runs the tests
    try:
        asyncio.run(sessions(rng, sink, time.monotonic() + SECONDS * 0.3))  # caches fill
        threads = settled_threads(others)
        gc.collect()
        descriptors = len(os.listdir("/proc/self/fd"))
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            ends = asyncio.run(sessions(rng, sink, time.monotonic() + SECONDS * 0.7))
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        assert settled_threads(threads) <= threads
        assert len(os.listdir("/proc/self/fd")) == descriptors
        assert grown < 1_000_000
        assert ends.total() >= AT_ONCE
    finally:
        os.close(sink)
