"""Whatever happens to a hook, it ends with an answer that does not allow, or with status 2."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HOOK = [sys.executable, "-m", "execpolicy", "hook", "claude"]
FORBIDDEN = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
FULL = Path("/dev/full")


def in_shell(text: str, envelope: object = FORBIDDEN) -> subprocess.CompletedProcess[str]:
    """Run the hook with redirections; ``$HOOK`` is its command."""
    return subprocess.run(
        ["bash", "-c", text.replace("$HOOK", " ".join(HOOK))],
        input=json.dumps(envelope),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "redirections", [">&-", "2>&-", ">&- 2>&-", "> /dev/full", "> /dev/full 2>&1", "> /dev/full 2>&-", "<&- >&- 2>&-"]
)
def test_streams_that_cannot_be_written(redirections: str) -> None:
    assert in_shell(f"$HOOK {redirections}").returncode == 2


@pytest.mark.parametrize("redirections", ["<&-", "< /dev/null", "<<< x", "<<< '{'"])
def test_input_that_is_no_call(redirections: str) -> None:
    done = in_shell(f"$HOOK {redirections}")
    assert done.returncode == 0
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "ask"


def test_a_reader_that_went_away() -> None:
    assert in_shell("{ sleep 0.2; cat; } | { $HOOK; echo $? >&2; } | true; sleep 0.6").stderr.split()[-1] == "2"


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR1, signal.SIGALRM],
)
def test_signals(number: signal.Signals) -> None:
    running = subprocess.Popen(HOOK, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert running.stdin is not None
    running.stdin.write(json.dumps(FORBIDDEN).encode()[:20])
    running.stdin.flush()
    status = Path(f"/proc/{running.pid}/status")
    bit = 1 << (signal.SIGUSR2 - 1)
    while True:  # until its handlers are there
        caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt"))
        if int(caught.split()[1], 16) & bit:
            break
    os.kill(running.pid, number)
    out, _ = running.communicate(timeout=30)
    assert running.returncode == 0
    assert json.loads(out)["hookSpecificOutput"]["permissionDecision"] == "ask"


def test_a_child_signal_that_is_ignored_changes_nothing() -> None:
    done = in_shell("trap '' CHLD PIPE; $HOOK")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] in ("ask", "deny")


def test_little_room(tmp_path: Path) -> None:
    for limit in ("-n 8", "-v 60000", "-f 0", "-t 1"):
        done = in_shell(f"ulimit {limit}; $HOOK")
        allowed = '"allow"' in done.stdout
        assert not allowed, (limit, done)
        assert done.stdout or done.returncode != 0, limit


def test_the_reader_of_the_example_sees_status_2_as_a_denial() -> None:
    done = in_shell("/nowhere/execpolicy hook claude || { echo execpolicy failed >&2; exit 2; }")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "execpolicy failed")
