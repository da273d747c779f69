"""A small part of the faults, with every run of the tests; ``python -m tests.faults`` is all of it."""

import pytest

from tests.faults.faults import COMMANDS, FAULTS, Command, Fault, Laboratory, Tally

pytestmark = pytest.mark.slow

CHOSEN = [
    (command, fault)
    for command in COMMANDS
    for fault in FAULTS
    if (fault.kind, fault.name) in {("standard output", "full"), ("descriptors", "6")}
    or (command.name in ("hook, installed", "run, allowed") and fault.kind in ("standard error", "inherited"))
]


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    return Laboratory(tmp_path_factory.mktemp("faults").resolve())


@pytest.mark.parametrize(("command", "fault"), CHOSEN, ids=[f"{c.name}: {f.kind} {f.name}" for c, f in CHOSEN])
def test_nothing_hangs_is_lost_or_gets_milder(laboratory: Laboratory, command: Command, fault: Fault) -> None:
    tally = Tally()
    laboratory.judge(command, fault, tally)
    assert [*tally.hung, *tally.lost, *tally.laxer] == []


def test_without_a_fault_the_commands_do_what_they_are_for(laboratory: Laboratory) -> None:
    """Otherwise no fault could make anything worse."""
    for command in COMMANDS:
        usual = laboratory.usual(command)
        assert usual.status is not None
        assert not usual.canary
        assert usual.out or command.name == "run, forbidden", command.name
    hook = next(command for command in COMMANDS if command.arguments == ("hook",))
    assert b'"deny"' in laboratory.usual(hook).out.replace(b" ", b"")
