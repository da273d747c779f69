"""Decisions of network rules about connections and hosts."""

from collections.abc import Iterable

from execpolicy.core.decision import Decision
from execpolicy.core.rules import NetworkRule


def rule_for(rules: Iterable[NetworkRule], host: str, protocol: str) -> NetworkRule | None:
    """The strictest rule for ``host`` and ``protocol``, both normalised; the last of several; or ``None``."""
    found = None
    for rule in rules:
        if rule.host == host and rule.protocol == protocol and (found is None or rule.decision >= found.decision):
            found = rule
    return found


def domains_of(rules: Iterable[NetworkRule]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The allowed and the denied hosts: the last allow or forbidden rule of a host wins and moves it to the end."""
    allowed: dict[str, None] = {}
    denied: dict[str, None] = {}
    for rule in rules:
        if rule.decision is Decision.PROMPT:
            continue
        into, out_of = (allowed, denied) if rule.decision is Decision.ALLOW else (denied, allowed)
        out_of.pop(rule.host, None)
        into.pop(rule.host, None)
        into[rule.host] = None
    return tuple(allowed), tuple(denied)
