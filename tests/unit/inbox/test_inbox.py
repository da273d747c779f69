"""Questions over the real socket: put, answered once, withdrawn, late, remembered; a server that comes and goes."""

import asyncio
import json
import os
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from execpolicy.approvals import ApprovalSession
from execpolicy.approvals.events import FileChange, NetworkTarget
from execpolicy.approvals.review import Approved, ApprovedForSession, Denied, ReviewDecision
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.inbox import InboxReviewer
from execpolicy.inbox import waiting as inbox_place
from execpolicy.inbox.inbox_call import ask_inbox, ask_inbox_async
from execpolicy.inbox.inbox_question import InboxQuestion, question_from_json, word_of
from execpolicy.inbox.inbox_server import InboxServer, Person
from execpolicy.inbox.study import Studies
from execpolicy.inbox.waiting import InboxClosedError, connected_socket, inbox_folder, listening_socket

PERSON = Person("page", "window 1")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own."""
    for name in ("XDG_STATE_HOME", "CODEX_HOME", "EXECPOLICY_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@asynccontextmanager
async def inbox(**more: Any) -> AsyncIterator[InboxServer]:
    server = InboxServer(inbox_folder(os.environ), **more)
    await server.start()
    try:
        yield server
    finally:
        await server.close()


async def stranger(server: InboxServer) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection of somebody who does not speak through our own client."""
    connection = connected_socket(server.folder)
    connection.setblocking(False)
    return await asyncio.open_unix_connection(sock=connection)


async def strange_question(server: InboxServer) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Any]:
    """That connection, and the question that came over it."""
    reader, writer = await stranger(server)
    writer.write(json.dumps({"do": "ask", "question": question().to_json()}).encode() + b"\n")
    (one,) = await until(server.waiting.open)
    return reader, writer, one


def question(command: str = "git push", **more: Any) -> InboxQuestion:
    given: dict[str, Any] = {"source": "hook", "agent": "claude", "session": "s1", "cwd": os.environ["HOME"], **more}
    return InboxQuestion(commands=(command,), reason="it needs approval", **given)


async def until(found: Callable[[], Any]) -> Any:
    for _ in range(2_000):
        value = found()
        if value:
            return value
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


def run(work: Awaitable[Any]) -> Any:
    async def whole() -> Any:
        return await asyncio.wait_for(work, 60)

    return asyncio.run(whole())


def audit(server: InboxServer) -> list[dict[str, Any]]:
    with open(os.path.join(server.folder, "audit.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_without_a_server_the_answer_is_none_at_once_and_says_what_to_do() -> None:
    started = time.monotonic()
    answer = ask_inbox(question(wait_s=60))
    assert word_of(answer) is None
    assert "execpolicy ui" in answer.feedback
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("word", ["once", "session", "deny"])
def test_an_answer_reaches_who_asks_and_is_written_down(word: str) -> None:
    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(question()))
            (one,) = await until(server.waiting.open)
            await server.answering.study(one.id)
            await server.answering.answer(one.id, word, PERSON, message="no, use main")
            answer = await asking
            assert (word_of(answer), answer.feedback) == (word, "no, use main")
            assert one.stage == "answered"
            events = audit(server)
            assert [each["event"] for each in events] == ["inbox.asked", "inbox.answered", "inbox.taken"]
            assert events[1]["by"] == "page window 1"
            assert events[1]["answer"] == word
            assert events[1]["shown"]["parts"][0]["command"] == "git push"
            assert all(each["id"] == one.id and each["ts"] for each in events)

    run(work())


def test_the_blocking_call_waits_in_its_own_thread() -> None:
    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(asyncio.to_thread(ask_inbox, question()))
            (one,) = await until(server.waiting.open)
            await server.answering.answer(one.id, "once", PERSON)
            assert word_of(await asking) == "once"

    run(work())


def test_nothing_is_answered_twice() -> None:
    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(question()))
            (one,) = await until(server.waiting.open)
            answers = [server.answering.answer(one.id, word, PERSON) for word in ("once", "deny", "session")]
            found = await asyncio.gather(*answers, return_exceptions=True)
            assert [isinstance(each, UsageError) for each in found] == [False, True, True]
            assert word_of(await asking) == "once"
            with pytest.raises(UsageError, match="answered already"):
                await server.answering.answer(one.id, "deny", PERSON)
            assert len([each for each in audit(server) if each["event"] == "inbox.answered"]) == 1

    run(work())


