"""The explanation of a decision: the commands that would run, the rules that matched or nearly did, the remedies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from execpolicy.core.decision import Decision
from execpolicy.core.exclusion import left_out_by
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.path_rules import PathRule
from execpolicy.core.rules import NetworkRule, PrefixRule
from execpolicy.insight.advising import Advice, AdviceSection, advice_for
from execpolicy.judge.check import check
from execpolicy.judge.effects import Effect, effects_of
from execpolicy.judge.reasons import command_reason, shown_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Block, CommandVerdict, EffectMatch, Verdict
from execpolicy.layers.layer import LoadedLayers, LoadedRule
from execpolicy.shell.script import Script
from execpolicy.source import Span
from execpolicy.validators import instance, optional

_MOST_NEAR = 4
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleNote:
    """The effect of one rule on a decision.

    Attributes:
        pattern: as written, alternatives as ``[a|b]``.
        place: ``path:line``, or ``None`` for a rule from memory.
        layer: the layer that it came from, and whether that layer is trusted.
        effect: ``decided``, ``matched`` (a stricter one decided), ``blocked`` (it would grant but for an obstacle) or
            ``near`` (it would match but for one word).
        why: the obstacle for ``blocked`` and ``near``; otherwise the rule's justification.
    """

    pattern: str
    decision: str
    place: str | None
    layer: str | None
    trusted: bool
    effect: str
    why: str | None

    def to_json(self) -> dict[str, Any]:
        """All fields; ``None`` for those without a value."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One command of the input, or one that a wrapper runs.

    Attributes:
        code: a stable reason code: ``rule``, ``write-rule``, ``safe``, ``dangerous``, ``unknown``, ``blocked``,
            ``wrapper`` or ``nothing-to-run``.
        reason: one line, fit to be returned to a model.
        entry: the name of the heuristic entry that decided, with its place.
        blocks: codes and details of the obstacles to a grant.
        grounds: the grounds of an allow, each with its code, span and detail.
        inner: the commands that it would run itself.
    """

    shown: str
    span: tuple[int, int]
    context: tuple[str, ...]
    decision: str
    code: str
    reason: str
    rules: tuple[RuleNote, ...]
    opinion: str | None
    entry: str | None
    entry_place: str | None
    blocks: tuple[tuple[str, str], ...]
    grounds: tuple[dict[str, Any], ...] = ()
    inner: tuple[Part, ...] = ()

    @property
    def entry_word(self) -> str | None:
        """The relation of its entry to the decision; ``None`` where no entry matters."""
        if self.entry is None:
            return None
        return {"safe": "entry", "dangerous": "entry", "blocked": "nearest entry"}.get(self.code)

    def told(self) -> list[str]:
        """The details of its blocks and of those of its inner commands."""
        return [detail for _, detail in self.blocks] + [text for inner in self.inner for text in inner.told()]

    def to_json(self) -> dict[str, Any]:
        """The part as JSON: ``code`` and ``blocks[].code`` are stable, wording is not."""
        return {
            "command": self.shown,
            "span": list(self.span),
            "context": list(self.context),
            "decision": self.decision,
            "code": self.code,
            "reason": self.reason,
            "rules": [note.to_json() for note in self.rules],
            "opinion": self.opinion,
            "entry": self.entry,
            "entryPlace": self.entry_place,
            "blocks": [{"code": code, "detail": detail} for code, detail in self.blocks],
            "grounds": list(self.grounds),
            "inner": [part.to_json() for part in self.inner],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The complete explanation of one decision.

    Attributes:
        grounds: the grounds of an allow of the whole script, in addition to those of its commands.
        permission: the strictest result that permission rules allow, and its reason, if they were consulted.
        effects: what the script would run, read, write, delete, fetch and send.
    """

    text: str
    decision: str
    status: str
    reason: str
    parts: tuple[Part, ...]
    blocks: tuple[tuple[str, str], ...]
    grounds: tuple[dict[str, Any], ...] = ()
    advice: Advice | None = None
    problems: tuple[str, ...] = ()
    permission: tuple[str, str] | None = None
    effects: tuple[Effect, ...] = ()

    def advised(self) -> list[AdviceSection]:
        """The advice, without the details that the blocks of its commands already give."""
        told = [text for part in self.parts for text in part.told()]
        return [] if self.advice is None else self.advice.sections(told)

    def to_json(self) -> dict[str, Any]:
        """The explanation as one JSON object."""
        body: dict[str, Any] = {
            "input": self.text,
            "decision": self.decision,
            "status": self.status,
            "reason": self.reason,
            "commands": [part.to_json() for part in self.parts],
            "grounds": list(self.grounds),
            "blocks": [{"code": code, "detail": detail} for code, detail in self.blocks],
            "advice": None if self.advice is None else self.advice.to_json(),
            "problems": list(self.problems),
            "effects": [effect.to_json() for effect in self.effects],
        }
        if self.permission is not None:
            body["permission"] = dict(zip(("decision", "reason"), self.permission, strict=True))
        return body

    def under(self, restricted: tuple[Decision, str] | None) -> Explanation:
        """The explanation under permission rules.

        ``restricted`` is their decision and reason, or ``None`` if they restrict nothing. No rule can allow a command
        that permission rules forbid or prompt for, so there is no advice then.
        """
        if restricted is None:
            return replace(self, permission=(Decision.ALLOW.word, "no permission rule minds it"))
        decision, reason = restricted
        told = replace(self, advice=None, permission=(decision.word, reason))
        if decision <= Decision(self.decision):
            return told
        return replace(told, decision=decision.word, reason=reason, grounds=())


