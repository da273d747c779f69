"""The shell tool from call to output (specification of the shell tool, sections 3 to 6)."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import execpolicy
from execpolicy.approvals.approval_session import ApprovalSession, TurnContext
from execpolicy.approvals.blocking import BlockingLoop, BlockingShell
from execpolicy.approvals.events import (
    ApplyPatchApprovalRequestEvent,
    ExecApprovalRequestEvent,
    ExecBeginEvent,
    ExecEndEvent,
)
from execpolicy.approvals.orchestrator import TurnAbortedError
from execpolicy.approvals.profile import DEFAULT, Profile
from execpolicy.approvals.requirement import AskForApproval
from execpolicy.approvals.review import Abort, Approved, ApprovedForSession, Denied, ReviewDecision
from execpolicy.approvals.sandbox.bubblewrap import BubblewrapSandbox
from execpolicy.approvals.sandbox.sandboxing import SandboxPolicy
from execpolicy.approvals.tools import shell_tool
from execpolicy.approvals.tools.process import ExecOutput
from execpolicy.approvals.tools.shell_arguments import ShellEnvironmentPolicy, ToolOutput
from execpolicy.approvals.tools.shell_tool import SHELL_TOOL_NAMES, ShellTool
from execpolicy.codex.profiles import CODEX_0_169
from tests.support.approval_fakes import OpenSandbox, ScriptedReviewer
from tests.support.rulebooks import rulebook_of

_ALLOW = 'prefix_rule(pattern=["printf"])\n'
_NO = Denied()


class _Host:
    """An agent's host: session, tool, and a turn in ``cwd``."""

    def __init__(
        self,
        cwd: Path,
        *,
        policy: str = "untrusted",
        sandbox: SandboxPolicy = SandboxPolicy.WORKSPACE_WRITE,
        answer: ReviewDecision | Callable[[Any], ReviewDecision] = _NO,
        rules: str = "",
        denies: Callable[[ExecOutput], bool] = lambda output: False,
        profile: Profile = DEFAULT,
        confine: Any = None,
        **context: Any,
    ) -> None:
        self.events: list[Any] = []
        self.reviewer = ScriptedReviewer(answer)
        self.sandbox = OpenSandbox(denies) if confine is None else confine
        self.session = ApprovalSession(emit=self.events.append, reviewer=self.reviewer)
        self.tool = ShellTool(
            session=self.session, sandbox=self.sandbox, profile=profile, rules=lambda: rulebook_of(rules)
        )
        self.context = TurnContext(
            turn=self.session.begin_turn("turn"),
            cwd=str(cwd),
            approval_policy=AskForApproval.parse(policy),
            sandbox_policy=sandbox,
            environ={"PATH": "/usr/bin:/bin", "MY_TOKEN": "secret"},
            **context,
        )

    def call(self, *command: str, **more: Any) -> ToolOutput:
        return asyncio.run(self.tool.call({"command": list(command), **more}, context=self.context, call_id="call"))

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def test_output_is_in_an_envelope(tmp_path: Path) -> None:
    output = _Host(tmp_path, policy="never").call("sh", "-e", "-c", "echo héllo; echo err >&2; exit 3")
    body = json.loads(output.content)
    assert body["output"] == "héllo\nerr\n"
    assert body["metadata"]["exit_code"] == 3
    assert isinstance(body["metadata"]["duration_seconds"], float)
    assert not output.success


def test_success(tmp_path: Path) -> None:
    output = _Host(tmp_path, rules=_ALLOW).call("printf", "x")
    assert output.success
    assert json.loads(output.content)["output"] == "x"
    assert output.to_json() == {"content": output.content, "success": True}


def test_begin_and_end_are_announced(tmp_path: Path) -> None:
    host = _Host(tmp_path, rules=_ALLOW)
    host.call("printf", "x")
    (begin,), (end,) = host.of(ExecBeginEvent), host.of(ExecEndEvent)
    assert begin.to_json() == {
        "type": "exec_command_begin",
        "call_id": "call",
        "turn_id": "turn",
        "command": ["printf", "x"],
        "cwd": str(tmp_path),
        "sandboxed": False,
        "reason": "every command is covered",
        "parsed_cmd": [{"type": "unknown", "cmd": "printf x"}],
    }
    assert (end.exit_code, end.timed_out) == (0, False)