def test_nobody_answers_in_time() -> None:
    async def work() -> None:
        async with inbox() as server:
            answer = await ask_inbox_async(question(wait_s=0.3))
            assert (word_of(answer), answer.feedback) == (None, "no one answered in time")
            (one,) = await until(lambda: [one for one in server.waiting.all() if one.stage == "expired"])
            with pytest.raises(UsageError, match="waited too long"):
                await server.answering.answer(one.id, "once", PERSON)

    run(work())


def test_who_asks_may_go_away() -> None:
    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(question()))
            (one,) = await until(server.waiting.open)
            asking.cancel()
            await until(lambda: one.stage == "withdrawn")
            with pytest.raises(UsageError, match="withdrawn"):
                await server.answering.answer(one.id, "once", PERSON)

    run(work())


def test_an_answer_for_the_session_holds_for_the_same_call_of_the_same_session_only() -> None:
    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(question()))
            (one,) = await until(server.waiting.open)
            await server.answering.answer(one.id, "session", PERSON)
            assert word_of(await asking) == "session"
            assert word_of(await ask_inbox_async(question())) == "session"
            for other in (question(session="s2"), question("git push -f"), question(agent="codex"), question(cwd="/")):
                waits = asyncio.create_task(ask_inbox_async(other))
                (open_one,) = await until(lambda: [one for one in server.waiting.open() if one.stage == "waiting"])
                await server.answering.answer(open_one.id, "deny", PERSON)
                assert word_of(await waits) == "deny"

    run(work())


def test_always_saves_a_rule_that_holds_and_can_be_taken_back(home: Path) -> None:
    rules = home / ".codex" / "rules" / "default.rules"

    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(question("git push origin main")))
            (one,) = await until(server.waiting.open)
            study = await server.answering.study(one.id)
            assert study.choices == ("once", "session", "always", "deny")
            (preview,) = await server.answering.preview(one.id, [["git", "push"]])
            assert preview.line == 'prefix_rule(pattern=["git", "push"], decision="allow")'
            assert preview.helps
            assert "git push --force" in preview.dangerous
            await server.answering.answer(one.id, "always", PERSON, prefixes=[["git", "push"]])
            assert word_of(await asking) == "always"
            assert rules.read_text() == 'prefix_rule(pattern=["git", "push"], decision="allow")\n'
            await server.answering.undo(one.id, PERSON)
            assert rules.read_text() == ""

    run(work())


@pytest.mark.parametrize("prefixes", [[], [None]])
def test_always_saves_exactly_the_command_in_our_own_folder(home: Path, prefixes: list[None]) -> None:
    rules = home / ".config" / "execpolicy" / "rules" / "default.rules"

    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(question("git push origin main")))
            (one,) = await until(server.waiting.open)
            assert (await server.answering.study(one.id)).target == str(rules)
            (preview,) = await server.answering.preview(one.id, [None])
            line = 'prefix_rule(pattern=["git", "push", "origin", "main"], decision="allow", unless=["*"])'
            assert (preview.line, preview.path, preview.helps, preview.careful) == (line, str(rules), True, None)
            assert "git push origin main more words" in preview.not_covered
            await server.answering.answer(one.id, "always", PERSON, prefixes=prefixes)
            assert word_of(await asking) == "always"
            assert rules.read_text() == f"{line}\n"
            assert not (home / ".codex" / "rules" / "default.rules").exists()
            await server.answering.undo(one.id, PERSON)
            assert rules.read_text() == ""

    run(work())


