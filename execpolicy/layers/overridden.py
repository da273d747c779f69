"""Finds effective rules that change no decision, because another rule overrides them wherever they match."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.rules import HostExecutable, PrefixRule
from execpolicy.core.text import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.layers.layer import LoadedRule


def overridden(rules: Sequence[LoadedRule]) -> dict[int, str]:
    """Index into ``rules`` to the reason, for each effective rule that another effective rule overrides.

    A prefix rule is overridden by a stricter one that matches every command it matches. A host executable and a
    heuristic entry are overridden by a later one of the same name.
    """
    found: dict[int, str] = {}
    by_program: dict[str, list[PrefixRule]] = {}
    named: dict[tuple[str, str], int] = {}
    for at, loaded in enumerate(rules):
        statement = loaded.statement
        if loaded.inert is not None:
            continue
        if isinstance(statement, PrefixRule):
            if statement.decision is not Decision.ALLOW:
                by_program.setdefault(canonical(statement.pattern.first), []).append(statement)
            continue
        kind = "host_executable" if isinstance(statement, HostExecutable) else getattr(statement, "kind", "")
        if not kind:
            continue
        key = (kind, getattr(statement, "name", ""))
        if key in named:
            found[named[key]] = f"replaced by {statement.place}"
        named[key] = at
    for at, loaded in enumerate(rules):
        statement = loaded.statement
        if loaded.inert is None and isinstance(statement, PrefixRule):
            for other in by_program.get(canonical(statement.pattern.first), ()):
                if other.decision > statement.decision and _covers(other.pattern, statement.pattern):
                    found[at] = f"overridden: {other.place} says {other.decision.word}"
                    break
    return found


def _covers(wide: PrefixPattern, narrow: PrefixPattern) -> bool:
    """True if ``wide`` matches every argv that ``narrow`` matches."""
    if narrow.canonical_matching and not wide.canonical_matching:
        return False
    if len(wide) > len(narrow):
        return False
    positions = narrow.positions()
    return all(wide.accepts(at, token) for at in range(len(wide)) for token in positions[at])
