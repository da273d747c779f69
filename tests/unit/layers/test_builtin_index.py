"""The built-in layer as a wheel brings it answers like the one that is compiled."""

from __future__ import annotations

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.stored import EQUAL, store_entries
from execpolicy.layers import builtin_index
from execpolicy.layers.builtin_index import load_beside_brought
from execpolicy.layers.load import load_layers, rulebook_of
from execpolicy.resources import records_folder
from tests.support.judging import builtin
from tests.support.machine import Machine

SCRIPTS = (
    "ls -la",
    "git status",
    "rm -rf /",
    "frob x",
    "git push",
    "cat .env",
    "ls | wc -l && frob y",
    "mine",
    "sudo ls",
)


@pytest.fixture(autouse=True)
def wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = store_entries(builtin().heuristics.entries, EQUAL)
    monkeypatch.setattr(builtin_index, "brought_entries", lambda: lambda start, end: entries[start:end])


def _answers(rulebook: Rulebook) -> list[object]:
    here = Situation("/srv/work", home="/home/u")
    return [check(script, rulebook, situation=here).to_json() for script in SCRIPTS]


def _beside(machine: Machine, mode: str = "isolated") -> tuple[Rulebook, Rulebook] | None:
    """The rulebook beside what was builtin_index, and the one that is compiled whole."""
    options = machine.options(builtin_folder=records_folder(), mode=mode)
    beside = load_beside_brought(options)
    return None if beside is None else (beside[1], rulebook_of(load_layers(options)))


@pytest.mark.parametrize(
    "rules",
    [
        'prefix_rule(["frob"])\nprefix_rule(["git", "push"], decision="forbidden")\n',
        "",
        'prefix_rule(["frob"]',
        'write_rule(paths=["/tmp/x"], decision="allow")\nhost_executable(name="ls", paths=["/bin/ls"])\n',
    ],
)
def test_the_answers_are_the_same(machine: Machine, rules: str) -> None:
    machine.write(machine.codex_home / "rules" / "a.rules", rules)
    found = _beside(machine)
    assert found is not None
    beside, whole = found
    assert _answers(beside) == _answers(whole)
    assert beside.fail_closed == whole.fail_closed
    assert set(map(repr, beside.statements)) == set(map(repr, whole.statements))


def test_entries_of_other_layers_are_loaded_with_it(machine: Machine) -> None:
    text = 'safe_command(name = "mine", program = "mine", reason = "it prints", match = ["mine"])\n'
    machine.write(machine.own_home / "rules" / "a.rules", text)
    assert _beside(machine) is None


def test_a_project_that_is_not_trusted_is_loaded_with_it(machine: Machine) -> None:
    machine.write(machine.project / ".codex" / "rules" / "a.rules", 'prefix_rule(["frob"])\n')
    assert _beside(machine) is None


def test_entries_that_are_not_as_built_are_compiled(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin_index, "brought_entries", lambda: None)
    assert _beside(machine) is None


def test_codex_has_no_entries(machine: Machine) -> None:
    assert _beside(machine, "codex") is None
