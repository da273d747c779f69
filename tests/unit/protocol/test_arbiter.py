"""The arbiter without processes: states, duplicates, time-outs, audit (seed 004, sections 4 to 8)."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.core.decision import Decision
from execpolicy.errors import RuleStoreError
from execpolicy.permissions.audit import MemoryAudit
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.codec import MessageError, parse_message
from execpolicy.protocol.decisions import CallState, Ruling
from execpolicy.protocol.messages import (
    AbortCode,
    ArbiterOptions,
    Control,
    PolicyDecision,
    PolicyPing,
    ToolProgress,
    ToolRequest,
    ToolResult,
)

RULINGS = {
    "allow": Ruling(decision=Decision.ALLOW, reason="fine", rule_id="r1", constraints={"paths": ["/x"]}),
    "deny": Ruling(decision=Decision.FORBIDDEN, reason="no", rule_id="r2"),
    "ask": Ruling(decision=Decision.PROMPT, reason="hm"),
    "grave": Ruling(decision=Decision.PROMPT, reason="danger", grave=True),
    "once": Ruling(decision=Decision.PROMPT, reason="production", grave=True, once=True),
}


class ToolDecider:
    """The tool's name is the ruling."""

    def decide(self, request: ToolRequest, /) -> Ruling:
        return RULINGS[request.tool]