def test_the_workdir_is_taken_from_the_turn(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    host = _Host(tmp_path, rules='prefix_rule(pattern=["pwd"])')
    for workdir, expected in ((None, tmp_path), ("", tmp_path), ("sub", tmp_path / "sub"), ("/", Path("/"))):
        assert json.loads(host.call("pwd", workdir=workdir).content)["output"] == f"{expected}\n"
    assert host.call("pwd", workdir="missing").content == f"the working folder `{tmp_path}/missing` does not exist"


def test_the_environment(tmp_path: Path) -> None:
    host = _Host(
        tmp_path,
        rules='prefix_rule(pattern=["env"])',
        environment=ShellEnvironmentPolicy(set={"A": "1"}),
        dependency_env={"B": "2"},
    )
    assert json.loads(host.call("env").content)["output"].splitlines() == ["PATH=/usr/bin:/bin", "A=1", "B=2"]


def test_time_is_up(tmp_path: Path) -> None:
    output = _Host(tmp_path, rules='prefix_rule(pattern=["sleep"])').call("sleep", "600", timeout_ms=200)
    body = json.loads(output.content)
    assert body["metadata"]["exit_code"] == 124
    waited = re.fullmatch(r"command timed out after (\d+) milliseconds\n", body["output"])
    assert waited is not None
    assert int(waited[1]) >= 200


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["no-such-program-here"], "`no-such-program-here` could not be started: there is no such program in PATH"),
        (["./missing"], "`./missing` could not be started: No such file or directory"),
    ],
)
def test_what_cannot_be_started(tmp_path: Path, command: list[str], said: str) -> None:
    host = _Host(tmp_path, answer=Approved(), sandbox=SandboxPolicy.DANGER_FULL_ACCESS)
    assert host.call(*command) == ToolOutput(content=said, success=False)


def test_long_output_is_shortened_in_its_middle(tmp_path: Path) -> None:
    output = _Host(tmp_path, rules='prefix_rule(pattern=["seq"])').call("seq", "100000")
    text = json.loads(output.content)["output"]
    assert text.startswith("1\n2\n")
    assert text.endswith("\n99999\n100000\n")
    assert len(text) < 11_000
    assert "bytes omitted" in text


def test_wrong_arguments_are_an_answer_to_the_agent(tmp_path: Path) -> None:
    host = _Host(tmp_path)
    output = asyncio.run(host.tool.call("{", context=host.context, call_id="call"))
    assert not output.success
    assert output.content.startswith("failed to parse function arguments: ")
    assert host.events == []


def test_a_no_is_an_answer_to_the_agent(tmp_path: Path) -> None:
    host = _Host(tmp_path, answer=Denied("use ls instead"))
    assert host.call("touch", "x") == ToolOutput(content="use ls instead", success=False)
    assert not (tmp_path / "x").exists()


def test_the_question_shows_the_justification(tmp_path: Path) -> None:
    host = _Host(tmp_path)
    host.call("touch", "x", justification="I need x")
    (asked,) = host.of(ExecApprovalRequestEvent)
    assert (asked.command, asked.cwd) == (("touch", "x"), str(tmp_path))
    assert asked.reason is not None
    assert asked.reason.startswith("`touch x` needs approval: ")
    assert asked.told == (asked.reason, "the agent says: I need x")


def test_abort_ends_the_turn(tmp_path: Path) -> None:
    host = _Host(tmp_path, answer=Abort())
    with pytest.raises(TurnAbortedError):
        host.call("touch", "x")
    with pytest.raises(TurnAbortedError):
        host.call("ls")


