"""`run`, `serve` and `arbiter` put their questions into one inbox, which the sandbox cannot reach."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_inbox_terminal import EXECPOLICY, at_a_terminal, listed, until
from tests.e2e.test_inbox_terminal import environment as environment  # a fixture
from tests.e2e.test_inbox_terminal import server as server  # a fixture
from tests.support.running import run_captured

pytestmark = pytest.mark.slow

REQUEST = {
    "v": 1,
    "type": "tool.request",
    "ts": 0,
    "id": "1",
    "tool": "shell",
    "args": {"command": "make deploy"},
    "requires_policy": True,
}


@pytest.fixture
def run(environment: dict[str, str], server: object) -> Iterator[Any]:
    del server
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **more: Any) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [*EXECPOLICY, *arguments],
            env=environment,
            cwd=environment["HOME"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            **more,
        )
        started.append(child)
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()


def answer(environment: dict[str, str], *words: str, source: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = until(lambda: listed(environment))
    assert [one["source"] for one in found] == [source]
    status, said = at_a_terminal(environment, "inbox", "answer", found[0]["id"], *words)
    assert status == 0, said
    return found[0]


@pytest.mark.parametrize(("words", "status"), [(["once"], 0), (["session"], 0), (["deny", "-m", "not now"], 126)])
def test_run_asks_the_inbox(environment: dict[str, str], run: Any, words: list[str], status: int) -> None:
    Path(environment["HOME"], "Makefile").write_text("deploy:\n\t@echo deployed\n")
    child = run("run", "--ask", "inbox", "--sandbox", "danger-full-access", "--session", "s", "--", "make", "deploy")
    one = answer(environment, *words, source="run")
    assert one["command"] == "make deploy"
    out, err = child.communicate(timeout=60)
    assert child.returncode == status, err
    assert ("deployed" in out) is (status == 0)
    assert ("not now" in err) is (status != 0)
    if words == ["session"]:
        again = run(
            "run", "--ask", "inbox", "--sandbox", "danger-full-access", "--session", "s", "--", "make", "deploy"
        )
        assert again.wait(timeout=60) == 0


def test_run_saves_the_rule_itself(environment: dict[str, str], run: Any) -> None:
    child = run("run", "--ask", "inbox", "--sandbox", "danger-full-access", "--", "make", "deploy")
    answer(environment, "always", source="run")
    child.communicate(timeout=60)
    saved = Path(environment["HOME"], ".codex/rules/default.rules").read_text()
    assert saved == 'prefix_rule(pattern=["make", "deploy"], decision="allow")\n'


def test_run_without_a_page_runs_nothing(environment: dict[str, str]) -> None:
    done = run_captured(
        [*EXECPOLICY, "run", "--ask", "inbox", "--sandbox", "danger-full-access", "--", "make", "deploy"],
        env=environment,
    )
    assert done.returncode == 126
    assert "execpolicy ui" in done.stderr


@pytest.mark.parametrize(("words", "expected"), [(["once"], "allow"), (["always"], "allow"), (["deny"], "deny")])
def test_serve_asks_the_inbox(environment: dict[str, str], run: Any, words: list[str], expected: str) -> None:
    child = run("serve", "--ask", "inbox")
    child.stdin.write(json.dumps(REQUEST) + "\n")
    child.stdin.flush()
    answer(environment, *words, source="serve")
    said = json.loads(child.stdout.readline())
    assert (said["id"], said["decision"]) == ("1", expected)
    rules = Path(environment["HOME"], ".codex/rules/default.rules")
    assert rules.exists() is (words == ["always"])


def test_serve_puts_several_at_once(environment: dict[str, str], run: Any) -> None:
    child = run("serve", "--ask", "inbox")
    for at in range(5):
        child.stdin.write(json.dumps({**REQUEST, "id": str(at), "args": {"command": f"make t{at}"}}) + "\n")
    child.stdin.flush()
    assert until(lambda: len(listed(environment)) == 5)


def test_arbiter_asks_the_inbox_and_its_agent_cannot_answer(environment: dict[str, str], run: Any) -> None:
    agent = f"""
import json, pty, subprocess, sys, time
print({json.dumps(json.dumps(REQUEST))}, flush=True)
def waiting():
    done = subprocess.run({EXECPOLICY!r} + ["inbox", "list", "--format", "json"], capture_output=True)
    return json.loads(done.stdout)
while not waiting():
    time.sleep(0.1)
pty.spawn({EXECPOLICY!r} + ["inbox", "answer", waiting()[0]["id"], "once"])
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "policy.decision":
        print("decision", said["decision"], flush=True)
        break
"""
    child = run("arbiter", "--ask", "inbox", "--", sys.executable, "-c", agent)
    line = until(lambda: next((line for line in child.stdout if "which also started what asks" in line), None))
    assert "for a person" in line
    answer(environment, "deny", source="arbiter")
    out, _ = child.communicate(timeout=60)
    assert "decision deny" in out


@pytest.mark.parametrize("network", [[], ["--network"]])
def test_a_confined_command_sees_nothing_of_the_inbox(
    environment: dict[str, str], server: object, network: list[str]
) -> None:
    folder = f"{environment['HOME']}/.local/state/execpolicy/inbox"
    tries = f"""
import os, socket
print(sorted(os.listdir({folder!r})))
try:
    os.chdir({folder!r})  # the whole path may be longer than that of a socket can be
    socket.socket(socket.AF_UNIX).connect("socket")
    print("connected")
except OSError as error:
    print("refused", error.errno)
"""
    rules = Path(environment["HOME"], "allow.rules")
    rules.write_text('prefix_rule(pattern=["ls"], decision="allow")\n')
    done = run_captured(
        [*EXECPOLICY, "run", "--approval", "never", *network, "--", sys.executable, "-c", tries],
        env=environment,
        cwd=environment["HOME"],
    )
    assert "connected" not in done.stdout
    assert done.stdout.startswith("[]\nrefused"), (done.stdout, done.stderr)