class Person:
    """Answers what it is told to, after ``gate`` opens."""

    def __init__(self, *answers: Answer | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.open = 0
        self.most_open = 0
        self.gate = asyncio.Event()

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> Answer:
        self.asked.append(request.id)
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        try:
            await self.gate.wait()
        finally:
            self.open -= 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Desk:
    """An arbiter with both ends in lists."""

    def __init__(self, *, person: Person | None = None, keeper: Any = None, audit: Any = None, **options: Any) -> None:
        self.sent: list[Control] = []
        self.aborts: list[tuple[AbortCode, str]] = []
        self.warnings: list[str] = []
        self.audit = audit if audit is not None else MemoryAudit()
        self.arbiter = Arbiter(
            ToolDecider(),
            send=self.sent.append,
            abort=lambda code, reason: self.aborts.append((code, reason)),
            warn=self.warnings.append,
            asker=person,
            keeper=keeper,
            audit=self.audit,
            options=ArbiterOptions(**options),
        )

    def request(self, tool: str, id: str = "t", *, waits: bool = True, **fields: Any) -> None:
        self.arbiter.receive(ToolRequest(id=id, ts=0, tool=tool, requires_policy=waits, **fields))

    def result(self, id: str = "t", *, ok: bool = True) -> None:
        self.arbiter.receive(ToolResult(id=id, ts=0, ok=ok))

    def decisions(self) -> list[tuple[str, str, str]]:
        return [(m.id, m.decision.value, m.reason) for m in self.sent if isinstance(m, PolicyDecision)]

    def state(self, id: str = "t") -> CallState | None:
        call = self.arbiter.calls.get(id)
        return call.state if call is not None else None


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(scenario(), 20)

    asyncio.run(bounded())


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_6_1_allowed_and_completed() -> None:
    desk = Desk(expires_in_ms=60_000)
    desk.request("allow", run_id="r-9", nonce="n1")
    assert desk.state() is CallState.ALLOWED
    [decision] = desk.sent
    assert isinstance(decision, PolicyDecision)
    assert (decision.id, decision.decision, decision.reason) == ("t", "allow", "fine")
    assert (decision.rule_id, decision.constraints, decision.expires_in_ms) == ("r1", {"paths": ["/x"]}, 60_000)
    assert (decision.run_id, decision.request_nonce) == ("r-9", "n1")
    desk.result()
    assert desk.state() is CallState.COMPLETED
    assert (desk.aborts, desk.warnings) == ([], [])


def test_6_1_denied_and_completed() -> None:
    desk = Desk(run_id="mine", expires_in_ms=5)
    desk.request("deny")
    assert desk.state() is CallState.DENIED
    [decision] = desk.sent
    assert isinstance(decision, PolicyDecision)
    assert (decision.decision, decision.rule_id, decision.expires_in_ms) == ("deny", "r2", None)
    assert (decision.run_id, decision.constraints) == ("mine", None)
    desk.result(ok=False)
    assert desk.state() is CallState.COMPLETED
    assert desk.aborts == []


def test_4_2_a_question_that_nobody_answers_in_time_is_denied_and_a_late_answer_does_nothing() -> None:
    async def scenario() -> None:
        person = Person(Answer(AnswerKind.APPROVE))
        desk = Desk(person=person, timeout_s=0.01)
        desk.request("ask")
        assert desk.state() is CallState.PENDING
        await desk.arbiter.idle()
        assert desk.state() is CallState.DENIED_TIMEOUT
        assert desk.decisions() == [("t", "deny", "policy timeout")]
        person.gate.set()
        await settle()
        assert desk.decisions() == [("t", "deny", "policy timeout")]
        assert desk.arbiter.counters.timed_out == 1

    run(scenario)


def test_6_1_a_failed_transport_fails_what_is_pending() -> None:
    async def scenario() -> None:
        desk = Desk(person=Person())
        desk.request("ask", "a")
        desk.request("ask", "b")
        await settle()
        desk.arbiter.transport_failed("the pipe is closed")
        assert (desk.state("a"), desk.state("b")) == (CallState.FAILED_TRANSPORT,) * 2
        assert desk.decisions() == []
        await desk.arbiter.idle()

    run(scenario)


def test_6_1_the_same_request_again_is_ignored_while_its_call_is_open() -> None:
    async def scenario() -> None:
        desk = Desk(person=Person())
        for _ in range(3):
            desk.request("ask", "a", args={"x": 1})
        desk.request("allow", "b")
        desk.request("allow", "b")
        assert desk.arbiter.counters.repeated == 3
        assert desk.decisions() == [("b", "allow", "fine")]
        await desk.arbiter.close()

    run(scenario)


def test_an_id_that_comes_back_with_something_else_is_denied() -> None:
    async def scenario() -> None:
        desk = Desk(person=Person())
        desk.request("allow", "a", args={"command": "ls"})
        desk.request("allow", "a", args={"command": "rm"})
        desk.request("ask", "b", args={"x": 1})
        desk.request("ask", "b", args={"x": 2})
        desk.request("allow", "c")
        desk.result("c")
        desk.request("allow", "c")
        assert desk.decisions() == [
            ("a", "allow", "fine"),
            ("a", "deny", "the id was used before"),
            ("b", "deny", "the id was used before"),
            ("c", "allow", "fine"),
            ("c", "deny", "the id was used before"),
        ]
        assert desk.arbiter.counters.reused == 3
        await desk.arbiter.idle()

    run(scenario)


def test_3_1_a_nonce_that_comes_back_is_a_replay() -> None:
    desk = Desk()
    desk.request("allow", "a", nonce="n")
    desk.request("allow", "b", nonce="n")
    assert desk.decisions() == [("a", "allow", "fine"), ("b", "deny", "the nonce was used before")]
    nonces = [message.nonce for message in desk.sent]
    assert len(set(nonces)) == len(nonces)
    assert None not in nonces


def test_a_result_for_an_unknown_id_is_warned_about() -> None:
    desk = Desk()
    desk.result("never asked")
    assert desk.arbiter.counters.unknown_ids == 1
    assert desk.warnings == ["a result for the unknown id `never asked`"]
    assert desk.aborts == []


@pytest.mark.parametrize("tool", ["deny", "ask"])
def test_a_call_that_ran_although_it_was_not_allowed_ends_the_session(tool: str) -> None:
    async def scenario() -> None:
        desk = Desk(person=Person())
        desk.request(tool)
        desk.result(ok=True)
        assert [code for code, _ in desk.aborts] == [AbortCode.POLICY_VIOLATION]
        desk.request("allow", "later")
        assert desk.state("later") is None
        await desk.arbiter.close()

    run(scenario)


def test_a_child_that_gives_up_waiting_withdraws_the_question() -> None:
    async def scenario() -> None:
        person = Person(Answer(AnswerKind.APPROVE))
        desk = Desk(person=person)
        desk.request("ask")
        await settle()
        assert person.open == 1
        desk.result(ok=False)
        await desk.arbiter.idle()
        assert (person.open, desk.decisions(), desk.aborts) == (0, [], [])

    run(scenario)


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        (Answer(AnswerKind.APPROVE), ("t", "allow", "approved by the user")),
        (Answer(AnswerKind.APPROVE_SESSION), ("t", "allow", "approved by the user for the session")),
        (Answer(AnswerKind.DENY), ("t", "deny", "denied by the user")),
        (Answer(AnswerKind.DENY, "use make"), ("t", "deny", "denied by the user: use make")),
        (Answer(AnswerKind.ABORT), ("t", "deny", "denied by the user")),
        (Answer(AnswerKind.UNAVAILABLE), ("t", "deny", "no one can be asked: hm")),
        (RuntimeError("boom"), ("t", "deny", "denied by the user: the question could not be put")),
    ],
)
def test_7_what_a_person_answers(answer: Answer | Exception, decision: tuple[str, str, str]) -> None:
    async def scenario() -> None:
        person = Person(answer)
        person.gate.set()
        desk = Desk(person=person)
        desk.request("ask")
        await desk.arbiter.idle()
        assert desk.decisions() == [decision]
        aborted = isinstance(answer, Answer) and answer.kind is AnswerKind.ABORT
        assert [code for code, _ in desk.aborts] == ([AbortCode.USER_CANCEL] if aborted else [])

    run(scenario)


