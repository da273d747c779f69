"""Rules to an agent's format.

Every agent compares the text that stands in front of it. What a rule forbids is therefore found there in one spelling
out of many, so an exported deny never replaces the hook; and an allow with a stricter rule inside is not exported at
all.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from execpolicy.core.decision import Decision
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.exchange.command_regex import spelled
from execpolicy.exchange.tool_entry import ExportedSettings, Level, Loss
from execpolicy.lang.render import render
from execpolicy.lang.statements import Statement

KEEP_THE_HOOK = "found only where it is spelled so: keep the hook"
_MOST = 200
"""Ways to spell one rule, a list of alternatives at each position, that are written out."""

_ACTIONS = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}


@dataclass(frozen=True, slots=True)
class Exported:
    """One rule in the words of an agent.

    Attributes:
        action: ``allow``, ``ask`` or ``deny``.
        words: the words of the command, none of which needs quotes.
        reason: the rule's justification.
    """

    action: str
    words: tuple[str, ...]
    reason: str | None = None

    @property
    def text(self) -> str:
        """The words with blanks between."""
        return " ".join(self.words)


Say = Callable[[Exported], tuple[Level, str]]
"""How faithful a format is to one rule, and why not more. ``impossible`` keeps the rule out."""
Put = Callable[[Sequence[Exported]], str]
"""The text of the format for all rules that it can say."""


def export_rules(statements: Iterable[Statement], say: Say, put: Put) -> ExportedSettings:
    """What the rules among ``statements`` are in a format that knows nothing but texts of commands."""
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
    """The rules as Codex reads them: in our own language, without what it does not know."""
    lines: list[str] = []
    losses: list[Loss] = []
    for statement in statements:
        place, shown = str(statement.place or ""), _shown(statement)
        if isinstance(statement, (PrefixRule, NetworkRule, HostExecutable)):
            lines.append(render(statement))
            restricts = isinstance(statement, PrefixRule) and statement.decision is not Decision.ALLOW
            level: Level = "laxer" if restricts else "exact"
            losses.append(Loss(place, shown, level, KEEP_THE_HOOK if restricts else ""))
        else:
            losses.append(Loss(place, shown, "impossible", "Codex refuses a file that holds it"))
    return ExportedSettings("".join(f"{line}\n" for line in dict.fromkeys(lines)), tuple(losses))


def permission_lists(rules: Sequence[Exported], form: str, actions: Sequence[str] = ("allow", "ask", "deny")) -> object:
    """``permissions`` with a list for each action; ``form`` holds ``{}`` for the words."""
    lists = {action: [form.format(rule.text) for rule in rules if rule.action == action] for action in actions}
    return {"permissions": lists}


def usual_faith(rule: Exported) -> tuple[Level, str]:
    """Of formats whose allow ends at a word and takes chains apart: only what restricts gets lost."""
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
    count = 1
    for tokens in positions:
        count *= len(tokens)
    if count > _MOST:
        return [], "impossible", f"it stands for {count} commands"
    if statement.unless:
        return [], "stricter", "left out: the format cannot say what an allow rule leaves out (`unless`)"
    if statement.decision is Decision.ALLOW:
        for other in restricting:
            if _shares(statement, other):
                why = (
                    f"left out: the stricter rule `{other.pattern}` reaches into it in spellings that the agent misses"
                )
                return [], "stricter", why
    found: list[Exported] = []
    levels: list[tuple[Level, str]] = []
    for words in itertools.product(*positions):
        if spelled(words) is None:
            return [], "impossible", "a word needs quotes, and the agent compares the text with its quotes"
        one = Exported(_ACTIONS[statement.decision], words, statement.justification)
        level, why = say(one)
        levels.append((level, why))
        if level != "impossible":
            found.append(one)
    level, why = max(levels, key=lambda each: ("exact", "stricter", "laxer", "impossible").index(each[0]))
    return found, level, why


def _shares(allow: PrefixRule, other: PrefixRule) -> bool:
    """Whether ``other`` may restrict something that ``allow`` lets run, by meaning too: so only the program counts."""
    programs = {name.rpartition("/")[2] for name in allow.pattern.positions()[0]}
    if not programs & {name.rpartition("/")[2] for name in other.pattern.positions()[0]}:
        return False
    ours, theirs = allow.pattern.positions(), other.pattern.positions()
    return all(set(a) & set(b) for a, b in zip(ours[1:], theirs[1:], strict=False) if not _are_options((*a, *b)))


def _are_options(tokens: Iterable[str]) -> bool:
    """Options may stand anywhere, so two of them at one position do not tell commands apart."""
    return any(token.startswith("-") for token in tokens)


def _shown(statement: Statement) -> str:
    if isinstance(statement, (PrefixRule, NetworkRule, HostExecutable)):
        return render(statement)
    kind = getattr(statement, "kind", "write_rule")
    return f"{kind}({getattr(statement, 'name', '') or ' '.join(getattr(statement, 'paths', ()))})"
