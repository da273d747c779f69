"""Every JSON output is what the schema says that the package carries for it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from execpolicy.cli.commands.config import schemas_folder
from execpolicy.cli.group import cli
from execpolicy.inbox.inbox_call import ask_inbox_async
from execpolicy.inbox.inbox_question import InboxQuestion
from execpolicy.inbox.inbox_server import InboxServer
from execpolicy.inbox.waiting import inbox_folder
from tests.support.command_line import CommandLine, make_command_line
from tests.support.schemas import schema_named, schema_problems

RULES = """\
prefix_rule(pattern=["ship", "release"], decision="forbidden", justification="releases are made elsewhere")
prefix_rule(pattern=["ship", "plan"], match=["ship plan"])
prefix_rule(pattern=["ship", "plan", "-v"])
prefix_rule(pattern=["bash", "-c"])
network_rule(host="example.com", protocol="https", decision="deny")
host_executable(name="ship", paths=["/usr/bin/ship"])
write_rule(paths=["./kept/**"], decision="forbidden")
"""
SCRIPTS = (
    "ls -l | wc -l",
    "ship plan && sudo ship release",
    "ship plan > kept/x; x=1 ls",
    'cat "$1" > "$2"',
    "rm -rf /",
    "if (",
    "",
    "nice xargs ship release",
    'eval "$x"',
)


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    line = make_command_line(tmp_path, monkeypatch, capfd)
    Path("my.rules").write_text(RULES)
    project = line.machine.project / ".codex" / "rules"
    project.mkdir(parents=True, exist_ok=True)
    (project / "p.rules").write_text('prefix_rule(pattern=["make"])\n')
    (project / "q.rule").write_text("")
    return line


def valid(body: Any, name: str) -> None:
    assert schema_problems(body, name) == []


@pytest.mark.parametrize("script", SCRIPTS)
def test_of_decisions(line: CommandLine, script: str) -> None:
    for options in ([], ["-r", "my.rules"], ["--profile", "codex-0.169"]):
        valid(line.json("check", *options, "--script", script), "check")
    for options in ([], ["-r", "my.rules"]):
        valid(line.json("explain", "--format", "json", *options, "--script", script), "explain")
    valid(line.json("split", "--format", "json", script), "split")
    for words in (["ship", "plan", "x"], ["ls"]):
        valid(line.json("check", "--compat", "codex-0.169", "-r", "my.rules", "--", *words), "check-compat")
    line.rules.parent.mkdir(parents=True, exist_ok=True)
    line.rules.write_text("x = (\n")
    valid(line.json("check", "--script", script), "check")


def test_of_streams(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[dict[str, Any]] = [{"id": at, "script": script} for at, script in enumerate(SCRIPTS)]
    requests += [{"id": "x", "argv": ["ship", "plan"], "rules": [RULES], "grounds": True}, {"id": None}, {"argv": []}]
    requests += [{"script": script, "approval_policy": word} for script in SCRIPTS for word in ("never", "untrusted")]
    for command, schema in (("check", "check-jsonl"), ("split", "split")):
        text = "".join(json.dumps(request) + "\n" for request in requests) + "no JSON\n"
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        _, out, _ = line.run(command, "--jsonl")
        answers = [json.loads(each) for each in out.splitlines()]
        assert len(answers) == len(requests) + 1
        for answer in answers:
            valid(answer, schema)


def test_of_rule_files(line: CommandLine) -> None:
    Path("bad.rules").write_text('prefix_rule(pattern=["a"], justification="")\nx = (\n')
    valid(line.json("list", "--format", "json", "--all"), "list")
    valid(line.json("list", "--format", "json", "-r", "my.rules"), "list")
    for files in (["my.rules"], ["my.rules", "bad.rules"], ["gone.rules"]):
        if files == ["gone.rules"]:
            Path("gone.rules").symlink_to("nowhere")
        valid(line.json("lint", "--format", "json", *files), "lint")
        valid(line.json("lint", "--statistics", "--format", "json", *files), "lint-statistics")
    line.run("lint", "--baseline", "b.json", "--write-baseline", "my.rules")
    valid(json.loads(Path("b.json").read_text()), "lint-baseline")
    Path("new.rules").write_text(RULES.replace("forbidden", "prompt"))
    valid(line.json("diff", "--format", "json", "my.rules", "new.rules"), "diff")


def test_of_tests(line: CommandLine) -> None:
    Path("bad.rules").write_text('prefix_rule(pattern=["a"], justification="")\nx = (\n')
    Path("my.cases").write_text("allow: ship plan\nallow: ship release\n")
    for arguments in (["my.rules"], ["my.rules", "my.cases"], ["--cov", "my.rules", "my.cases"], ["bad.rules"]):
        body = line.json("test", "--format", "json", *arguments)
        valid(body, "test")
        assert (body["passed"], body["failed"]) == (
            sum(each["passed"] for each in body["tests"]), sum("failure" in each for each in body["tests"])
        )  # fmt: skip
    Path("latin.rules").write_bytes(b'prefix_rule(pattern=["\xe9"])\n')
    body = line.json("test", "--format", "json", "latin.rules", "my.rules")
    assert [each["failure"] for each in body["tests"] if not each["passed"]] == [
        "it is not UTF-8 at byte 22; convert it"
    ]
    valid(body, "test")
    _, out, err = line.run("test", "--format", "json", "--cov-fail-under", "100", "my.rules")
    valid(json.loads(out), "test")
    assert "is below 100 %" in err


def test_of_changes(line: CommandLine) -> None:
    valid(line.json("allow", "--yes", "--format", "json", "--", "ship", "deploy"), "allow")
    valid(line.json("allow", "--yes", "--format", "json", "--", "sudo", "rm"), "allow")
    valid(line.json("undo", "--format", "json"), "undo")
    valid(line.json("network", "deny", "example.com", "--format", "json"), "network")


def test_of_other_tools(line: CommandLine) -> None:
    Path("settings.json").write_text('{"permissions": {"allow": ["Bash(npm ci)", "Read"], "deny": ["Bash(rm:*)"]}}')
    valid(line.json("import", "--from", "claude", "--format", "json", "settings.json"), "import")
    valid(line.json("export", "--to", "claude", "--format", "json", "-r", "my.rules"), "export")
    valid(line.json("doctor", "crush", "--format", "json"), "doctor")
    Path("history.txt").write_text("ls\nship release\nmix test\nmix test\ndeploy once\n")
    Path("new.rules").write_text(RULES.replace("forbidden", "prompt"))
    valid(line.json("replay", "--format", "json", "-r", "my.rules", "history.txt"), "replay")
    changed = line.json("replay", "--format", "json", "-r", "my.rules", "--against", "new.rules", "history.txt")
    assert changed["changes"]
    assert changed["suggestions"]
    assert changed["unused"]
    valid(changed, "replay")


def test_of_the_inbox(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    valid(line.json("inbox", "list", "--format", "json"), "inbox-list")

    async def work() -> tuple[Any, Any]:
        server = InboxServer(inbox_folder(os.environ))
        await server.start()
        question = InboxQuestion(source="hook", commands=("ship deploy", ("ship", "x")), cwd=str(line.machine.project))
        asking = asyncio.create_task(ask_inbox_async(question))
        try:
            while not server.waiting.open():
                await asyncio.sleep(0.01)
            (one,) = server.waiting.open()
            listed = await asyncio.to_thread(line.json, "inbox", "list", "--format", "json")
            return listed, await asyncio.to_thread(line.json, "inbox", "show", "--format", "json", one.id)
        finally:
            asking.cancel()
            await server.close()

    listed, shown = asyncio.run(asyncio.wait_for(work(), 60))
    assert len(listed) == 1
    valid(listed, "inbox-list")
    valid(shown, "inbox-show")
    assert len(shown["explanations"]) == 2
    for explanation in shown["explanations"]:
        valid(explanation, "explain")


def told(id: str, type: str, **fields: Any) -> bytes:
    return json.dumps({"v": 1, "type": type, "ts": 0, "id": id, **fields}).encode() + b"\n"


def test_of_audit_trails(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in ("ship release", "ls -l", "deploy"):
        call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": words}}
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(call).encode())))
        line.run("hook", "claude", "-r", "my.rules", "--audit", "a.jsonl")
    for words in ("ls", "ship release"):
        line.run("run", "-r", "my.rules", "--sandbox", "danger-full-access", "--audit", "a.jsonl", "--", *words.split())
    asked = {"tool": "shell", "args": {"command": "ls"}, "requires_policy": True}
    lines = [
        told("p", "policy.ping", capabilities=["policy.decision.v1"]), told("a", "tool.request", **asked),
        told("a", "tool.request", **asked), told("a", "tool.request", **{**asked, "tool": "edit"}),
        told("b", "tool.request", **{**asked, "args": {"command": "deploy"}}),
        told("a", "tool.progress", message="half"),
        told("a", "tool.result", ok=True), told("nobody", "tool.result", ok=False, error="x"), b"no JSON\n",
        told("c", "tool.request", **{**asked, "args": {"command": "ship release"}}), told("c", "tool.result", ok=True),
    ]  # fmt: skip
    start = "import sys; from execpolicy.cli.main import main; sys.exit(main())"
    serve = [sys.executable, "-c", start, "serve", "-r", "my.rules", "--audit", "a.jsonl"]
    served = subprocess.run(serve, input=b"".join(lines), capture_output=True, timeout=60, check=False)
    assert b"Traceback" not in served.stderr
    entries = [json.loads(each) for each in Path("a.jsonl").read_text().splitlines()]
    for entry in entries:
        valid(entry, "audit")
    assert {entry["event"] for entry in entries} >= {
        *("hook", "decision", "result", "request", "repeated", "reused", "progress", "unknown_result", "parse_error"),
        "abort",
    }


def test_of_a_program_that_speaks_the_protocol(line: CommandLine) -> None:
    child = [sys.executable, "-c", "pass"]
    report = line.json("protocol-test", "--rule", "nonce", "--within", "20", "--format", "json", "--", *child)
    assert [rule["holds"] for rule in report["rules"]] == [False]
    valid(report, "protocol-test")


PRINTS = {
    "allow": "allow",
    "config show": "config-show",
    "diff": "diff",
    "doctor": "doctor",
    "explain": "explain",
    "export": "export",
    "import": "import",
    "inbox list": "inbox-list",
    "inbox show": "inbox-show",
    "lint": "lint",
    "list": "list",
    "network": "network",
    "protocol-test": "protocol-test",
    "replay": "replay",
    "test": "test",
    "split": "split",
    "undo": "undo",
}
"""The schema of each command that can print JSON; `check` prints it always, and reads its own arguments."""


def printing_json(command: click.Command, name: str, ctx: click.Context) -> Iterator[str]:
    if isinstance(command, click.Group):
        for each in command.list_commands(ctx):
            found = command.get_command(ctx, each)
            assert found is not None
            yield from printing_json(found, f"{name} {each}".strip(), ctx)
    elif any("json" in getattr(option.type, "choices", ()) for option in command.params):
        yield name


def test_every_command_that_prints_json_has_a_schema() -> None:
    assert sorted(printing_json(cli, "", click.Context(cli))) == sorted(PRINTS)
    used = Path(__file__).read_text("utf-8") + Path(__file__).with_name("test_config.py").read_text("utf-8")
    assert [name for name in PRINTS.values() if f'"{name}")' not in used] == []


def test_every_schema_is_used_here_or_beside() -> None:
    known = {path.name.removesuffix(".schema.json") for path in Path(schemas_folder()).iterdir()}
    tests = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert sorted(name for name in known if f'"{name}"' not in tests) == []


def objects(schema: Any, at: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object that ``schema`` describes, with its place."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield at, schema
        for key, each in schema.items():
            yield from objects(each, f"{at}.{key}")
    elif isinstance(schema, list):
        for index, each in enumerate(schema):
            yield from objects(each, f"{at}[{index}]")


@pytest.mark.parametrize("path", sorted(Path(schemas_folder()).iterdir()), ids=lambda path: path.name)
def test_schemas_say_of_every_object_what_else_may_stand_in_it(path: Path) -> None:
    found = dict(objects(schema_named(path.name.removesuffix(".schema.json"))))
    assert [at for at, each in found.items() if "additionalProperties" not in each] == []
    open_ones = [at for at, each in found.items() if each["additionalProperties"] is True]
    # what others define: the arguments and changes of a call, and explanations, which have a schema of their own
    assert all(
        at.endswith((".arguments", ".args", ".answer", ".changes", ".explanations.items")) for at in open_ones
    ), open_ones


@pytest.mark.parametrize("path", sorted(Path(schemas_folder()).iterdir()), ids=lambda path: path.name)
def test_schemas_say_what_they_are_about(path: Path) -> None:
    schema = schema_named(path.name.removesuffix(".schema.json"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "execpolicy" in schema["title"]
    referred = {part.partition('"')[0] for part in path.read_text("utf-8").split('"#/$defs/')[1:]}
    assert referred == set(schema.get("$defs", {}))
