"""What differs between two sets of rules beside the decisions on commands."""

from __future__ import annotations

from execpolicy.core.network import domains_of
from execpolicy.judge.rulebook import Rulebook


def other_changes(old: Rulebook, new: Rulebook) -> list[str]:
    """Network lists, host executables, entries and write rules that differ."""
    found: list[str] = []
    domains_before, domains_after = domains_of(old.policy.network_rules), domains_of(new.policy.network_rules)
    for what, before, after in zip(("allowed hosts", "denied hosts"), domains_before, domains_after, strict=True):
        found += [f"{what}: - {host}" for host in before if host not in after]
        found += [f"{what}: + {host}" for host in after if host not in before]
    hosts_before, hosts_after = old.policy.host_executables, new.policy.host_executables
    for name in sorted({*hosts_before, *hosts_after}):
        if hosts_before.get(name) != hosts_after.get(name):
            found.append(f"host executable: {name}")
    entries_before = {(e.kind, e.name): e.arguments for e in old.heuristics.entries}
    entries_after = {(e.kind, e.name): e.arguments for e in new.heuristics.entries}
    for kind, name in sorted({*entries_before, *entries_after}):
        if entries_before.get((kind, name)) != entries_after.get((kind, name)):
            found.append(f"{kind}: {name}")
    for rule in old.writes.rules:
        if rule not in new.writes.rules:
            found.append(f"write rule: - {rule.decision.word} {' '.join(rule.paths)}")
    for rule in new.writes.rules:
        if rule not in old.writes.rules:
            found.append(f"write rule: + {rule.decision.word} {' '.join(rule.paths)}")
    return found
