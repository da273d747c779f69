"""``execpolicy serve``: the same protocol over standard input and output, for hosts that embed it."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.protocol.arbiter_program import BOUND, PROGRAM, RULES

EXAMPLES = Path(__file__).parents[3] / "docs" / "protocol" / "examples"


class Host:
    """Starts ``serve`` and talks to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "test.rules").write_text(RULES)

    def start(self, *options: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [*PROGRAM, "serve", "-r", "test.rules", *options],
            cwd=self.folder,
            env={**os.environ, "HOME": str(self.folder), "PYTHONWARNINGS": "error"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def talk(self, lines: Sequence[object], *options: str) -> tuple[list[dict[str, Any]], int, bytes]:
        """Everything said to these lines, the exit status, and standard error."""
        text = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
        process = self.start(*options)
        out, err = process.communicate(text, timeout=BOUND)
        return [json.loads(line) for line in out.splitlines()], process.returncode, err


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def request(id: str, command: object, **fields: Any) -> dict[str, Any]:
    return {
        "v": 1,
        "type": "tool.request",
        "ts": 0,
        "id": id,
        "tool": "shell",
        "args": {"command": command},
        "requires_policy": True,
        **fields,
    }


def decided(messages: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["id"], message["decision"]) for message in messages if message["type"] == "policy.decision"]


def test_requests_are_answered_in_order_and_the_end_of_input_ends_it(host: Host) -> None:
    messages, status, err = host.talk(
        [request("a", "build"), request("b", "destroy"), request("c", "deploy"), request("d", ["build", "x"])]
    )
    assert decided(messages) == [("a", "allow"), ("b", "deny"), ("c", "deny"), ("d", "allow")]
    assert (status, err) == (0, b"")


def test_the_last_line_needs_no_newline_and_empty_lines_are_nothing(host: Host) -> None:
    messages, status, _ = host.talk([b"\n\n", json.dumps(request("a", "build")).encode()])
    assert (decided(messages), status) == ([("a", "allow")], 0)


def test_broken_lines_are_counted_and_the_conversation_goes_on(host: Host) -> None:
    lines = [b"not json\n", request("a", "build"), {"type": "tool.request"}, b"\xff\n", request("b", "build")]
    messages, status, err = host.talk(lines)
    assert (decided(messages), status) == ([("a", "allow"), ("b", "allow")], 0)
    assert err.count(b"a broken event line") == 3
    messages, status, _ = host.talk([*[b"not json\n"] * 3, request("a", "build")], "--max-parse-errors", "3")
    assert [message["type"] for message in messages] == ["policy.abort"]
    assert (messages[0]["code"], status) == ("protocol_error", 125)


def test_a_line_that_is_too_long_is_a_broken_one(host: Host) -> None:
    messages, status, err = host.talk([b"x" * 3_000_000 + b"\n", request("a", "build")])
    assert (decided(messages), status) == ([("a", "allow")], 0)
    assert b"too_long" in err


def test_versions_are_negotiated(host: Host) -> None:
    ping = {"v": 1, "type": "policy.ping", "ts": 0, "id": "p", "capabilities": ["policy.decision.v1"]}
    messages, status, _ = host.talk([ping, request("a", "build")])
    assert [message["type"] for message in messages] == ["policy.ping", "policy.decision"]
    messages, status, _ = host.talk([{**ping, "capabilities": ["policy.decision.v9"]}])
    assert ([message["code"] for message in messages], status) == (["protocol_error"], 125)


def test_the_host_can_be_given_the_questions(host: Host) -> None:
    result = {"v": 1, "type": "tool.result", "ts": 0, "id": "a", "ok": True}
    messages, status, _ = host.talk([request("a", "deploy"), result], "--ask", "host")
    assert (decided(messages), status) == ([("a", "ask")], 0)
    messages, status, _ = host.talk([request("a", "deploy")], "--ask", "host", "--timeout", "0.1")
    assert (decided(messages), status) == ([("a", "ask"), ("a", "deny")], 0)


def answer(id: str, word: str, **fields: object) -> dict[str, object]:
    return {"v": 1, "type": "policy.answer", "ts": 0, "id": id, "answer": word, **fields}


def test_the_host_says_what_its_person_answered(host: Host) -> None:
    result = {"v": 1, "type": "tool.result", "ts": 0, "id": "a", "ok": True}
    lines = [
        request("a", "deploy a", nonce="n-a"),
        answer("a", "once"),
        answer("a", "once"),
        result,
        request("b", "deploy b"),
        answer("b", "deny", message="use make"),
        request("c", "deploy a"),
        answer("c", "session"),
        request("d", "deploy a"),
        answer("nothing", "once"),
    ]
    messages, status, err = host.talk(lines, "--ask", "host")
    assert decided(messages) == [
        ("a", "ask"),
        ("a", "allow"),
        ("b", "ask"),
        ("b", "deny"),
        ("c", "ask"),
        ("c", "allow"),
        ("d", "allow"),
    ]
    assert messages[0]["choices"] == ["once", "session", "deny", "abort", "unavailable"]
    assert (messages[1]["request_nonce"], messages[3]["reason"]) == ("n-a", "denied by the user: use make")
    assert (status, err.count(b"which no question has")) == (0, 1)


@pytest.mark.slow
def test_a_long_run_that_was_answered_for_does_not_end_the_session(host: Host) -> None:
    process = host.start("--ask", "host", "--timeout", "2")
    assert process.stdin is not None
    assert process.stdout is not None

    def say(*lines: object) -> None:
        assert process.stdin is not None
        process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        process.stdin.flush()

    say(request("a", "deploy"), answer("a", "once"))
    first = [process.stdout.readline() for _ in range(2)]
    time.sleep(2.5)  # longer than a question may stay open
    say({"v": 1, "type": "tool.result", "ts": 0, "id": "a", "ok": True}, request("b", "build"))
    out, err = process.communicate(timeout=BOUND)
    lines = [*first, *out.splitlines()]
    assert decided([json.loads(line) for line in lines]) == [("a", "ask"), ("a", "allow"), ("b", "allow")]
    assert (process.returncode, err) == (0, b"")


def test_a_host_can_have_a_prefix_kept_that_was_offered_and_no_other(host: Host) -> None:
    def kept(*lines: object) -> tuple[list[tuple[str, str]], str]:
        messages, _, _ = host.talk(lines, "--ask", "host")
        return decided(messages), (host.folder / "test.rules").read_text().removeprefix(RULES)

    asked = request("a", "git push origin main")
    for refused in (["git"], ["git", "pull"], ["rm", "-rf"]):
        assert kept(asked, answer("a", "keep", prefix=refused)) == ([("a", "ask"), ("a", "deny")], "")
    decisions, rules = kept(asked, answer("a", "keep"))
    assert decisions == [("a", "ask"), ("a", "allow")]
    assert rules.startswith('prefix_rule(pattern=["git", "push"')
    assert kept(asked)[0] == [("a", "allow")]


def test_a_host_that_closes_its_end_leaves_no_question_open(host: Host) -> None:
    messages, status, _ = host.talk([request("a", "deploy")], "--ask", "host", "--timeout", "86400")
    assert (decided(messages), status) == ([("a", "ask"), ("a", "deny")], 0)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_signals_end_it_with_an_abort(host: Host, number: int, status: int) -> None:
    process = host.start("--ask", "host")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(request("a", "deploy")).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["decision"] == "ask"
    process.send_signal(number)
    out, _ = process.communicate(timeout=BOUND)
    messages = [json.loads(line) for line in out.splitlines()]
    assert [(message["type"], message.get("decision")) for message in messages] == [
        ("policy.decision", "deny"),
        ("policy.abort", None),
    ]
    assert process.returncode == status


def test_a_host_that_goes_away_ends_it(host: Host) -> None:
    process = host.start()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(json.dumps(request("a", "build")).encode() + b"\n")
    process.stdin.flush()
    assert process.wait(BOUND) == 141  # decisions that nobody hears are no success
    process.stdin.close()
    assert process.stderr is not None
    process.stderr.close()


EXAMPLE_PROGRAMS = [
    pytest.param([sys.executable, str(EXAMPLES / "host.py")], id="python"),
    pytest.param(
        ["node", str(EXAMPLES / "host.mjs")],
        id="node",
        marks=[
            pytest.mark.slow,
            pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: its example cannot run"),
        ],
    ),
]


@pytest.mark.parametrize("example", EXAMPLE_PROGRAMS)
def test_the_examples_work(example: list[str], tmp_path: Path) -> None:
    rules = tmp_path / "codex" / "rules"
    rules.mkdir(parents=True)
    (rules / "default.rules").write_text(RULES + 'prefix_rule(pattern=["echo"], decision="allow")\n')
    launcher = tmp_path / "launch"
    launcher.write_text(f'#!/bin/sh\nexec {shlex.join(PROGRAM)} "$@"\n')
    launcher.chmod(0o755)
    environment = {**os.environ, "HOME": str(tmp_path), "CODEX_HOME": str(tmp_path / "codex")}
    environment["EXECPOLICY"] = str(launcher)

    def run(*argv: str) -> tuple[str, int]:
        done = subprocess.run(
            [*example, *argv],
            env=environment,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=BOUND,
            check=False,
        )
        return done.stdout.decode(), done.returncode

    assert run("echo", "hello") == ("allow: `echo` is allowed by a rule\nhello\n", 0)
    place = rules / "default.rules"
    assert run("destroy", "all") == (f"deny: `destroy all` is forbidden: never destroy ({place}:3)\n", 1)
    assert run("deploy") == (f"ask: `deploy` needs approval: ask the release team ({place}:2)\n", 1)


def test_what_the_audit_trail_cannot_keep_is_denied_and_no_success(host: Host) -> None:
    messages, status, err = host.talk([request("a", "build")], "--audit", "/dev/full")
    assert (decided(messages), status) == ([("a", "deny")], 1)
    assert b"No space left" in err
