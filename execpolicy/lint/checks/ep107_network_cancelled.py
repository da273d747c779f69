"""EP107 `network-cancelled`

## What it does
Finds a network rule that a later one for the same host takes back.

## Why it matters
Network rules are not like prefix rules: there the last one for a host wins, not the strictest. A deny in front of an
allow has no effect at all.

## Example
```starlark
network_rule(host="example.com", protocol="https", decision="deny")
network_rule(host="example.com", protocol="http", decision="allow")
```

## Instead
Keep one rule for each host, or put the deny last.

## Limits
`prompt` rules change no list and are left out.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.rules import NetworkRule
from execpolicy.lint.project import Findings, Project, RuleFile


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per network rule that a later one cancels."""
    last: dict[str, NetworkRule] = {}
    for each in project.policy.network_rules:
        if each.decision is not Decision.PROMPT:
            last[each.host] = each
    for group in file.groups:
        rule = group.statements[0]
        if not isinstance(rule, NetworkRule) or rule.decision is Decision.PROMPT:
            continue
        winner = last[rule.host]
        if winner is rule or winner.decision == rule.decision:
            continue
        yield file.finding(
            "EP107",
            f"`{rule.host}` is {rule.decision.word} here, but the later rule at {winner.place} "
            f"makes it {winner.decision.word}",
            file.span_of(group),
            help="the last rule for a host wins; keep one",
            fix=file.deletion_fix(group),
        )
