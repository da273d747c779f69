"""What a question shows, and how an answer is read (seed 004, section 7)."""

import pytest

from execpolicy.protocol.asking import Choice, PersonAnswer
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.rulings import Ruling, Say
from execpolicy.protocol.terminal import MAX_SHOWN, question, read_choice

ASK = Ruling(say=Say.ASK, reason="no rule allows it", proposal=("npm", "run test"))


def shown(args: dict[str, object], *, keeps: bool = False, rationale: str | None = None) -> str:
    request = ToolRequest(id="t", ts=0, tool="shell\x1b[2J", action="exec", args=args, rationale=rationale)
    return question(request, ASK, keeps=keeps)


def test_tool_action_arguments_and_reasons_are_shown_without_secrets_and_control_characters() -> None:
    args = {"command": ["npm", "run test", "--token", "hunter2"], "n": 5, "a\nb": "x\r\ny", "password": "hunter2"}
    text = shown(args, rationale="because\x07 of TOKEN=hunter2")
    assert "hunter2" not in text
    assert all(char.isprintable() or char == "\n" for char in text)
    assert "  command: npm 'run test' --token '[redacted]'" in text
    assert "  a\\nb: x\\r\\ny" in text
    assert "  n: 5" in text
    assert "  the agent says: because\\x07 of TOKEN=[redacted]" in text
    assert "[p]" not in text


def test_the_prefix_is_offered_when_it_can_be_kept() -> None:
    assert "[p] always `npm 'run test'`" in shown({}, keeps=True)


def test_of_a_long_command_both_ends_are_shown_and_how_much_is_not() -> None:
    text = shown({"command": "echo " + "x" * 50_000 + "; rm -rf /"})
    assert "; rm -rf /" in text
    assert f"{50_015 - MAX_SHOWN} characters are not shown here" in text


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y\n", PersonAnswer(Choice.ONCE)),
        (" YES ", PersonAnswer(Choice.ONCE)),
        ("s", PersonAnswer(Choice.SESSION)),
        ("", PersonAnswer(Choice.DENY)),
        ("n", PersonAnswer(Choice.DENY)),
        ("no, use make", None),
        ("no use make", PersonAnswer(Choice.DENY, "use make")),
        ("a", PersonAnswer(Choice.ABORT)),
        ("abort enough", PersonAnswer(Choice.ABORT, "enough")),
        ("y but", None),
        ("yy", None),
        ("p", None),
        ("\x1b[A", None),
    ],
)
def test_answers(line: str, answer: PersonAnswer | None) -> None:
    assert read_choice(line, keeps=False) == answer


def test_the_prefix_can_only_be_chosen_where_it_was_offered() -> None:
    assert read_choice("p", keeps=True) == PersonAnswer(Choice.KEEP)


def test_an_answer_for_the_session_is_not_offered_where_each_call_is_to_be_answered() -> None:
    request = ToolRequest(id="t", ts=0, tool="shell", args={"command": "x"}, requires_policy=True)
    assert "[s]" in question(request, Ruling(say=Say.ASK, reason=""), keeps=False)
    assert "[s]" not in question(request, Ruling(say=Say.ASK, reason="", once=True), keeps=False)
