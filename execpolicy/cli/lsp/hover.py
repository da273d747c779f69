"""What an editor shows about the rule under the pointer.

A history of commands, to say how often a rule would have matched.
"""

from __future__ import annotations

import json
from collections import Counter

from execpolicy.cli.lsp.analysis import Analysis, shortest_examples
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join, split
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.errors import RuleStoreError
from execpolicy.judge.deciding_command import deciding_command
from execpolicy.judge.grounds import KINDS
from execpolicy.judge.sight import shortest_restricted
from execpolicy.lint.project import ListedRule
from execpolicy.programs.breadth import worst_of_any
from execpolicy.safe_open import open_named
from execpolicy.source import Span


class RunCounts:
    """Commands and how often each was run."""

    def __init__(self, counts: Counter[tuple[str, ...]]) -> None:
        self.counts = counts
        self.total = counts.total()

    @classmethod
    def read(cls, path: str) -> RunCounts:
        """The history in ``path``: a line is a command, or a JSON object with ``argv``. Other lines are left out.

        Raises:
            RuleStoreError: it cannot be read.
        """
        counts: Counter[tuple[str, ...]] = Counter()
        try:
            with open_named(path) as file:
                for line in file:
                    argv = _argv(line.decode("utf-8", "replace").strip())
                    if argv:
                        counts[argv] += 1
        except OSError as error:
            raise RuleStoreError(f"failed to read history {path}: {error.strerror}") from error
        return cls(counts)

    def matched(self, rule: PrefixRule) -> int:
        """How many of the commands ``rule`` matches."""
        return sum(count for argv, count in self.counts.items() if rule.matched_prefix(argv) is not None)


def _argv(line: str) -> tuple[str, ...] | None:
    if line.startswith("{"):
        try:
            argv = json.loads(line).get("argv")
        except ValueError:
            return None
        return tuple(argv) if isinstance(argv, list) and all(isinstance(word, str) for word in argv) else None
    words = split(line)
    return tuple(words) if words else None


_MOST_RULES = 5
_MOST_EXAMPLES = 4


def hover(analysis: Analysis, offset: int, history: RunCounts | None) -> tuple[str, Span] | None:
    """Markdown about the call around ``offset`` and the range it is about; ``None`` where there is no call."""
    call = analysis.call_at(offset)
    groups = analysis.groups_at(offset)
    if call is None or not groups:
        return None
    paragraphs = [_about_rule(analysis, entry, history) for entry in analysis.entries_of(groups)[:_MOST_RULES]]
    for group in groups:
        for statement in group.statements:
            if isinstance(statement, NetworkRule):
                paragraphs.append(
                    f"**{statement.decision.word}** {statement.protocol} connections to `{statement.host}`"
                )
            elif isinstance(statement, HostExecutable):
                paths = ", ".join([f"`{path}`" for path in statement.paths]) or "no path at all"
                paragraphs.append(f"`{statement.name}` also stands for {paths}")
    count = sum(len(group.statements) for group in groups)
    if count > len(paragraphs):
        paragraphs.append(f"… {count - len(paragraphs)} more rules from this call")
    return "\n\n".join(paragraphs), call.span


def _about_rule(analysis: Analysis, entry: ListedRule, history: RunCounts | None) -> str:
    rule = entry.rule
    lines = [f"**{rule.decision.word}** `{rule.pattern}`"]
    if rule.justification is not None:
        lines.append(rule.justification)
    lines.append(f"Matches {_examples(rule)} and whatever follows.")
    if rule.decision is not Decision.ALLOW and not rule.exact and len(rule.pattern) > 1:
        lines.append("So does every command line that means the same, however its options are spelled and ordered.")
    if rule.unless:
        lines.append(f"Not where a word behind it may be {', '.join([f'`{entry}`' for entry in rule.unless])}.")
    if rule.pattern.canonical_matching:
        lines.append("Case and Unicode spelling do not matter.")
    if rule.decision is Decision.ALLOW and not rule.unless:
        worst = worst_of_any(rule.pattern.positions())
        lines += [] if worst is None else [f"The worst that it covers: {worst}."]
    if rule.decision is Decision.ALLOW:
        lines.append(f"An allow by it rests on `rule-covers`: {KINDS['rule-covers'].claim}")
    by = analysis.deciding(entry)
    if by:
        others = " and ".join(
            [f"`{other.rule.pattern}` ({other.rule.decision.word}) at {other.place}" for other in by[:2]]
        )
        lines.append(f"It decides nothing: {others} cover it.")
    else:
        alone = deciding_command(rule, [each.rule for each in analysis.project.entries], analysis.project.sight)
        if alone is not None:
            lines.append(f"Without it `{join(alone)}` would be decided otherwise.")
        lines += _restricted(analysis, rule)
    if history is not None:
        lines.append(f"Matches {history.matched(rule):,} of {history.total:,} commands in the history.")
    return "  \n".join(lines)


def _restricted(analysis: Analysis, rule: PrefixRule) -> list[str]:
    """Where stricter rules of the folder still decide something that an allow rule covers."""
    if rule.decision is not Decision.ALLOW:
        return []
    found: list[str] = []
    for other in analysis.project.entries:
        if len(found) < _MOST_EXAMPLES and other.rule.pattern.first == rule.pattern.first:
            stricter = other.rule.decision is not Decision.ALLOW
            argv = shortest_restricted(rule.pattern, other.rule) if stricter else None
            if argv is not None:
                found.append(
                    f"Not `{join(argv)}`: `{other.rule.pattern}` ({other.rule.decision.word}) at {other.place}."
                )
    return found


def _examples(rule: PrefixRule) -> str:
    found = shortest_examples(rule, _MOST_EXAMPLES + 1)
    shown = ", ".join([f"`{join(argv)}`" for argv in found[:_MOST_EXAMPLES]])
    return f"{shown}, …" if len(found) > _MOST_EXAMPLES else shown