def test_always_needs_a_prefix_where_a_word_is_only_known_when_it_runs(home: Path) -> None:
    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(question('git push "$BRANCH"')))
            (one,) = await until(server.waiting.open)
            assert "always" in (await server.answering.study(one.id)).choices
            with pytest.raises(UsageError, match="no rule can cover exactly this command"):
                await server.answering.answer(one.id, "always", PERSON)
            await server.answering.answer(one.id, "always", PERSON, prefixes=[["git", "push"]])
            assert word_of(await asking) == "always"

    run(work())


@pytest.mark.parametrize("prefixes", [[["rm"]], [["git"]], [["git", "status"]], [[]], [["git", "push"], ["ls"]]])
def test_only_what_was_offered_can_be_saved(home: Path, prefixes: list[list[str]]) -> None:
    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(question("git push origin main")))
            (one,) = await until(server.waiting.open)
            with pytest.raises(UsageError):
                await server.answering.answer(one.id, "always", PERSON, prefixes=prefixes)
            assert one.stage == "waiting"
            assert not (home / ".codex" / "rules" / "default.rules").exists()
            await server.answering.answer(one.id, "deny", PERSON)
            await asking

    run(work())


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"once": True}, "a person has to look"),
        ({"writes": ("/etc/x",)}, ""),
        ({"rules_help": False}, ""),
        ({"commands": ('eval "$X"',)}, "only known at run time"),
        (
            {"commands": ("make deploy && deploy --token=ghp_0123456789012345678901234567890123456",)},
            "looks like a GitHub token",
        ),
        ({"commands": ("make deploy && bash",)}, "`bash` is too broad"),
    ],
)
def test_always_is_offered_only_where_a_rule_would_help(more: dict[str, Any], why: str) -> None:
    async def work() -> None:
        async with inbox() as server:
            fields = {**question().to_json(), **more}
            asking = asyncio.create_task(ask_inbox_async(InboxQuestion(**fields)))
            (one,) = await until(server.waiting.open)
            study = await server.answering.study(one.id)
            assert "always" not in study.choices
            assert why in "; ".join(study.obstacles)
            assert ("session" in study.choices) is ("once" not in more)
            with pytest.raises(UsageError):
                await server.answering.answer(one.id, "always", PERSON)
            await server.answering.answer(one.id, "once", PERSON)
            await asking

    run(work())


def test_what_cannot_be_written_down_is_not_answered() -> None:
    class Full:
        full = False

        def write(self, entry: Any, /) -> None:
            if self.full:
                raise ExecPolicyError("the disk is full")

    sink = Full()

    async def work() -> None:
        async with inbox(audit=sink) as server:
            asking = asyncio.create_task(ask_inbox_async(question()))
            (one,) = await until(server.waiting.open)
            sink.full = True
            with pytest.raises(ExecPolicyError, match="disk is full"):
                await server.answering.answer(one.id, "once", PERSON)
            assert one.stage == "waiting"
            refused = await ask_inbox_async(question("git fetch"))
            assert word_of(refused) is None
            sink.full = False
            await server.answering.answer(one.id, "once", PERSON)
            assert word_of(await asking) == "once"

    run(work())


def test_an_answer_for_the_session_that_cannot_be_written_down_is_asked_about_again() -> None:
    class Full:
        full = False

        def write(self, entry: Any, /) -> None:
            if self.full and entry["event"] == "inbox.answered":
                raise ExecPolicyError("the disk is full")

    sink = Full()

    async def work() -> None:
        async with inbox(audit=sink) as server:
            asking = asyncio.create_task(ask_inbox_async(question()))
            (one,) = await until(server.waiting.open)
            await server.answering.answer(one.id, "session", PERSON)
            assert word_of(await asking) == "session"
            sink.full = True
            again = asyncio.create_task(ask_inbox_async(question()))
            (waits,) = await until(lambda: [one for one in server.waiting.open() if one.stage == "waiting"])
            sink.full = False
            await server.answering.answer(waits.id, "deny", PERSON)
            assert word_of(await again) == "deny"

    run(work())


