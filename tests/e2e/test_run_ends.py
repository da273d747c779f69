"""``execpolicy run``: a command and all that it started end with it, whatever happens to either."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.protocol.arbiter_program import alive

pytestmark = pytest.mark.slow

RUN = [sys.executable, "-m", "execpolicy", "run", "--sandbox", "danger-full-access", "--approval", "never"]
SANDBOXED = [sys.executable, "-m", "execpolicy", "run", "--sandbox", "read-only", "--approval", "never"]
SLEEPERS = "sleep 300 & echo pid $!; setsid sleep 300 & echo pid $!; (setsid sh -c 'sleep 300 & echo pid $!' &);"
"""Children in the background: an ordinary one, one in a session of its own, one whose parents are gone."""
RULES = 'prefix_rule(pattern=[["sh", "yes", "echo", "head", "sleep", "kill"]], decision="allow")\n'


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Starts ``run`` with arguments; what still runs at the end of the test is killed."""
    (tmp_path / "test.rules").write_text(RULES)
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, argv: list[str] = RUN, **options: object) -> "subprocess.Popen[bytes]":
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        words = [*argv, "-r", str(tmp_path / "test.rules"), *arguments]
        env = {**os.environ, "HOME": str(tmp_path)}
        process = subprocess.Popen(words, env=env, cwd=tmp_path, start_new_session=True, **options)  # type: ignore[call-overload]  # the options that the case names
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def pids(process: "subprocess.Popen[bytes]", count: int) -> list[int]:
    """The numbers of the processes that the command has told of."""
    assert process.stdout is not None
    found: list[int] = []
    while len(found) < count:
        line = process.stdout.readline()
        assert line, found
        found += [int(number) for number in re.findall(rb"pid (\d+)", line)]
    return found


def all_gone(processes: list[int], within: float = 10.0) -> bool:
    deadline = time.monotonic() + within
    while any(alive(pid) for pid in processes) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(alive(pid) for pid in processes)