def test_session_approval_answers_exactly_the_same_call() -> None:
    async def scenario() -> None:
        person = Person(Answer(AnswerKind.APPROVE_SESSION), Answer(AnswerKind.DENY))
        person.gate.set()
        desk = Desk(person=person)
        desk.request("ask", "a", args={"x": 1})
        await desk.arbiter.idle()
        desk.request("ask", "b", args={"x": 1})
        desk.request("ask", "c", args={"x": 1, "y": 2})
        await desk.arbiter.idle()
        assert [(id, word) for id, word, _ in desk.decisions()] == [("a", "allow"), ("b", "allow"), ("c", "deny")]
        assert person.asked == ["a", "c"]
        assert desk.arbiter.counters.by == {"user": 2, "session": 1}

    run(scenario)


def test_what_an_administrator_wants_answered_each_time_is_asked_each_time() -> None:
    async def scenario() -> None:
        person = Person(Answer(AnswerKind.APPROVE_SESSION), Answer(AnswerKind.DENY))
        person.gate.set()
        desk = Desk(person=person)
        for name in ("a", "b"):
            desk.request("once", name, args={"x": 1})
            await desk.arbiter.idle()
        assert [(id, word) for id, word, _ in desk.decisions()] == [("a", "allow"), ("b", "deny")]
        assert person.asked == ["a", "b"]

    run(scenario)


def test_an_answer_settles_the_other_questions_that_it_answers() -> None:
    """As an *always* does: the same call for the session, and what the policy allows once a rule is kept."""

    async def scenario() -> None:
        person = Person(Answer(AnswerKind.APPROVE_SESSION), Answer(AnswerKind.DENY))
        desk = Desk(person=person)
        desk.request("ask", "a", args={"x": 1})
        desk.request("ask", "b", args={"x": 2})
        desk.request("ask", "c", args={"x": 1})
        await settle()
        person.gate.set()
        await desk.arbiter.idle()
        assert person.asked == ["a", "b"]
        assert [(id, word) for id, word, _ in desk.decisions()] == [("a", "allow"), ("c", "allow"), ("b", "deny")]

    run(scenario)


