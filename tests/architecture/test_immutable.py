"""What the reader returns is made once: nothing is assigned to a word, a command, an effect or a script afterwards."""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import execpolicy
from execpolicy.shell import pieces, script, words
from tests.support.judging import verdict
from tests.support.modules import parsed

ROOT = Path(execpolicy.__file__).parent
VALUES: tuple[Any, ...] = (
    *(
        script.Assignment,
        script.Command,
        script.ShellEffect,
        script.GivenValue,
        script.Redirect,
        script.Script,
        script.ParseFacts,
    ),
    *(script.ArithmeticUse, pieces.Piece, words.Word),
)
DATA = Path(__file__).parents[1] / "data" / "corpora"
SLOTS = frozenset(name for value in VALUES for name in value.__slots__)


def assignments(path: Path) -> Iterator[str]:
    """Every assignment in ``path`` to an attribute that a value has too, on anything but ``self`` and the ``reader``,
    which is no value: the functions of the grammar move it forward."""
    for node in ast.walk(parsed(path)):
        if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load) or node.attr not in SLOTS:
            continue
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "reader")):
            yield f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize("package", ["shell", "flow"])
def test_reader_and_facts_assign_to_their_own_attributes_only(package: str) -> None:
    found = [line for path in sorted((ROOT / package).rglob("*.py")) for line in assignments(path)]
    assert found == [], "make another value, or ask the class for a method"


@pytest.mark.parametrize("package", ["shell", "flow", "programs", "safety"])
def test_there_is_no_other_way_to_assign(package: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {way}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for way in ("setattr", "__setattr__", "__set__", "__dict__")
        if way in path.read_text("utf-8")
    ]
    assert found == []


@pytest.fixture
def assigned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every assignment to a value that its own code does not make is noted here."""
    found: list[str] = []
    for value in VALUES:
        own = {part.__code__ for part in vars(value).values() if hasattr(part, "__code__")}
        own |= {part.fget.__code__ for part in vars(value).values() if isinstance(part, property) and part.fget}

        def note(self: object, name: str, given: object, own: set[Any] = own) -> None:
            frame = sys._getframe(1)
            if frame.f_code not in own:
                found.append(f"{frame.f_code.co_filename}:{frame.f_lineno}: {name} of {type(self).__name__}")
            object.__setattr__(self, name, given)

        monkeypatch.setattr(value, "__setattr__", note, raising=False)
    return found


def test_nothing_is_assigned_while_scripts_are_judged(assigned: list[str]) -> None:
    for corpus in ("bypass", "benign"):
        for line in (DATA / f"{corpus}.jsonl").read_text("utf-8").splitlines():
            case = json.loads(line)
            verdict(case["script"], shell=case.get("shell") or "bash")
    assert assigned == []


def test_an_assignment_is_noted(assigned: list[str]) -> None:
    word = verdict("ls").commands[0].command.words[0]
    word.literal = "rm"
    assert len(assigned) == 1
