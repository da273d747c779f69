"""Trying a script, and rules that are being written: the decision, and what the linter says."""

from __future__ import annotations

import os

from execpolicy.cli.page.explain_html import explanation_markup
from execpolicy.cli.page.frame import page
from execpolicy.cli.page.markup import Markup, element, short_path
from execpolicy.core.hosts import home_of
from execpolicy.errors import ExecPolicyError
from execpolicy.insight.explain import explain
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.lint.config import Settings
from execpolicy.lint.lint_run import lint
from execpolicy.lint.load_project import load_project
from execpolicy.shell.script import SHELLS
from execpolicy.source import Source

_MOST_FINDINGS = 100


def trial_page(cwd: str) -> str:
    """The page; its script asks as you type."""
    shells = element("select", [element("option", each) for each in SHELLS], id="shell")
    return page(
        "try",
        "Try",
        element(
            "div",
            element(
                "section",
                element("label", "Script", for_="script"),
                element("textarea", "cd src && sudo rm -rf build > log", id="script", rows="6", spellcheck="false"),
                element("div", element("label", "Shell ", for_="shell"), shells),
                element("label", "Folder", for_="cwd"),
                element("input", id="cwd", type="text", value=short_path(cwd)),
                element("label", "Rules to try, on top of those in force", for_="rules"),
                element("textarea", id="rules", rows="8", spellcheck="false"),
                element("div", id="findings"),
            ),
            element("section", id="decision", aria_label="Decision"),
            class_="columns",
        ),
    )


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
        explanation = explain(read, judge_script(read, rulebook, situation), rulebook, situation, layers)
    except ExecPolicyError as error:
        return element("p", str(error), class_="problem")
    return explanation_markup(explanation)


def findings_markup(rules: str) -> Markup:
    """What the linter says about ``rules``."""
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
