"""The explanation of a decision: the commands that would run, the rules that matched or nearly did, the remedies."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from execpolicy.core.decision import Decision
from execpolicy.core.exclusion import left_out_by
from execpolicy.core.ground import AllowedTarget
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.path_rules import PathRule
from execpolicy.core.rules import NetworkRule, PrefixRule
from execpolicy.diagnostics.render_text import painter, visible
from execpolicy.insight.advising import Advice, AdviceSection
from execpolicy.judge.check import check
from execpolicy.judge.command_verdict import Block, CommandVerdict, EffectMatch
from execpolicy.judge.reasons import command_reason, in_short, shown_command, worst_of
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.layers.layer import LoadedLayers, LoadedRule
from execpolicy.lint.effects import Effect
from execpolicy.resources import records_folder, rules_folder
from execpolicy.safety.dangers import DangerousCommand
from execpolicy.source import Place, Span
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
    return explain_verdict(verdict, layers)


def explain_verdict(verdict: Verdict, layers: LoadedLayers | None = None) -> Explanation:
    """Explains ``verdict``.

    Args:
        layers: the source of the rules; without it the notes name no layers.
    """
    script = verdict.script
    writer = _Explainer(verdict.rulebook, {} if layers is None else {id(rule.statement): rule for rule in layers.rules})
    return Explanation(
        text=script.text,
        decision=verdict.decision.word,
        status=script.status,
        reason=verdict.reason,
        parts=tuple(writer.part(command) for command in verdict.commands),
        blocks=_pairs(verdict.blocks),
        grounds=tuple(ground.to_json(Span(0, len(script.text))) for ground in verdict.own_grounds),
        advice=verdict.advice,
        problems=() if layers is None else tuple(map(str, layers.errors())),
        effects=verdict.effects,
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

    def note(
        self, rule: PrefixRule | PathRule | NetworkRule | DangerousCommand, effect: str, why: str | None
    ) -> RuleNote:
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


def pattern_of(rule: PrefixRule | PathRule | NetworkRule | DangerousCommand) -> str:
    """The pattern, the paths, the host or the name of a rule, as text."""
    if isinstance(rule, PrefixRule):
        return str(rule.pattern)
    if isinstance(rule, PathRule):
        return " ".join(rule.paths)
    return rule.host if isinstance(rule, NetworkRule) else rule.name


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


_MOST_SHOWN = 8
"""The maximum number of commands of an allowed script that are listed with their cover; more are only counted."""
_HINT = "`execpolicy explain` says what was tried, and what would allow it"
_KINDS = {
    "objected": "objected: a person decides, whatever the agent's own permissions say",
    "unknown": "unknown: nothing objects to it, an agent's own permissions may decide",
}


def answer_text(
    verdict: Verdict, restricted: tuple[Decision, str] | None = None, *, color: bool = False, width: int = 80
) -> str:
    """The verdict in a few lines, the last one ended.

    Args:
        restricted: the decision and the reason of permission rules that are stricter.
        width: columns of the terminal.
    """
    paint = painter(color)
    word = (verdict.decision if restricted is None else restricted[0]).word
    rows: list[tuple[str, str]] = []
    if restricted is not None:
        reason = restricted[1]
        rows = [("kind", _KINDS["objected"])] if restricted[0] is Decision.PROMPT else []
    elif verdict.decision is Decision.ALLOW:
        reason, rows = _allowed(verdict)
    else:
        kind = [("kind", _KINDS[verdict.kind])] if verdict.kind is not None else []
        reason, rows = verdict.reason, [*_deciding(verdict), *kind, ("more", _HINT)]
    lines = _wrapped(f"{word}: {visible(reason)}", "", width)
    lines[0] = paint(word, word) + lines[0][len(word) :]
    column = min(max([len(visible(name)) for name, _ in rows], default=0), width // 2)
    for name, text in rows:
        shown = f"{visible(name):<{column}}"
        first, *rest = _wrapped(f"{shown}  {visible(text)}", " " * column, width - 2)
        lines.append(f"  {shown}{paint(first[len(shown) :], 'dim')}" if first.startswith(shown) else f"  {first}")
        lines += [f"  {paint(line, 'dim')}" for line in rest]
    return "\n".join(lines) + "\n"


def _allowed(verdict: Verdict) -> tuple[str, list[tuple[str, str]]]:
    """The reason why everything is allowed, and the cover of each command."""
    rows = [(_shown(command), _cover(command)) for command in verdict.commands]
    if not rows:
        return "nothing runs", []
    if len(rows) > _MOST_SHOWN:
        rows[_MOST_SHOWN:] = [(f"and {len(rows) - _MOST_SHOWN} more", "")]
    if len(verdict.commands) > 1:
        return f"each of {len(verdict.commands)} commands is covered", rows
    (command,) = verdict.commands
    if any(isinstance(match, PrefixMatch) for match in command.matches):
        return "a rule says so", rows
    covered = _covered(command)
    if covered is not None:
        return f"a {_kind_of(covered)} allows `{covered.name}`, and all else is known to be safe", rows
    known = command.opinion is not None and command.opinion.entry is not None
    return "it is known to be safe" if known else rows[0][1], rows


def _deciding(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """The parts that make the verdict as strict as it is, each with its rule or entry and place."""
    chain: list[CommandVerdict] = []
    commands = verdict.commands
    while found := worst_of(commands, verdict.decision):
        chain.append(found)
        commands = found.inner
    if not chain:
        return
    if len(verdict.commands) > 1 or len(chain) > 1:
        yield "part", " → ".join(dict.fromkeys([_shown(each) for each in chain]))
    for match in chain[-1].matches:
        if isinstance(match, PrefixMatch | EffectMatch) and match.decision is verdict.decision:
            pattern = match.rule.pattern if isinstance(match, PrefixMatch) else match.pattern
            yield "rule", f"{_place(match.rule.place)}  {pattern}"
            return
    opinion = chain[-1].opinion
    if opinion is not None and opinion.entry is not None and opinion.verdict == "dangerous":
        yield "rule", f"{_place(opinion.entry.place)}  dangerous_command {opinion.entry.name}"


def _cover(command: CommandVerdict) -> str:
    """The rule, entry or other reason that allows a command."""
    for match in command.matches:
        if isinstance(match, PrefixMatch):
            return _place(match.rule.place)
    covered = _covered(command)
    if covered is not None:
        return f"{_place(covered.place)}  {_kind_of(covered)}"
    entry = command.opinion.entry if command.opinion is not None else None
    if entry is not None:
        return f"{_place(entry.place)}  {entry.name}"
    return "what it runs is allowed" if command.inner else "runs no program"


def _covered(command: CommandVerdict) -> AllowedTarget | None:
    """The first file or host that a write rule or a network rule lets the command write or reach."""
    return next((each.subject for each in command.grounds if isinstance(each.subject, AllowedTarget)), None)


def _kind_of(covered: AllowedTarget) -> str:
    return "network_rule" if isinstance(covered.rule, NetworkRule) else "write_rule"


def _shown(command: CommandVerdict) -> str:
    return in_short(shown_command(command)) or "(no program)"


def _place(place: Place | None) -> str:
    """The place of a rule; the file alone for the package's own rules, whose entries have names."""
    if place is None:
        return "a rule in memory"
    folder, name = os.path.split(place.path)
    if folder == os.path.join(rules_folder(), "workspace"):
        return "workspace setting"
    return f"built-in {name}" if folder == records_folder() else str(place)


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    return textwrap.wrap(
        text, max(width, 40), subsequent_indent=f"{indent}  ", break_long_words=False, break_on_hyphens=False
    )


