"""Converts rules to an agent's format.

Agents compare the literal text of a command. An exported deny therefore matches one spelling out of many and never
replaces the hook. An allow that contains a stricter rule is not exported.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from execpolicy.core.decision import Decision
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.exchange.command_regex import is_plain
from execpolicy.exchange.tool_entry import ExportedSettings, Level, Loss
from execpolicy.lang.render import render
from execpolicy.lang.statements import Statement
from execpolicy.layers.layer import is_known_to_codex

KEEP_THE_HOOK = "found only where it is spelled so: keep the hook"
_MOST = 200
"""The maximum number of spellings of one rule, which has a list of alternatives at each position."""

_ACTIONS = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}


@dataclass(frozen=True, slots=True)
class Exported:
    """One rule in the words of an agent.

    Attributes:
        action: ``allow``, ``ask`` or ``deny``.
        words: the words of the command; no word needs quotes.
    """

    action: str
    words: tuple[str, ...]
    reason: str | None = None

    @property
    def text(self) -> str:
        """The words joined by blanks."""
        return " ".join(self.words)


Say = Callable[[Exported], tuple[Level, str]]
"""Returns the fidelity of a format to one rule, and the reason of a loss. ``impossible`` excludes the rule."""
Put = Callable[[Sequence[Exported]], str]
"""Returns the text of the format for all rules that it can express."""


def export_rules(statements: Iterable[Statement], say: Say, put: Put) -> ExportedSettings:
    """The rules among ``statements`` in a format that only holds texts of commands."""
    rules = list(statements)
    restricting = [one for one in rules if isinstance(one, PrefixRule) and one.decision is not Decision.ALLOW]
    kept: list[Exported] = []
    losses: list[Loss] = []
    for statement in rules:
        found, level, why = _of_statement(statement, restricting, say)
        kept += [one for one in found if one not in kept]
        losses.append(Loss(str(statement.place or ""), _shown(statement), level, why))
    return ExportedSettings(put(kept), tuple(losses))


def export_statements(statements: Iterable[Statement]) -> ExportedSettings:
    """The rules in the dialect that Codex reads, without statements and parameters that it does not support."""
    lines: list[str] = []
    losses: list[Loss] = []
    for statement in statements:
        shown = _shown(statement)
        level, why = _fidelity_in_codex(statement)
        losses.append(Loss(str(statement.place or ""), shown, level, why))
        if level != "impossible":
            lines.append(shown)
    return ExportedSettings("".join(f"{line}\n" for line in dict.fromkeys(lines)), tuple(losses))


def _fidelity_in_codex(statement: Statement) -> tuple[Level, str]:
    if not is_known_to_codex(statement):
        return "impossible", "Codex refuses a file that holds it"
    if isinstance(statement, PrefixRule) and statement.decision is not Decision.ALLOW:
        return "laxer", KEEP_THE_HOOK
    return "exact", ""


def permission_lists(rules: Sequence[Exported], form: str) -> str:
    """``permissions`` with a list for each action; ``form`` contains ``{}`` for the words."""
    lists = {
        action: [form.format(rule.text) for rule in rules if rule.action == action] for action in _ACTIONS.values()
    }
    return as_json({"permissions": lists})


def usual_faith(rule: Exported) -> tuple[Level, str]:
    """The fidelity of formats whose allow ends at a word and that split chains: only prompt and forbid rules lose."""
    return ("exact", "") if rule.action == "allow" else ("laxer", KEEP_THE_HOOK)


def as_json(value: object) -> str:
    """``value`` as a settings file writes it."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _of_statement(
    statement: Statement, restricting: Sequence[PrefixRule], say: Say
) -> tuple[list[Exported], Level, str]:
    if not isinstance(statement, PrefixRule):
        return [], "impossible", "the format knows nothing like it"
    positions = statement.pattern.positions()
    count = math.prod(map(len, positions))
    if count > _MOST:
        return [], "impossible", f"it stands for {count} commands"
    if statement.unless:
        return [], "stricter", "left out: the format cannot say what an allow rule leaves out (`unless`)"
    if statement.decision is Decision.ALLOW:
        for other in restricting:
            if _shares(statement, other):
                why = f"the stricter rule `{other.pattern}` reaches into it in spellings that the agent misses"
                return [], "stricter", f"left out: {why}"
    found: list[Exported] = []
    levels: list[tuple[Level, str]] = []
    for words in itertools.product(*positions):
        if not all(map(is_plain, words)):
            return [], "impossible", "a word needs quotes, and the agent compares the text with its quotes"
        one = Exported(_ACTIONS[statement.decision], words, statement.justification)
        level, why = say(one)
        levels.append((level, why))
        if level != "impossible":
            found.append(one)
    level, why = max(levels, key=lambda each: ("exact", "stricter", "laxer", "impossible").index(each[0]))
    return found, level, why


def _shares(allow: PrefixRule, other: PrefixRule) -> bool:
    """True if ``other`` may restrict a command that ``allow`` covers, also by meaning: only program names count."""
    programs = {name.rpartition("/")[2] for name in allow.pattern.positions()[0]}
    if not programs & {name.rpartition("/")[2] for name in other.pattern.positions()[0]}:
        return False
    ours, theirs = allow.pattern.positions(), other.pattern.positions()
    # options may be at any position, so they do not distinguish commands
    fixed = [(a, b) for a, b in zip(ours[1:], theirs[1:], strict=False) if not any(t[:1] == "-" for t in (*a, *b))]
    return all(set(a) & set(b) for a, b in fixed)


def _shown(statement: Statement) -> str:
    if isinstance(statement, (PrefixRule, NetworkRule, HostExecutable)):
        return render(statement)
    kind = getattr(statement, "kind", "write_rule")
    return f"{kind}({getattr(statement, 'name', '') or ' '.join(getattr(statement, 'paths', ()))})"
