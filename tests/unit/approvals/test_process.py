"""Running one process: status, output, time, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from execpolicy.approvals.tools.process import ExecOutput, Streams, run_process

_ENV = {"PATH": "/usr/bin:/bin"}
_FORKS = """
import asyncio, os, sys
from execpolicy.approvals.tools.process import Streams, run_process
def forward(number, block):
    os.write(1, block)
    if os.fork() == 0:
        sys.stdin.read()
    os._exit(0)
streams = Streams(os.open(os.devnull, os.O_RDONLY), forward)
asyncio.run(run_process(["sh", "-c", "echo $$; exec sleep 600"], cwd="/", env={}, timeout=None, streams=streams))
"""
"""A program that runs a command, forks, and ends."""


def _run(script: str, *, timeout: float | None = 60, **options: Any) -> ExecOutput:
    return asyncio.run(run_process(["sh", "-c", script], cwd="/", env=_ENV, timeout=timeout, **options))


def test_status_and_both_outputs_in_order() -> None:
    output = _run("echo one; echo two >&2; echo three; exit 3")
    assert (output.exit_code, output.text, output.omitted, output.timed_out) == (3, "one\ntwo\nthree\n", 0, False)


def test_input_is_empty() -> None:
    assert _run("cat; echo end").text == "end\n"


def test_only_the_given_environment() -> None:
    assert "PATH=/usr/bin:/bin" in _run("env").text
    assert "HOME=" not in _run("env").text


def test_a_signal_is_a_status() -> None:
    assert _run("kill -TERM $$").exit_code == 128 + signal.SIGTERM


def test_time_is_up() -> None:
    output = _run("echo started; sleep 600", timeout=0.3)
    assert (output.exit_code, output.text, output.timed_out) == (124, "started\n", True)


def test_the_whole_group_is_killed(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    _run(f"sleep 600 & echo $! > {pid_file}; wait", timeout=0.5)
    _assert_gone(int(pid_file.read_text()))


def test_a_cancelled_run_kills_too(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"

    async def work() -> None:
        script = f"echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; sleep 600"
        task = asyncio.create_task(run_process(["sh", "-c", script], cwd="/", env=_ENV, timeout=None))
        while not pid_file.exists():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    _assert_gone(int(pid_file.read_text()))


def test_a_command_that_is_quick_to_kill_what_started_it_was_started(tmp_path: Path) -> None:
    for number in range(20):
        output = _run(f"kill -9 $PPID; touch {tmp_path}/{number}")
        assert output.exit_code == 128 + signal.SIGKILL


def test_a_program_that_has_forked_takes_its_command_with_it() -> None:
    """The child that it forked still holds its end of what the two talk over."""
    with subprocess.Popen([sys.executable, "-c", _FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        command = int(program.stdout.readline())
        assert program.wait(60) == 0
        _assert_gone(command)
        program.stdin.close()  # its child waited for that


def _assert_gone(pid: int) -> None:
    """The kernel needs a moment to take a killed process away; one that was not killed would stay for minutes."""
    for _ in range(1000):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.01)
    raise AssertionError(f"process {pid} still runs")


def test_long_output_keeps_its_ends() -> None:
    output = _run("echo start; yes | head -c 1000000; echo end", max_output=1000)
    assert output.text.startswith("start\ny\n")
    assert output.text.endswith("y\nend\n")
    assert output.omitted == 1_000_010 - 1000
    assert f"[… {output.omitted} bytes omitted …]" in output.text


def test_bytes_that_are_no_text() -> None:
    assert _run(r"printf 'a\377b'").text == "a\ufffdb"


def test_streams_are_forwarded_as_they_come() -> None:
    seen: list[tuple[int, bytes]] = []
    read, write = os.pipe()
    os.write(write, b"typed\n")
    os.close(write)
    output = _run("cat; echo err >&2", streams=Streams(read, lambda number, block: seen.append((number, block))))
    os.close(read)
    assert sorted(seen) == [(1, b"typed\n"), (2, b"err\n")]
    assert sorted(output.text.splitlines()) == ["err", "typed"]


def test_what_cannot_be_started() -> None:
    with pytest.raises(FileNotFoundError):
        asyncio.run(run_process(["/no/such/program"], cwd="/", env=_ENV, timeout=1))


def test_descriptors_are_handed_down() -> None:
    read, write = os.pipe()
    try:
        os.set_inheritable(write, False)
        assert _run(f"echo hello > /proc/self/fd/{write}", fds=(write,)).exit_code == 0
        assert os.read(read, 100) == b"hello\n"
    finally:
        os.close(read)
        os.close(write)