NOT_PROMISED = {
    "rule-covers": "1. What permitted code does",
    "unknown": "3. Programs that no entry describes",
    "dynamic-inert": "4. Secrets reached through other names",
    "settings-absent": "5. A hostile checkout",
    "run-decoded": "6. Obfuscation for its own sake",
}
"""Codes of grounds or decisions and names of entries, mapped to the paragraph of ``docs/guarantees.md`` on them."""


def explanation_text(explanation: Explanation, *, color: bool = False) -> str:
    """The explanation as lines, the last one ended."""
    lines = [f"{_word(explanation.decision, color)}: {visible(explanation.reason)}"]
    if explanation.status == "opaque":
        lines.append("  the input is not understood; what could be seen in it:")
    for part in explanation.parts:
        lines += _part(part, "  ", color, (explanation.reason, *[detail for _, detail in explanation.blocks]))
    if explanation.grounds and not explanation.parts:
        lines.append(f"  {_rests_on(explanation.grounds)}")
    if explanation.blocks:
        lines.append("  nothing in it can be allowed:")
        lines += [f"    {code}: {visible(detail)}" for code, detail in explanation.blocks]
    if explanation.permission is not None:
        word, reason = explanation.permission
        lines.append(f"  permissions: {'' if word == 'allow' else f'{word}: '}{visible(reason)}")
    for each in explanation.advised():
        below = [f"    {visible(line)}" for line in (*each.lines, *each.rules, *each.notes)]
        lines += [f"  {visible(each.title)}{':' if below else ''}", *below]
    done: dict[str, dict[str, None]] = {effect.kind: {} for effect in explanation.effects if effect.kind != "run"}
    for effect in explanation.effects:
        if effect.kind in done:
            done[effect.kind][effect.target or "a file known only at run time"] = None
    lines += [f"  would {kind}: {visible(', '.join(targets))}" for kind, targets in done.items()]
    codes = {code for part in explanation.parts for code in _limited(part, explanation.decision)}
    limits = "; ".join([paragraph for code, paragraph in NOT_PROMISED.items() if code in codes])
    if limits:
        lines.append(f"  not promised (`execpolicy help guarantees`): {limits}")
    lines += [f"  rule file problem: {visible(problem)}" for problem in explanation.problems]
    return "\n".join(lines) + "\n"


