"""What an arbiter holds does not grow with what it has decided: it remembers so many calls, and of the rest nothing."""

import gc
import json
import sys

import pytest

from execpolicy.core.decision import Decision
from execpolicy.protocol import decisions
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.codec import parse_line
from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.messages import ToolRequest, ToolResult
from tests.support.each import slow_ones

GENERATION = 500


class Alternating:
    """Allows every second call."""

    def decide(self, request: ToolRequest) -> Ruling:
        return Ruling(decision=Decision.ALLOW if int(request.id) % 2 else Decision.FORBIDDEN, reason="a test")


def event(**values: object) -> ToolRequest | ToolResult:
    read = parse_line(json.dumps({"v": 1, "ts": 0, **values}).encode())
    assert isinstance(read, ToolRequest | ToolResult)
    return read


@pytest.mark.parametrize("nonces", slow_ones([False, True], [False]))
def test_as_much_is_held_after_many_generations_as_after_a_few(monkeypatch: pytest.MonkeyPatch, nonces: bool) -> None:
    monkeypatch.setattr(decisions.CallTable.__init__, "__kwdefaults__", {"remembered": GENERATION})
    monkeypatch.setattr("execpolicy.protocol.arbiter.REMEMBERED", GENERATION)
    arbiter = Arbiter(Alternating(), send=lambda message: None, abort=lambda code, text: pytest.fail(text))
    held: list[int] = []
    for number in range(1_000_000, 1_000_000 + 20 * GENERATION):
        nonce = {"nonce": f"a nonce of some length {number}"} if nonces else {}
        command = {"command": f"build {number}"}
        arbiter.receive(
            event(type="tool.request", id=str(number), tool="shell", args=command, requires_policy=True, **nonce)
        )
        if number % 4 == 1:
            arbiter.receive(event(type="tool.result", id=str(number), ok=True))
        if number % GENERATION == GENERATION - 1:
            gc.collect()
            held.append(sys.getallocatedblocks())
    assert len(arbiter.calls) == 0
    assert max(held[10:]) < max(held[2:10]) + GENERATION / 5