def test_an_answer_that_went_out_is_not_taken_back_by_who_loses_interest() -> None:
    async def work() -> None:
        async with inbox() as server:
            reader, writer, one = await strange_question(server)
            answering = asyncio.create_task(server.answering.answer(one.id, "once", PERSON))
            await until(lambda: one.settled.done())
            answering.cancel()
            await asyncio.sleep(0.05)
            with pytest.raises(UsageError):
                await server.answering.answer(one.id, "deny", PERSON)
            assert b'"once' in await reader.readuntil(b"once")
            writer.close()
            await until(lambda: one.stage == "late")
            assert server.waiting.open() == []

    run(work())


def test_an_answer_on_its_way_is_waited_for_when_the_inbox_closes() -> None:
    async def work() -> None:
        async with inbox() as server:
            reader, writer, one = await strange_question(server)
            answering = asyncio.create_task(server.answering.answer(one.id, "once", PERSON))
            await reader.readuntil(b"once")
            closing = asyncio.create_task(server.close())
            await asyncio.sleep(0.05)
            writer.write(b'{"taken": true}\n')
            await asyncio.gather(closing, answering)
            writer.close()
            assert [each["event"] for each in audit(server)] == ["inbox.asked", "inbox.answered", "inbox.taken"]

    run(work())


def test_what_a_rule_would_have_saved_is_counted_among_the_newest_for_a_moment_only() -> None:
    """Who asks may have asked anything before: the page must not stand still for it."""
    asked = question("make deploy")
    recent = [
        question("make deploy now"),
        question("git push"),
        question("rm -rf '" + "x" * 1_000_000 + "'"),
        *[question("a | b " * 333) for _ in range(150)],
        question("make deploy later"),
    ]
    started = time.process_time()
    (preview,) = Studies().preview(asked, [["make", "deploy"]], recent)
    assert time.process_time() - started < 3
    assert preview.saved >= 1
    assert preview.counted < len(recent)
    (preview,) = Studies().preview(asked, [["make", "deploy"]], recent[:3])
    assert (preview.saved, preview.counted) == (1, 2)


def test_a_thousand_questions_wait_and_none_is_lost() -> None:
    async def work() -> None:
        async with inbox() as server:
            asking = [asyncio.create_task(ask_inbox_async(question(f"make t{at}"))) for at in range(1_000)]
            await until(lambda: len(server.waiting.open()) == 1_000)
            before = time.process_time()
            listed = [one.to_json() for one in server.waiting.open()]
            assert time.process_time() - before < 0.1
            assert len({one["id"] for one in listed}) == 1_000
            for at, one in enumerate(server.waiting.open()):
                await server.answering.waiting.settle(server.waiting.claim(one.id), answer_of(at), "page")
            answers = await asyncio.gather(*asking)
            assert sum(word_of(each) == "deny" for each in answers) == 500
            assert all(word_of(each) is not None for each in answers)

    from execpolicy.core.answer import Answer
    from execpolicy.inbox.inbox_question import answer_in_words

    def answer_of(at: int) -> Answer:
        return answer_in_words("deny" if at % 2 else "once")

    run(work())


def test_a_server_that_starts_again_finds_the_questions() -> None:
    async def work() -> None:
        async with inbox() as first:
            asking = [asyncio.create_task(ask_inbox_async(question(f"make t{at}"))) for at in range(20)]
            await until(lambda: len(first.waiting.open()) == 20)
        async with inbox() as second:
            await until(lambda: len(second.waiting.open()) == 20)
            for one in second.waiting.open():
                await second.answering.answer(one.id, "once", PERSON)
            assert {word_of(each) for each in await asyncio.gather(*asking)} == {"once"}

    run(work())


