"""The effective rules by layer, the matches of each, the linter's findings, and the difference of two rule sets."""

from __future__ import annotations

import os
from collections.abc import Mapping

from execpolicy.cli.commands.diff import files_at
from execpolicy.cli.commands.lint import write_fixes
from execpolicy.cli.commands.list import overridden, rule_words
from execpolicy.cli.commands.trust import allowing_rules
from execpolicy.cli.page.html import Markup, badge, button, element, page, short_path, shown, table
from execpolicy.cli.project_setup import WARNING, ProjectSetup
from execpolicy.cli.rule_targets import read_source
from execpolicy.core.path_rules import WriteRule
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.insight.diff import other_changes, policy_diff
from execpolicy.insight.tally import RuleKey, key_of
from execpolicy.judge.rulebook import Rulebook
from execpolicy.layers.layer import LoadedLayers, LoadedRule
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.lint.config import find_settings
from execpolicy.lint.lint_run import lint, load_project
from execpolicy.source import Source

_MOST_BUILTIN = 2_000


def policy_page(loaded: LoadedLayers, fired: Mapping[RuleKey, int] | None) -> str:
    """The page.

    Args:
        fired: the number of matches of each rule in the recorded history; ``None`` if none was read.
    """
    coverage = (
        "No history was read: the History page does that, and then this page says which rules fire."
        if fired is None
        else "“Fired” counts commands of the recorded history; search for “never” to see those that did not."
    )
    layers = [_layer(loaded, name, fired) for name in dict.fromkeys([each.name for each in loaded.layers])]
    return page("policy", coverage=coverage, layers=layers, setup=setup_section(), findings=findings_section(loaded))


def setup_section() -> Markup:
    """The switches of the project of the working folder, as ``execpolicy init`` proposes them."""
    try:
        setup = ProjectSetup()
        rows = [
            [
                element("code", name),
                effect,
                "on" if on else "off",
                button("Turn off" if on else "Turn on", action="switch", data_name=name, data_on="" if on else "on"),
            ]
            for name, effect, on in setup.switches()
        ]
    except ExecPolicyError as error:
        return element("p", str(error), class_="problem")
    rules = allowing_rules(setup.options, setup.project)
    count = element(
        "details",
        element("summary", f"Trust lets {_many(len(rules), 'rule')} of the project allow"),
        [element("p", element("code", rule)) for rule in rules],
    )
    heads = ["setting", "effect", "state", ""]
    return element("div", element("p", WARNING), table(heads, rows, caption=short_path(setup.project)), count)


def _layer(loaded: LoadedLayers, name: str, fired: Mapping[RuleKey, int] | None) -> Markup:
    why = overridden(loaded.rules)
    rows = [
        _rule(rule, rule.inert or why.get(at), fired) for at, rule in enumerate(loaded.rules) if rule.layer.name == name
    ][:_MOST_BUILTIN]
    layer = next(each for each in loaded.layers if each.name == name)
    folder = short_path(layer.folder) if layer.folder and name != "built-in" else None
    about = " ".join(filter(None, (folder, layer.reason, None if layer.trusted else "(not trusted)")))
    heads = ["decision", "rule", "place", *(["fired"] if fired is not None else []), "no effect because"]
    count = _many(len(rows), "rule")
    if fired is not None:
        count += f", of which {sum(isinstance(row[3], int) for row in rows)} fired"
    return element(
        "details",
        element("summary", element("strong", name), f" {about} · {count}"),
        table(heads, rows, caption=f"{name}: {count}"),
        open=bool(rows) and name != "built-in",
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
        row.append((fired.get(key_of(statement)) or "never") if isinstance(statement, PrefixRule | WriteRule) else "")
    return [*row, inert or ""]


def _rule_files(loaded: LoadedLayers) -> list[str]:
    """The user's effective rule files, without those of the package."""
    found = [*loaded.own_files, *[each.path for each in loaded.diagnostics]]
    return [path for path in dict.fromkeys(found) if os.path.isfile(path)]


def findings_section(loaded: LoadedLayers) -> Markup:
    """The linter's findings in the rule files, which are checked together."""
    try:
        sources = [(path, read_source(path)) for path in _rule_files(loaded)]
        found = lint(load_project(sources), find_settings(os.getcwd()))
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
    return table(["severity", "code", "place", "finding", ""], rows, caption=_many(len(found), "finding"))


def fix(loaded: LoadedLayers, path: str, code: str) -> str:
    """Apply the safe fixes of ``code`` to ``path``, as ``execpolicy lint --fix`` does; one line about the result.

    Raises:
        UsageError: no layer reads that file.
        RuleStoreError: it cannot be written.
    """
    files = _rule_files(loaded)
    if path not in files:
        raise UsageError(f"`{path}` is no rule file that is in force")
    settings = find_settings(os.getcwd()).with_codes((code,), ())
    _, written = write_fixes([(path, read_source(path))], settings, frozenset(("safe",)))
    if not written:
        return f"nothing to fix in {shown(short_path(path))}"
    return f"fixed {', '.join([shown(short_path(each)) for each in written])}"


def difference_markup(old: Rulebook, new: Rulebook) -> Markup:
    """Every kind of command that two rule sets decide differently, with an example, and their other differences."""
    changes = policy_diff(old.policy, new.policy)
    others = [element("li", each) for each in other_changes(old, new)]
    rows = [[each.direction, each.words(), element("code", join(each.example))] for each in changes]
    heads = ["direction", "decision", "shortest example"]
    return element(
        "div",
        table(heads, rows, caption=_many(len(rows), "difference")),
        None if rows else element("p", "They decide every command alike."),
        element("ul", others) if others else None,
    )


def given_rules(text: str, options: LayerOptions) -> Rulebook:
    """The rules in an input field: rule text, or the path of a file or folder; the effective rules if it is empty.

    Raises:
        ExecPolicyError: there are none, or they are broken.
    """
    text = text.strip()
    if text.startswith(("/", "~")):  # no rule file begins like that
        options = options.replaced(mode="strict", files=files_at(os.path.expanduser(text)))
    elif text:
        options = options.replaced(mode="strict", texts=[Source("the rules given", text)])
    loaded = load_layers(options)
    return Rulebook(loaded.statements, fail_closed=loaded.fail_closed)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
