"""Commands that stay open, and the text that is sent to them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from execpolicy.approvals.approval_session import ApprovalSession, TurnContext
from execpolicy.approvals.events import ExecEndEvent, TerminalInteractionEvent
from execpolicy.approvals.profile import DEFAULT
from execpolicy.approvals.review import Abort, Approved, ApprovedForSession, Denied
from execpolicy.approvals.tools.shell_arguments import ToolOutput
from execpolicy.approvals.tools.shell_runtime import relevant_input
from execpolicy.approvals.tools.shell_sessions import MOST_SESSIONS
from execpolicy.approvals.tools.shell_tool import ShellTool, ToolRouter
from execpolicy.codex.profiles import CODEX_0_169
from execpolicy.judge.rulebook import Rulebook
from execpolicy.permissions.ruleset import ruleset_from_config
from execpolicy.protocol.policy_decider import CommandPermissions
from tests.support.approval_fakes import OpenSandbox, ScriptedReviewer
from tests.support.rulebooks import rulebook_of

RULES = """
prefix_rule(pattern=["touch", "forbidden"], decision="forbidden", justification="not that one")
prefix_rule(pattern=["touch", "asked"], decision="prompt")
"""


class Agent:
    """Opens commands and sends text to them."""

    def __init__(
        self, cwd: Path, *, answer: Callable[[Any], Any] | Any = None, profile: Any = DEFAULT, **context: Any
    ) -> None:
        self.events: list[Any] = []
        self.reviewer = ScriptedReviewer(Denied("no") if answer is None else answer)
        self.session = ApprovalSession(emit=self.events.append, reviewer=self.reviewer)
        permissions = context.pop("permissions", None)
        self.tool = ShellTool(
            session=self.session,
            sandbox=OpenSandbox(),
            profile=profile,
            rules=lambda: rules() if profile is DEFAULT else rules().policy,
            permissions=permissions,
        )
        self.router = ToolRouter(self.tool, shell_type="unified_exec")
        settings = {"approval_policy": "on-request", "sandbox_policy": "workspace-write", **context}
        environ = {"PATH": "/usr/bin:/bin", "PS1": "", "TERM": "dumb"}
        turn = self.session.begin_turn("turn")
        self.context = TurnContext(turn=turn, cwd=str(cwd), environ=environ, **settings)

    async def call(self, name: str, **arguments: Any) -> ToolOutput:
        return await self.router.call(name, arguments, context=self.context, call_id="call")

    async def open(self, cmd: str = "exec bash --norc", **arguments: Any) -> int:
        output = await self.call(
            "exec_command", cmd=cmd, login=False, **{"tty": True, "yield_time_ms": 50, **arguments}
        )
        self.printed = body(output)["output"]
        return int(body(output)["metadata"]["session_id"])

    async def send(self, id: int, chars: str = "", wait: int = 50) -> ToolOutput:
        return await self.call("write_stdin", session_id=id, chars=chars, yield_time_ms=wait)

    async def prompted(self, id: int) -> None:
        """The shell reads: a key that interrupts ends one that only begins to, on any terminal."""
        while not self.printed.endswith(("$ ", "# ")):
            self.printed += body(await self.send(id))["output"]

    async def send_until(self, id: int, chars: str, text: str) -> None:
        """Send ``chars``, and read on until ``text`` was printed."""
        found = body(await self.send(id, chars))["output"]
        while text not in found:
            found += body(await self.send(id))["output"]


def rules() -> Rulebook:
    return rulebook_of(RULES)


@asynccontextmanager
async def agent(cwd: Path, **how: Any) -> AsyncIterator[Agent]:
    found = Agent(cwd, **how)
    try:
        yield found
    finally:
        await found.tool.close()


async def exists(path: Path) -> None:
    """The shell has read what was sent and made ``path``."""
    while not path.exists():
        await asyncio.sleep(0.02)


def run(test: Callable[[], Any]) -> None:
    asyncio.run(asyncio.wait_for(test(), 60))


def body(output: ToolOutput) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output.content)
    return found


def test_text_reaches_the_shell_and_what_it_prints_comes_back(tmp_path: Path) -> None:
    async def test() -> None:
        async with agent(tmp_path) as one:
            id = await one.open()
            await one.send_until(id, "echo seven $((3+4))\n", "seven 7")
            assert (tmp_path / "made").exists() is False
            await one.send(id, "touch made\n")
            await exists(tmp_path / "made")
            assert one.reviewer.asked == []
            assert [e.stdin for e in one.events if isinstance(e, TerminalInteractionEvent)][-1] == "touch made\n"
            ended = body(await one.send(id, "exit 3\n", 5000))
            assert ended["metadata"]["exit_code"] == 3
            assert "Unknown process id" in (await one.send(id, "echo x\n")).content

    run(test)


@pytest.mark.parametrize(
    "texts",
    [
        ["touch forbidden\n"],
        ["touch ", "forbidden\n"],
        ["touch \\\n", "forbidden\n"],
        ["for x in 1; do\n", "touch forbidden; done\n"],
        ["touch forbidden\r"],
        ["bash -c 'touch forbidden'\n"],
        ["f() {\n", "touch forbidden\n", "}\n", "f\n"],
    ],
)
def test_what_a_rule_forbids_is_never_sent_however_it_is_cut(tmp_path: Path, texts: list[str]) -> None:
    async def test() -> None:
        async with agent(tmp_path, answer=Approved()) as one:
            id = await one.open()
            outputs = [await one.send(id, text, 200) for text in texts]
            assert any("rejected" in output.content and "not that one" in output.content for output in outputs)
            await one.send(id, "\n", 300)
            assert not (tmp_path / "forbidden").exists()

    run(test)


def test_a_prompt_rule_and_what_is_dangerous_are_asked_about(tmp_path: Path) -> None:
    async def test() -> None:
        async with agent(tmp_path) as one:
            id = await one.open()
            for text in ("touch asked\n", "rm -rf /\n", "true; rm -rf x\n"):
                output = await one.send(id, text)
                assert (output.success, output.content) == (False, "write_stdin rejected: no")
            assert [event.command[-1] for event in one.reviewer.asked] == [
                "touch asked\n", "rm -rf /\n", "true; rm -rf x\n",
            ]  # fmt: skip
            assert one.reviewer.asked[0].command[:3] == ("write_stdin", "--session-id", str(id))
            assert not (tmp_path / "asked").exists()

    run(test)


def test_a_yes_sends_it_and_one_for_the_session_covers_the_same_text_only(tmp_path: Path) -> None:
    async def test() -> None:
        async with agent(tmp_path, answer=ApprovedForSession()) as one:
            id = await one.open()
            await one.send(id, "touch asked\n")
            await exists(tmp_path / "asked")
            await one.send(id, "touch asked\n")
            assert len(one.reviewer.asked) == 1
            await one.send(id, "touch asked more\n")
            assert len(one.reviewer.asked) == 2

    run(test)


def test_under_untrusted_every_text_is_a_question_and_what_was_sent_before_counts(tmp_path: Path) -> None:
    async def test() -> None:
        async with agent(tmp_path, approval_policy="untrusted", answer=lambda event: Approved()) as one:
            id = await one.open()
            for number, text in enumerate(["ls\n", "echo x\n"], 2):
                await one.send(id, text)
                assert len(one.reviewer.asked) == number
        async with agent(tmp_path, answer=lambda event: Approved()) as one:
            id = await one.open()
            texts = ["alias e='rm -f nothing'\n", "rm -f nothing\n", "echo x\n"]
            for text in texts:
                await one.send(id, text)
            assert [event.command[-1] for event in one.reviewer.asked] == texts

    run(test)


def test_a_removal_that_was_approved_is_over_and_the_next_text_is_judged_by_itself(tmp_path: Path) -> None:
    async def test() -> None:
        async with agent(tmp_path, answer=lambda event: Approved()) as one:
            id = await one.open()
            for text in ("cd .\n", "rm -rf build\n", "echo x\n", "rm -rf", " build\n", "ls\n"):
                await one.send(id, text)
            assert [event.command[-1] for event in one.reviewer.asked] == ["rm -rf build\n", "rm -rf", " build\n"]
            assert "not that one" in (await one.send(id, "touch forbidden\n")).content

    run(test)


@pytest.mark.parametrize(
    ("kept", "typed"),
    [
        ("", "rm -rf bu"), ("", "rm \\\n"), ("rm \\\n", "x\n"), ("cat <<E\nrm\n", "E\n"), ("", "# rm x\n"),
        ("", "rm x\n"), ("", "rm -i x\n"), ("", "rm -fi x\n"), ("", "rm x -f\n"), ("", "rm -f --interactive=once x\n"),
        ("", "rm -- -f\n"), ("", "rm -r -- x\n"), ("", "\n"), ("", "tee x\n"), ("", "bash\n"),
        ("", "x=1\n"), ("", "rm -f x &\n"), ("", "rm -f x; ls\n"),
        ("", "rm -f $x\n"), ("", "rm -fv x > y\n"), ("", "cp p q\n"), ("", "curl -o x u\n"), ("", "sudo rm -f x\n"),
        ("alias rm=x\n", "rm -f y\n"), ("f() {\n", "rm -f x\n"), ("rm() { ls; }\n", "rm -f x\n"),
        ("cat <<E\n", "rm -f x\n"),
        ("for x in 1; do\n", "rm -f x\n"), ("echo '", "\nrm -f x\n"), ('trap "x" DEBUG\n', "rm -f y\n"),
        ("enable -f ./x rm\n", "rm -f x\n"), ("source x\n", "rm -f x\n"), ("eval x\n", "rm -f x\n"),
    ],
)  # fmt: skip
def test_what_may_bear_on_the_next_text_is_kept(kept: str, typed: str) -> None:
    opened = ("/bin/bash", "-lc", f"{{ exec bash\n}} <<'END'\n{kept}{typed}\nEND\n")
    assert relevant_input(opened, kept, typed) == kept + typed


@pytest.mark.parametrize(
    ("kept", "typed", "left"),
    [
        ("", "rm -rf build\n", ""), ("", "rm -rf build\r", ""), ("cd a\nX=1\n", "rm -f x\n", "cd a\nX=1\n"),
        ("", "rm -i --force x\n", ""), ("", "rm -r --forc x\n", ""), ("", "rm -if -- x\n", ""),
        ("rm -rf bu", "ild\n", ""), ("", "touch a && rm -f c\ntruncate -s 0 d\n", ""),
    ],
)  # fmt: skip
def test_what_is_over_is_not(kept: str, typed: str, left: str) -> None:
    text = (kept + typed).replace("\r", "\n")
    assert relevant_input(("/bin/bash", "-lc", f"{{ exec bash\n}} <<'END'\n{text}\nEND\n"), kept, typed) == left
    other = ("/bin/bash", "-lc", f"{{ python3\n}} <<'END'\n{text}\nEND\n")
    assert relevant_input(other, kept, typed) == kept + typed


@pytest.mark.parametrize("text", ["l\x7fls\n", "ec\t", "!!\n", "^a^b\n", "\x1b[A\n", "\x12rm\n", "ls\x15rm -r x\n"])
def test_keys_that_edit_or_repeat_are_asked_about_where_the_unknown_is(tmp_path: Path, text: str) -> None:
    async def test() -> None:
        async with agent(tmp_path, approval_policy="untrusted", answer=first_yes()) as one:
            id = await one.open()
            output = await one.send(id, text)
            assert (output.success, one.reviewer.asked[-1].command[-1]) == (False, text)

    run(test)


def first_yes() -> Callable[[Any], Any]:
    answers = iter([Approved()])
    return lambda event: next(answers, Denied("no"))


def test_outside_of_the_sandbox_text_is_asked_about_and_an_interrupt_is_not(tmp_path: Path) -> None:
    async def test() -> None:
        for profile in (DEFAULT, CODEX_0_169):
            async with agent(tmp_path, answer=first_yes(), profile=profile) as one:
                id = await one.open(sandbox_permissions="require_escalated", justification="may it?")
                assert len(one.reviewer.asked) == 1
                await one.prompted(id)
                assert "rejected: no" in (await one.send(id, "echo x\n")).content
                assert "launched outside the sandbox" in one.reviewer.asked[-1].reason
                assert "rejected: no" in (await one.send(id, "\x04")).content
                asked = len(one.reviewer.asked)
                assert (await one.send(id, "\x03")).success
                assert (await one.send(id)).success
                assert len(one.reviewer.asked) == asked

    run(test)


def test_permissions_deny_text_too(tmp_path: Path) -> None:
    async def test() -> None:
        permissions = CommandPermissions(
            ruleset_from_config({"bash": {"touch *": "deny"}}, home=None), cwd=str(tmp_path)
        )
        async with agent(tmp_path, permissions=permissions) as one:
            id = await one.open()
            assert "permission bash `touch *`" in (await one.send(id, "echo a; touch made\n")).content
            assert not (tmp_path / "made").exists()

    run(test)


def test_a_command_without_a_terminal_takes_no_text(tmp_path: Path) -> None:
    async def test() -> None:
        async with agent(tmp_path) as one:
            id = await one.open("sleep 30", tty=False)
            assert "stdin is closed" in (await one.send(id, "x\n")).content
            assert (await one.send(id)).success

    run(test)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"session_id": "1"}, {"session_id": True}, {"session_id": -1}, {"session_id": 1, "chars": 7},
     {"session_id": 1, "chars": "a\0"}, {"session_id": 1, "yield_time_ms": "1"}, {"session_id": 99, "chars": "x"}],
)  # fmt: skip
def test_wrong_arguments_send_nothing(tmp_path: Path, arguments: dict[str, Any]) -> None:
    async def test() -> None:
        async with agent(tmp_path) as one:
            await one.open()
            assert not (await one.call("write_stdin", **arguments)).success
            assert not [event for event in one.events if isinstance(event, TerminalInteractionEvent)]

    run(test)


def test_close_an_abort_and_too_many(tmp_path: Path) -> None:
    async def test() -> None:
        async with agent(tmp_path, answer=Abort()) as one:
            ids = [await one.open("echo on; sleep 60", tty=False, yield_time_ms=100) for _ in range(MOST_SESSIONS)]
            output = await one.call("exec_command", cmd="sleep 60", yield_time_ms=0)
            assert (output.success, "open already" in output.content) == (False, True)
            assert len(set(ids)) == MOST_SESSIONS
            one.session.interrupt(one.context.turn)
            await asyncio.sleep(0.5)
            await one.tool.close()
            assert len([event for event in one.events if isinstance(event, ExecEndEvent)]) == MOST_SESSIONS

    run(test)


def test_text_that_is_too_long_or_not_read_is_refused_whole(tmp_path: Path) -> None:
    async def test() -> None:
        async with agent(tmp_path) as one:
            id = await one.open()
            assert "more than 4096 bytes" in (await one.send(id, "#" * 5000)).content

    run(test)
