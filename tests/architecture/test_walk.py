"""The walk of somebody who reads what ``sudo -u bob bash <<EOF`` comes to: no room is entered more than three times.

The facts are carried along: asking them is no visit to another room.
"""

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType, FrameType

import execpolicy
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.unwrap import unwrap
from execpolicy.shell.read import read_script

ROOT = f"{Path(execpolicy.__file__).parent}/"
CARRIED = "flow/facts.py"
MOST = 3


def room(code: CodeType) -> str:
    """The module that ``code`` stands in, ``""`` outside of the package."""
    return code.co_filename.removeprefix(ROOT) if code.co_filename.startswith(ROOT) else ""


def rooms_entered(work: Callable[[], object]) -> list[str]:
    """The modules that ``work`` enters from others, in order; what the reader does inside is one visit to it."""
    entered: list[str] = []
    seen: set[FrameType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or not room(frame.f_code) or frame.f_code.co_name == "<module>" or frame in seen:
            return
        seen.add(frame)  # a generator that goes on is no new visit
        around = frame.f_back
        while around is not None and not room(around.f_code):
            around = around.f_back
        outer = around
        while outer is not None:
            if outer.f_code is read_script.__code__:
                return
            outer = outer.f_back
        if room(frame.f_code) != CARRIED and (around is None or room(around.f_code) != room(frame.f_code)):
            entered.append(room(frame.f_code))

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return entered


def test_no_room_is_entered_more_than_three_times() -> None:
    script = read_script("sudo -u bob bash <<EOF\nrm -rf x\ngit push\nEOF\n")
    command = script.commands[0]
    while command is not None:
        unwrap(command, facts_of(script))  # with everything loaded
        facts = facts_of(script)
        entered = rooms_entered(partial(unwrap, command, facts))
        assert len(entered) > 5
        assert [found for found in Counter(entered).most_common() if found[1] > MOST] == []
        (inner,) = unwrap(command, facts_of(script))
        command = inner.command
    assert inner.script is not None
    assert [each.argv() for each in inner.script.commands] == [("rm", "-rf", "x"), ("git", "push")]
