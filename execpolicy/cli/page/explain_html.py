"""An explanation, the coverage of rules, and a trial of scripts and draft rules in a browser."""

from __future__ import annotations

import os
from collections.abc import Sequence

from execpolicy.cli.page.html import LONGEST, Bar, Markup, badge, bars, cut, document, element, page, short_path, table
from execpolicy.core.hosts import home_of
from execpolicy.errors import ExecPolicyError
from execpolicy.insight.advising import AdviceSection
from execpolicy.insight.explain import Explanation, Part, RuleNote, explain_verdict
from execpolicy.insight.testing import RuleCoverage, Trial
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.lint.config import Settings
from execpolicy.lint.lint_run import lint, load_project
from execpolicy.shell.script import SHELLS
from execpolicy.source import Source

_MOST_FINDINGS = 100


def trial_page(cwd: str) -> str:
    """The page; its script sends requests as the user types."""
    return page("try", shells=[element("option", each) for each in SHELLS], cwd=short_path(cwd))


def trial_markup(script: str, shell: str, cwd: str, rules: str) -> Markup:
    """The decision on ``script``, with the layers of ``cwd`` and ``rules`` above them."""
    if not script.strip():
        return element("p", "Type a script.")
    cwd = os.path.expanduser(cwd)
    if not (cwd.startswith("/") and os.path.isdir(cwd)):
        return element("p", f"There is no folder `{cwd}`: name one by its whole path.", class_="problem")
    folder = os.path.abspath(cwd)
    session = [Source("rules to try", rules)] if rules.strip() else []
    try:
        layers = load_layers(LayerOptions.of_process(cwd=folder, session=session))
        rulebook = Rulebook(layers.statements, fail_closed=layers.fail_closed)
        situation = Situation(folder, home=home_of(os.environ))
        read = read_command(script, shell=shell if shell in SHELLS else "bash")
        explanation = explain_verdict(judge_script(read, rulebook, situation), layers)
    except ExecPolicyError as error:
        return element("p", str(error), class_="problem")
    return explanation_markup(explanation)


def findings_markup(rules: str) -> Markup:
    """The linter's findings in ``rules``."""
    if not rules.strip():
        return element("p")
    found = lint(load_project([(None, Source("rules to try", rules))]), Settings())
    rows = [
        element(
            "li",
            element("span", each.severity, class_=f"badge {each.severity}"),
            f" {each.code} line {each.line}: {each.message}",
            f" ({each.help})" if each.help else None,
        )
        for each in found[:_MOST_FINDINGS]
    ]
    return element("ul", rows, class_="findings") if rows else element("p", "The linter finds nothing.")


def coverage_document(found: Sequence[RuleCoverage], trials: Sequence[Trial]) -> str:
    """A self-contained file: every rule with its matches, those that never fired first, and the failures."""
    fired = sum(one.fired for one in found)
    failed = [trial for trial in trials if trial.failure is not None]
    rows = [
        [
            "fired" if one.fired else "never",
            badge(one.rule.decision.word),
            element("code", str(one.rule.pattern)),
            str(one.rule.place or ""),
            one.examples,
            one.cases,
            one.history,
        ]
        for one in sorted(found, key=lambda one: one.fired)
    ]
    heads = ["", "decision", "rule", "place", "examples", "cases", "history"]
    failures = [[f"{each.group}:{each.line}", each.title, each.failure or ""] for each in failed]
    return document(
        "execpolicy test",
        element("p", f"{len(trials) - len(failed)} passed, {len(failed)} failed"),
        bars("Rules", [Bar("seen to fire", (("allow", fired),)), Bar("never", (("forbidden", len(found) - fired),))]),
        table(["place", "example", "failure"], failures, caption="Failed"),
        table(heads, rows, caption=f"{fired} of {len(found)} rules were seen to fire"),
    )


_MOST_PARTS = 200
_LONGEST_COMMAND = 1_000
_LONGEST_REASON = 500


def explanation_document(explanation: Explanation) -> str:
    """A self-contained file."""
    return document("execpolicy explain", explanation_markup(explanation))


def explanation_markup(explanation: Explanation) -> Markup:
    """The decision, the coloured text, the tree, and the changes that would alter the decision."""
    return element("section", verdict_markup(explanation), tree_markup(explanation), class_="explanation")


