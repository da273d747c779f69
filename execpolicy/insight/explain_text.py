"""An explanation for people: a tree, with colour where asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from execpolicy.diagnostics.painting import painter
from execpolicy.diagnostics.render_text import visible
from execpolicy.insight.explain import Explanation, Part, RuleNote

NOT_PROMISED = {
    "rule-covers": "1. What permitted code does",
    "unknown": "3. Programs that no entry describes",
    "dynamic-inert": "4. Secrets reached through other names",
    "settings-absent": "5. A hostile checkout",
    "run-decoded": "6. Obfuscation for its own sake",
}
"""Code of a ground or a decision, or name of an entry, to the paragraph of ``docs/guarantees.md`` that limits it."""


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
    codes = {code for part in explanation.parts for code in _limited(part, explanation.decision)}
    limits = "; ".join([paragraph for code, paragraph in NOT_PROMISED.items() if code in codes])
    if limits:
        lines.append(f"  not promised (`execpolicy help guarantees`): {limits}")
    lines += [f"  rule file problem: {visible(problem)}" for problem in explanation.problems]
    return "\n".join(lines) + "\n"


def _word(decision: str, color: bool) -> str:
    return painter(color)(decision, decision)


def _part(part: Part, indent: str, color: bool, said: tuple[str, ...]) -> list[str]:
    """``said``: what stands above about the whole script, and is not told again."""
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
    """The keys of ``NOT_PROMISED`` for ``part`` and what it runs, as far as they have the decision of the whole."""
    if part.decision == decision:
        yield from [ground["code"] for ground in part.grounds]
        if part.entry is not None or part.code == "unknown":
            yield part.entry or part.code
    for inner in part.inner:
        yield from _limited(inner, decision)


def _rests_on(grounds: Sequence[dict[str, Any]]) -> str:
    return "rests on " + ", ".join(dict.fromkeys(_ground(each) for each in grounds))


def _ground(ground: dict[str, Any]) -> str:
    return f"{ground['code']} ({visible(ground['detail'])})" if ground["detail"] else str(ground["code"])


def _rule(note: RuleNote) -> str:
    where = note.place or "a rule in memory"
    layer = f", {note.layer} layer" + ("" if note.trusted else " (untrusted)") if note.layer else ""
    why = f": {visible(note.why)}" if note.why else ""
    return f"{note.effect} {note.decision} rule `{visible(note.pattern)}` ({visible(where)}{layer}){why}"
