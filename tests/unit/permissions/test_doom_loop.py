"""Doom loops (seed 002, "Doom Loop Detection")."""

import asyncio

import pytest

from execpolicy.errors import UsageError
from execpolicy.permissions.request import Asked, Event, Reply
from execpolicy.permissions.ruleset import AGENT_DEFAULTS, Action, PermissionRule
from execpolicy.permissions.service import Permissions
from execpolicy.permissions.tool_use import DoomLoops


def cycles_found(calls: str, *, longest_cycle: int = 1, threshold: int = 3) -> list[int | None]:
    loops = DoomLoops(longest_cycle=longest_cycle, threshold=threshold)
    found = [loops.record("s", call, {"x": call}) for call in calls]
    return [loop.cycle if loop is not None else None for loop in found]


@pytest.mark.parametrize(
    ("calls", "longest", "expected"),
    [
        ("aa", 1, [None, None]),
        ("aaa", 1, [None, None, 1]),
        ("aaaa", 1, [None, None, 1, 1]),
        ("aabaa", 1, [None] * 5),
        ("aabaaa", 1, [None] * 5 + [1]),
        ("ababab", 1, [None] * 6),
        ("ababab", 2, [None] * 5 + [2]),
        ("abababa", 2, [None] * 5 + [2, 2]),
        ("abcabcabc", 2, [None] * 9),
        ("abcabcabc", 3, [None] * 8 + [3]),
        ("aaaaaa", 3, [None, None, 1, 1, 1, 1]),
        ("abcababc", 3, [None] * 8),
    ],
)
def test_three_equal_runs_are_a_loop(calls: str, longest: int, expected: list[int | None]) -> None:
    assert cycles_found(calls, longest_cycle=longest) == expected


def test_the_input_counts_and_the_order_of_its_keys_does_not() -> None:
    loops = DoomLoops()
    assert loops.record("s", "bash", {"a": 1, "b": [1]}) is None
    assert loops.record("s", "bash", {"b": [1], "a": 1}) is None
    assert loops.record("s", "bash", {"b": [2], "a": 1}) is None
    assert loops.record("s", "bash", {"b": [1], "a": 1}) is None
    assert loops.record("s", "bash", {"b": [1], "a": 1}) is None
    assert loops.record("s", "bash", {"a": 1, "b": [1]}) is not None


def test_an_input_that_is_not_json_counts_too() -> None:
    loops = DoomLoops()
    assert [loops.record("s", "x", {"a": {1}, 2: b"y"}) is not None for _ in range(3)] == [False, False, True]


def test_sessions_and_interruptions_count_apart() -> None:
    loops = DoomLoops()
    for session in ("a", "b", "a", "b"):
        assert loops.record(session, "bash", {}) is None
    loops.interrupt("a")
    assert loops.record("a", "bash", {}) is None
    assert loops.record("b", "bash", {}) is not None


@pytest.mark.parametrize("wrong", [{"threshold": 1}, {"longest_cycle": 0}])
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        DoomLoops(**wrong)


def test_a_loop_is_the_permission_doom_loop_and_goes_through_the_same_rules() -> None:
    async def run() -> None:
        loops, service = DoomLoops(), Permissions()
        asked: list[Event] = []

        def answer(event: Event) -> None:
            asked.append(event)
            if isinstance(event, Asked):
                service.reply(event.request.id, Reply.ALWAYS)

        service.subscribe(answer)
        loop = [loops.record("s", "bash", {"command": "ls"}) for _ in range(3)][-1]
        assert loop is not None
        await service.ask(loop.request("s"), ruleset=AGENT_DEFAULTS)
        request = asked[0].request if isinstance(asked[0], Asked) else None
        assert request is not None
        assert (request.permission, request.patterns, request.always) == ("doom_loop", ("bash",), ("bash",))
        assert request.metadata["input"] == {"command": "ls"}
        assert service.approved("s") == (PermissionRule("doom_loop", "bash", Action.ALLOW),)
        await service.ask(loop.request("s"), ruleset=AGENT_DEFAULTS)
        assert len(asked) == 2  # asked and replied once: the second one was answered by "always"

    asyncio.run(run())
