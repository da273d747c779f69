"""Loads a rulebook from the options that commands share, and reports problems of rule files."""

from __future__ import annotations

from execpolicy.cli import all_errors
from execpolicy.cli.output import write_diagnostics
from execpolicy.judge.rulebook import Rulebook
from execpolicy.layers import builtin_index, load
from execpolicy.layers.compiled import fingerprint, read_compiled, write_compiled
from execpolicy.layers.layer_options import LayerOptions, cache_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from execpolicy.layers.layer import LoadedLayers
    from execpolicy.layers.layer_options import Mode
    from execpolicy.source import Source


def load_rulebook(
    stderr: TextIO,
    *,
    files: Sequence[str] = (),
    texts: Sequence[Source] | None = None,
    cwd: str | None = None,
    mode: Mode = "isolated",
    ignore_rules: bool = False,
    untrusted: bool = True,
    grants: str | None = None,
    config_profile: str | None = None,
    thorough: bool = True,
) -> Rulebook:
    """The rules of all layers, or exactly ``files`` (or ``texts``) above the built-in layer.

    Files that were named one by one must load: a problem in them is an error. Problems in layers are written to
    ``stderr``, and unmatched commands then prompt.

    Args:
        untrusted: include the rules of an untrusted project.
        thorough: report every error of a broken layer, not only the one at which loading stopped.

    Raises:
        RuleFileError: a named file has a problem, or the mode is strict.
    """
    named = bool(files) or texts is not None
    options = LayerOptions.of_process(
        cwd=cwd,
        profile=config_profile,
        ignore_rules=ignore_rules,
        mode="strict" if named and mode == "isolated" else mode,
        files=files or None,
        texts=texts,
        grants=grants,
    )
    if not untrusted:
        options = options.replaced(untrusted=False)
    return compiled_rulebook(options, stderr, thorough=thorough)


def compiled_rulebook(options: LayerOptions, stderr: TextIO, *, thorough: bool = True) -> Rulebook:
    """The rulebook of ``options``, from the compiled cache if it is there.

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
    loaded, rulebook = _loaded(options, folder, kept=folder is not None and found is not None)
    report_problems(loaded, stderr, thorough=thorough)
    if folder is not None and found is not None:
        write_compiled(folder, found, loaded, rulebook)
    return rulebook.with_grants(options.grants)


def _loaded(options: LayerOptions, folder: str | None, *, kept: bool) -> tuple[LoadedLayers, Rulebook]:
    """The loaded layers and their rulebook; complete if it will be cached (``kept``)."""
    if not kept:
        beside = builtin_index.load_beside_brought(options)
        if beside is not None:
            return beside
    loaded = load.load_layers(options, cache=folder)
    return loaded, load.rulebook_of(loaded)


def report_problems(loaded: LoadedLayers, stderr: TextIO, *, thorough: bool = True) -> None:
    """Write the problems of rule files to ``stderr``; all errors of each, if ``thorough``."""
    found = [diagnostic for diagnostic in loaded.diagnostics if diagnostic.severity != "info"]
    if found and thorough:
        all_errors.write_faults(stderr, found, strangers={file.path for file in loaded.files if not file.layer.trusted})
    elif found:
        write_diagnostics(stderr, found)
