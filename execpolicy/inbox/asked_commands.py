"""The commands of questions, as the judge sees them, and how many of those asked lately a rule would have saved."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from execpolicy.amend.grant import Grant
from execpolicy.amend.save_plan import outcome
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import home_of
from execpolicy.inbox.inbox_question import InboxQuestion
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.shell.script import Script

_LONGEST_COUNTED = 2_000
_COUNTING_S = 0.5
"""How long the questions of whom rules would have saved are looked through, and the characters of one of them."""


def scripts_of(question: InboxQuestion) -> list[Script]:
    """The commands of ``question``, read."""
    return [read_command(each, shell=question.shell) for each in question.commands]


def situation_of(question: InboxQuestion) -> Situation:
    """Where they would run."""
    return Situation(question.cwd, home=home_of(os.environ), root=question.root)


def saved_by(
    grant: Grant, recent: Sequence[InboxQuestion], rulebook: Rulebook, situation: Situation
) -> tuple[int, int]:
    """How many of the ``recent`` questions a rule would have saved, newest first, and how many were looked at.

    Anybody may have asked anything: what is long is left out, and after a moment so are the others.
    """
    ends = time.monotonic() + _COUNTING_S
    saved = counted = 0
    for each in reversed(recent):
        if time.monotonic() > ends:
            break
        if not each.commands or len(each.text) > _LONGEST_COUNTED:
            continue
        counted += 1
        saved += all(
            judge_script(script, rulebook, situation).decision is not Decision.ALLOW
            and outcome(script, [grant], rulebook, situation).decision is Decision.ALLOW
            for script in scripts_of(each)
        )
    return saved, counted
