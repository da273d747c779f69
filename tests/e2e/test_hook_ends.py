"""Whatever happens to a hook, it ends with an answer that does not allow, or with status 2."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.running import run_captured

pytestmark = pytest.mark.slow

HOOK = [sys.executable, "-m", "execpolicy", "hook", "claude"]
FORBIDDEN = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
FULL = Path("/dev/full")


def in_shell(text: str, envelope: object = FORBIDDEN) -> subprocess.CompletedProcess[str]:
    """Run the hook with redirections; ``$HOOK`` is its command."""
    return run_captured(["bash", "-c", text.replace("$HOOK", " ".join(HOOK))], input=json.dumps(envelope), timeout=60)


@pytest.mark.parametrize(
    "redirections", [">&-", "2>&-", ">&- 2>&-", "> /dev/full", "> /dev/full 2>&1", "> /dev/full 2>&-", "<&- >&- 2>&-"]
)
def test_streams_that_cannot_be_written(redirections: str) -> None:
    assert in_shell(f"$HOOK {redirections}").returncode == 2


@pytest.mark.parametrize("arguments", ["", "nobody", "claude --nonsense", "claude --inbox-wait x"])
@pytest.mark.parametrize("redirections", ["", "2> /dev/full", "2>&-", "> /dev/full 2>&1", "2> >(exec 0<&-; sleep 1)"])
def test_wrong_usage_that_cannot_be_said(arguments: str, redirections: str) -> None:
    """An agent runs the command after status 1, and after what a lost pipe ends with."""
    done = in_shell(f"{' '.join(HOOK[:-1])} {arguments} {redirections}")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("limit", ["-v 24000", "-v 30000", "-v 36000", "-n 5"])
def test_it_denies_where_there_is_no_room_to_answer(limit: str) -> None:
    done = in_shell(f"ulimit {limit}; $HOOK")
    assert done.returncode in (0, 2), done
    assert '"allow"' not in done.stdout


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
    before = ""
    while (now := Path(f"/proc/{running.pid}/stat").read_text()) != before or now.split()[2] != "S":
        before = now  # until it only waits for the rest of its input
        time.sleep(0.3)
    os.kill(running.pid, number)
    out, _ = running.communicate(timeout=120)
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


def test_what_is_forbidden_stays_so_when_it_cannot_be_noted(tmp_path: Path) -> None:
    """A full disk is a reason to allow less, never to ask where nothing has to be asked."""
    rules = tmp_path / "test.rules"
    rules.write_text(
        'prefix_rule(pattern=["ls"], decision="forbidden")\nprefix_rule(pattern=["id"], decision="allow")\n'
    )
    for command, word in (("ls", "deny"), ("id", "ask"), ("frobnicate", "ask")):
        call = {**FORBIDDEN, "tool_input": {"command": command}}
        for audit in ("/dev/full", f"{tmp_path}", "/proc/nowhere"):
            done = in_shell(f"$HOOK -r {rules} --audit {audit}", call)
            assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == word, (command, audit)
        done = in_shell(f"ulimit -f 0; $HOOK -r {rules} --audit {tmp_path}/audit", call)
        assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == word, command


def answers_in(out: bytes) -> list[str]:
    """The decisions printed; one that cannot be read would be taken for consent."""
    return [json.loads(line)["hookSpecificOutput"]["permissionDecision"] for line in out.splitlines()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGVTALRM])
def test_signals_at_every_moment(number: signal.Signals) -> None:
    """From the first line of the hook to its last: one answer that restricts, or status 2, or killed with no answer.

    The last only while Python itself starts; what an installed hook wraps around it turns that into status 2.
    """
    ready = 0
    for pause in itertools.count(0, 5):  # a busy machine takes longer to come to the first line
        running = subprocess.Popen(HOOK, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert running.stdin is not None
        running.stdin.write(json.dumps(FORBIDDEN).encode())
        running.stdin.close()
        time.sleep(pause / 1000)
        handled = catches(running.pid, number)
        running.send_signal(number)
        assert running.stdout is not None
        answers = answers_in(running.stdout.read())
        running.stdout.close()
        status = running.wait(120)
        assert answers in ([], ["ask"])
        if status < 0:
            assert not answers
            assert not handled, "it was killed although its handlers were in place"
        else:
            assert status == 2 or (status == 0 and answers)
        ready += handled
        if pause >= 130 and ready >= 3:
            break


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler for the signal; an ended one has none."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> number - 1 & 1)
    return False


def test_an_answer_that_nobody_reads_yet_is_not_given_twice() -> None:
    """The deadline, or a signal, while the answer waits for room: the status denies."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    while True:  # fill it
        try:
            os.write(write, b"x" * 4096)
        except BlockingIOError:
            break
    for flags in (False, True):
        os.set_blocking(write, flags)
        running = subprocess.Popen([*HOOK, "--deadline", "1"], stdin=subprocess.PIPE, stdout=write)
        running.communicate(json.dumps(FORBIDDEN).encode(), timeout=120)
        assert running.returncode == 2
    os.close(read)
    os.close(write)
