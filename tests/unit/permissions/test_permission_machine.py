"""The service against a small model: no request answered twice, none forgotten, no leak between sessions."""

from concurrent.futures import Future
from threading import Thread

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from execpolicy.permissions.request import Asked, Event, PermissionRequest, Replied, Reply
from execpolicy.permissions.ruleset import Action, PermissionRule, evaluate
from execpolicy.permissions.service import CorrectedError, DeniedError, Permissions, RejectedError

SESSIONS = ("a", "b", "c")
COMMANDS = ("ls", "ls x", "make", "rm x")
ALWAYS = ("ls *", "make", "*")
RULES = (
    PermissionRule("bash", "rm *", Action.DENY),
    PermissionRule("bash", "make", Action.ALLOW),
    PermissionRule("bash", "ls", Action.ASK),
)


class PermissionMachine(RuleBasedStateMachine):
    """Requests wait on threads; the model knows which, and how each must end."""

    def __init__(self) -> None:
        super().__init__()
        self.service = Permissions()
        self.ended: list[str] = []
        self.asked: list[str] = []
        self.service.subscribe(self.note)
        self.waiting: dict[str, tuple[PermissionRequest, tuple[PermissionRule, ...], Future[str], Thread]] = {}
        self.approved: dict[str, list[PermissionRule]] = {session: [] for session in SESSIONS}
        self.number = 0

    def note(self, event: Event) -> None:
        if isinstance(event, Asked):
            self.asked.append(event.request.id)
        elif isinstance(event, Replied):
            self.ended.append(event.request_id)

    def expected(self, request: PermissionRequest, ruleset: tuple[PermissionRule, ...]) -> Action:
        actions = []
        for pattern in request.patterns:
            action = evaluate("bash", pattern, ruleset).action
            if action is Action.ASK:
                action = evaluate("bash", pattern, self.approved[request.session_id]).action
            actions.append(action)
        return next((action for action in (Action.DENY, Action.ASK) if action in actions), Action.ALLOW)

    @rule(
        session=st.sampled_from(SESSIONS),
        commands=st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=2),
        always=st.lists(st.sampled_from(ALWAYS), max_size=2),
        ruleset=st.lists(st.sampled_from(RULES), max_size=3).map(tuple),
    )
    def ask(self, session: str, commands: list[str], always: list[str], ruleset: tuple[PermissionRule, ...]) -> None:
        self.number += 1
        request = PermissionRequest(
            session_id=session,
            permission="bash",
            patterns=tuple(commands),
            always=tuple(always),
            id=f"per_{self.number}",
        )
        expected = self.expected(request, ruleset)
        outcome: Future[str] = Future()

        def run() -> None:
            try:
                self.service.ask_sync(request, ruleset=ruleset, timeout_s=30)
                outcome.set_result("granted")
            except CorrectedError as refusal:
                outcome.set_result(refusal.feedback)
            except (RejectedError, DeniedError) as refusal:
                outcome.set_result(type(refusal).__name__)

        thread = Thread(target=run)
        asked = len(self.asked)
        thread.start()
        if expected is Action.ASK:
            while len(self.asked) == asked and thread.is_alive():
                thread.join(0.0005)
            assert self.asked[asked:] == [request.id]
            self.waiting[request.id] = (request, ruleset, outcome, thread)
        else:
            thread.join(30)
            assert outcome.result(0) == ("granted" if expected is Action.ALLOW else "DeniedError")
            assert len(self.asked) == asked

    def ends(self, id: str, how: str) -> None:
        _, _, outcome, thread = self.waiting.pop(id)
        thread.join(30)
        assert outcome.result(0) == how
        assert self.ended.count(id) == 1

    @precondition(lambda self: self.waiting)
    @rule(data=st.data(), reply=st.sampled_from(Reply), message=st.sampled_from([None, "do this"]))
    def reply(self, data: st.DataObject, reply: Reply, message: str | None) -> None:
        id = data.draw(st.sampled_from(sorted(self.waiting)))
        request = self.waiting[id][0]
        assert self.service.reply(id, reply, message=message)
        others = [other for other in self.waiting if other != id]
        same = [other for other in others if self.waiting[other][0].session_id == request.session_id]
        if reply is Reply.REJECT:
            self.ends(id, message or "RejectedError")
            for other in same:
                self.ends(other, "RejectedError")
            return
        self.ends(id, "granted")
        if reply is Reply.ALWAYS:
            self.approved[request.session_id] += [
                PermissionRule("bash", pattern, Action.ALLOW) for pattern in request.always
            ]
            for other in same:
                if self.expected(*self.waiting[other][:2]) is Action.ALLOW:
                    self.ends(other, "granted")

    @rule(number=st.integers(0, 40))
    def reply_to_nobody(self, number: int) -> None:
        id = f"per_{number}"
        if id not in self.waiting:
            assert not self.service.reply(id, Reply.ALWAYS)

    @rule(session=st.sampled_from(SESSIONS))
    def end_session(self, session: str) -> None:
        self.service.end_session(session)
        self.approved[session] = []
        for id in [id for id, entry in self.waiting.items() if entry[0].session_id == session]:
            self.ends(id, "RejectedError")

    @invariant()
    def nothing_is_forgotten(self) -> None:
        assert [request.id for request in self.service.pending()] == list(self.waiting)
        for session in SESSIONS:
            assert set(self.service.approved(session)) == set(self.approved[session])

    def teardown(self) -> None:
        for session in SESSIONS:
            self.end_session(session)


TestPermissionMachine = PermissionMachine.TestCase
TestPermissionMachine.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
