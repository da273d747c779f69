"""Sessions inside a host's own process: stalls, cancelling, and outputs that go nowhere (seed 004, section 5)."""

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from execpolicy.core.decision import Decision
from execpolicy.permissions.audit import MemoryAudit
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.messages import AbortCode, ArbiterOptions, Outcome, SessionOptions, ToolRequest
from execpolicy.protocol.session import MissedEvents, OutputLine, RunnerSession, SessionEvents
from tests.e2e.protocol.arbiter_program import CHILD, alive

pytestmark = pytest.mark.slow


class Generous:
    """Allows everything, with a reason long enough to fill pipes."""

    def decide(self, request: ToolRequest, /) -> Ruling:
        return Ruling(decision=Decision.ALLOW, reason="x" * 500)


class Desk:
    """A session around the reference child."""

    def __init__(self, steps: list[list[Any]], *, sink: int, env: dict[str, str] | None = None, **options: Any) -> None:
        self.audit = MemoryAudit()
        self.warnings: list[str] = []
        self.session = RunnerSession(
            [sys.executable, "-S", str(CHILD), json.dumps(steps)],
            lambda send, abort: Arbiter(
                Generous(), send=send, abort=abort, audit=self.audit, options=ArbiterOptions(run_id="r")
            ),
            options=SessionOptions(env={**os.environ, **(env or {})}, **options),
            stdout=sink,
            stderr=sink,
            warn=self.warnings.append,
        )

    def run(self) -> Outcome:
        return asyncio.run(asyncio.wait_for(self.session.run(), 200))


@pytest.fixture
def sink() -> Any:
    fd = os.open(os.devnull, os.O_WRONLY)
    yield fd
    os.close(fd)


def test_5_1_a_child_that_does_not_read_its_decisions_is_given_up(sink: int) -> None:
    steps = [["burst", 2_000, "shell", {"command": "x"}], ["wait", 300]]
    desk = Desk(steps, sink=sink, env={"REFERENCE_CHILD_DEAF": "1"}, stall_s=0.3, grace_s=0.3)
    outcome = desk.run()
    assert (outcome.status, outcome.aborted) == (125, AbortCode.FATAL_ERROR)
    assert any("does not read its standard input" in warning for warning in desk.warnings)


def test_a_host_that_cancels_a_session_ends_the_child(sink: int, tmp_path: Path) -> None:
    desk = Desk([["spawn", 300, False], ["wait", 300]], sink=sink)

    async def scenario() -> int:
        running = asyncio.create_task(desk.session.run())
        while desk.session._child is None:
            await asyncio.sleep(0.01)
        pid = desk.session._child.pid
        await asyncio.sleep(0.3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return pid

    pid = asyncio.run(asyncio.wait_for(scenario(), 40))
    deadline = time.monotonic() + 60
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(pid)


def test_children_of_the_host_are_left_alone(sink: int) -> None:
    """Only a process that exists for the session alone adopts what is left and ends it."""
    import subprocess

    own = subprocess.Popen(["sleep", "60"])
    try:
        assert Desk([["exit", 4]], sink=sink).run().status == 4
        assert own.poll() is None
    finally:
        own.kill()
        own.wait()


def test_the_run_id_and_the_prefix_are_in_the_child_s_environment(tmp_path: Path) -> None:
    read, write = os.pipe()
    session = RunnerSession(
        ["sh", "-c", 'echo "$EXECPOLICY_ARBITER $EXECPOLICY_RUN_ID $EXECPOLICY_EVENT_PREFIX"'],
        lambda send, abort: Arbiter(Generous(), send=send, abort=abort, options=ArbiterOptions(run_id="r")),
        options=SessionOptions(prefix="@x "),
        stdout=write,
        stderr=write,
    )
    assert asyncio.run(asyncio.wait_for(session.run(), 40)) == Outcome(0, 0)
    os.close(write)
    with os.fdopen(read) as file:
        assert file.read() == "1 r @x \n"


def test_5_2_a_host_sees_messages_of_both_sides_broken_lines_and_output(sink: int) -> None:
    steps = [
        ["out", "hello\nno newline"],
        ["wait", 0.2],
        ["out", "\n"],
        ["request", "t", "shell", {"command": "x"}],
        ["line", {"type": "tool.request", "id": "b"}],
        ["err", "last"],
    ]
    desk = Desk(steps, sink=sink)

    async def scenario() -> tuple[list[Any], list[Any], Outcome]:
        messages, everything = desk.session.events(), desk.session.events(output=True)

        async def collect(events: SessionEvents) -> list[Any]:
            return [event async for event in events]

        collecting = asyncio.gather(collect(messages), collect(everything))
        outcome = await desk.session.run()
        few, many = await collecting
        return few, many, outcome

    few, many, outcome = asyncio.run(asyncio.wait_for(scenario(), 40))
    assert outcome.status == 0
    assert [(type(event).__name__, getattr(getattr(event, "message", None), "TYPE", None)) for event in few] == [
        ("ToldEvent", "policy.ping"),
        ("ToolEvent", "tool.request"),
        ("ToldEvent", "policy.decision"),
        ("ToolEvent", "tool.result"),
        ("BrokenEvent", None),
    ]
    assert [event for event in many if isinstance(event, type(few[0]) | type(few[1]))][:2] == few[:2]
    lines = [(event.stream, event.line) for event in many if isinstance(event, OutputLine)]
    assert lines[:2] == [("stdout", b"hello"), ("stdout", b"no newline")]
    assert ("stderr", b"last") in lines
    assert ("stdout", b"t: ran") in lines


def test_5_2_events_that_nobody_fetches_delay_nothing_and_are_counted(sink: int) -> None:
    desk = Desk([["burst", 3_000, "shell", {"command": "x"}], ["collect", 3_000], ["exit", 5]], sink=sink)

    async def scenario() -> tuple[Outcome, list[Any]]:
        lazy = SessionEvents(most=10)
        desk.session._watchers.append(lazy)
        return await desk.session.run(), [event async for event in lazy]

    outcome, events = asyncio.run(asyncio.wait_for(scenario(), 40))
    assert outcome.status == 5
    assert isinstance(events[0], MissedEvents)
    assert events[0].count + len(events) - 1 == 6_001  # requests, decisions, and the ping