def test_what_it_started_ends_with_it(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    process = run("--script", f"{SLEEPERS} exit 7")
    left = pids(process, 3)
    assert process.wait(120) == 7
    assert not any(alive(pid) for pid in left)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_signals_end_everything(run: Callable[..., "subprocess.Popen[bytes]"], number: signal.Signals) -> None:
    process = run("--script", f"{SLEEPERS} wait")
    left = pids(process, 3)
    process.send_signal(number)
    assert process.wait(120) == 128 + number
    assert not any(alive(pid) for pid in left)


def test_a_command_hears_the_signal_itself(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    process = run("--script", 'trap "echo heard; exit 3" INT; echo pid $$; while :; do sleep 0.05; done')
    pids(process, 1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert (out, process.returncode) == (b"heard\n", 130)


def test_a_command_that_ignores_signals_is_killed(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    process = run("--script", 'trap "" INT TERM HUP; echo pid $$; while :; do sleep 0.05; done')
    left = pids(process, 1)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 143
    assert all_gone(left)


@pytest.mark.parametrize("argv", [RUN, SANDBOXED])
def test_a_kill_of_run_leaves_nothing(run: Callable[..., "subprocess.Popen[bytes]"], argv: list[str]) -> None:
    process = run("--script", f"{SLEEPERS} wait", argv=argv)
    if argv is RUN:
        left = pids(process, 3)
    else:
        pids(process, 3)  # numbers of the sandbox's own
        left = [int(word) for word in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
        for pid in left:
            left += [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        assert len(left) >= 5
    process.kill()
    process.wait(120)
    assert all_gone(left)


def test_a_command_that_kills_what_watches_over_it_ends_all_the_same(
    run: Callable[..., "subprocess.Popen[bytes]"],
) -> None:
    process = run("--script", f"{SLEEPERS} sleep 0.5; kill -9 $PPID; sleep 300")
    left = pids(process, 3)
    assert process.wait(120) == 137
    assert not any(alive(pid) for pid in left)


@pytest.mark.parametrize(
    "script",
    [
        "sleep 300 & echo pid $!; wait",
        "setsid sleep 300 & echo pid $!; wait",
        "(setsid sh -c 'sleep 300 & echo pid $!' &); sleep 300",
    ],
)
def test_time_is_up(run: Callable[..., "subprocess.Popen[bytes]"], script: str) -> None:
    started = time.monotonic()
    process = run("--timeout", "1", "--script", script)
    left = pids(process, 1)
    assert process.wait(120) == 124
    assert time.monotonic() - started < 100  # and not when the command would have ended
    assert not any(alive(pid) for pid in left)


def test_time_is_up_though_nobody_reads(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    started = time.monotonic()
    process = run("--timeout", "1", "--", "yes")
    assert process.wait(120) == 124
    assert time.monotonic() - started < 100  # and not when the command would have ended


def test_output_waits_for_a_slow_reader(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    process = run("--script", "yes | head -c 1000000")
    time.sleep(3.5)
    out, _ = process.communicate(timeout=120)
    assert (len(out), process.returncode) == (1_000_000, 0)


def test_a_reader_that_went_away_ends_an_endless_command(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    process = run("--", "yes")
    assert process.stdout is not None
    assert process.stdout.readline() == b"y\n"
    process.stdout.close()
    assert process.wait(120) == 141


@pytest.mark.parametrize("script", ["yes", "echo x"])
def test_a_full_output_is_no_success_and_no_refusal(run: Callable[..., "subprocess.Popen[bytes]"], script: str) -> None:
    with open("/dev/full", "wb") as full:
        process = run("--script", script, stdout=full)
        _, err = process.communicate(timeout=120)
    assert process.returncode == (141 if script == "yes" else 1)
    assert b"not run" not in err
    assert b"could not be started" not in err


def test_outputs_that_are_full_or_closed_leave_the_status(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    with open("/dev/full", "wb") as full:
        assert run("--script", "exit 9", stderr=full).wait(120) == 9
        assert run("--", "nowhere", stderr=full).wait(120) == 126


def test_a_pipe_that_does_not_block_is_waited_for(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    process = run("--script", "yes | head -c 300000", stdout=write)
    os.close(write)
    time.sleep(0.5)
    size = 0
    while block := os.read(read, 65536):
        size += len(block)
    os.close(read)
    assert (size, process.wait(120)) == (300_000, 0)


def test_a_child_signal_that_is_ignored_hides_no_status(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    argv = ["bash", "-c", 'trap "" CHLD PIPE; exec "$@"', "bash", *RUN]
    assert run("--script", "exit 7", argv=argv).wait(120) == 7


def test_a_crowd_that_multiplies_is_ended(run: Callable[..., "subprocess.Popen[bytes]"]) -> None:
    """Each starts its successor and ends, as fast as it can, in a session of its own."""
    script = "echo 'setsid sh ./again & sleep 0.01' > again; echo pid $$; sh ./again; sleep 300"
    process = run("--timeout", "1", "--script", script)
    pids(process, 1)
    assert process.wait(120) == 124
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                assert b"./again" not in (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue


def test_the_audit_says_who_decided_what_and_how_it_ended(
    run: Callable[..., "subprocess.Popen[bytes]"], tmp_path: Path
) -> None:
    audit = tmp_path / "audit.jsonl"
    assert run("--audit", str(audit), "--script", "exit 3").wait(120) == 3
    assert run("--audit", str(audit), "--", "frobnicate", "--token", "hunter2hunter2").wait(120) == 126
    entries = [json.loads(line) for line in audit.read_text().splitlines()]
    told = [(entry["event"], entry.get("decision"), entry.get("by"), entry.get("status")) for entry in entries]
    assert told[:2] == [("decision", "allowed", "policy", None), ("result", None, None, 3)]
    assert told[-1] == ("decision", "denied", "policy", None) or told[-1][0] == "result"
    assert audit.stat().st_mode & 0o077 == 0


def test_what_cannot_be_noted_is_not_run(run: Callable[..., "subprocess.Popen[bytes]"], tmp_path: Path) -> None:
    process = run("--audit", "/dev/full", "--script", "echo ran > made")
    assert process.wait(120) == 126
    assert not (tmp_path / "made").exists()


def test_what_ran_and_cannot_be_noted_is_no_success(
    run: Callable[..., "subprocess.Popen[bytes]"], tmp_path: Path
) -> None:
    audit = tmp_path / "audit.jsonl"
    process = run("--audit", str(audit), "--script", "mv audit.jsonl noted; mkdir audit.jsonl")
    assert process.wait(120) == 1
    assert [json.loads(line)["event"] for line in (tmp_path / "noted").read_text().splitlines()] == ["decision"]