def test_a_server_that_is_closed_while_it_answers_answers_nothing_twice() -> None:
    async def work() -> None:
        many = 60
        asking = []
        async with inbox() as first:
            asking = [asyncio.create_task(ask_inbox_async(question(f"make t{at}"))) for at in range(many)]
            await until(lambda: len(first.waiting.open()) == many)
            answers = [
                asyncio.create_task(first.answering.answer(one.id, "once", PERSON)) for one in first.waiting.open()
            ]
            await until(lambda: sum(one.done() for one in asking) >= 5)
        await asyncio.gather(*answers, return_exceptions=True)
        before = {at for at, one in enumerate(asking) if one.done()}
        async with inbox() as second:
            while not all(one.done() for one in asking):
                for one in second.waiting.open():
                    if one.stage == "waiting":
                        await second.answering.answer(one.id, "deny", PERSON)
                await asyncio.sleep(0.01)
            found = [word_of(await one) for one in asking]
            assert {found[at] for at in before} == {"once"}
            assert set(found) <= {"once", "deny"}
            events = audit(second)
        taken = [each["id"] for each in events if each["event"] == "inbox.taken"]
        answered = [each["id"] for each in events if each["event"] == "inbox.answered"]
        assert len(answered) == len(set(answered))
        assert len(taken) == len(set(taken)) == many

    run(work())


def test_a_server_that_does_not_come_back_leaves_the_closed_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("execpolicy.inbox.inbox_call._PATIENCE_S", 0.5)

    async def work() -> None:
        async with inbox() as first:
            asking = asyncio.create_task(ask_inbox_async(question()))
            await until(first.waiting.open)
        answer = await asking
        assert word_of(answer) is None
        assert "execpolicy ui" in answer.feedback

    run(work())


def test_the_folder_and_the_socket_are_for_their_user_alone() -> None:
    async def work() -> None:
        async with inbox() as server:
            assert stat.S_IMODE(os.lstat(server.folder).st_mode) == 0o700
            assert stat.S_IMODE(os.lstat(f"{server.folder}/socket").st_mode) == 0o600
            with pytest.raises(InboxClosedError, match="another inbox"):
                listening_socket(server.folder)

    run(work())


def test_a_folder_that_others_can_enter_is_not_trusted(home: Path) -> None:
    folder = inbox_folder(os.environ)
    os.makedirs(folder, mode=0o755)
    os.chmod(folder, 0o755)
    for opened in (listening_socket, connected_socket):
        with pytest.raises(InboxClosedError, match="others can enter"):
            opened(folder)
    os.rmdir(folder)
    os.symlink(home, folder)
    for opened in (listening_socket, connected_socket):
        with pytest.raises(InboxClosedError, match="not a folder"):
            opened(folder)


def test_a_socket_of_another_user_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with inbox() as server:
            real = os.getuid()
            monkeypatch.setattr(inbox_place, "why_not_own", lambda folder: None)
            monkeypatch.setattr(os, "getuid", lambda: real + 1)
            with pytest.raises(InboxClosedError, match="another user"):
                connected_socket(server.folder)

    run(work())


