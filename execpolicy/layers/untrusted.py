"""Decides which statements of an untrusted layer are effective: they may tighten, never grant."""

from __future__ import annotations

import os

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import quote
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from execpolicy.lang.statements import Statement
    from execpolicy.layers.layer import Layer, LoadedLayers


def why_inert(statement: Statement, entries: Collection[tuple[str, str]]) -> str | None:
    """The reason that ``statement`` of an untrusted layer has no effect; ``None`` if it can only tighten.

    A host executable can remove a path from the reach of another layer's forbid rule. An entry that reuses a name
    replaces the entry of that name. Both could relax a decision, so they have no effect either.

    Args:
        entries: kind and name of the heuristic entries of lower layers.
    """
    if isinstance(statement, (PrefixRule, NetworkRule)):
        return "an untrusted project may not allow" if statement.decision is Decision.ALLOW else None
    if isinstance(statement, HostExecutable):
        return "an untrusted project may not say which paths a program has"
    kind = getattr(statement, "kind", None)
    if kind == "dangerous_command":
        if getattr(statement, "disabled", False):
            return "an untrusted project may not switch off a danger entry"
        if (kind, getattr(statement, "name", "")) in entries:
            return "an untrusted project may not replace a danger entry of another layer"
        return None
    if getattr(statement, "decision", Decision.ALLOW) in (Decision.PROMPT, Decision.FORBIDDEN):
        return None
    return "an untrusted project may not allow"


def grants(statement: Statement) -> bool:
    """True if ``statement`` alone can relax a decision."""
    return why_inert(statement, ()) is not None


def may_withhold(layers: Iterable[Layer]) -> bool:
    """True if one of ``layers`` may contain rules without effect."""
    folders = [layer.folder for layer in layers if layer.name == "project" and layer.enabled and not layer.trusted]
    return any(folder is not None and os.path.isdir(folder) for folder in folders)


def inert_rules(loaded: LoadedLayers) -> list[tuple[PrefixRule, str]]:
    """The allow rules without effect, each with the reason."""
    found: list[tuple[PrefixRule, str]] = []
    for rule in loaded.rules:
        statement, layer = rule.statement, rule.layer
        if rule.inert is None or layer.trusted or layer.folder is None or not isinstance(statement, PrefixRule):
            continue
        if statement.decision is Decision.ALLOW:
            project = os.path.dirname(os.path.dirname(layer.folder))
            found.append((statement, f"its project is not trusted; `execpolicy trust {quote(project)}` changes that"))
    return found
