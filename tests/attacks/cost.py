"""What judging an attack costs, counted as the judge counts it: no script may cost more than is said here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from execpolicy.judge.judge import judge_script
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.shell.limits import LIMITS, Budget
from execpolicy.shell.read import read_script

MOST_WORK = 3 * LIMITS.work
"""A judgement has one budget, and so has the reading of its script; there is room for a third, and for no more."""
MOST_SECONDS = 3.0
"""Time of the processor, for work that nothing counts; on a busy machine one second of it does what a third did."""


def judged(text: str, shell: str, book: Rulebook, place: Situation) -> tuple[Verdict, str | None]:
    """The verdict on ``text``, and what of its cost is too much."""
    with _budgets() as made:
        start = time.process_time()
        verdict = judge_script(read_script(text, shell=shell), book, place)
        seconds = time.process_time() - start
    # what is asked of a budget that is spent is not done
    work = sum([budget.limits.work - max(budget.left, 0) for budget in made])
    if work > MOST_WORK:
        return verdict, f"it cost {work:,} of work"
    return verdict, f"it cost {seconds:.1f} s" if seconds > MOST_SECONDS else None


@contextmanager
def _budgets() -> Iterator[list[Budget]]:
    """Every budget that is made meanwhile."""
    made: list[Budget] = []
    usual = Budget.__init__

    def noted(self: Budget, *args: object, **more: object) -> None:
        usual(self, *args, **more)  # type: ignore[arg-type]  # handed on
        made.append(self)

    with patch.object(Budget, "__init__", noted):
        yield made
