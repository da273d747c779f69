"""Shows on examples what a prefix rule covers, each of them judged and not just claimed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.sight import RuleSight, shortest_restricted
from execpolicy.judge.situation import Situation
from execpolicy.programs.names import base_name

_MOST_NEAR = 200
_MOST_SHOWN = 4
_RISKY = ("--force", "-f", "--hard", "-rf", "--delete", "-delete", "-exec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Example command lines.

    Attributes:
        covered: allowed by the rule alone.
        not_covered: still asked about.
        dangerous: allowed by the rule although the heuristics call them dangerous.
    """

    covered: tuple[str, ...]
    not_covered: tuple[str, ...]
    dangerous: tuple[str, ...]


def preview(prefix: Sequence[str], rulebook: Rulebook, situation: Situation) -> Preview:
    """What an allow rule for ``prefix`` would and would not cover, with the heuristics of ``rulebook`` for danger."""
    alone = Rulebook([PrefixRule(PrefixPattern.of(prefix))])
    line = join(tuple(prefix))
    covered: list[str] = []
    not_covered: list[str] = []
    for example in _examples(tuple(prefix), line):
        verdict = judge_script(read_command(example), alone, situation, fallback=lambda _: Decision.PROMPT)
        (covered if verdict.decision is Decision.ALLOW else not_covered).append(example)
    dangerous = [line] if _is_dangerous(line, rulebook, situation) else []
    if not dangerous:
        risky = [f"{line} {option}" for option in _RISKY]
        dangerous = [example for example in risky if _is_dangerous(example, rulebook, situation)]
    return Preview(covered=tuple(covered), not_covered=tuple(not_covered), dangerous=tuple(dangerous))


def still_restricted(prefix: Sequence[str], rulebook: Rulebook) -> list[tuple[tuple[str, ...], Decision]]:
    """The shortest commands behind ``prefix`` that stricter rules of ``rulebook`` decide, each with what they say.

    Where one of them is ``prefix`` itself, an allow rule for it would change nothing.
    """
    hosts = tuple(rulebook.policy.host_executables.values())
    rules = [rule for rule in rulebook.policy.rules if rule.decision is not Decision.ALLOW]
    sight = RuleSight(rules, hosts)
    if sight.seeing(tuple(prefix)):
        return [(tuple(prefix), max([rule.decision for rule in sight.seeing(tuple(prefix))]))]
    found: dict[tuple[str, ...], Decision] = {}
    pattern = PrefixPattern.of(prefix)
    near = [rule for rule in rules if base_name(rule.pattern.first) == base_name(prefix[0])]
    for rule in near[:_MOST_NEAR]:
        argv = shortest_restricted(pattern, rule, hosts)
        if argv is not None:
            found[argv] = max(rule.decision, found.get(argv, rule.decision))
    ranked = sorted(found.items(), key=lambda each: (-each[1], len(each[0])))
    return ranked[:_MOST_SHOWN]


def _is_dangerous(line: str, rulebook: Rulebook, situation: Situation) -> bool:
    commands = judge_script(read_command(line), rulebook, situation).commands
    return any(command.opinion is not None and command.opinion.verdict == "dangerous" for command in commands)


def _examples(prefix: tuple[str, ...], line: str) -> tuple[str, ...]:
    program, *rest = prefix
    found = [line, f"{line} more words", f"{line} --any-option", f"{line} && {line}", f"{line} 2>&1"]
    if len(prefix) > 1:
        found.append(join(prefix[:-1]))
        found.append(join((program, "--option", *rest)))
    return (*found, f"{line} > file", f"VARIABLE=value {line}", f"sudo {line}")