def test_a_kept_prefix_goes_to_the_keeper_and_a_failure_is_a_warning() -> None:
    class Keeper:
        def __init__(self) -> None:
            self.kept: list[tuple[str, ...]] = []

        def propose(self, request: ToolRequest, /) -> tuple[str, ...]:
            return ("make", request.id)

        async def keep(self, prefix: tuple[str, ...], /) -> str:
            self.kept.append(prefix)
            if len(self.kept) > 1:
                raise RuleStoreError("the file is read-only")
            return "saved"

    async def scenario() -> None:
        person = Person(Answer(AnswerKind.APPROVE_RULE), Answer(AnswerKind.APPROVE_RULE))
        person.gate.set()
        keeper = Keeper()
        desk = Desk(person=person, keeper=keeper)
        desk.request("ask", "a", args={"x": 1})
        desk.request("ask", "b", args={"x": 2})
        await desk.arbiter.idle()
        assert keeper.kept == [("make", "a"), ("make", "b")]
        assert [word for _, word, _ in desk.decisions()] == ["allow", "allow"]
        assert desk.warnings == ["saved", "the rule could not be saved: the file is read-only"]

    run(scenario)


def test_questions_are_put_one_at_a_time_and_decisions_do_not_wait_for_them() -> None:
    async def scenario() -> None:
        person = Person(*[Answer(AnswerKind.APPROVE)] * 5)
        desk = Desk(person=person)
        for number in range(5):
            desk.request("ask", f"q{number}", args={"n": number})
        await settle()
        desk.request("allow", "quick")
        assert desk.decisions() == [("quick", "allow", "fine")]
        assert person.asked == ["q0"]
        person.gate.set()
        await desk.arbiter.idle()
        assert person.asked == [f"q{number}" for number in range(5)]
        assert person.most_open == 1

    run(scenario)


@pytest.mark.parametrize(
    ("default", "tool", "decision"),
    [
        ("deny", "ask", ("t", "deny", "no one can be asked: hm")),
        ("allow", "ask", ("t", "allow", "allowed by default: no one can be asked")),
        ("allow", "grave", ("t", "deny", "no one can be asked: danger")),
        ("allow", "deny", ("t", "deny", "no")),
    ],
)
def test_7_nobody_to_ask(default: str, tool: str, decision: tuple[str, str, str]) -> None:
    desk = Desk(default_action=default)
    desk.request(tool)
    assert desk.decisions() == [decision]


@pytest.mark.parametrize(("tool", "aborts"), [("allow", 0), ("deny", 1), ("ask", 0)])
@pytest.mark.parametrize("unwaited", ["warn", "abort"])
def test_8_1_a_child_that_does_not_wait_is_warned_about_or_aborted(tool: str, aborts: int, unwaited: str) -> None:
    desk = Desk(person=Person(), unwaited=unwaited)
    desk.request(tool, waits=False)
    assert desk.sent == []
    assert len(desk.aborts) == (aborts if unwaited == "abort" else 0)
    assert bool(desk.warnings) is (tool != "allow")
    desk.result(ok=True)
    assert len(desk.aborts) == (aborts if unwaited == "abort" else 0)
    assert [entry["event"] for entry in desk.audit.entries][:2] == ["request", "decision"]


def broken(body: dict[str, Any]) -> MessageError:
    with pytest.raises(MessageError) as caught:
        parse_message(body)
    return caught.value


def test_8_2_parse_errors_are_counted_and_too_many_end_the_session() -> None:
    desk = Desk(max_parse_errors=3)
    for _ in range(2):
        desk.arbiter.broken_line(broken({"type": "tool.result"}))
    assert desk.aborts == []
    desk.arbiter.broken_line(broken({"type": "tool.result"}))
    assert [code for code, _ in desk.aborts] == [AbortCode.PROTOCOL_ERROR]
    lenient = Desk(max_parse_errors=0)
    for _ in range(1_000):
        lenient.arbiter.broken_line(broken({"type": "tool.result"}))
    assert (lenient.aborts, lenient.arbiter.counters.parse_errors) == ([], 1_000)