def explain(
    command: str | Sequence[str],
    rulebook: Rulebook,
    *,
    shell: str = "bash",
    situation: Situation | None = None,
    layers: LoadedLayers | None = None,
) -> Explanation:
    """Explains the verdict of :func:`execpolicy.check` with the same arguments.

    Args:
        layers: the source of the rules; without it the notes name no layers.

    Raises:
        UsageError: an argument has the wrong type.
    """
    optional(instance(LoadedLayers))(layers, "explain: `layers`")
    verdict = check(command, rulebook, shell=shell, situation=situation)
    where = Situation.of_process() if situation is None else situation
    return explain_verdict(verdict.script, verdict, rulebook, where, layers)


def explain_verdict(
    script: Script, verdict: Verdict, rulebook: Rulebook, situation: Situation, layers: LoadedLayers | None = None
) -> Explanation:
    """Explains ``verdict``, the judgement of ``script`` under ``rulebook``.

    Args:
        layers: the source of the rules; without it the notes name no layers.
    """
    writer = _Explainer(rulebook, {} if layers is None else {id(rule.statement): rule for rule in layers.rules})
    return Explanation(
        text=script.text,
        decision=verdict.decision.word,
        status=script.status,
        reason=verdict.reason,
        parts=tuple(writer.part(command) for command in verdict.commands),
        blocks=_pairs(verdict.blocks),
        grounds=tuple(ground.to_json(Span(0, len(script.text))) for ground in verdict.own_grounds),
        advice=None if verdict.decision is Decision.ALLOW else advice_for(script, rulebook, situation),
        problems=() if layers is None else tuple(f"{d.path}:{d.line}: {d.message}" for d in layers.errors()),
        effects=effects_of(verdict, rulebook),
    )