def test_another_user_is_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("execpolicy.inbox.inbox_server.same_user", lambda peer: False)
    monkeypatch.setattr("execpolicy.inbox.inbox_call._PATIENCE_S", 0.3)

    async def work() -> None:
        async with inbox() as server:
            answer = await ask_inbox_async(question())
            assert word_of(answer) is None
            assert server.waiting.all() == []

    run(work())


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"[]\n",
        b"{}\n",
        b"not json\n",
        b'{"do": "ask"}\n',
        b'{"do": "ask", "question": {"source": "hook", "commands": "ls"}}\n',
        b'{"do": "ask", "question": {"source": "hook", "wait_s": 0}}\n',
        b'{"do": "ask", "question": {"source": "hook", "wait_s": "nan"}}\n',
        b'{"do": "ask", "question": {"source": "hook", "evil": 1}}\n',
        b'{"do": "answer", "id": "x", "answer": "once"}\n',
        b'{"do": "answer", "id": "x", "answer": "once", "prefixes": 7}\n',
        b'{"do": "show", "id": "../../etc/passwd"}\n',
        b"\xff\xfe\n",
        b'{"do": "ask", "question": {"source": "' + b"x" * 300 + b'"}}\n',
    ],
)
def test_nonsense_is_refused_and_hurts_nobody(line: bytes) -> None:
    async def work() -> None:
        async with inbox() as server:
            reader, writer = await stranger(server)
            writer.write(line)
            await writer.drain()
            said = await reader.read()
            assert said == b"" or "error" in json.loads(said)
            writer.close()
            assert server.waiting.all() == []
            asking = asyncio.create_task(ask_inbox_async(question()))
            (one,) = await until(server.waiting.open)
            await server.answering.answer(one.id, "once", PERSON)
            assert word_of(await asking) == "once"

    run(work())


def test_a_process_without_a_terminal_cannot_answer() -> None:
    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(question()))
            (one,) = await until(server.waiting.open)
            reader, writer = await stranger(server)
            writer.write(json.dumps({"do": "answer", "id": one.id, "answer": "once"}).encode() + b"\n")
            said = json.loads(await reader.read())
            writer.close()
            assert "for a person" in said["error"]
            assert one.stage == "waiting"
            asking.cancel()

    run(work())


def test_a_question_survives_its_own_json() -> None:
    asked = question("echo 'ä\x1b[31m\u202e'", changes={"/a": {"kind": "add", "content": "x"}}, own_saving=("a", "b"))
    assert question_from_json(json.loads(json.dumps(asked.to_json()))) == asked
    asked = connecting()
    assert question_from_json(json.loads(json.dumps(asked.to_json()))) == asked
    for wrong in (["a"], ["a", "gopher", "70"], "a"):
        with pytest.raises(UsageError, match="network"):
            question_from_json({**json.loads(json.dumps(asked.to_json())), "network": wrong})


@pytest.mark.parametrize(
    ("word", "message", "expected"),
    [("once", "", Approved()), ("session", "", ApprovedForSession()), ("deny", "no", Denied("no"))],
)
def test_a_host_in_python_asks_the_inbox(word: str, message: str, expected: ReviewDecision) -> None:
    async def work() -> None:
        async with inbox() as server:
            session = ApprovalSession(emit=lambda event: None, reviewer=InboxReviewer(agent="mine", session="s"))
            turn = session.begin_turn("t")
            change = FileChange(kind="add", content="x\n")
            asking = asyncio.create_task(
                session.request_patch_approval(turn=turn, call_id="c", changes={"/tmp/x": change}, reason="outside")
            )
            (one,) = await until(server.waiting.open)
            assert (one.question.source, one.question.agent, one.question.text) == ("api", "mine", "apply_patch /tmp/x")
            await server.answering.answer(one.id, word, PERSON, message=message)
            assert await asking == expected

    run(work())


def connecting(host: str = "api.example.com", **more: Any) -> InboxQuestion:
    return question("curl x", network=(host, "https", "443"), **more)


