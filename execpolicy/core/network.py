"""Which network rule speaks for a connection."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.core.rules import NetworkRule


def rule_for(rules: "Iterable[NetworkRule]", host: str, protocol: str) -> "NetworkRule | None":
    """The strictest rule for ``host`` and ``protocol``, both normalised; the last of several. ``None`` if none is."""
    found = None
    for rule in rules:
        if rule.host == host and rule.protocol == protocol and (found is None or rule.decision >= found.decision):
            found = rule
    return found