def test_a_broken_request_that_waits_is_denied_and_does_not_hang() -> None:
    desk = Desk()
    desk.arbiter.broken_line(broken({"v": 2, "ts": 0, "type": "tool.request", "id": "t", "requires_policy": True}))
    desk.arbiter.broken_line(broken({"type": "tool.request", "id": "u", "requires_policy": False}))
    [(id, word, reason)] = desk.decisions()
    assert (id, word) == ("t", "deny")
    assert "version 2 is not supported" in reason


def test_a_broken_request_with_names_that_nobody_keeps_is_denied() -> None:
    desk = Desk()
    wrong = {"type": "tool.request", "id": "t" * 600, "run_id": "r" * 600, "nonce": "n" * 600, "requires_policy": True}
    desk.arbiter.broken_line(broken(wrong))
    [(id, word, _)] = desk.decisions()
    assert (id, word) == ("t" * 512, "deny")


def test_a_failing_policy_denies() -> None:
    desk = Desk()
    desk.request("no such ruling")
    assert desk.decisions() == [("t", "deny", "the policy failed")]


def test_too_many_waiting_requests_are_denied() -> None:
    async def scenario() -> None:
        desk = Desk(person=Person(), max_pending=2)
        for number in range(4):
            desk.request("ask", str(number))
        assert [(id, word) for id, word, _ in desk.decisions()] == [("2", "deny"), ("3", "deny")]
        await desk.arbiter.close()

    run(scenario)


def test_large_requests_do_not_pile_up() -> None:
    async def scenario() -> None:
        desk = Desk(person=Person())
        for number in range(70):
            desk.request("ask", str(number), args={"n": number, "text": "x" * (1 << 20)})
        assert {word for _, word, _ in desk.decisions()} == {"deny"}
        assert 5 <= len(desk.decisions()) <= 8
        await desk.arbiter.close()
        assert desk.arbiter.calls.pending_size == 0

    run(scenario)


def test_ask_can_be_left_to_the_host() -> None:
    async def scenario() -> None:
        desk = Desk(ask_host=True, timeout_s=0.01)
        desk.request("ask", "a")
        desk.request("ask", "b", args={"x": 1})
        desk.result("a", ok=True)
        await desk.arbiter.idle()
        assert [(id, word) for id, word, _ in desk.decisions()] == [("a", "ask"), ("b", "ask"), ("b", "deny")]
        assert desk.aborts == []

    run(scenario)


def test_pings_say_what_the_two_sides_speak() -> None:
    desk = Desk(timeout_s=300.0)
    desk.arbiter.receive(PolicyPing(id="p", ts=0, capabilities=("policy.decision.v1",)))
    [ping] = desk.sent
    assert isinstance(ping, PolicyPing)
    assert (ping.timeout_ms, "policy.decision.v1" in ping.capabilities) == (300_000, True)
    desk.arbiter.receive(PolicyPing(id="p", ts=0, capabilities=("policy.decision.v7",)))
    assert [code for code, _ in desk.aborts] == [AbortCode.PROTOCOL_ERROR]


def test_abort_denies_what_waits_first() -> None:
    async def scenario() -> None:
        desk = Desk(person=Person())
        desk.request("ask")
        await settle()
        desk.arbiter.abort(AbortCode.FATAL_ERROR, "stop")
        desk.arbiter.abort(AbortCode.FATAL_ERROR, "stop again")
        assert desk.decisions() == [("t", "deny", "the session is aborted: stop")]
        assert desk.aborts == [(AbortCode.FATAL_ERROR, "stop")]
        await desk.arbiter.idle()

    run(scenario)


