"""Loads a rulebook from the options that commands share, and reports problems of rule files."""

from __future__ import annotations

from execpolicy.cli import all_errors
from execpolicy.cli.output import write_diagnostics
from execpolicy.judge.rulebook import Rulebook
from execpolicy.layers import builtin_index, load
from execpolicy.layers.compiled import fingerprint, read_compiled, write_compiled
from execpolicy.layers.layer import LoadedLayers
from execpolicy.layers.layer_options import LayerOptions, cache_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def load_rulebook(options: LayerOptions, stderr: TextIO, *, thorough: bool = True) -> Rulebook:
    """The rulebook of ``options``, from the compiled cache if it is there.

    Problems in layers are written to ``stderr``, and unmatched commands then prompt.

    Args:
        thorough: report every error of a broken layer, not only the one at which loading stopped.

    Raises:
        RuleFileError: the mode is strict and there is a problem.
    """
    folder = cache_folder()
    found = None if folder is None else fingerprint(options)
    if folder is not None and found is not None:
        rulebook = read_compiled(folder, found.key)
        if rulebook is not None:
            rulebook = rulebook.with_grants(options.grants)
            if not found.withholds:
                return rulebook
            return load.with_inert_rules(rulebook, options)
    beside = builtin_index.load_beside_brought(options) if found is None else None  # incomplete, so not for the cache
    if beside is not None:
        loaded, rulebook = beside
    else:
        loaded = load.load_layers(options, cache=folder)
        rulebook = load.rulebook_of(loaded)
    report_problems(loaded, stderr, thorough=thorough)
    if folder is not None and found is not None:
        write_compiled(folder, found, loaded, rulebook)
    return rulebook.with_grants(options.grants)


def report_problems(loaded: LoadedLayers, stderr: TextIO, *, thorough: bool = True) -> None:
    """Write the problems of rule files to ``stderr``; all errors of each, if ``thorough``."""
    found = [diagnostic for diagnostic in loaded.diagnostics if diagnostic.severity != "info"]
    if found and thorough:
        all_errors.write_faults(stderr, found, strangers={file.path for file in loaded.files if not file.layer.trusted})
    elif found:
        write_diagnostics(stderr, found)
