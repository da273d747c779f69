"""Which rules were seen to fire, as a file for a browser."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.cli.page.bars import Bar, bars
from execpolicy.cli.page.markup import badge, document, element, table
from execpolicy.insight.testing import RuleCoverage, Trial


def coverage_document(found: Sequence[RuleCoverage], trials: Sequence[Trial]) -> str:
    """A file of its own: every rule with what made it fire, those that never did first, and what failed."""
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
        table(["place", "example", "failure"], failures, caption="Failed") if failures else None,
        table(heads, rows, caption=f"{fired} of {len(found)} rules were seen to fire") if rows else None,
    )
