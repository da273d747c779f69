"""The two questions of Codex's heuristics, for programs that want an answer without a decision.

Source: seed 002, "Safety Heuristics" (``is_known_safe_command``, ``command_might_be_dangerous``). Neither grants
anything: a decision also looks at rules, effects, written files and what is hidden, see :func:`execpolicy.check`.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.validators import instance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.judge.situation import Situation


def is_known_safe_command(
    command: str | Sequence[str], rulebook: Rulebook, *, shell: str = "bash", situation: Situation | None = None
) -> bool:
    """Whether everything that ``command`` (an argv or a script) runs is proven to only read, whatever rules say."""
    return check(command, _without_rules(rulebook), shell=shell, situation=situation).decision is Decision.ALLOW


def command_might_be_dangerous(
    command: str | Sequence[str], rulebook: Rulebook, *, shell: str = "bash", situation: Situation | None = None
) -> bool:
    """Whether something that ``command`` runs, wrappers looked through, is a known destructive form."""
    verdict = check(command, _without_rules(rulebook), shell=shell, situation=situation)
    return verdict.dangerous


def _without_rules(rulebook: Rulebook) -> Rulebook:
    return Rulebook(instance(Rulebook)(rulebook, "the rulebook").heuristics.entries)
