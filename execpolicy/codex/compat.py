"""``check --compat``: the output of ``codex execpolicy check`` for the same arguments."""

from __future__ import annotations

import os

from execpolicy.core.hosts import HostResolution
from execpolicy.diagnostics import model
from execpolicy.errors import RuleFileError
from execpolicy.judge import rulebook
from execpolicy.lang import compile as lang_compile
from execpolicy.lang import file_limits
from execpolicy.layers import compiled as layers_compiled
from execpolicy.layers.layer_options import LayerOptions, cache_folder, limits_of
from execpolicy.layers.rule_file import read_rule_file
from execpolicy.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from execpolicy.core.decision import Decision
    from execpolicy.core.policy import Policy
    from execpolicy.layers.compiled import Fingerprint

_EXAMPLE_CODES = ("EP003", "EP004")


def answer_as_codex(
    command: Sequence[str], rules: Sequence[str], *, resolve: bool = False
) -> tuple[dict[str, Any], Decision | None]:
    """The JSON body and the decision (``None`` if no rule matched) for an argv under the rule files ``rules``.

    Args:
        resolve: also match a program's path by its base name.

    Raises:
        RuleFileError: a rule file cannot be read, does not parse or contradicts its examples.
    """
    here = HostResolution.of_process()
    layers = LayerOptions(cwd=here.cwd, files=tuple(rules), project=False, mode="codex")
    folder = cache_folder()
    found = None if folder is None else layers_compiled.fingerprint(layers)
    kept = None if folder is None or found is None else layers_compiled.read_compiled_policy(folder, found.key)
    policy = kept or _compiled(rules, folder, found)
    evaluation = policy.check(command, resolution=here if resolve else None)
    return evaluation.to_json(), evaluation.decision


def _compiled(paths: Sequence[str], folder: str | None, found: Fingerprint | None) -> Policy:
    sources = [Source(path, _read(path)) for path in paths]
    compiled = lang_compile.compile_sources(sources, limits=limits_of(os.environ) or file_limits.DEFAULT, literal=True)
    policy = compiled.policy()
    if folder is not None and found is not None:
        texts = {source.name: source.text for source in sources}
        layers_compiled.keep_compiled(folder, found, texts, rulebook.Rulebook(compiled.statements))
    return policy


def _read(path: str) -> str:
    try:
        return read_rule_file(path, only_regular=False)
    except OSError as error:
        reason = f"{error.strerror} (os error {error.errno})"
    except UnicodeDecodeError:
        reason = "stream did not contain valid UTF-8"
    raise RuleFileError(model.Diagnostic(code="EP005", message=reason, path=path)) from None


def report_as_codex(error: RuleFileError) -> str:
    """The first problem in Codex's words and layout."""
    found = error.diagnostics[0]
    if found.code == "EP005":
        return f"Error: failed to read policy at {found.path}\n\nCaused by:\n    {found.message}\n"
    head = f"Error: failed to parse policy at {found.path}\n\nCaused by:\n"
    message = found.codex or found.message
    if found.code in _EXAMPLE_CODES:
        return f"{head}    {message}\n"
    text = f"{head}    starlark error: error: {message}\n"
    if found.line and found.source is not None:
        line = found.source.line(found.line)
        gutter = " " * len(str(found.line))
        text += f"    {gutter}--> {found.path}:{found.line}:{found.column}\n    {gutter} |\n"
        text += f"    {found.line} | {line}\n    {gutter} |\n"
    return text
