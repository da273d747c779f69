"""The rules in force by layer, how often each fired, what the linter says, and what differs between two sets."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from execpolicy.cli.commands.list import rule_words
from execpolicy.cli.fixing import write_fixes
from execpolicy.cli.page.frame import button, page
from execpolicy.cli.page.markup import Markup, badge, element, short_path, shown, table
from execpolicy.cli.rule_targets import read_source
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.core.writes import WriteRule
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.insight.decided import key_of
from execpolicy.insight.diff import policy_diff
from execpolicy.judge.rulebook import Rulebook
from execpolicy.lang.compile import compile_source
from execpolicy.layers.overridden import overridden
from execpolicy.lint.config import find_settings
from execpolicy.lint.lint_run import lint
from execpolicy.lint.load_project import load_project
from execpolicy.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.insight.decided import RuleKey
    from execpolicy.layers.layer import LoadedLayers, LoadedRule

_MOST_BUILTIN = 2_000


def policy_page(loaded: LoadedLayers, fired: Mapping[RuleKey, int] | None) -> str:
    """The page. ``fired``: how often each rule fired in the recorded history; ``None`` where none was read."""
    coverage = (
        "No history was read: the History page does that, and then this page says which rules fire."
        if fired is None
        else "“Fired” counts commands of the recorded history."
    )
    return page(
        "policy",
        "Policy",
        element("p", coverage),
        element("label", "Search ", for_="search"),
        element("input", id="search", type="search", placeholder="git push", autocomplete="off"),
        element("p", element("span", id="found", aria_live="polite")),
        [_layer(loaded, name, fired) for name in dict.fromkeys([each.name for each in loaded.layers])],
        element("section", element("h2", "Findings of the linter"), _findings(_rule_files(loaded)), id="lint"),
        _comparison(),
    )


def _layer(loaded: LoadedLayers, name: str, fired: Mapping[RuleKey, int] | None) -> Markup:
    why = overridden(loaded.rules)
    rows = [
        _rule(rule, rule.inert or why.get(at), fired) for at, rule in enumerate(loaded.rules) if rule.layer.name == name
    ][:_MOST_BUILTIN]
    layer = next(each for each in loaded.layers if each.name == name)
    about = " ".join(
        [
            text
            for text in (
                layer.folder and short_path(layer.folder),
                layer.reason,
                None if layer.trusted else "(not trusted)",
            )
            if text
        ]
    )
    heads = ["decision", "rule", "place", *(["fired"] if fired is not None else []), "no effect because"]
    caption = f"{name}: {len(rows)} rules"
    if fired is not None:
        caption += f", of which {sum(bool(row[3]) for row in rows)} fired"
    body = table(heads, rows, caption=caption) if rows else element("p", "No rules.")
    return element(
        "details",
        element("summary", element("strong", name), f" {about}"),
        body,
        open=name != "built-in",
        class_="layer",
    )


def _rule(rule: LoadedRule, inert: str | None, fired: Mapping[RuleKey, int] | None) -> list[str | int]:
    statement = rule.statement
    decision = getattr(statement, "decision", None)
    place = getattr(statement, "place", None)
    row: list[str | int] = [
        badge(decision.word) if decision is not None else "",
        element("code", rule_words(statement)),
        short_path(f"{rule.path}:{place.line}" if place is not None else rule.path),
    ]
    if fired is not None:
        row.append(fired.get(key_of(statement), 0) if isinstance(statement, PrefixRule | WriteRule) else "")
    return [*row, inert or ""]


def _rule_files(loaded: LoadedLayers) -> list[str]:
    """Files of people that are in force, the package's own left out."""
    found = [rule.path for rule in loaded.rules if rule.layer.name != "built-in" and os.path.isfile(rule.path)]
    found += [each.path for each in loaded.diagnostics if os.path.isfile(each.path)]
    return list(dict.fromkeys(found))


def lint_files(files: list[str]) -> list[Diagnostic]:
    """What the linter says about ``files``, looked at together."""
    return lint(load_project([(path, read_source(path)) for path in files]), find_settings(os.getcwd()))


def findings_section(loaded: LoadedLayers) -> Markup:
    """The findings as they are now."""
    return _findings(_rule_files(loaded))


def _findings(files: list[str]) -> Markup:
    try:
        found = lint_files(files) if files else []
    except ExecPolicyError as error:
        return element("p", str(error), class_="problem")
    if not found:
        return element("p", "None.")
    rows = [
        [
            element("span", each.severity, class_=f"badge {each.severity}"),
            each.code,
            short_path(f"{each.path}:{each.line}"),
            each.message,
            button("Fix", action="fix", data_path=each.path, data_code=each.code)
            if each.fix is not None and each.fix.applicability == "safe"
            else "",
        ]
        for each in found
    ]
    return table(["severity", "code", "place", "finding", ""], rows, caption=f"{len(found)} findings")


def fix(loaded: LoadedLayers, path: str, code: str) -> str:
    """Apply the safe fixes of ``code`` to ``path``, as ``execpolicy lint --fix`` does; one line on what was done.

    Raises:
        UsageError: no layer reads that file.
        RuleStoreError: it cannot be written.
    """
    files = _rule_files(loaded)
    if path not in files:
        raise UsageError(f"`{path}` is no rule file that is in force")
    settings = find_settings(os.getcwd()).with_codes((code,), ())
    _, written = write_fixes([(path, read_source(path))], settings, frozenset(("safe",)))
    return (
        f"fixed {', '.join([shown(short_path(each)) for each in written])}"
        if written
        else f"nothing to fix in {shown(short_path(path))}"
    )


def _comparison() -> Markup:
    return element(
        "section",
        element("h2", "The difference between two sets of rules"),
        element("label", "One set, as text", for_="before"),
        element("textarea", id="before", rows="5", spellcheck="false"),
        element("label", "The other", for_="after"),
        element("textarea", id="after", rows="5", spellcheck="false"),
        element("div", button("Compare", action="compare"), class_="buttons"),
        element("div", id="difference", aria_live="polite"),
    )


def difference_markup(before: str, after: str) -> Markup:
    """Every kind of command that two texts decide differently, with a shortest example."""
    old, new = (
        Rulebook(compile_source(Source(name, text)).statements) for name, text in (("one", before), ("other", after))
    )
    changes = policy_diff(old.policy, new.policy)
    rows = [[each.direction, each.words(), element("code", join(each.example))] for each in changes]
    if not rows:
        return element("p", "They decide every command alike.")
    return table(["direction", "decision", "shortest example"], rows, caption=f"{len(rows)} differences")