@pytest.mark.parametrize("kept", ["", 'network_rule(host="api.example.com", protocol="https", decision="deny")\n'])
def test_always_for_a_connection_saves_a_network_rule_that_can_be_taken_back(home: Path, kept: str) -> None:
    """A rule about another connection stays as it is."""
    kept = kept.replace("api.", "other.")
    rules = home / ".codex" / "rules" / "default.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text(kept)
    line = 'network_rule(host="api.example.com", protocol="https", decision="allow")'

    async def work() -> None:
        async with inbox() as server:
            before = asyncio.create_task(ask_inbox_async(connecting(session="s0")))
            asking = [before, asyncio.create_task(ask_inbox_async(connecting()))]
            two = await until(lambda: len(server.waiting.open()) == 2 and server.waiting.open())
            study = await server.answering.study(two[0].id)
            assert (study.choices, study.network_rule) == (("once", "session", "always", "deny"), line)
            (preview,) = await server.answering.preview(two[0].id, [])
            assert (preview.line, preview.refused, preview.helps, preview.saved) == (line, None, True, 1)
            assert "https to api.example.com" in preview.covered[0]
            assert await server.answering.answer(two[0].id, "always", PERSON) == f"{two[0].id}: always; saved {line}"
            assert rules.read_text() == f"{kept}{line}\n"
            assert await server.answering.undo(two[0].id, PERSON) == (line,)
            assert rules.read_text() == kept
            await server.answering.answer(two[1].id, "deny", PERSON)
            assert sorted([word_of(await each) for each in asking]) == ["always", "deny"]
            notes = [one["network"] for one in audit(server) if one["event"] == "inbox.asked"]
            assert notes == [["api.example.com", "https", "443"]] * 2

    run(work())


@pytest.mark.parametrize("decision", ["deny", "prompt"])
def test_no_rule_for_a_connection_is_offered_where_another_one_is_stricter(home: Path, decision: str) -> None:
    rules = home / ".codex" / "rules" / "default.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text(f'network_rule(host="api.example.com", protocol="https", decision="{decision}")\n')

    async def work() -> None:
        async with inbox() as server:
            asking = asyncio.create_task(ask_inbox_async(connecting()))
            (one,) = await until(server.waiting.open)
            study = await server.answering.study(one.id)
            assert (study.choices, study.network_rule) == (("once", "session", "deny"), None)
            with pytest.raises(UsageError):
                await server.answering.answer(one.id, "always", PERSON)
            await server.answering.answer(one.id, "deny", PERSON)
            await asking

    run(work())


def test_an_answer_for_the_session_about_one_host_says_nothing_about_another() -> None:
    async def work() -> None:
        async with inbox() as server:
            session = ApprovalSession(emit=lambda event: None, reviewer=InboxReviewer(agent="mine", session="s"))
            turn = session.begin_turn("t")

            async def ask(host: str) -> Any:
                to = NetworkTarget(host=host, protocol="https", port=443)
                return await session.request_command_approval(
                    turn=turn, call_id="c", command=("curl", "x"), cwd="/", network=to, reason=None
                )

            first = asyncio.create_task(ask("a.example"))
            (one,) = await until(server.waiting.open)
            assert one.question.text == "curl x\nconnects to a.example, port 443 (https)"
            await server.answering.answer(one.id, "session", PERSON)
            assert await first == ApprovedForSession()
            assert await ask("a.example") == ApprovedForSession()
            second = asyncio.create_task(ask("b.example"))
            (one,) = await until(lambda: [each for each in server.waiting.open() if "b.example" in each.question.text])
            await server.answering.answer(one.id, "always", PERSON)
            assert await second == Approved()

    run(work())


@pytest.mark.parametrize(("host", "careful"), [("localhost", True), ("10.0.0.1", True), ("::1", True), ("a.b", False)])
def test_a_rule_for_a_host_near_by_says_so(host: str, careful: bool) -> None:
    (preview,) = Studies().preview(connecting(host), [], [])
    assert (preview.careful is not None) is careful


def test_a_host_without_an_inbox_is_told_no() -> None:
    async def work() -> None:
        session = ApprovalSession(emit=lambda event: None, reviewer=InboxReviewer())
        decision = await session.request_command_approval(
            turn=session.begin_turn("t"), call_id="c", command=("make",), cwd="/"
        )
        assert isinstance(decision, Denied)
        assert "execpolicy ui" in decision.text()

    run(work())