def _word(decision: str, color: bool) -> str:
    return painter(color)(decision, decision)


def _part(part: Part, indent: str, color: bool, said: tuple[str, ...]) -> list[str]:
    """The lines for one part; ``said`` lists details of the whole script that are already shown."""
    context = f"  [{', '.join(part.context)}]" if part.context else ""
    lines = [f"{indent}{_word(part.decision, color)}  {visible(part.shown)}{context}"]
    inner = indent + "    "
    lines.append(f"{inner}{part.code}" + ("" if part.reason in said else f": {visible(part.reason)}"))
    if part.entry_word is not None:
        lines.append(
            f"{inner}{part.entry_word} `{part.entry}`" + (f" ({part.entry_place})" if part.entry_place else "")
        )
    lines += [f"{inner}{_rule(note)}" for note in part.rules]
    for code, detail in part.blocks:
        if detail not in said:
            lines.append(f"{inner}blocked by {code}" + ("" if detail in part.reason else f": {visible(detail)}"))
    if part.grounds:
        lines.append(inner + _rests_on(part.grounds))
    if part.inner:
        lines.append(f"{inner}runs:")
        for one in part.inner:
            lines += _part(one, inner + "  ", color, said)
    return lines


def _limited(part: Part, decision: str) -> Iterator[str]:
    """The keys of ``NOT_PROMISED`` for ``part`` and its inner commands that share the decision of the whole."""
    if part.decision == decision:
        yield from [ground["code"] for ground in part.grounds]
        if part.entry is not None or part.code == "unknown":
            yield part.entry or part.code
    for inner in part.inner:
        yield from _limited(inner, decision)


def _rests_on(grounds: Sequence[dict[str, Any]]) -> str:
    shown = [f"{each['code']} ({visible(each['detail'])})" if each["detail"] else each["code"] for each in grounds]
    return "rests on " + ", ".join(dict.fromkeys(shown))


def _rule(note: RuleNote) -> str:
    where = note.place or "a rule in memory"
    layer = f", {note.layer} layer" + ("" if note.trusted else " (untrusted)") if note.layer else ""
    why = f": {visible(note.why)}" if note.why else ""
    return f"{note.effect} {note.decision} rule `{visible(note.pattern)}` ({visible(where)}{layer}){why}"
