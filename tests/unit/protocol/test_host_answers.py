"""``policy.answer``: a host says what the person answered whom it asked."""

import asyncio
from typing import Any

import pytest

from execpolicy.protocol.decisions import CallState
from execpolicy.protocol.messages import AbortCode, Choice, PolicyAnswer, PolicyDecision, PolicyPing, ToolRequest
from tests.unit.protocol.test_arbiter import Desk, run, settle


def answer(desk: Desk, choice: str, id: str = "t", **fields: Any) -> None:
    desk.arbiter.receive(PolicyAnswer(id=id, ts=0, answer=Choice(choice), **fields))


@pytest.mark.parametrize(
    ("choice", "word", "state"),
    [
        ("once", "allow", CallState.ALLOWED),
        ("session", "allow", CallState.ALLOWED),
        ("deny", "deny", CallState.DENIED),
        ("unavailable", "deny", CallState.DENIED),
        ("keep", "deny", CallState.DENIED),  # nothing was offered to be kept
        ("abort", "deny", CallState.DENIED),
    ],
)
def test_an_answer_settles_the_call(choice: str, word: str, state: CallState) -> None:
    async def scenario() -> None:
        desk = Desk(ask_host=True)
        desk.request("ask", nonce="n")
        answer(desk, choice)
        await desk.arbiter.idle()
        assert [(id, said) for id, said, _ in desk.decisions()] == [("t", "ask"), ("t", word)]
        assert desk.state() is state
        assert [code for code, _ in desk.aborts] == ([AbortCode.USER_CANCEL] if choice == "abort" else [])

    run(scenario)


def test_the_same_answer_again_changes_nothing_and_another_one_comes_too_late() -> None:
    async def scenario() -> None:
        desk = Desk(ask_host=True)
        desk.request("ask")
        for _ in range(3):
            answer(desk, "once")
        assert (len(desk.decisions()), desk.warnings, desk.arbiter.counters.repeated) == (2, [], 2)
        answer(desk, "deny")
        assert (len(desk.decisions()), desk.state()) == (2, CallState.ALLOWED)
        assert desk.warnings == ["the answer about request `t` came too late"]

    run(scenario)


def test_an_answer_to_nothing_grants_nothing() -> None:
    async def scenario() -> None:
        desk = Desk(ask_host=True)
        answer(desk, "once")
        desk.request("ask")
        assert [word for _, word, _ in desk.decisions()] == ["ask"]
        desk.request("deny", "d")
        answer(desk, "once", "d")
        assert desk.state("d") is CallState.DENIED
        assert len(desk.warnings) == 2

    run(scenario)


def test_without_a_host_that_asks_nobody_answers_for_the_person() -> None:
    """A child that says `policy.answer` under an arbiter whose person is elsewhere."""
    desk = Desk()
    desk.request("ask")
    desk.request("grave", "g")
    answer(desk, "once")
    answer(desk, "once", "g")
    assert [word for _, word, _ in desk.decisions()] == ["deny", "deny"]
    assert len(desk.warnings) == 2


def test_a_run_that_lasts_longer_than_the_time_for_answers_is_no_violation() -> None:
    async def scenario() -> None:
        desk = Desk(ask_host=True, timeout_s=0.5)
        desk.request("ask")
        answer(desk, "once")
        await asyncio.sleep(0.6)
        desk.result(ok=True)
        assert (desk.aborts, desk.arbiter.counters.timed_out) == ([], 0)
        assert desk.state() is CallState.COMPLETED

    run(scenario)


def test_an_answer_after_its_time_is_none() -> None:
    async def scenario() -> None:
        desk = Desk(ask_host=True, timeout_s=0.01)
        desk.request("ask")
        await desk.arbiter.idle()
        answer(desk, "once")
        assert [word for _, word, _ in desk.decisions()] == ["ask", "deny"]
        assert desk.state() is CallState.DENIED_TIMEOUT

    run(scenario)


def test_for_the_session_covers_the_same_call_and_what_waits_but_not_what_is_for_people_each_time() -> None:
    async def scenario() -> None:
        desk = Desk(ask_host=True)
        desk.request("ask", "a", args={"x": 1})
        desk.request("ask", "b", args={"x": 1})
        answer(desk, "session", "a")
        desk.request("ask", "c", args={"x": 1})
        assert desk.state("b") is desk.state("c") is CallState.ALLOWED
        desk.request("once", "p")
        answer(desk, "session", "p")
        desk.request("once", "q")
        assert (desk.state("p"), desk.state("q")) == (CallState.ALLOWED, CallState.PENDING)
        await desk.arbiter.close()

    run(scenario)


class Keeper:
    """Offers one prefix, and keeps."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, ...]] = []

    def propose(self, request: ToolRequest, /) -> tuple[str, ...]:
        return ("git", "push", "origin")

    async def keep(self, prefix: tuple[str, ...], /) -> str:
        self.kept.append(prefix)
        return "kept"


@pytest.mark.parametrize(
    ("prefix", "kept"),
    [
        (None, ("git", "push", "origin")),
        (("git", "push"), ("git", "push")),
        (("git",), None),  # too broad
        (("git", "pull"), None),
        (("rm",), None),
        (("git", "push", "origin", "main"), None),
    ],
)
def test_only_what_was_offered_can_be_kept(prefix: tuple[str, ...] | None, kept: tuple[str, ...] | None) -> None:
    async def scenario() -> None:
        keeper = Keeper()
        desk = Desk(ask_host=True, keeper=keeper)
        desk.request("ask")
        [asked] = desk.sent
        assert isinstance(asked, PolicyDecision)
        assert asked.proposal == ("git", "push", "origin")
        assert asked.choices == tuple(Choice)
        answer(desk, "keep", prefix=prefix)
        await settle()
        assert keeper.kept == ([] if kept is None else [kept])
        assert desk.state() is (CallState.DENIED if kept is None else CallState.ALLOWED)
        await desk.arbiter.close()

    run(scenario)


def test_the_choices_say_what_may_be_answered() -> None:
    async def scenario() -> None:
        desk = Desk(ask_host=True, keeper=Keeper())
        desk.request("once")
        [asked] = desk.sent
        assert isinstance(asked, PolicyDecision)
        assert (asked.proposal, asked.choices) == (None, (Choice.ONCE, Choice.DENY, Choice.ABORT, Choice.UNAVAILABLE))
        await desk.arbiter.close()

    run(scenario)


def test_a_ping_is_answered_once_with_its_own_id() -> None:
    desk = Desk(ask_host=True)
    first = desk.arbiter.ping()
    desk.arbiter.receive(PolicyPing(id=first.id, ts=0, capabilities=("policy.decision.v1",)))
    assert desk.sent == []  # it answers ours
    for _ in range(2):
        desk.arbiter.receive(PolicyPing(id="p", ts=0, capabilities=("policy.decision.v1",)))
    [ping] = desk.sent
    assert isinstance(ping, PolicyPing)
    assert (ping.id, "policy.answer.v1" in ping.capabilities) == ("p", True)


def test_two_sides_that_answer_answers_fall_silent() -> None:
    desk = Desk()
    for number in range(1_000):
        desk.arbiter.receive(PolicyPing(id=f"p{number}", ts=0, capabilities=("policy.decision.v1",)))
    assert len(desk.sent) < 100
