"""Verifies that a rule that was just saved is effective."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.rules import NetworkRule, PrefixRule
    from execpolicy.layers.layer import LoadedLayers


def why_not_in_force(layers: LoadedLayers, path: str, expected: Sequence[PrefixRule | NetworkRule]) -> str | None:
    """The reason that one of the ``expected`` rules, saved in ``path``, is inert; ``None`` if all are effective."""
    here = [rule for rule in layers.rules if rule.path == path]
    for rule in expected:
        found = [loaded for loaded in here if loaded.statement == rule]
        if any(loaded.inert is None for loaded in found):
            continue
        if found:
            return found[0].inert
        for problem in layers.errors():
            if problem.path == path:
                return f"{path}:{problem.line}: {problem.message}"
        for layer in layers.layers:
            if layer.folder == os.path.dirname(path) and not layer.enabled:
                return f"the {layer.name} layer is not in force: {layer.reason}"
        if all(file.path != path for file in layers.files):
            return f"no layer reads {path}"
        return f"{path} does not define it: something in the file rebinds `prefix_rule` or `network_rule`"
    return None
