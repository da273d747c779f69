"""Killed at every write: every line is whole, nothing is lost, and the next run goes on as if nothing had been."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from execpolicy.amend.journal import Journal
from execpolicy.amend.undo import undo_last
from execpolicy.cli.rule_targets import rewrite
from execpolicy.errors import RuleStoreError
from execpolicy.manager.policy_manager import PolicyManager
from tests.support.killing import killed_at_every_call
from tests.support.machine import Machine

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing, which stops at each call"),
]

A, B, C = (f'prefix_rule(pattern=["{name}"], decision="allow")' for name in "abc")
LONG = [f"# {number:0>98}" for number in range(100)]

MANAGER = """
import os, sys
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
home, own, what = sys.argv[1:]
manager = PolicyManager(LayerOptions(cwd="/", codex_home=home, own_home=own, project=False))
os.write(1, b"ready")
manager.undo() if what == "undo" else manager.amend(["c"])
"""
REWRITE = """
import os, sys
from execpolicy.cli.rule_targets import rewrite
os.write(1, b"ready")
rewrite(sys.argv[1], lambda text: text.replace("a", "b"))
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    found = Machine(tmp_path)
    found.codex_home.mkdir(parents=True)
    return found


class Place:
    """A rule file in which ``a`` and ``b`` were saved, and the journal that knows it."""

    def __init__(self, machine: Machine, behind: list[str]) -> None:
        self.machine = machine
        self.path = machine.codex_home / "rules/default.rules"
        self.journal = Journal(str(machine.own_home / "amendments.jsonl"))
        machine.write(self.path, "# mine\n")
        manager = PolicyManager(machine.options())
        manager.amend(["a"])
        manager.amend(["b"])
        with self.path.open("a") as file:
            file.writelines(f"{line}\n" for line in behind)
        self.text, self.notes = self.path.read_text(), Path(self.journal.path).read_text()
        self.time = self.path.stat().st_mtime_ns

    def arguments(self, what: str) -> list[str]:
        return [str(self.machine.codex_home), str(self.machine.own_home), what]

    def put_back(self) -> None:
        """As it was, for all that the journal can see."""
        self.path.write_text(self.text)
        os.utime(self.path, ns=(self.time, self.time))
        Path(self.journal.path).write_text(self.notes)

    def lines(self) -> list[str]:
        return [line for line in self.path.read_text().split("\n") if line]

    def undo(self) -> tuple[str, ...]:
        return undo_last(str(self.path), self.journal)


@pytest.mark.parametrize("behind", [[], ["# theirs"], LONG], ids=["at the end", "in the middle", "in a long file"])
def test_undo(machine: Machine, behind: list[str]) -> None:
    place = Place(machine, behind)
    tries = 0
    for call, number in killed_at_every_call(MANAGER, place.arguments("undo"), place.put_back):
        where = f"{call} {number}"
        found = [line for line in place.lines() if not line.startswith("# undone: ")]
        assert found in (["# mine", A, B, *behind], ["# mine", A, *behind]), where
        if '"taken"' not in Path(place.journal.path).read_text():  # else it was done, and only could not say so
            assert place.undo() == (B,), where
        assert [line for line in place.lines() if not line.startswith("# undone: ")] == ["# mine", A, *behind], where
        assert place.undo() == (A,), where
        assert [line for line in place.lines() if not line.startswith("# undone: ")] == ["# mine", *behind], where
        with pytest.raises(RuleStoreError, match="nothing to undo"):
            place.undo()
        tries += 1
    assert tries >= 5


def test_amend(machine: Machine) -> None:
    place = Place(machine, [])
    tries = 0
    for call, number in killed_at_every_call(MANAGER, place.arguments("amend"), place.put_back):
        where = f"{call} {number}"
        found = place.lines()
        assert found in (["# mine", A, B], ["# mine", A, B, C]), where
        for last in reversed(found[1:]):
            assert place.undo() == (last,), where
        assert place.lines() == ["# mine"], where
        tries += 1
    assert tries >= 5


def test_rewrite(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    old = "# aaaa\n" * 2000
    path.touch(0o640)
    tries = 0
    for call, number in killed_at_every_call(REWRITE, [str(path)], lambda: path.write_text(old)):
        assert path.read_text() in (old, old.replace("a", "b")), (call, number)
        assert path.stat().st_mode & 0o777 == 0o640
        assert rewrite(str(path), lambda text: "# new\n")
        assert [each.name for each in tmp_path.iterdir()] == ["a.rules"]
        tries += 1
    assert tries >= 3
