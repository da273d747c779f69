"""What a statement of an untrusted layer may do: tighten, never grant; and which ones so do not count."""

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
    """Why ``statement`` of an untrusted layer does not count, or ``None`` if all it can do is tighten.

    A host executable can take a path out of reach of somebody else's forbid rule, and an entry that reuses a name
    replaces the entry of that name: both would relax, so they do not count either.

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
    """Whether ``statement`` can make an answer laxer, taken by itself."""
    return why_inert(statement, ()) is not None


def may_withhold(layers: Iterable[Layer]) -> bool:
    """Whether one of ``layers`` may hold rules that do not count."""
    folders = [layer.folder for layer in layers if layer.name == "project" and layer.enabled and not layer.trusted]
    return any(folder is not None and os.path.isdir(folder) for folder in folders)


def inert_rules(loaded: LoadedLayers) -> list[tuple[PrefixRule, str]]:
    """The rules that would allow something, each with why it does not count."""
    found: list[tuple[PrefixRule, str]] = []
    for rule in loaded.rules:
        statement, layer = rule.statement, rule.layer
        if rule.inert is None or layer.trusted or layer.folder is None or not isinstance(statement, PrefixRule):
            continue
        if statement.decision is Decision.ALLOW:
            project = os.path.dirname(os.path.dirname(layer.folder))
            found.append((statement, f"its project is not trusted; `execpolicy trust {quote(project)}` changes that"))
    return found
