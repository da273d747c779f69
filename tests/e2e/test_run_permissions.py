"""``--permissions``: the same file does the same to the same call under ``run``, ``check``, ``hook`` and ``serve``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from execpolicy.approvals.sandbox.bubblewrap import BubblewrapSandbox
from tests.support.each import slow_ones
from tests.support.running import run_captured

_NO_SANDBOX = BubblewrapSandbox().problem()
EXECPOLICY = [sys.executable, "-m", "execpolicy"]
_SECONDS = 60


class Place:
    """A project with a home beside it, a session of its own, and the ways to judge a command in it."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "project"
        self.folder.mkdir()
        home = tmp_path / "home"
        home.mkdir()
        self.env = {
            "HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8", "EXECPOLICY_SESSION": "test",
        }  # fmt: skip

    def permissions(self, section: object, *, name: str = "permission") -> list[str]:
        path = self.folder.parent / "permissions.json"
        path.write_text(json.dumps({name: section}), "utf-8")
        return ["--permissions", str(path)]

    def run(self, *arguments: str) -> tuple[int, str]:
        """Where no one can be asked."""
        done = run_captured(
            [*EXECPOLICY, "run", "--sandbox", "danger-full-access", *arguments],
            cwd=self.folder,
            env=self.env,
            timeout=_SECONDS,
            start_new_session=True,
        )
        return done.returncode, done.stdout + done.stderr

    def at_a_terminal(self, command: str, *arguments: str) -> pexpect.spawn[str]:
        return pexpect.spawn(
            EXECPOLICY[0],
            [*EXECPOLICY[1:], command, *arguments],
            env=self.env,
            cwd=str(self.folder),
            encoding="utf-8",
            timeout=_SECONDS,
            echo=False,
        )

    def _judged(self, command: str, *arguments: str, given: str = "") -> dict[str, Any]:
        done = run_captured(
            [*EXECPOLICY, command, *arguments], cwd=self.folder, env=self.env, timeout=_SECONDS, input=given, check=True
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def check(self, *arguments: str) -> dict[str, Any]:
        return self._judged("check", *arguments)

    def hook(self, *arguments: str, tool: str = "Bash", **args: Any) -> tuple[str, str]:
        call = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": args, "cwd": str(self.folder)}
        answer = self._judged("hook", "claude", "--no-silence", *arguments, given=json.dumps(call))
        said = answer.get("hookSpecificOutput", {})
        return said.get("permissionDecision", ""), said.get("permissionDecisionReason", "")

    def serve(self, permissions: list[str], args: dict[str, Any]) -> dict[str, Any]:
        request = {"v": 1, "type": "tool.request", "ts": 0, "id": "1", "tool": "shell", "requires_policy": True}
        return self._judged("serve", *permissions, given=json.dumps({**request, "args": args}) + "\n")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


PATCH = "*** Begin Patch\n*** {}\n+x\n*** End Patch\n"

DENIED = {
    "a command": ({"bash": {"*": "allow", "touch *": "deny"}}, "touch made", "bash `touch *`"),
    "another name of the tool": ({"Shell.Exec": {"touch *": "deny"}}, "touch made", "shell.exec `touch *`"),
    "inside a wrapper": ({"bash": {"touch *": "deny"}}, "echo a; env -i touch made", "bash `touch *`"),
    "a redirection": ({"edit": {"made": "deny"}}, "echo x > made", "edit `made`"),
    "a patch": (
        {"edit": {"made": "deny"}},
        "apply_patch <<'E'\n" + PATCH.format("Add File: made") + "E",
        "edit `made`",
    ),
    "a patch below a folder": (
        {"edit": {"sub/*": "deny"}},
        "cd sub && apply_patch <<'E'\n" + PATCH.format("Add File: made") + "E",
        "edit `sub/*`",
    ),
    "a place outside": ({"external_directory": "deny"}, "cat /etc/hostname; touch made", "external_directory `*`"),
}


@pytest.mark.parametrize("what", slow_ones(sorted(DENIED), set(DENIED) - {"a command", "a patch"}))
def test_what_is_denied_does_not_run_and_all_say_the_same(place: Place, what: str) -> None:
    section, script, reason = DENIED[what]
    (place.folder / "sub").mkdir()
    permissions = place.permissions(section)
    status, said = place.run(*permissions, "--approval", "on-request", "--script", script)
    assert (status, f"rejected: permission {reason}" in said) == (126, True), said
    assert not list(place.folder.rglob("made"))
    answer = place.serve(permissions, {"script": script})
    assert (answer["decision"], answer["reason"]) == ("deny", f"permission {reason}")
    answer = place.check(*permissions, "--script", script)
    assert (answer["decision"], answer["permission"]["reason"]) == ("forbidden", f"permission {reason}")
    said, why = place.hook(*permissions, command=script)
    assert (said, f"`Bash` is forbidden: permission {reason}" in why) == ("deny", True), why
    (place.folder / "empty.rules").write_text("")
    status, said = place.run("--approval", "on-request", "--script", script)
    assert status == 0, f"without the permissions it runs: {said}"


def test_a_patch_is_judged_by_every_file_it_moves(place: Place) -> None:
    (place.folder / "old").write_text("a\n")
    patch = "*** Begin Patch\n*** Update File: old\n*** Move to: secret/new\n@@\n-a\n+b\n*** End Patch\n"
    permissions = place.permissions({"edit": {"*": "allow", "secret/*": "deny"}})
    status, said = place.run(*permissions, "--approval", "on-request", "--", "apply_patch", patch)
    assert (status, "permission edit `secret/*`" in said) == (126, True), said
    assert (place.folder / "old").read_text() == "a\n"


def test_an_allow_grants_nothing(place: Place) -> None:
    permissions = place.permissions("allow")
    assert place.run(*permissions, "--", "touch", "made")[0] == 126
    assert place.run(*permissions, "--approval", "never", "--", "rm", "-rf", "made")[0] == 126
    answer = place.check(*permissions, "touch", "made")
    assert (answer["decision"], "permission" in answer) == ("prompt", False)
    assert place.hook(*permissions, command="touch made")[0] == "ask"
    assert place.hook(*permissions, tool="Write", file_path="made", content="x") == ("", "")


def test_a_question_is_refused_where_nobody_is_asked(place: Place) -> None:
    permissions = place.permissions({"bash": {"echo *": "ask"}})
    status, said = place.run(*permissions, "--approval", "never", "--", "echo", "x")
    assert (status, "AskForApproval is set to Never" in said) == (126, True), said
    status, said = place.run(*permissions, "--", "echo", "x")
    assert (status, "there is no terminal to ask on" in said) == (126, True), said
    answer = place.check(*permissions, "echo", "x")
    asked = {"decision": "prompt", "reason": "permission bash `echo *`"}
    assert (answer["decision"], answer["permission"]) == ("prompt", asked)
    assert place.hook(*permissions, command="echo x")[0] == "ask"


@pytest.mark.parametrize(
    ("section", "name", "says"),
    [
        ({"bsah": "deny"}, "permission", "did you mean `bash`?"),
        ({"bash": "denied"}, "permission", "did you mean `deny`?"),
        ({"bash": "deny"}, "permissions", "there is no section `permissions` (did you mean `permission`?)"),
        ([], "permission", "must be an action or an object"),
    ],
)
def test_a_wrong_file_is_an_error(place: Place, section: object, name: str, says: str) -> None:
    permissions = place.permissions(section, name=name)
    status, said = place.run(*permissions, "--", "echo", "x")
    assert (status, says in " ".join(said.split())) == (2, True), said
    done = run_captured(
        [*EXECPOLICY, "check", *permissions, "echo", "x"], cwd=place.folder, env=place.env, timeout=_SECONDS
    )  # fmt: skip
    assert (done.returncode, done.stdout, says in done.stderr) == (2, "", True), done.stderr
    decision, why = place.hook(*permissions, command="echo x")
    assert (decision, says in why) == ("ask", True), why


def test_the_third_equal_call_of_a_session_is_a_question_of_doom_loop(place: Place) -> None:
    permissions = place.permissions({"doom_loop": "deny"})
    assert [place.run(*permissions, "--", "echo", "x")[0] for _ in range(3)] == [0, 0, 126]
    assert place.run(*permissions, "--", "echo", "y")[0] == 0
    assert place.run(*permissions, "--", "echo", "x")[0] == 0
    asked = place.permissions({"bash": "allow"})
    assert [place.run(*asked, "--session", "other", "--", "echo", "x")[0] for _ in range(3)] == [0, 0, 126]


@pytest.mark.slow
@pytest.mark.skipif(_NO_SANDBOX is not None, reason=f"commands cannot be confined here: {_NO_SANDBOX}")
def test_a_confined_command_cannot_change_the_file(place: Place) -> None:
    path = place.folder / "permissions.json"
    path.write_text('{"bash": {"touch *": "deny"}}')
    (place.folder / "link.json").symlink_to(path)
    for named in ("permissions.json", "link.json"):
        options = ["--permissions", named, "--sandbox", "workspace-write", "--approval", "on-request"]
        for change in (
            "echo {} > permissions.json",
            "mv link.json permissions.json",
            "rm -f permissions.json; echo > permissions.json",
        ):
            place.run(*options, "--script", f"{change}; echo x > made")
            assert path.read_text() == '{"bash": {"touch *": "deny"}}', change
            assert (place.folder / "made").exists(), "the folder around it can be written"


@pytest.mark.slow
def test_a_yes_for_the_session_is_remembered(place: Place) -> None:
    permissions = place.permissions({"bash": {"echo *": "ask"}})
    whole = ["--sandbox", "danger-full-access", *permissions, "--", "echo", "hello"]
    child = place.at_a_terminal("run", *whole)
    child.expect("permission bash `echo \\*`")
    child.expect("answer: ")
    assert " p  " not in child.before
    child.sendline("s")
    child.expect("hello")
    child.expect(pexpect.EOF)
    assert place.run(*permissions, "--", "echo", "hello") == (0, "hello\n")
    assert place.run(*permissions, "--", "echo", "other")[0] == 126