def test_an_approval_for_the_session_holds_for_the_same_call_only(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    host = _Host(tmp_path, answer=ApprovedForSession())
    for _ in range(3):
        host.call("touch", "x")
    assert len(host.reviewer.asked) == 1
    host.call("touch", "x", workdir="sub")
    host.call("touch", "y")
    assert len(host.reviewer.asked) == 3


def test_escalation_under_another_policy_is_refused_before_anything_else(tmp_path: Path) -> None:
    """Section 3.2: no rule and no person is asked."""
    host = _Host(tmp_path, rules=_ALLOW, answer=Approved())
    output = host.call("printf", "x", sandbox_permissions="require_escalated")
    assert output.content.startswith("approval policy is UnlessTrusted; reject command")
    assert host.events == []


def test_escalation_under_on_request_is_asked_about_and_leaves_the_sandbox(tmp_path: Path) -> None:
    host = _Host(tmp_path, policy="on-request", answer=Approved())
    assert host.call("touch", "x", sandbox_permissions="require_escalated", justification="out").success
    assert host.of(ExecApprovalRequestEvent)[0].told[-1] == "the agent says: out"
    assert host.sandbox.confined == []


def test_an_approved_call_that_was_not_escalated_stays_in_the_sandbox(tmp_path: Path) -> None:
    host = _Host(tmp_path, answer=Approved())
    host.call("touch", "x")
    assert [argv for argv, _ in host.sandbox.confined] == [("touch", "x")]


@pytest.mark.parametrize(("feature", "proposed"), [(False, ("npm", "run", "x")), (True, ("npm", "run", "x")[:1])])
def test_prefix_rule_counts_only_with_its_feature_on(tmp_path: Path, feature: bool, proposed: tuple[str, ...]) -> None:
    host = _Host(tmp_path, request_rule=feature)
    host.call("npm", "run", "x", prefix_rule=["npm"])
    amendment = host.of(ExecApprovalRequestEvent)[0].proposed_execpolicy_amendment
    assert amendment is not None
    assert amendment.prefix == proposed


def test_a_denial_is_asked_about_and_retried_outside(tmp_path: Path) -> None:
    host = _Host(tmp_path, policy="on-failure", answer=Approved(), denies=lambda output: output.exit_code == 1)
    output = host.call("sh", "-ec", "echo tried >> log; test $(wc -l < log) = 2")
    assert output.success
    assert [event.reason for event in host.of(ExecApprovalRequestEvent)] == ["command failed; retry without sandbox?"]
    assert [event.sandboxed for event in host.of(ExecBeginEvent)] == [True, False]


def test_a_denial_that_may_not_be_retried_is_shown_as_it_is(tmp_path: Path) -> None:
    host = _Host(tmp_path, policy="on-request", denies=lambda output: True)
    output = host.call("sh", "-ec", "echo no; exit 1")
    assert json.loads(output.content)["output"] == "no\n"
    assert host.of(ExecApprovalRequestEvent) == []


def test_no_sandbox_is_a_clear_refusal(tmp_path: Path) -> None:
    host = _Host(tmp_path, policy="never", confine=BubblewrapSandbox("/no/such/bwrap"))
    output = host.call("ls")
    assert not output.success
    assert "/no/such/bwrap" in output.content
    assert "danger-full-access" in output.content
    assert host.of(ExecBeginEvent) == []


@pytest.mark.skipif(BubblewrapSandbox().problem() is not None, reason="needs a working bubblewrap")
def test_a_write_outside_the_workspace_with_the_real_sandbox(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Denied inside, asked about, and done only by the approved retry."""
    target = tmp_path_factory.mktemp("outside") / "file"
    sandbox = SandboxPolicy(mode=SandboxPolicy.WORKSPACE_WRITE.mode, exclude_tmp=True)
    for policy, answer, asked, written in (
        ("never", Approved(), 0, False),
        ("on-request", Approved(), 0, False),
        ("on-failure", Denied(), 1, False),
        ("on-failure", Approved(), 1, True),
    ):
        host = _Host(tmp_path, policy=policy, answer=answer, sandbox=sandbox, confine=BubblewrapSandbox())
        output = host.call("touch", str(target))
        assert (len(host.reviewer.asked), target.exists(), output.success) == (asked, written, written), policy
    host = _Host(tmp_path, policy="never", sandbox=sandbox, confine=BubblewrapSandbox())
    assert host.call("touch", "inside").success


_PATCH = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch"


def _heredoc(patch: str, *, front: str = "") -> list[str]:
    return ["bash", "-lc", f"{front}apply_patch <<'EOF'\n{patch}\nEOF"]


@pytest.mark.parametrize("command", [["apply_patch", _PATCH], _heredoc(_PATCH)])
def test_a_patch_inside_the_workspace_needs_no_question(tmp_path: Path, command: list[str]) -> None:
    """Section 3.3: no shell runs."""
    host = _Host(tmp_path, policy="on-request")
    output = host.call(*command)
    assert output == ToolOutput(content=f"Success. Updated the following files:\nA {tmp_path}/new.txt\n", success=True)
    assert (tmp_path / "new.txt").read_text() == "hello\n"
    assert host.of(ExecBeginEvent) == []


def test_a_patch_in_the_folder_that_the_script_changes_to(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert _Host(tmp_path, policy="never").call(*_heredoc(_PATCH, front="cd sub && ")).success
    assert (tmp_path / "sub" / "new.txt").exists()


@pytest.mark.parametrize(
    ("policy", "sandbox", "answer", "asked", "written"),
    [
        ("never", SandboxPolicy.READ_ONLY, Approved(), 0, False),
        ("on-request", SandboxPolicy.READ_ONLY, Approved(), 1, True),
        ("on-request", SandboxPolicy.READ_ONLY, Denied(), 1, False),
        ("on-failure", SandboxPolicy.READ_ONLY, Denied(), 1, False),
        ("untrusted", SandboxPolicy.WORKSPACE_WRITE, Denied(), 1, False),
        ("untrusted", SandboxPolicy.DANGER_FULL_ACCESS, Approved(), 1, True),
        ("never", SandboxPolicy.WORKSPACE_WRITE, Denied(), 0, True),
        ("never", SandboxPolicy.DANGER_FULL_ACCESS, Denied(), 0, True),
    ],
)
def test_who_is_asked_about_a_patch(
    tmp_path: Path, policy: str, sandbox: SandboxPolicy, answer: ReviewDecision, asked: int, written: bool
) -> None:
    host = _Host(tmp_path, policy=policy, sandbox=sandbox, answer=answer)
    output = host.call("apply_patch", _PATCH)
    assert (len(host.reviewer.asked), (tmp_path / "new.txt").exists()) == (asked, written)
    assert output.success is written


@pytest.mark.parametrize(
    ("sandbox", "path", "said"),
    [
        (SandboxPolicy.READ_ONLY, "a", "patch rejected: writing is blocked by read-only sandbox"),
        (SandboxPolicy.WORKSPACE_WRITE, "/opt/a", "patch rejected: writing outside of the project"),
        (SandboxPolicy.WORKSPACE_WRITE, "../../../../../../opt/a", "patch rejected: writing outside of the project"),
        (SandboxPolicy.WORKSPACE_WRITE, ".git/hooks/pre-commit", "patch rejected: writing outside of the project"),
        (SandboxPolicy.WORKSPACE_WRITE, "sub/.codex/rules/a.rules", "patch rejected: writing outside of the project"),
        (SandboxPolicy.WORKSPACE_WRITE, ".claude/settings.json", "patch rejected: writing outside of the project"),
        (SandboxPolicy.WORKSPACE_WRITE, ".envrc", "patch rejected: writing outside of the project"),
        (SandboxPolicy.WORKSPACE_WRITE, "sub/team.rules", "patch rejected: writing outside of the project"),
        (SandboxPolicy.WORKSPACE_WRITE, "behind/rules/a.rules", "patch rejected: writing outside of the project"),
        (SandboxPolicy.WORKSPACE_WRITE, "door/a", "patch rejected: writing outside of the project"),
    ],
)
def test_a_patch_outside_what_may_be_written_is_rejected_under_never(
    tmp_path: Path, sandbox: SandboxPolicy, path: str, said: str
) -> None:
    (tmp_path / "door").symlink_to("/opt")
    (tmp_path / ".codex").symlink_to("behind")  # leads nowhere yet
    host = _Host(tmp_path, policy="never", sandbox=sandbox)
    output = host.call("apply_patch", f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch")
    assert not output.success
    assert output.content == f"{said}; rejected by user approval settings"


def test_the_question_about_a_patch_names_files_and_folder(tmp_path: Path) -> None:
    host = _Host(tmp_path, policy="on-request")
    host.call("apply_patch", "*** Begin Patch\n*** Add File: /opt/a/b\n+x\n*** End Patch")
    (asked,) = host.of(ApplyPatchApprovalRequestEvent)
    assert asked.to_json()["changes"] == {"/opt/a/b": {"add": {"content": "x\n"}}}
    assert asked.grant_root == "/opt/a"


@pytest.mark.parametrize(
    "folder", ["", "/etc", "/etc/codex", "/etc/execpolicy/rules", os.path.dirname(execpolicy.__file__)]
)
def test_a_folder_that_decides_about_commands_or_holds_what_does_is_not_offered(tmp_path: Path, folder: str) -> None:
    host = _Host(tmp_path, policy="on-request", answer=Denied())
    host.call("apply_patch", f"*** Begin Patch\n*** Add File: {folder}/made-by-a-test\n+x\n*** End Patch")
    (asked,) = host.of(ApplyPatchApprovalRequestEvent)
    assert asked.grant_root is None


def test_a_patch_does_not_rewrite_the_program_that_lies_in_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(shell_tool, "own_paths", lambda: (str(tmp_path / ".venv"),))
    host = _Host(tmp_path, policy="on-request", answer=Denied())
    assert not host.call("apply_patch", "*** Begin Patch\n*** Add File: .venv/a.py\n+x\n*** End Patch").success
    assert host.call("apply_patch", "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch").success
    assert len(host.of(ApplyPatchApprovalRequestEvent)) == 1
    assert not (tmp_path / ".venv" / "a.py").exists()


def test_files_approved_for_the_session_are_not_asked_about_again(tmp_path: Path) -> None:
    host = _Host(tmp_path, answer=ApprovedForSession())
    two = "*** Begin Patch\n*** Add File: a\n+x\n*** Add File: b\n+x\n*** End Patch"
    assert host.call("apply_patch", two).success
    one = "*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch"
    assert host.call("apply_patch", one).success
    assert len(host.reviewer.asked) == 1
    other = "*** Begin Patch\n*** Delete File: a\n*** Add File: c\n+x\n*** End Patch"
    assert host.call("apply_patch", other).success
    assert len(host.reviewer.asked) == 2


def test_a_patch_that_does_not_fit_is_an_answer_to_the_agent(tmp_path: Path) -> None:
    host = _Host(tmp_path, policy="never")
    wrong = "*** Begin Patch\n*** Update File: missing\n-x\n+y\n*** End Patch"
    assert host.call("apply_patch", wrong) == ToolOutput(
        content="apply_patch verification failed: missing: cannot update a file that does not exist", success=False
    )
    assert "line 1" in host.call("apply_patch", "hello").content
    assert "without explicit call to apply_patch" in host.call(_PATCH).content


def test_more_than_a_patch_is_a_command_like_any_other(tmp_path: Path) -> None:
    host = _Host(tmp_path)
    command = _heredoc(_PATCH)
    command[2] += "\nrm -rf /"
    host.call(*command)
    assert len(host.of(ExecApprovalRequestEvent)) == 1
    assert not (tmp_path / "new.txt").exists()


def test_codex_rejects_a_patch_in_its_own_words(tmp_path: Path) -> None:
    host = _Host(tmp_path, policy="never", sandbox=SandboxPolicy.READ_ONLY, profile=CODEX_0_169)
    assert host.call(*_heredoc(_PATCH)).content == (
        "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings"
    )


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("rejected by user", r'exec_command failed: CreateProcess { message: "Rejected(\"rejected by user\")" }'),
        ('say "no"\nnow', r'exec_command failed: CreateProcess { message: "Rejected(\"say \\\"no\\\"\\nnow\")" }'),
    ],
)
def test_codex_wraps_the_reason_of_a_rejection(tmp_path: Path, reason: str, told: str) -> None:
    host = _Host(tmp_path, profile=CODEX_0_169, answer=Denied(reason))
    assert host.call("touch", "x").content == told


def test_without_an_event_loop(tmp_path: Path) -> None:
    host = _Host(tmp_path, rules=_ALLOW)
    with BlockingLoop() as loop:
        shell = BlockingShell(loop, session=host.session, tool=host.tool)
        output = shell.call({"command": ["printf", "x"]}, context=host.context, call_id="call")
        assert json.loads(output.content)["output"] == "x"
        assert not shell.exec_approval("nothing", Approved())
        assert not shell.patch_approval("nothing", Approved())
        shell.interrupt(host.context.turn)
        with pytest.raises(TurnAbortedError):
            shell.call({"command": ["printf", "x"]}, context=host.context, call_id="call")
    loop.close()


def test_the_blocking_shell_has_everything_that_the_tool_has() -> None:
    """The same names, the same parameters, and no others but the session's answers."""
    own = {name: member for name, member in vars(ShellTool).items() if name[0] != "_"}
    for name, member in own.items():
        assert inspect.signature(getattr(BlockingShell, name)) == inspect.signature(member), name
    others = {name for name in vars(BlockingShell) if name[0] != "_"} - set(own)
    assert others == {"exec_approval", "patch_approval", "interrupt"}


def test_an_open_command_without_an_event_loop(tmp_path: Path) -> None:
    host = _Host(tmp_path, policy="on-request")
    with BlockingLoop() as loop:
        shell = BlockingShell(loop, session=host.session, tool=host.tool)
        call = {"cmd": "exec bash --norc", "tty": True, "login": False, "yield_time_ms": 300}
        opened = json.loads(shell.exec_command(call, context=host.context, call_id="1").content)
        sent = {"session_id": opened["metadata"]["session_id"], "chars": "echo $((3+4))\n", "yield_time_ms": 700}
        assert "7" in json.loads(shell.write_stdin(sent, context=host.context, call_id="2").content)["output"]
        assert not shell.is_mutating({"command": ["ls"]}, context=host.context)
        shell.close()
        assert "Unknown process id" in shell.write_stdin(sent, context=host.context, call_id="3").content


@pytest.mark.parametrize(
    ("command", "mutating"),
    [
        (["ls", "-la"], False),
        (["bash", "-lc", "ls && echo x"], False),
        (["bash", "-lc", "echo x > f"], True),
        (["bash", "-lc", "ls && touch x"], True),
        (["bash", "-lc", "echo $(touch x)"], True),
        (["bash", "-lc", ""], True),
        (["rm", "-f", "x"], True),
        (["printf", "x"], True),  # a rule that allows it does not say that it changes nothing
    ],
)
def test_only_what_is_known_to_be_safe_changes_nothing(tmp_path: Path, command: list[str], mutating: bool) -> None:
    """Section 6."""
    host = _Host(tmp_path, rules=_ALLOW)
    assert host.tool.is_mutating({"command": command}, context=host.context) is mutating
    newest = _Host(tmp_path, rules=_ALLOW, profile=CODEX_0_169)
    assert newest.tool.is_mutating({"command": command}, context=newest.context) is True  # it has no list of safe ones


def test_a_call_that_cannot_be_read_may_change_something(tmp_path: Path) -> None:
    host = _Host(tmp_path)
    assert host.tool.is_mutating("{", context=host.context)


def test_the_names_of_old_prompts_are_known() -> None:
    """Section 1."""
    assert SHELL_TOOL_NAMES == ("shell", "container.exec", "local_shell")
