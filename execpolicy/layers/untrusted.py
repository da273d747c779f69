"""What a statement of an untrusted layer may do: tighten, never grant."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from execpolicy.lang.statements import Statement


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
