"""Answers that outlive their question, given by hand: a folder opened by a patch, a rule saved for a host.

The commands are real, in a real sandbox; whoever answers is a person at a terminal, the inbox, or a host in Python.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

import execpolicy as ep
from execpolicy import approvals
from execpolicy.approvals.sandbox.bubblewrap import BubblewrapSandbox
from tests.e2e.test_inbox_askers import answer
from tests.e2e.test_inbox_askers import run as run  # a fixture
from tests.e2e.test_inbox_terminal import EXECPOLICY
from tests.e2e.test_inbox_terminal import environment as environment  # a fixture
from tests.e2e.test_inbox_terminal import server as server  # a fixture
from tests.e2e.test_run_network import _Served
from tests.e2e.test_run_network import served as served  # a fixture

_NO_SANDBOX = BubblewrapSandbox().problem()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_NO_SANDBOX is not None, reason=f"commands cannot be confined here: {_NO_SANDBOX}"),
]


class _Person:
    """Runs commands in a read-only sandbox at a terminal, and answers."""

    def __init__(self, home: Path) -> None:
        self.folder, self.other = home / "project", home / "other" / "deep"
        self.folder.mkdir()
        self.other.mkdir(parents=True)
        self.env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8"}

    def run(self, *arguments: str, answers: str = "", session: str = "one") -> tuple[str, int | None]:
        """What was shown, questions included, and the status."""
        options = ["--sandbox", "read-only", "--approval", "on-request", "--session", session]
        child = pexpect.spawn(
            sys.executable, ["-m", "execpolicy", "run", *options, *arguments], env=self.env, cwd=str(self.folder),
            encoding="utf-8", timeout=60, echo=False, dimensions=(50, 250),
        )  # fmt: skip
        shown = ""
        for key in answers:
            child.expect("answer: ")
            shown += child.before
            child.sendline(key)
        child.expect(pexpect.EOF)
        child.close()
        return (shown + child.before).replace("\r\n", "\n"), child.exitstatus

    def patch(self, file: Path, **how: Any) -> tuple[str, int | None]:
        return self.run("--", "apply_patch", f"*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch\n", **how)

    def touch(self, file: Path, **how: Any) -> int | None:
        return self.run("--", "touch", str(file), **how)[1]


@pytest.fixture
def person(tmp_path: Path) -> _Person:
    return _Person(tmp_path)


def test_a_yes_once_to_a_patch_opens_nothing(person: _Person) -> None:
    shown, status = person.patch(person.other / "a", answers="y")
    assert (f"let this session write everything in {person.other}\n" in shown, status) == (True, 0)
    assert person.touch(person.other / "b") == 1
    assert person.patch(person.other / "c", answers="n")[1] == 126
    assert [file.name for file in person.other.iterdir()] == ["a"]


def test_a_yes_for_the_session_opens_the_folder_to_patches_and_commands(person: _Person) -> None:
    assert person.touch(person.other / "before") == 1
    assert person.patch(person.other / "a", answers="s")[1] == 0
    shown, status = person.patch(person.other / "b")
    assert ("may this be written" in shown, status) == (False, 0)
    assert person.touch(person.other / "c") == 0
    assert person.touch(person.other.parent / "above") == 1
    assert person.touch(person.other / "d", session="two") == 1
    assert person.patch(person.other / "e", session="two", answers="n")[1] == 126
    assert sorted(file.name for file in person.other.iterdir()) == ["a", "b", "c"]


def test_a_home_folder_and_what_decides_are_not_offered(person: _Person) -> None:
    rules = person.folder.parent / ".codex" / "rules"
    rules.mkdir(parents=True)
    for file in (person.folder.parent / "a", rules / "b.txt"):
        shown, _ = person.patch(file, answers="s")
        assert "s  yes, and the same files again in this session\n" in shown
        assert person.touch(file.parent / "c") == 1
        assert person.patch(file.parent / "d", answers="n")[1] == 126


@pytest.mark.parametrize(
    ("words", "reached", "saved"),
    [(["once"], True, ""), (["deny"], False, ""),
     (["always"], True, 'network_rule(host="localhost", protocol="http", decision="allow")\n')],
)  # fmt: skip
def test_the_inbox_answers_about_a_connection(
    environment: dict[str, str], run: Any, served: _Served, words: list[str], reached: bool, saved: str
) -> None:
    script = f"curl -s --noproxy '' http://localhost:{served.port}/"
    child = run("run", "--ask", "inbox", "--approval", "on-request", "--network", "--script", script)
    answer(environment, *words, source="run")
    out, err = child.communicate(timeout=60)
    assert (out == "hello from outside\n", bool(served.requests)) == (reached, reached), err
    rules = Path(environment["HOME"], ".codex/rules/default.rules")
    assert (rules.read_text() if rules.exists() else "") == saved
    again = subprocess.run(
        [*EXECPOLICY, "run", "--approval", "never", "--network", "--script", f"curl -s http://localhost:{served.port}/"],
        env=environment, cwd=environment["HOME"], capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (again.stdout == "hello from outside\n") is bool(saved)


class _Host:
    """A program that answers every question about a connection in the same way."""

    def __init__(self, said: Any) -> None:
        self._said = said
        self.asked: list[dict[str, Any]] = []
        self.told: list[str] = []

    async def review(self, event: Any) -> Any:
        self.asked.append(event.to_json())
        return self._said

    def show(self, event: Any) -> None:
        body = event.to_json()
        if body["type"] in ("warning", "message"):
            self.told.append(body.get("message") or body.get("text"))


@pytest.mark.parametrize("action", ["allow", "deny"])
@pytest.mark.parametrize("wire", [False, True])
def test_a_host_saves_a_rule_for_a_connection(tmp_path: Path, served: _Served, action: Any, wire: bool) -> None:
    said: Any = approvals.NetworkAmendment("localhost", action)
    if wire:
        body = {"network_policy_amendment": {"network_policy_amendment": {"host": "localhost", "action": action}}}
        said = approvals.decision_from_json(body)
    host = _Host(said)
    rules = tmp_path / "my.rules"
    rules.write_text("")
    manager = ep.PolicyManager(ep.LayerOptions.of_process(cwd=str(tmp_path), files=[str(rules)]))
    session = approvals.ApprovalSession(
        emit=host.show, reviewer=host, amender=approvals.PolicyAmender(manager, str(rules))
    )
    tool = approvals.ShellTool(
        session=session,
        sandbox=approvals.BubblewrapSandbox(),
        profile=approvals.profile_named("default"),
        rules=lambda: manager.current().rulebook,
    )
    policy = approvals.SandboxPolicy(mode=approvals.SandboxMode.WORKSPACE_WRITE, network_rules=True)
    call = {"command": ["curl", "-s", "--noproxy", "", f"http://localhost:{served.port}/"]}
    with approvals.BlockingLoop() as loop:
        shell = approvals.BlockingShell(loop, session=session, tool=tool)
        turn = loop.call(lambda: session.begin_turn("turn"))
        context = approvals.TurnContext(
            turn=turn, cwd=str(tmp_path), approval_policy=approvals.AskForApproval.ON_REQUEST, sandbox_policy=policy
        )
        said_twice = [shell.call(call, context=context, call_id=str(at)).content for at in range(2)]
    assert [body["network_approval_context"] for body in host.asked] == [
        {"host": "localhost", "protocol": "http", "port": served.port}
    ]
    assert host.told == [f"Network rule saved:\n- {action} http://localhost"]
    assert rules.read_text() == f'network_rule(host="localhost", protocol="http", decision="{action}")\n'
    assert ["hello from outside" in text for text in said_twice] == [action == "allow"] * 2
    assert len(served.requests) == (2 if action == "allow" else 0)
