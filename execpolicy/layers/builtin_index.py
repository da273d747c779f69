"""Loads the built-in layer from the index in the wheel, instead of compiling its thousand entries.

Compiling them takes a third of a check without a cache. The result equals that of :mod:`execpolicy.layers.load`. The
index is used only if no other layer describes programs and the files are those of the wheel.
"""

from __future__ import annotations

from execpolicy.core.path_rules import ReadRule, WriteRule
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.judge import stored
from execpolicy.judge.rulebook import Rulebook
from execpolicy.layers.compiled import brought_entries
from execpolicy.layers.discover import discover
from execpolicy.layers.layer import LoadedLayers
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers, rulebook_of
from execpolicy.layers.untrusted import may_withhold
from execpolicy.resources import records_folder

_RULES = {PrefixRule, WriteRule, ReadRule, NetworkRule, HostExecutable}
"""Types of statements that do not describe programs."""


def load_beside_brought(options: LayerOptions) -> tuple[LoadedLayers, Rulebook] | None:
    """The layers above the built-in one, and the rulebook of all; ``None`` if they must be loaded together.

    Raises:
        RuleFileError: see :func:`execpolicy.layers.load.load_layers`.
        RuleStoreError: likewise.
    """
    if options.mode == "codex" or options.builtin_folder != records_folder():
        return None
    try:
        entries = brought_entries()
    except OSError:
        return None
    if entries is None or may_withhold(discover(options)[0]):
        return None
    loaded = load_layers(options.replaced(builtin_folder=None))
    if not _RULES.issuperset(map(type, loaded.statements)):
        return None
    return loaded, rulebook_of(loaded).with_heuristics(stored.restored_entries(entries))
