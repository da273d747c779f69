"""Real hooks that wait, a person at a real terminal who answers, and an agent that tries to answer for itself."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from execpolicy.inbox.peer import account_of
from tests.support.running import run_captured

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXECPOLICY = [sys.executable, "-m", "execpolicy"]
CALL = {
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "session_id": "s1",
    "tool_input": {"command": "git push origin main"},
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "EXECPOLICY_CACHE")}
    return {**kept, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


def start_server(environment: dict[str, str]) -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.inbox_server"],
        env=environment,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    return server


@pytest.fixture
def server(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    started = start_server(environment)
    yield started
    started.kill()
    started.communicate()


def start_hook(environment: dict[str, str], *options: str, call: dict[str, Any] = CALL) -> subprocess.Popen[str]:
    # a busy machine may need longer than five seconds to come to the question
    hook = subprocess.Popen(
        [*EXECPOLICY, "hook", "claude", "--on-prompt", "inbox", "--deadline", "60", *options],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert hook.stdin is not None
    hook.stdin.write(json.dumps({**call, "cwd": environment["HOME"]}))
    hook.stdin.close()
    hook.stdin = None
    return hook


def decision(hook: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = hook.communicate(timeout=120)
    assert hook.returncode == 0, err
    said = json.loads(out)["hookSpecificOutput"]
    return said["permissionDecision"], said["permissionDecisionReason"]


def listed(environment: dict[str, str]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [*EXECPOLICY, "inbox", "list", "--format", "json"], env=environment, capture_output=True, check=True
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def until(found: Callable[[], Any]) -> Any:
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        value = found()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def at_a_terminal(environment: dict[str, str], *arguments: str) -> tuple[int, str]:
    child = pexpect.spawn(EXECPOLICY[0], [*EXECPOLICY[1:], *arguments], env=environment, encoding="utf-8", timeout=60)
    said = child.read()
    child.close()
    return child.exitstatus, said


@pytest.mark.parametrize(
    ("words", "expected", "reason"),
    [
        (["once"], "allow", "a person agreed"),
        (["session"], "allow", "a person agreed"),
        (["always", "--prefix", "2"], "allow", "a person agreed"),
        (["deny", "-m", "use the branch"], "deny", "denied by the user: use the branch"),
    ],
)
def test_a_person_answers_a_real_hook(
    environment: dict[str, str], server: subprocess.Popen[str], words: list[str], expected: str, reason: str
) -> None:
    hook = start_hook(environment)
    (one,) = until(lambda: listed(environment))
    assert one["agent"] == "claude"
    assert one["command"] == "git push origin main"
    status, said = at_a_terminal(environment, "inbox", "answer", one["id"], *words)
    assert status == 0, said
    found, why = decision(hook)
    assert found == expected
    assert reason in why
    trail = Path(environment["HOME"], ".local/state/execpolicy/inbox/audit.jsonl").read_text().splitlines()
    (given,) = [row["by"] for row in map(json.loads, trail) if row["event"] == "inbox.answered"]
    assert re.fullmatch(rf"terminal {re.escape(account_of(os.getuid()))}, /dev/pts/\d+, process \d+", given)
    if words[0] in ("session", "always"):
        assert decision(start_hook(environment))[0] == "allow"
    status, said = at_a_terminal(environment, "inbox", "answer", one["id"], "deny")
    assert (status, "answered already" in said) == (2, True)


def test_why_no_rule_is_offered_is_shown(environment: dict[str, str], server: subprocess.Popen[str]) -> None:
    hook = start_hook(environment, call={**CALL, "tool_input": {"command": 'make deploy && eval "$X"'}})
    (one,) = until(lambda: listed(environment))
    text = run_captured([*EXECPOLICY, "inbox", "show", one["id"]], env=environment, check=True).stdout
    assert "no rule can let this pass: `eval" in text
    assert "answers: once, session, deny; " in text
    hook.kill()
    hook.communicate()


def test_without_a_page_the_hook_gives_its_closed_answer_at_once(environment: dict[str, str]) -> None:
    started = time.monotonic()
    found, why = decision(start_hook(environment))
    assert found == "ask"
    assert "execpolicy ui" in why
    assert time.monotonic() - started < 100  # a question would wait for longer


def test_an_agent_that_may_lose_its_patience_never_waits(
    environment: dict[str, str], server: subprocess.Popen[str]
) -> None:
    call = {"tool_call": {"name": "run_commands", "input": {"commands": ["git push"]}}, "hookName": "tool_call"}
    done = run_captured(
        [*EXECPOLICY, "hook", "cline", "--on-prompt", "inbox", "--deadline", "60"],
        env=environment,
        input=json.dumps(call),
        timeout=120,
    )
    (told,) = json.loads(done.stdout)["overrideInput"]["commands"]
    assert "cannot be told to wait" in told
    assert told.endswith("exit 1")


def test_nobody_answers(environment: dict[str, str], server: subprocess.Popen[str]) -> None:
    found, why = decision(start_hook(environment, "--wait", "1"))
    assert (found, "no one answered in time" in why) == ("ask", True)


def test_what_is_forbidden_or_allowed_is_never_put_there(
    environment: dict[str, str], server: subprocess.Popen[str]
) -> None:
    call = {**CALL, "tool_input": {"command": "ls"}}
    assert decision(start_hook(environment, call=call))[0] == "allow"
    assert listed(environment) == []


def test_a_killed_hook_withdraws_its_question(environment: dict[str, str], server: subprocess.Popen[str]) -> None:
    hook = start_hook(environment)
    until(lambda: listed(environment))
    hook.kill()
    hook.communicate()
    until(lambda: not listed(environment))


def test_a_hook_that_is_told_to_end_still_answers(environment: dict[str, str], server: subprocess.Popen[str]) -> None:
    hook = start_hook(environment)
    until(lambda: listed(environment))
    hook.send_signal(signal.SIGTERM)
    assert decision(hook)[0] == "ask"


def test_a_server_that_is_killed_and_started_again(environment: dict[str, str]) -> None:
    first = start_server(environment)
    hook = start_hook(environment)
    (before,) = until(lambda: listed(environment))
    first.kill()
    first.communicate()
    second = start_server(environment)
    try:
        (after,) = until(lambda: listed(environment))
        assert after["id"] != before["id"]
        assert at_a_terminal(environment, "inbox", "answer", before["id"], "once")[0] == 2
        assert at_a_terminal(environment, "inbox", "answer", after["id"], "once")[0] == 0
        assert decision(hook)[0] == "allow"
    finally:
        second.kill()
        second.communicate()


AGENT = """
import json, os, pty, subprocess, sys
asks = [sys.executable, "-m", "execpolicy", "hook", "claude", "--on-prompt", "inbox", "--deadline", "60"]
hook = subprocess.Popen(asks, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
hook.stdin.write(sys.argv[1]); hook.stdin.close()
def waiting():
    listing = [sys.executable, "-m", "execpolicy", "inbox", "list", "--format", "json"]
    return json.loads(subprocess.run(listing, capture_output=True).stdout)
while not waiting():
    pass
answers = [sys.executable, "-m", "execpolicy", "inbox", "answer", waiting()[0]["id"], "once"]
pid, terminal = pty.fork()
if not pid:
    os.execv(answers[0], answers)
said = b""
while True:
    try:
        block = os.read(terminal, 4096)
    except OSError:
        break
    if not block:
        break
    said += block
print(said.decode())
hook.terminate()
print(hook.stdout.read())
"""


def test_an_agent_with_a_terminal_of_its_own_cannot_answer_its_question(
    environment: dict[str, str], server: subprocess.Popen[str], tmp_path: Path
) -> None:
    script = tmp_path / "agent.py"
    script.write_text(AGENT)
    call = json.dumps({**CALL, "cwd": environment["HOME"]})
    done = run_captured([sys.executable, str(script), call], env=environment, timeout=100)
    assert "which also started what asks" in done.stdout, (done.stdout, done.stderr)
    assert '"permissionDecision":"ask"' in done.stdout
    audit = Path(environment["HOME"], ".local/state/execpolicy/inbox/audit.jsonl").read_text()
    assert "inbox.answered" not in audit


OWN_INBOX = """
import subprocess, sys
inbox = subprocess.Popen([sys.executable, "-m", "tests.support.inbox_server"], stdout=subprocess.PIPE, cwd=sys.argv[2])
inbox.stdout.readline()
asks = [sys.executable, "-m", "execpolicy", "hook", "claude", "--on-prompt", "inbox", "--deadline", "60"]
asks += ["--wait", "20"]
print(subprocess.run(asks, input=sys.argv[1], stdout=subprocess.PIPE, encoding="utf-8").stdout)
inbox.kill()
"""


def test_an_agent_cannot_open_an_inbox_of_its_own(environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "claude"
    script.write_text(OWN_INBOX)
    call = json.dumps({**CALL, "cwd": environment["HOME"]})
    done = run_captured([sys.executable, str(script), call, str(ROOT)], env=environment, timeout=100)
    assert "the agent itself listens in place of the inbox" in done.stdout, (done.stdout, done.stderr)
    assert '"permissionDecision":"ask"' in done.stdout


@pytest.mark.parametrize(
    ("tool", "given", "shown"),
    [
        ("Write", {"file_path": "/p/.envrc", "content": "export A=1\n"}, "+export A=1"),
        ("Edit", {"file_path": "/p/.envrc", "old_string": "a\nb", "new_string": "a\nc"}, "-b"),
        ("MultiEdit", {"file_path": "/p/.envrc", "edits": [{"old_string": "x", "new_string": "y"}, 7]}, "+y"),
    ],
)
def test_what_a_file_tool_would_write_is_shown(
    environment: dict[str, str], server: subprocess.Popen[str], tool: str, given: dict[str, Any], shown: str
) -> None:
    hook = start_hook(environment, call={**CALL, "tool_name": tool, "tool_input": given})
    (one,) = until(lambda: listed(environment))
    assert one["command"] == f"{tool} /p/.envrc"
    text = run_captured([*EXECPOLICY, "inbox", "show", one["id"]], env=environment, check=True).stdout
    assert shown.lstrip("+") in text
    assert at_a_terminal(environment, "inbox", "answer", one["id"], "deny")[0] == 0
    assert decision(hook)[0] == "deny"


@pytest.mark.parametrize("arguments", [["answer", "x", "once"]])
def test_without_a_terminal_nobody_answers(environment: dict[str, str], arguments: list[str]) -> None:
    done = subprocess.run(
        [*EXECPOLICY, "inbox", *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"for a person" in done.stderr
