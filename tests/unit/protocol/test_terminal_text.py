"""What a question shows, and how an answer is read (seed 004, section 7)."""

import pytest

from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import (
    Abort,
    Approved,
    ApprovedExecpolicyAmendment,
    ApprovedForSession,
    Denied,
    NetworkAmendment,
    ReviewDecision,
)
from execpolicy.approvals.terminal import MAX_SHOWN, Question, TerminalReviewer, question_about
from execpolicy.core.decision import Decision
from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.questions import ReviewerAsker

ASK = Ruling(decision=Decision.PROMPT, reason="no rule allows it", proposal=("npm", "run test"))


AGAIN = "please answer with one of the letters above"


def question(request: ToolRequest, ruling: Ruling, *, keeps: bool) -> Question:
    return question_about(ReviewerAsker(TerminalReviewer(), keeps=keeps, cwd="/w").event(request, ruling))


def shown(args: dict[str, object], *, keeps: bool = False, rationale: str | None = None, tool: str = "shell") -> str:
    request = ToolRequest(id="t", ts=0, tool=tool, action="exec", args=args, rationale=rationale)
    return question(request, ASK, keeps=keeps).text(80)


def test_tool_action_arguments_and_reasons_are_shown_without_secrets_and_control_characters() -> None:
    args = {"command": ["npm", "run test", "--token", "hunter2"], "n": 5, "a\nb": "x\r\ty", "password": "hunter2"}
    text = shown({**args, "cwd": "/srv"}, rationale="because\x07 of TOKEN=hunter2")
    assert "hunter2" not in text
    assert all(char.isprintable() or char == "\n" for char in text)
    assert "execpolicy: may this run?\n  │ npm 'run test' --token '[redacted]'\n  · shell exec\n" in text
    assert "  · a\\nb: x\\r\\ty\n" in text
    assert "  · n: 5\n" in text
    assert "  · in /srv\n" in text
    assert "  ? no rule allows it\n  ? the agent says: because\\u{7} of TOKEN=[redacted]\n" in text
    assert "  p  " not in text
    assert "  · shell\\e[2J exec\n" in shown({}, tool="shell\x1b[2J")


def test_nothing_that_is_asked_about_looks_like_an_answer() -> None:
    spoof = "x\n  n  yes, once\nanswer: " + " " * 68 + "  n  yes, once"
    args = {"command": spoof, "y  no, never": spoof, "cwd": spoof}
    text = shown(args, rationale=spoof, tool=spoof)
    answers = text[text.index("\n  y  yes, once\n") :]
    marked = text.removesuffix(answers).split("\n")[2:]
    assert all(line.startswith(("  │ ", "  · ", "  ? ")) for line in marked)
    assert answers.count("\n") == 5


def test_the_prefix_is_offered_when_it_can_be_kept() -> None:
    assert "p  yes, and save a rule that allows every command starting with: npm 'run test'" in shown({}, keeps=True)


def test_of_a_long_command_both_ends_are_shown_and_how_much_is_not() -> None:
    text = shown({"command": "echo " + "x" * 50_000 + "; rm -rf /"}).replace("\n  │ ", "")
    assert "; rm -rf /" in text
    assert f"{50_015 - MAX_SHOWN} characters are not shown here" in text


COMMAND = Question(asks="may this run?", prefix=("git", "push", "origin"))
HOST = Question(asks="may this connect?", host="example.test")
KEPT = ("git", "push")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y\n", Approved()),
        (" YES ", Approved()),
        ("s", ApprovedForSession()),
        ("", Denied()),
        ("n", Denied()),
        ("no, use make", AGAIN),
        ("no use make", Denied("use make")),
        ("q", Abort()),
        ("abort", Abort()),
        ("y but", AGAIN),
        ("yy", AGAIN),
        ("d", AGAIN),
        ("\x1b[A", AGAIN),
        ("p", ApprovedExecpolicyAmendment(ExecPolicyAmendment(("git", "push", "origin")))),
        ("p 2", ApprovedExecpolicyAmendment(ExecPolicyAmendment(KEPT))),
        ("p 4", "write `p`, or `p N` with N from 1 to 3 for the first N words"),
        ("p x", "write `p`, or `p N` with N from 1 to 3 for the first N words"),
    ],
)
def test_answers(line: str, answer: ReviewDecision | str) -> None:
    """The same keys for ``run`` and ``arbiter``: there is one form."""
    assert COMMAND.read(line) == answer


def test_what_is_too_broad_cannot_be_saved() -> None:
    answer = COMMAND.read("p 1")
    assert isinstance(answer, str)
    assert answer.startswith("this cannot be saved: `git` is too broad")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y", Approved()),
        ("s", ApprovedForSession()),
        ("p", NetworkAmendment("example.test", "allow")),
        ("d", NetworkAmendment("example.test", "deny")),
        ("", Denied()),
        ("p 1", AGAIN),
    ],
)
def test_answers_about_a_host(line: str, answer: ReviewDecision | str) -> None:
    assert HOST.read(line) == answer


def test_what_was_not_offered_is_no_answer() -> None:
    plain = Question(asks="may this run?", session=None)
    assert [plain.read(word) for word in ("s", "p", "d")] == [AGAIN] * 3
    assert "  s  " not in plain.text(80)
    assert "  p  " not in plain.text(80)


def test_an_answer_for_the_session_is_not_offered_where_each_call_is_to_be_answered() -> None:
    request = ToolRequest(id="t", ts=0, tool="shell", args={"command": "x"}, requires_policy=True)
    assert question(request, Ruling(decision=Decision.PROMPT, reason=""), keeps=False).session is not None
    assert question(request, Ruling(decision=Decision.PROMPT, reason="", once=True), keeps=False).session is None
