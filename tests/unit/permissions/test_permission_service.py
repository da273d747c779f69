"""Ask and reply with all cascades (seed 002, "Ask Flow", "Reply Flow", "Error Types")."""

import asyncio
import gc
import random
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Coroutine
from typing import Any

import pytest

from execpolicy.errors import UsageError
from execpolicy.permissions.request import Asked, Event, PermissionRequest, Replied, Reply, ToolCall, Withdrawn
from execpolicy.permissions.ruleset import Action, PermissionRule, Ruleset
from execpolicy.permissions.service import CorrectedError, DeniedError, Permissions, RejectedError, TimedOutError

ALLOW_LS: Ruleset = (PermissionRule("bash", "ls *", Action.ALLOW),)
DENY_RM: Ruleset = (PermissionRule("bash", "*", Action.ASK), PermissionRule("bash", "rm *", Action.DENY))


def bash(*patterns: str, session: str = "s", always: tuple[str, ...] = (), id: str = "") -> PermissionRequest:
    return PermissionRequest(session_id=session, permission="bash", patterns=patterns, always=always, id=id)


async def start(coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    task = asyncio.create_task(coroutine)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return task


def test_allowed_patterns_resolve_at_once_and_ask_nobody() -> None:
    service = Permissions()
    seen: list[Event] = []
    service.subscribe(seen.append)
    asyncio.run(service.ask(bash("ls", "ls -la"), ruleset=ALLOW_LS))
    service.ask_sync(bash("ls"), ruleset=ALLOW_LS)
    assert seen == []


def test_one_denied_pattern_denies_before_anybody_is_asked() -> None:
    service = Permissions()
    seen: list[Event] = []
    service.subscribe(seen.append)
    ruleset = (PermissionRule("edit", "*", Action.ALLOW), *DENY_RM)
    with pytest.raises(DeniedError) as caught:
        asyncio.run(service.ask(bash("make", "rm -rf /"), ruleset=ruleset))
    assert caught.value.rules == DENY_RM
    assert str(caught.value) == (
        "The user has specified a rule which prevents you from using this specific tool call. Here are some of the "
        'relevant rules [{"permission":"bash","pattern":"*","action":"ask"},'
        '{"permission":"bash","pattern":"rm *","action":"deny"}]'
    )
    assert (seen, service.pending()) == ([], ())


def test_asking_publishes_the_request_and_lists_it() -> None:
    async def run() -> None:
        service = Permissions()
        seen: list[Event] = []
        service.subscribe(seen.append)
        request = PermissionRequest(
            session_id="s",
            permission="bash",
            patterns=("make",),
            always=("make *",),
            metadata={"cmd": "make"},
            tool=ToolCall("m", "c"),
            id="per_x",
        )
        task = await start(service.ask(request))
        assert service.pending() == service.pending("s") == (request,)
        assert service.pending("other") == ()
        assert [event.to_json() for event in seen] == [
            {
                "type": "permission.asked",
                "properties": {
                    "id": "per_x",
                    "sessionID": "s",
                    "permission": "bash",
                    "patterns": ["make"],
                    "metadata": {"cmd": "make"},
                    "always": ["make *"],
                    "tool": {"messageID": "m", "callID": "c"},
                },
            }
        ]
        assert service.reply("per_x", Reply.ONCE)
        await task
        assert seen[1:] == [Replied("s", "per_x", Reply.ONCE)]
        assert seen[1].to_json()["properties"] == {"sessionID": "s", "requestID": "per_x", "reply": "once"}
        assert service.pending() == ()

    asyncio.run(run())


def test_once_resolves_the_single_request_and_remembers_nothing() -> None:
    async def run() -> None:
        service = Permissions()
        first = await start(service.ask(bash("make", always=("make *",), id="a")))
        second = await start(service.ask(bash("make", always=("make *",), id="b")))
        service.reply("a", Reply.ONCE)
        await first
        assert [request.id for request in service.pending()] == ["b"]
        assert service.approved("s") == ()
        service.reply("b", Reply.ONCE)
        await second

    asyncio.run(run())


def test_always_approves_for_the_session_and_resolves_what_now_matches() -> None:
    async def run() -> None:
        service = Permissions()
        tasks = {
            "a": await start(service.ask(bash("make x", always=("make *",), id="a"))),
            "same": await start(service.ask(bash("make y", id="same"))),
            "mixed": await start(service.ask(bash("make y", "ls", id="mixed"), ruleset=ALLOW_LS)),
            "unmatched": await start(service.ask(bash("make y", "cargo", id="unmatched"))),
            "other": await start(service.ask(bash("make y", session="t", id="other"))),
        }
        seen: list[Event] = []
        service.subscribe(seen.append)
        service.reply("a", Reply.ALWAYS)
        for name in ("a", "same", "mixed"):
            await tasks[name]
        assert seen == [Replied("s", name, Reply.ALWAYS) for name in ("a", "same", "mixed")]
        assert [request.id for request in service.pending()] == ["unmatched", "other"]
        assert service.approved("s") == (PermissionRule("bash", "make *", Action.ALLOW),)
        assert service.approved("t") == ()
        await service.ask(bash("make z"))
        service.end_session("s")
        service.end_session("t")
        for name in ("unmatched", "other"):
            with pytest.raises(RejectedError):
                await tasks[name]

    asyncio.run(run())


def test_an_always_answer_never_overrides_a_configured_deny() -> None:
    async def run(service: Permissions) -> None:
        task = await start(service.ask(bash("make", always=("*",), id="a"), ruleset=DENY_RM))
        service.reply("a", Reply.ALWAYS)
        await task
        await service.ask(bash("cargo build"), ruleset=DENY_RM)
        await service.ask(bash("rm x"), ruleset=DENY_RM)

    with pytest.raises(DeniedError):
        asyncio.run(run(Permissions()))
    asyncio.run(run(Permissions(approvals_override_deny=True)))  # opencode's own reading, for those who want it


def test_reject_refuses_everything_pending_in_the_session() -> None:
    async def run() -> None:
        service = Permissions()
        tasks = [await start(service.ask(bash("make", id=name))) for name in ("a", "b", "c")]
        other = await start(service.ask(bash("make", session="t", id="t")))
        seen: list[Event] = []
        service.subscribe(seen.append)
        service.reply("b", Reply.REJECT)
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [RejectedError] * 3
        assert str(outcomes[0]) == "The user rejected permission to use this specific tool call."
        assert seen == [Replied("s", name, Reply.REJECT) for name in ("b", "a", "c")]
        assert [request.id for request in service.pending()] == ["t"]
        service.reply("t", Reply.ONCE)
        await other

    asyncio.run(run())


def test_reject_with_a_message_corrects_that_request_and_rejects_the_others() -> None:
    async def run() -> None:
        service = Permissions()
        tasks = [await start(service.ask(bash("make", id=name))) for name in ("a", "b")]
        service.reply("a", Reply.REJECT, message="use cargo")
        corrected, rejected = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(corrected, CorrectedError)
        assert corrected.feedback == "use cargo"
        assert str(corrected) == (
            "The user rejected permission to use this specific tool call with the following feedback: use cargo"
        )
        assert type(rejected) is RejectedError

    asyncio.run(run())


def test_unknown_replies_change_nothing() -> None:
    async def run() -> None:
        service = Permissions()
        seen: list[Event] = []
        assert not service.reply("never asked", Reply.ALWAYS)
        task = await start(service.ask(bash("make", always=("*",), id="a")))
        service.subscribe(seen.append)
        assert service.reply("a", Reply.ONCE)
        assert not service.reply("a", Reply.ALWAYS)
        await task
        assert seen == [Replied("s", "a", Reply.ONCE)]
        assert service.approved("s") == ()
        late = await start(service.ask(bash("make", id="b")))
        with pytest.raises(UsageError, match="not `perhaps`"):
            service.reply("b", "perhaps")  # type: ignore[arg-type]  # what a host in plain Python may pass
        assert [request.id for request in service.pending()] == ["b"]
        service.reply("b", Reply.ONCE)
        await late

    asyncio.run(run())


def test_cancelling_the_waiting_task_withdraws_the_request() -> None:
    async def run() -> None:
        service = Permissions()
        seen: list[Event] = []
        service.subscribe(seen.append)
        task = await start(service.ask(bash("make", always=("*",), id="a")))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert service.pending() == ()
        assert seen[1:] == [Withdrawn("s", "a", "cancelled")]
        assert seen[1].to_json()["type"] == "permission.withdrawn"
        assert not service.reply("a", Reply.ALWAYS)
        assert service.approved("s") == ()

    asyncio.run(run())


def test_nobody_answering_in_time_refuses_that_request_only() -> None:
    async def run() -> None:
        service = Permissions()
        seen: list[Event] = []
        service.subscribe(seen.append)
        patient = await start(service.ask(bash("make", id="b")))
        with pytest.raises(TimedOutError) as caught:
            await service.ask(bash("make", id="a"), timeout_s=0.01)
        assert isinstance(caught.value, RejectedError)
        assert caught.value.seconds == 0.01
        assert seen[2:] == [Withdrawn("s", "a", "timeout")]
        assert [request.id for request in service.pending()] == ["b"]
        service.reply("b", Reply.ONCE)
        await patient
        with pytest.raises(TimedOutError):
            service.ask_sync(bash("make", id="c"), timeout_s=0.01)
        assert service.pending() == ()

    asyncio.run(run())


def test_a_request_without_patterns_needs_a_rule_for_everything() -> None:
    service = Permissions()
    with pytest.raises(TimedOutError):
        service.ask_sync(bash(), ruleset=ALLOW_LS, timeout_s=0.01)
    service.ask_sync(bash(), ruleset=(PermissionRule("bash", "*", Action.ALLOW),))


def test_an_id_that_already_waits_cannot_be_asked_twice() -> None:
    async def run() -> None:
        service = Permissions()
        task = await start(service.ask(bash("make", id="a")))
        with pytest.raises(UsageError, match="`a` is already waiting"):
            await service.ask(bash("make", id="a"))
        service.reply("a", Reply.ONCE)
        await task

    asyncio.run(run())


def test_a_listener_may_answer_at_once_and_a_failing_one_harms_nobody() -> None:
    service = Permissions()

    def fails(_event: Event) -> None:
        raise RuntimeError("broken dialog")

    def answers(event: Event) -> None:
        if isinstance(event, Asked):
            service.reply(event.request.id, Reply.ONCE)

    service.subscribe(fails)
    unsubscribe = service.subscribe(answers)
    asyncio.run(service.ask(bash("make")))
    service.ask_sync(bash("make"))
    assert service.listener_errors == 4
    unsubscribe()
    with pytest.raises(TimedOutError):
        service.ask_sync(bash("make"), timeout_s=0.01)


@pytest.mark.parametrize("reply", list(Reply))
@pytest.mark.parametrize("awaited", [False, True])
def test_an_answer_of_a_listener_that_took_too_long_is_none(reply: Reply, awaited: bool) -> None:
    service = Permissions()
    taken: list[bool] = []

    def slow(event: Event) -> None:
        if isinstance(event, Asked):
            time.sleep(0.05)
            taken.append(service.reply(event.request.id, reply))

    service.subscribe(slow)
    asked = bash("make", always=("make *",))
    ask = (lambda: asyncio.run(service.ask(asked, timeout_s=0.01))) if awaited else None
    with pytest.raises(TimedOutError):
        (ask or (lambda: service.ask_sync(asked, timeout_s=0.01)))()
    assert (taken, service.pending(), service.approved("s")) == ([False], (), ())


def test_a_thread_can_ask_and_another_one_reply() -> None:
    service = Permissions()
    asked = threading.Event()
    service.subscribe(lambda event: asked.set())
    outcome: list[str] = []

    def ask() -> None:
        try:
            service.ask_sync(bash("make", id="a"), timeout_s=10)
        except CorrectedError as refusal:
            outcome.append(refusal.feedback)

    thread = threading.Thread(target=ask)
    thread.start()
    assert asked.wait(10)
    assert service.reply("a", Reply.REJECT, message="not now")
    thread.join(10)
    assert outcome == ["not now"]


SESSIONS, REQUESTS = 50, 1_000


@pytest.mark.slow
def test_a_thousand_requests_of_fifty_sessions_none_lost_none_answered_twice() -> None:
    rng = random.Random(6)
    kinds = [rng.choice(("once", "always", "reject", "cancel", "timeout")) for _ in range(REQUESTS)]

    async def run(service: Permissions) -> Counter[str]:
        ends: Counter[str] = Counter()

        def note(event: Event) -> None:
            if not isinstance(event, Asked):
                ends[event.request_id] += 1

        unsubscribe = service.subscribe(note)

        async def one(number: int) -> str:
            request = bash(f"tool{number % 7} x", session=f"s{number % SESSIONS}", always=(f"tool{number % 7} *",))
            try:
                await service.ask(request, timeout_s=0.05 if kinds[number] == "timeout" else 60)
            except TimedOutError:
                return "timeout"
            except RejectedError:
                return "rejected"
            except asyncio.CancelledError:
                return "cancelled"
            return "granted"

        tasks = [asyncio.create_task(one(number)) for number in range(REQUESTS)]
        await asyncio.sleep(0)
        waiting = list(service.pending())
        assert len(waiting) == REQUESTS
        order = list(range(REQUESTS))
        rng.shuffle(order)
        for number in order:
            kind = kinds[number]
            if kind == "cancel":
                tasks[number].cancel()
            elif kind != "timeout":
                service.reply(waiting[number].id, Reply(kind))
            if number % 10 == 0:
                await asyncio.sleep(0)
        outcomes = Counter(await asyncio.wait_for(asyncio.gather(*tasks), 30))
        assert service.pending() == ()
        assert all(count == 1 for count in ends.values())
        assert set(ends) == {request.id for request in waiting}
        for session in range(SESSIONS):
            granted = {rule.pattern for rule in service.approved(f"s{session}")}
            possible = {f"tool{number % 7} *" for number in range(session, REQUESTS, SESSIONS)}
            assert granted <= possible
            service.end_session(f"s{session}")
        unsubscribe()
        return outcomes

    service = Permissions()
    outcomes = asyncio.run(run(service))
    assert outcomes.total() == REQUESTS
    assert set(outcomes) == {"granted", "rejected", "cancelled", "timeout"}

    gc.collect()
    tracemalloc.start()
    try:
        asyncio.run(run(service))
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        asyncio.run(run(service))
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after - before < 100_000  # a thousand requests leave nothing behind
