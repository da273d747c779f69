"""A small part of the faults, with every run of the tests; ``python -m tests.faults`` is all of it."""

from collections.abc import Callable, Iterator

import pytest

from tests.faults.commands import COMMANDS, Command
from tests.faults.faults import FAULTS
from tests.faults.laboratory import Laboratory, Tally
from tests.faults.stepping import can_step, killed_everywhere
from tests.support.each import share

pytestmark = pytest.mark.slow

QUICK = [command for command in COMMANDS if not command.slow]
BY_NAME = {command.name: command for command in COMMANDS}
OFTEN = ("hook, installed", "run, allowed")
KILLED = ("check, keeping", "lint --write-baseline", "allow", "trust", "init --remove", "uninstall")

needs_strace = pytest.mark.skipif(not can_step(), reason="strace is missing, which puts faults into system calls")


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Command], Laboratory]]:
    """The laboratory of a command, made once."""
    made: dict[str, Laboratory] = {}
    folder = tmp_path_factory.mktemp("faults").resolve()

    def find(command: Command) -> Laboratory:
        if command.name not in made:
            made[command.name] = Laboratory(folder / str(len(made)), command)
        return made[command.name]

    yield find
    for each in made.values():
        each.__exit__()


@pytest.mark.parametrize("command", QUICK[:: share(2)], ids=lambda command: command.name)
def test_nothing_hangs_is_lost_or_gets_milder(laboratory: Callable[[Command], Laboratory], command: Command) -> None:
    chosen = [
        fault
        for fault in FAULTS
        if (fault.kind, fault.name) in {("standard output", "full"), ("descriptors", "6"), ("disk", "full")}
        or (command.name in OFTEN and fault.kind in ("standard error", "inherited"))
    ]
    tally = Tally()
    for fault in chosen:
        laboratory(command).judge(fault, tally)
    assert tally.wrong == []
    assert tally.tries >= 2


@pytest.mark.parametrize("name", OFTEN)
@pytest.mark.parametrize("kind", ["signals", "processes"])
@needs_strace
def test_nor_when_a_system_call_fails_or_brings_a_signal(
    laboratory: Callable[[Command], Laboratory], name: str, kind: str
) -> None:
    tally = Tally()
    for fault in [each for each in FAULTS if each.kind == kind][::5]:
        laboratory(BY_NAME[name]).judge(fault, tally)
    assert tally.wrong == []
    assert tally.tries >= 1


@pytest.mark.parametrize("name", KILLED)
@needs_strace
def test_killed_before_any_change_of_a_file(laboratory: Callable[[Command], Laboratory], name: str) -> None:
    tally = killed_everywhere(laboratory(BY_NAME[name]), every=share(3))
    assert tally.wrong == []
    assert tally.tries >= 2


def test_without_a_fault_the_commands_do_what_they_are_for(laboratory: Callable[[Command], Laboratory]) -> None:
    """Otherwise no fault could make anything worse."""
    silent = ("run, forbidden", "run --permissions", "fmt, files", "lint --write-baseline")
    silent += ("inbox list", "inbox show", "inbox answer")
    for command in QUICK[1 :: share(3)]:
        usual = laboratory(command).usual
        assert usual.status is not None, command.name
        assert not usual.canary
        assert usual.out or command.name in silent, command.name
    hook = laboratory(BY_NAME["hook, installed"]).usual
    assert b'"deny"' in hook.out.replace(b" ", b"")
    for name in KILLED:
        assert laboratory(BY_NAME[name]).writes, name