def test_5_the_audit_trail_says_who_decided_what_and_how_long_it_took() -> None:
    desk = Desk(run_id="r")
    desk.request("deny", args={"command": "curl -u me:hunter2 x", "token": "hunter2"})
    desk.result(ok=False)
    desk.arbiter.receive(ToolProgress(id="p", ts=0, message="x"))
    request, decision, result, progress = desk.audit.entries
    assert (request["event"], request["id"], request["run_id"]) == ("request", "t", "r")
    assert request["args"] == {"command": "curl -u me:[redacted] x", "token": "[redacted]"}
    assert (decision["decision"], decision["by"], decision["reason"], decision["rule_id"]) == (
        "denied",
        "policy",
        "no",
        "r2",
    )
    assert decision["duration_ms"] >= 0
    assert (result["event"], result["ok"], progress["event"]) == ("result", False, "progress")


def test_what_cannot_be_audited_is_not_allowed() -> None:
    class Full:
        def __init__(self, failing: str) -> None:
            self.failing = failing

        def write(self, entry: Mapping[str, Any], /) -> None:
            if entry["event"] == self.failing:
                raise OSError("disk full")

    for failing in ("request", "decision"):
        desk = Desk(audit=Full(failing))
        desk.request("allow")
        assert [word for _, word, _ in desk.decisions()] == ["deny"]
        assert desk.state() is CallState.DENIED


def test_warnings_cannot_drive_the_terminal() -> None:
    desk = Desk()
    desk.result("\x1b[2J\n")
    assert desk.warnings == ["a result for the unknown id `\\u{1b}[2J\\u{a}`"]


class ArbiterMachine(RuleBasedStateMachine):
    """Whatever a child says: at most one decision for each call, never *allow* for what was not allowed."""

    IDS = ("a", "b", "c")

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk(max_parse_errors=0)
        self.first: dict[str, tuple[str, int]] = {}
        self.completed: set[str] = set()

    @rule(id=st.sampled_from(IDS), tool=st.sampled_from(["allow", "deny", "ask"]), x=st.integers(0, 1))
    def request(self, id: str, tool: str, x: int) -> None:
        before = self.desk.decisions()
        self.desk.request(tool, id, args={"x": x})
        new = self.desk.decisions()[len(before) :]
        if self.desk.aborts:
            assert new == []
        elif id not in self.first:
            self.first[id] = (tool, x)
            assert [(one, word) for one, word, _ in new] == [(id, "allow" if tool == "allow" else "deny")]
        elif self.first[id] == (tool, x) and id not in self.completed:
            assert new == []
        else:
            assert [(one, word) for one, word, _ in new] == [(id, "deny")]

    @rule(id=st.sampled_from((*IDS, "unknown")), ok=st.booleans())
    def result(self, id: str, ok: bool) -> None:
        allowed = self.first.get(id, ("", 0))[0] == "allow"
        violates = id in self.first and not allowed and ok and id not in self.completed
        over = bool(self.desk.aborts)
        self.desk.result(id, ok=ok)
        if not over:
            assert bool(self.desk.aborts) is violates
            if id in self.first:
                self.completed.add(id)

    @invariant()
    def only_what_was_allowed_is_allowed(self) -> None:
        allowed = [id for id, word, _ in self.desk.decisions() if word == "allow"]
        assert len(allowed) == len(set(allowed))
        assert all(self.first[id][0] == "allow" for id in allowed)
        assert len(self.desk.arbiter.calls) == 0


TestArbiterMachine = ArbiterMachine.TestCase
TestArbiterMachine.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


def test_whoever_holds_up_the_loop_answers_too_late() -> None:
    class Blocking:
        async def ask(self, request: ToolRequest, ruling: Ruling, /) -> Answer:
            time.sleep(0.1)
            return Answer(AnswerKind.APPROVE)

    async def scenario() -> None:
        desk = Desk(person=Blocking(), timeout_s=0.03)  # type: ignore[arg-type]  # an asker all the same
        desk.request("ask")
        await desk.arbiter.idle()
        assert desk.decisions() == [("t", "deny", "policy timeout")]
        assert desk.state() is CallState.DENIED_TIMEOUT

    run(scenario)
