"""An explanation as text for the terminal: a tree, with optional colour.

Also the text answer of ``check``: the decision, its reason, the part that decided, and the place of the rule.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.diagnostics.painting import painter
from execpolicy.diagnostics.render_text import visible
from execpolicy.insight.explain import Explanation, Part, RuleNote
from execpolicy.judge.reasons import in_short, shown_command, worst_of
from execpolicy.judge.verdict import CommandVerdict, EffectMatch, Verdict
from execpolicy.resources import records_folder
from execpolicy.source import Place

_MOST_SHOWN = 8
"""The maximum number of commands of an allowed script that are listed with their cover; more are only counted."""
_HINT = "`execpolicy explain` says what was tried, and what would allow it"
_KINDS = {"objected": "objected", "unknown": "unknown: nothing objects to it, an agent's own permissions may decide"}


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
    entry = command.opinion.entry if command.opinion is not None else None
    if entry is not None:
        return f"{_place(entry.place)}  {entry.name}"
    return "what it runs is allowed" if command.inner else "runs no program"


def _shown(command: CommandVerdict) -> str:
    return in_short(shown_command(command)) or "(no program)"


def _place(place: Place | None) -> str:
    """The place of a rule; the file alone for the package's own rules, whose entries have names."""
    if place is None:
        return "a rule in memory"
    folder, name = os.path.split(place.path)
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
        lines.append("  in the way of allowing any of it:")
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
            done[effect.kind][effect.target or "a name that only the run knows"] = None
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