@dataclass(frozen=True, slots=True)
class _Explainer:
    rulebook: Rulebook
    origin: dict[int, LoadedRule]

    def part(self, command: CommandVerdict) -> Part:
        entry = command.opinion.entry if command.opinion is not None else None
        span = command.command.span
        return Part(
            shown=shown_command(command) or "(no program)",
            span=(span.start, span.end),
            context=command.command.context,
            decision=command.decision.word,
            code=_code(command),
            reason=command_reason(command),
            rules=tuple(self.rules(command)),
            opinion=None if command.opinion is None else command.opinion.verdict,
            entry=None if entry is None else entry.name,
            entry_place=None if entry is None or entry.place is None else str(entry.place),
            blocks=_pairs(command.blocks),
            grounds=tuple(ground.to_json(span) for ground in command.grounds),
            inner=tuple(self.part(inner) for inner in command.inner),
        )

    def rules(self, command: CommandVerdict) -> list[RuleNote]:
        notes: list[RuleNote] = []
        spoke: set[int] = set()
        for match in command.matches:
            effect = "decided" if match.decision is command.decision else "matched"
            if isinstance(match, PrefixMatch):
                notes.append(self.note(match.rule, effect, match.rule.justification))
                spoke.add(id(match.rule))
            elif isinstance(match, EffectMatch):
                notes.append(self.note(match.rule, effect, match.rule.justification or f"it covers `{match.path}`"))
        why = "; ".join(block.detail for block in command.blocks) or "see the commands inside"
        for match in command.denied_grants:
            if id(match.rule) not in spoke:
                notes.append(self.note(match.rule, "blocked", why))
                spoke.add(id(match.rule))
        if command.source == "heuristics":
            notes += self.near(command, spoke)
        return notes

    def near(self, command: CommandVerdict, spoke: set[int]) -> list[RuleNote]:
        """The rules for the same program that fail to match by one word."""
        words = command.command.argv()
        if not words or words[0] is None:
            return []
        notes: list[RuleNote] = []
        for rule in self.rulebook.policy.rules_for(words[0]):
            if id(rule) in spoke or len(notes) == _MOST_NEAR:
                continue
            for position in range(1, len(rule.pattern)):
                word = words[position] if position < len(words) else None
                if word is None or not rule.pattern.accepts(position, word):
                    accepted = rule.pattern.positions()[position]
                    wanted = " or ".join(f"`{token}`" for token in accepted[:_MOST_NAMED])
                    if len(accepted) > _MOST_NAMED:
                        wanted += f" or {len(accepted) - _MOST_NAMED} others"
                    if position < len(words):
                        found = f"word {position + 1} is " + ("only known at run time" if word is None else f"`{word}`")
                    else:
                        found = f"there is no word {position + 1}"
                    notes.append(self.note(rule, "near", f"{found}, the rule wants {wanted}"))
                    break
            else:
                entry = left_out_by(rule.unless, words[len(rule.pattern) :])
                if entry is not None:
                    notes.append(self.note(rule, "near", f"the rule leaves out `{entry}`"))
        return notes

    def note(self, rule: PrefixRule | PathRule | NetworkRule, effect: str, why: str | None) -> RuleNote:
        origin = self.origin.get(id(rule))
        return RuleNote(
            pattern=pattern_of(rule),
            decision=rule.decision.word,
            place=None if rule.place is None else str(rule.place),
            layer=None if origin is None else origin.layer.name,
            trusted=origin is None or origin.layer.trusted,
            effect=effect,
            why=why,
        )


def pattern_of(rule: PrefixRule | PathRule | NetworkRule) -> str:
    """The pattern, the paths or the host of a rule, as text."""
    if isinstance(rule, PrefixRule):
        return str(rule.pattern)
    return rule.host if isinstance(rule, NetworkRule) else " ".join(rule.paths)


def _code(command: CommandVerdict) -> str:
    if any(isinstance(match, EffectMatch) for match in command.matches):
        return "write-rule"
    if command.source != "heuristics":
        return command.source
    if command.blocks and (
        command.denied_grants or (command.opinion is not None and command.opinion.verdict == "safe")
    ):
        return "blocked"
    return "unknown" if command.opinion is None else command.opinion.verdict


def _pairs(blocks: Sequence[Block]) -> tuple[tuple[str, str], ...]:
    return tuple((block.code, block.detail) for block in blocks)
