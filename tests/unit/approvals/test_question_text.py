"""What a person at a terminal is shown at 80 columns, in a golden file."""

from __future__ import annotations

from execpolicy.approvals.terminal import Question
from tests.support.golden import assert_golden

QUESTIONS = (
    Question(
        asks="may this run?",
        what=("cd src && \\\n  git push origin main \x1b[31m# and more",),
        facts=("bash -lc", "in /srv/project", "outside of the sandbox"),
        reasons=("no rule mentions it, and it is not known to be safe: " + "a sub-command that connects " * 4,),
        prefix=("git", "push", "origin"),
    ),
    Question(
        asks="may this connect?",
        what=("https to api.example.com, port 443",),
        facts=("curl https://api.example.com/", "in /srv/project"),
        session="other connections to it in this session",
        host="api.example.com",
    ),
    Question(
        asks="may this be written?",
        what=("update src/a.py", "@@ -1 +1 @@\n-a\n+" + "b" * 100),
        session="the same files again in this session",
    ),
    Question(asks="may this run?", what=("rm -rf build",), reasons=("a person must answer",), session=None),
)


def test_questions_at_80_columns() -> None:
    text = "".join(question.text(80) + "\n" for question in QUESTIONS)
    assert_golden("questions", text)
    shown = [line for line in text.splitlines() if line.startswith(("  │", "  ·", "  ?"))]
    assert max(map(len, shown)) <= 80
    assert "\x1b" not in text
