"""The JSON answer of ``split``."""

from __future__ import annotations

from execpolicy.cli.commands.split import split_json
from execpolicy.shell.read import read_script


def test_a_structured_script() -> None:
    assert split_json(read_script("x=1 A é $y >f >$z | B")) == {
        "status": "structured",
        "commands": [
            {
                "argv": ["A", "é", None],
                "span": [0, 17],
                "writes": ["f", None],
                "assignments": ["x"],
                "context": ["pipeline"],
            },
            {"argv": ["B"], "span": [20, 21], "writes": [], "assignments": [], "context": ["pipeline"]},
        ],
    }


def test_an_opaque_script_has_a_reason() -> None:
    answer = split_json(read_script("A 'x"))
    assert answer["status"] == "opaque"
    assert answer["reason"] == "unterminated single quote"
