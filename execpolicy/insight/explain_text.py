"""An explanation for people: a tree, with colour where asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from execpolicy.diagnostics.painting import painter
from execpolicy.diagnostics.render_text import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.insight.explain import Advice, Explanation, Part, RuleNote


def explanation_text(explanation: Explanation, *, color: bool = False) -> str:
    """The explanation as lines, the last one ended."""
    lines = [f"{_word(explanation.decision, color)}: {visible(explanation.reason)}"]
    if explanation.status == "opaque":
        lines.append("  the input is not understood; what could be seen in it:")
    for part in explanation.parts:
        lines += _part(part, "  ", color, explanation.blocks)
    if explanation.grounds and not explanation.parts:
        lines.append(f"  {_rests_on(explanation.grounds)}")
    if explanation.blocks:
        lines.append("  in the way of allowing any of it:")
        lines += [f"    {code}: {visible(detail)}" for code, detail in explanation.blocks]
    if explanation.advice is not None:
        lines += _advice(explanation.advice, [detail for part in explanation.parts for detail in _blocks_of(part)])
    lines += [f"  rule file problem: {visible(problem)}" for problem in explanation.problems]
    return "\n".join(lines) + "\n"


def _word(decision: str, color: bool) -> str:
    return painter(color)(decision, decision)


def _part(part: Part, indent: str, color: bool, said: tuple[tuple[str, str], ...]) -> list[str]:
    """``said``: blocks of the whole script, which are told once."""
    context = f"  [{', '.join(part.context)}]" if part.context else ""
    lines = [f"{indent}{_word(part.decision, color)}  {visible(part.shown)}{context}"]
    inner = indent + "    "
    lines.append(f"{inner}{part.code}: {visible(part.reason)}")
    if part.entry is not None and part.code in ("safe", "dangerous", "blocked"):
        nearest = "entry" if part.code in ("safe", "dangerous") else "nearest entry"
        lines.append(f"{inner}{nearest} `{part.entry}`" + (f" ({part.entry_place})" if part.entry_place else ""))
    lines += [f"{inner}{_rule(note)}" for note in part.rules]
    lines += [
        f"{inner}blocked by {code}: {visible(detail)}" for code, detail in part.blocks if (code, detail) not in said
    ]
    if part.grounds:
        lines.append(inner + _rests_on(part.grounds))
    if part.inner:
        lines.append(f"{inner}runs:")
        for one in part.inner:
            lines += _part(one, inner + "  ", color, said)
    return lines


def _rests_on(grounds: Sequence[dict[str, Any]]) -> str:
    return "rests on " + ", ".join(dict.fromkeys(_ground(each) for each in grounds))


def _ground(ground: dict[str, Any]) -> str:
    return f"{ground['code']} ({visible(ground['detail'])})" if ground["detail"] else str(ground["code"])


def _rule(note: RuleNote) -> str:
    where = note.place or "a rule in memory"
    layer = f", {note.layer} layer" + ("" if note.trusted else " (untrusted)") if note.layer else ""
    why = f": {visible(note.why)}" if note.why else ""
    return f"{note.effect} {note.decision} rule `{visible(note.pattern)}` ({visible(where)}{layer}){why}"


def _blocks_of(part: Part) -> list[str]:
    return [detail for _, detail in part.blocks] + [detail for inner in part.inner for detail in _blocks_of(inner)]


def _advice(advice: Advice, told: Sequence[str]) -> list[str]:
    """``told``: blocks that stand above already."""
    lines: list[str] = []
    new = [obstacle for obstacle in advice.obstacles if not obstacle.endswith(tuple(told))]
    if new:
        lines.append("  no allow rule changes:")
        lines += [f"    {visible(obstacle)}" for obstacle in new]
    elif advice.obstacles:
        lines.append("  no allow rule changes what it is blocked by")
    if advice.rules and (advice.proven or not advice.obstacles):
        lines.append("  would be allowed with:" if advice.proven else "  would be closer to allowed with:")
        ours = any("unless=" in rule for rule in advice.rules)
        lines += [f"    {visible(rule)}" for rule in advice.rules]
        if ours:
            lines.append("    (in `~/.config/execpolicy/rules`: Codex does not know `unless`)")
    if advice.wider:
        lines.append("  or, with other files of the project too:")
        lines += [f"    {visible(rule)}" for rule in advice.wider]
        lines += [f"    which leaves out {visible(each)}" for each in advice.left_out]
    lines += [f"  careful: {visible(warning)}" for warning in advice.warnings]
    return lines
