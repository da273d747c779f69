"""The pattern gate (seed 002, "Permission Gate Example")."""

import asyncio
import re
import shlex
from collections.abc import Sequence
from typing import Any

import pytest

from execpolicy.errors import UsageError
from execpolicy.permissions.gate import Blocked, GateRule, PatternGate
from execpolicy.permissions.request import Reading, Shell
from tests.support.each import each


class WordReader:
    """Reads one plain command; ``?`` is a word that is only known at run time."""

    def read(self, command: Shell, /) -> Reading:
        words = shlex.split(command) if isinstance(command, str) else command
        return Reading((tuple(None if word == "?" else word for word in words),))


class UI:
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[str, tuple[str, ...], str]] = []

    async def select(self, title: str, options: Sequence[str], /, *, detail: str) -> str | None:
        self.asked.append((title, tuple(options), detail))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]  # the answers under test are of every kind


def gate(**options: Any) -> PatternGate:
    return PatternGate(reader=WordReader(), **options)


CASES = [
    ("ls -la", None),
    ("rm file", None),
    ("rm -f file", None),
    ("rm -rf build", "rm"),
    ("rm -r build", "rm"),
    ("RM -RF build", "rm"),
    ("rm --recursive build", "rm"),
    ("rm -fr build", "rm"),
    ("rm -f -R build", "rm"),
    ("rm --recu build", "rm"),
    ("/bin/rm build -r", "rm"),
    ("'r'm \"-\"rf build", "rm"),
    ("rm ? build", "rm"),
    ("rm -- -r", None),
    ("rm -i file", None),
    ("farm -rf", None),
    ("sudo ls", "sudo"),
    ("/usr/bin/sudo ls", "sudo"),
    ('s"u"do ls', "sudo"),
    ("pseudo ls", None),
    ("sudoku", None),
    ("chmod 777 x", "777"),
    ("chmod -R 0777 x", "777"),
    ("chown 777 x", "777"),
    ("chmod 7''77 x", "777"),
    ("chmod a+rwx x", "777"),
    ("chmod ? x", "777"),
    ("chmod 755 x", None),
    ("chmod u+x x", None),
    ("? x", "unreadable"),
    ("echo 'unclosed", "unreadable"),
]


@each(("command", "rule"), CASES)
def test_what_is_dangerous(command: str, rule: str | None) -> None:
    assert gate().dangerous(command) == rule
    expected = Blocked("Dangerous command blocked (no UI)", rule) if rule is not None else None
    assert gate().tool_call_sync("bash", {"command": command}) == expected


@pytest.mark.parametrize(
    "text", ["rm  -rf x", "echo rm -r", "sudo", "make; SUDO make", "chmod x && y 777", "chown a:b 0777"]
)
def test_the_seed_s_patterns_keep_their_meaning_as_text(text: str) -> None:
    patterns = [r"\brm\s+(-rf?|--recursive)", r"\bsudo\b", r"\b(chmod|chown)\b.*777"]
    assert any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)
    assert gate().dangerous(text) is not None


def test_with_a_ui_only_yes_lets_it_run() -> None:
    yes, no, closed, odd = UI("Yes"), UI("No"), UI(None), UI("yes")
    assert gate(ui=yes).tool_call_sync("bash", {"command": "sudo ls"}) is None
    assert yes.asked == [("Allow?", ("Yes", "No"), "sudo ls")]
    for ui in (no, closed, odd):
        assert gate(ui=ui).tool_call_sync("bash", {"command": "sudo ls"}) == Blocked("Blocked by user", "sudo")
    broken = gate(ui=UI(RuntimeError())).tool_call_sync("bash", {"command": "sudo ls"})
    assert broken == Blocked("Blocked: the question could not be asked", "sudo")
    assert broken.to_json() == {"block": True, "reason": "Blocked: the question could not be asked"}


def test_harmless_calls_and_other_tools_ask_nobody() -> None:
    ui = UI("No")
    assert gate(ui=ui).tool_call_sync("bash", {"command": "ls"}) is None
    assert gate(ui=ui).tool_call_sync("read", {"command": "sudo ls"}) is None
    assert ui.asked == []
    assert gate(tools={"sh": "script"}).tool_call_sync("sh", {"script": "sudo ls"}) is not None
    assert gate(tools={"sh": "script"}).tool_call_sync("bash", {"command": "sudo ls"}) is None


@pytest.mark.parametrize("input", [{}, {"command": None}, {"command": 5}, {"command": []}, {"command": ["ls", 1]}])
def test_a_command_that_is_none_is_blocked(input: dict[str, Any]) -> None:
    assert gate(ui=UI("Yes")).tool_call_sync("bash", input) == Blocked("Blocked: the command is missing or not text")


def test_an_argv_is_judged_like_a_script() -> None:
    assert gate().dangerous(["rm", "-rf", "x"]) == "rm"
    assert gate().dangerous(["ls", "x y"]) is None


def test_extra_and_disabled_rules() -> None:
    curl = GateRule(name="curl", command=lambda argv: argv[0] == "curl")
    words = GateRule(name="prod", text=re.compile("prod"))
    mine = gate(extra=[curl, words], disabled=["sudo", "unreadable"])
    assert mine.dangerous("curl x") == "curl"
    assert mine.dangerous("deploy prod") == "prod"
    assert mine.dangerous("sudo ls") is None
    assert mine.dangerous("? x") is None
    assert mine.dangerous("echo 'unclosed") is None
    assert mine.dangerous("rm -rf x") == "rm"
    with pytest.raises(UsageError, match="PatternGate: `disabled` must be one of"):
        gate(disabled=["sodu"])


def test_each_call_is_judged_afresh() -> None:
    ui = UI("Yes")
    asking = gate(ui=ui)

    async def twice() -> None:
        for _ in range(2):
            await asking.tool_call("bash", {"command": "sudo ls"})

    asyncio.run(twice())
    assert len(ui.asked) == 2