def verdict_markup(explanation: Explanation) -> Markup:
    """The decision with its reason, and the coloured text."""
    verdict = element("p", badge(explanation.decision), " ", cut(explanation.reason, _LONGEST_REASON), class_="verdict")
    return element("div", verdict, coloured(explanation))


def tree_markup(explanation: Explanation) -> Markup:
    """Each command with its reason, and the changes that would alter the decision."""
    parts = explanation.parts[:_MOST_PARTS]
    more = len(explanation.parts) - len(parts)
    return element(
        "div",
        element("ul", [_part(part, explanation.blocks) for part in parts], class_="tree"),
        element("p", f"and {more:,} more commands") if more else None,
        _blocks(explanation.blocks, "In the way of allowing any of it"),
        _permission(explanation.permission),
        [_advice(each) for each in explanation.advised()],
        [element("p", f"Problem in the rules: {problem}", class_="problem") for problem in explanation.problems],
    )


def coloured(explanation: Explanation) -> Markup:
    """The text, each command coloured by its decision with the reason as its title; a very long text is cut."""
    text = explanation.text
    if len(text) > LONGEST:
        return element("pre", element("code", cut(text)), class_="command", tabindex="0")
    pieces: list[Markup | str] = []
    at = 0
    for part in sorted(explanation.parts, key=lambda one: one.span):
        start, end = part.span
        if start < at or end <= start or end > len(text):
            continue
        pieces.append(text[at:start])
        title = f"{part.decision}: {part.reason}"
        pieces.append(element("span", text[start:end], class_=f"part {part.decision}", title=title))
        at = end
    pieces.append(text[at:])
    return element("pre", element("code", pieces), class_="command", tabindex="0")


def _part(part: Part, said: tuple[tuple[str, str], ...]) -> Markup:
    """One command of the tree, without the blocks in ``said``, which are those of the whole script."""
    heading = [badge(part.decision), " ", element("code", cut(part.shown, _LONGEST_COMMAND))]
    context = f" [{', '.join(part.context)}]" if part.context else None
    about: list[Markup] = [element("div", f"{part.code}: {cut(part.reason, _LONGEST_REASON)}", class_="why")]
    if part.entry_word is not None:
        place = f" ({short_path(part.entry_place)})" if part.entry_place else ""
        about.append(element("div", f"{part.entry_word} ", element("code", part.entry), place))
    about += [_note(note) for note in part.rules]
    if part.grounds:
        codes = ", ".join(dict.fromkeys([str(ground["code"]) for ground in part.grounds]))
        about.append(element("div", f"rests on {codes}", class_="quiet"))
    inner = element("ul", [_part(each, said) for each in part.inner]) if part.inner else None
    blocks = tuple([each for each in part.blocks if each not in said])
    return element("li", heading, context, about, _blocks(blocks, "In the way"), inner)


def _note(note: RuleNote) -> Markup:
    said = {"decided": "decided", "matched": "matched too", "blocked": "would grant", "near": "nearly matched"}
    place = short_path(note.place) if note.place else None
    where = " · ".join(filter(None, (place, note.layer, None if note.trusted else "not trusted")))
    return element(
        "div",
        f"{said.get(note.effect, note.effect)}: {note.decision} ",
        element("code", note.pattern),
        f" ({where})" if where else None,
        f": {note.why}" if note.why else None,
        class_=f"note {note.effect}",
    )


def _blocks(blocks: tuple[tuple[str, str], ...], title: str) -> Markup | None:
    if not blocks:
        return None
    return element("div", f"{title}: ", element("ul", [element("li", f"{code}: {why}") for code, why in blocks]))


def _permission(said: tuple[str, str] | None) -> Markup | None:
    if said is None:
        return None
    return element("p", "Permissions: ", badge(said[0]), " ", cut(said[1], _LONGEST_REASON))


def _advice(section: AdviceSection) -> Markup:
    title = section.title[:1].upper() + section.title[1:]
    rows = [element("li", line) for line in section.lines]
    rows += [element("li", element("code", line)) for line in section.rules]
    return element(
        "section",
        element("p", title, class_="problem" if section.careful else "title"),
        element("ul", rows, class_="rules") if rows else None,
        [element("p", note, class_="quiet") for note in section.notes],
    )
