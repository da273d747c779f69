"""Shows on examples what a prefix rule would do among the rules in force, each judged and not just claimed."""

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
from execpolicy.judge.verdict import Verdict
from execpolicy.programs.breadth import Worst, why_broad, why_broad_alone, worst_of, worsts_of
from execpolicy.programs.names import base_name

_MOST_NEAR = 200
_MOST_SHOWN = 4
_RISKY = ("--force", "-f", "--hard", "-rf", "--delete", "-delete", "-exec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Example command lines, under the rules in force and the new one.

    Attributes:
        covered: allowed.
        not_covered: still asked about.
        forbidden: still forbidden, by another rule.
        dangerous: allowed although the heuristics call them dangerous.
        worst: the worst that is known of the prefix and would be allowed.
        elsewhere: a worse one that execpolicy still asks about, because it looks at what is run. Codex reads the same
            file, compares only words, and allows it.
    """

    covered: tuple[str, ...]
    not_covered: tuple[str, ...]
    forbidden: tuple[str, ...]
    dangerous: tuple[str, ...]
    worst: Worst | None
    elsewhere: Worst | None

    def careful(self, prefix: Sequence[str]) -> str | None:
        """What a person should know of a rule for ``prefix``."""
        here = None if self.worst is None else self.worst.beside(prefix)
        if self.elsewhere is None:
            return here
        if here is None:
            return f"where Codex decides, `{join(tuple(prefix))}` also allows {self.elsewhere}"
        return f"{here}; where Codex decides, also {self.elsewhere}"


def preview(
    prefix: Sequence[str], rulebook: Rulebook, situation: Situation, *, unless: tuple[str, ...] = ()
) -> Preview:
    """What would be decided if an allow rule for ``prefix`` stood among those of ``rulebook``.

    Args:
        unless: what the rule leaves out.
    """
    with_it = rulebook.with_statements(PrefixRule(PrefixPattern.of(prefix), unless=unless))

    def judged(text: str) -> Verdict:
        return judge_script(read_command(text), with_it, situation)

    line = join(tuple(prefix))
    found: dict[Decision, list[str]] = {Decision.ALLOW: [], Decision.PROMPT: [], Decision.FORBIDDEN: []}
    for example in _examples(tuple(prefix), line):
        found[judged(example).decision].append(example)
    risky = [line] if is_dangerous(judged(line)) else [f"{line} {option}" for option in _RISKY]
    dangerous = [each for each in risky if (v := judged(each)).decision is Decision.ALLOW and is_dangerous(v)]
    known = list(worsts_of(prefix))
    allowed = next((each for each in known if judged(join(each.words)).decision is Decision.ALLOW), None)
    worse = known[0] if known and known[0] is not allowed else None
    return Preview(
        covered=tuple(found[Decision.ALLOW]),
        not_covered=tuple(found[Decision.PROMPT]),
        forbidden=tuple(found[Decision.FORBIDDEN]),
        dangerous=tuple(dangerous),
        worst=allowed,
        elsewhere=worse if worse and with_it.policy.check(worse.words).decision is Decision.ALLOW else None,
    )


def why_too_broad(prefix: Sequence[str], *, exact: bool = False) -> str | None:
    """Why an allow rule for ``prefix`` should not be saved, if it allows what has nothing to do with its words.

    Args:
        exact: no word may follow.
    """
    why = None if not prefix else why_broad_alone(prefix) if exact else why_broad(prefix)
    if why is None:
        return None
    worst = None if exact else worst_of(prefix)
    also = "" if worst is None else f"it also covers `{join(worst.words)}`; "
    return f"`{join(tuple(prefix))}` is too broad: {also}{why}"


def is_dangerous(verdict: Verdict) -> bool:
    """Whether the heuristics call one of its commands dangerous."""
    return any(one.opinion is not None and one.opinion.verdict == "dangerous" for one in verdict.commands)


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
    ranked = sorted(found.items(), key=lambda each: (-each[1].strictness, len(each[0])))
    return ranked[:_MOST_SHOWN]


def _examples(prefix: tuple[str, ...], line: str) -> tuple[str, ...]:
    program, *rest = prefix
    found = [line, f"{line} more words", f"{line} --any-option", f"{line} && {line}", f"{line} 2>&1"]
    if len(prefix) > 1:
        found.append(join(prefix[:-1]))
        found.append(join((program, "--option", *rest)))
    return (*found, f"{line} > file", f"VARIABLE=value {line}", f"sudo {line}")
