"""``check --compat codex-0.169``: what ``codex execpolicy check`` prints for the same arguments."""

from __future__ import annotations

from execpolicy.core.policy import HostResolution
from execpolicy.errors import RuleFileError
from execpolicy.lang.compile import compile_sources
from execpolicy.layers.read import read_rule_file
from execpolicy.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from execpolicy.cli.check_options import CheckOptions
    from execpolicy.core.decision import Decision

_EXAMPLE_CODES = ("EP003", "EP004")


def answer_as_codex(options: CheckOptions) -> tuple[dict[str, Any], Decision | None]:
    """The JSON body and the decision (``None`` if no rule matched).

    Raises:
        RuleFileError: a rule file cannot be read, does not parse or contradicts its examples.
    """
    sources = [Source(path, _read(path)) for path in options.rules]
    policy = compile_sources(sources).policy()
    resolution = HostResolution.of_process() if options.resolve_host_executables else None
    evaluation = policy.check(options.command, resolution=resolution)
    return evaluation.to_json(), evaluation.decision


def _read(path: str) -> str:
    from execpolicy.diagnostics.model import Diagnostic

    try:
        return read_rule_file(path, only_regular=False)
    except OSError as error:
        reason = f"{error.strerror} (os error {error.errno})"
    except UnicodeDecodeError:
        reason = "stream did not contain valid UTF-8"
    raise RuleFileError(Diagnostic(code="EP005", message=reason, path=path)) from None


def report_as_codex(error: RuleFileError) -> str:
    """The first problem in Codex's words and layout."""
    found = error.diagnostics[0]
    if found.code == "EP005":
        return f"Error: failed to read policy at {found.path}\n\nCaused by:\n    {found.message}\n"
    head = f"Error: failed to parse policy at {found.path}\n\nCaused by:\n"
    if found.code in _EXAMPLE_CODES:
        return f"{head}    {found.message}\n"
    text = f"{head}    starlark error: error: {found.message}\n"
    if found.line and found.source is not None:
        line = found.source.line(found.line)
        gutter = " " * len(str(found.line))
        text += f"    {gutter}--> {found.path}:{found.line}:{found.column}\n    {gutter} |\n"
        text += f"    {found.line} | {line}\n    {gutter} |\n"
    return text
