"""The full decision with the semantics of Codex: its own splitter, its rules, its idea of danger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from execpolicy.codex.segments import codex_commands
from execpolicy.codex.shell_call import codex_argv
from execpolicy.core.decision import Decision
from execpolicy.core.matches import Evaluation, HeuristicsMatch, RuleMatch
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation


def decide_as_codex(
    command: str | Sequence[str],
    rulebook: Rulebook,
    situation: Situation,
    *,
    shell: str = "bash",
    login: bool | None = None,
) -> tuple[dict[str, Any], Decision]:
    """The JSON body and the decision. Without an approval policy, what no rule mentions is asked about."""
    argv = codex_argv(command, shell=shell, login=login)
    commands = []
    matches: list[RuleMatch] = []
    for segment in codex_commands(argv):
        found: tuple[RuleMatch, ...] = rulebook.policy.matches(segment, resolution=situation.resolution)
        if not found:
            found = (HeuristicsMatch(segment, Decision.PROMPT),)
        evaluation = Evaluation(found)
        matches += found
        commands.append(
            {
                "argv": list(segment),
                "decision": _known(evaluation).word,
                "matchedRules": [match.to_json() for match in found],
                "span": None,  # Codex's own splitter reports no positions
            }
        )
    decision = _known(Evaluation(tuple(matches)))
    body = {
        "decision": decision.word,
        "matchedRules": [match.to_json() for match in matches],
        "commands": commands,
    }
    return body, decision


def _known(evaluation: Evaluation) -> Decision:
    """The decision; prompt where nothing matched."""
    return evaluation.decision or Decision.PROMPT
