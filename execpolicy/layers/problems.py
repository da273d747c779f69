"""Diagnostics of this package. The class is imported on demand, because a load without problems does not need it."""

from __future__ import annotations

from execpolicy.diagnostics import model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from execpolicy.diagnostics.model import Diagnostic

UNREADABLE = "EP005"
LIMIT = "EP006"
BAD_CONFIG = "EP010"
BAD_REQUIREMENTS = "EP011"
IGNORED_FILE = "EP012"
FILES_DROPPED = "EP013"
CODEX_WOULD_REFUSE = "EP106"
STALE = "EP014"
FORBIDDEN_GRANT = "EP015"


def problem(
    code: str,
    message: str,
    path: str,
    *,
    line: int = 0,
    column: int = 0,
    severity: Literal["error", "warning", "info"] = "error",
    help: str | None = None,
) -> Diagnostic:
    """A diagnostic about ``path``."""
    return model.Diagnostic(
        code=code, message=message, path=path, line=line, column=column, severity=severity, help=help
    )


def codex_display(found: Diagnostic) -> str:
    """``found`` as Codex shows a broken rule file: ``PATH:LINE: MESSAGE (problem is on or around line LINE)``."""
    message = (found.codex or found.message).split("\n", 1)[0]
    if not found.line:
        return f"{found.path}: {message}"
    return f"{found.path}:{found.line}: {message} (problem is on or around line {found.line})"


def first_fault(diagnostics: Iterable[Diagnostic]) -> str:
    """The first error, with its position, in one line."""
    for found in diagnostics:
        if found.severity == "error":
            place = f"{found.path}:{found.line}" if found.line else found.path
            return f"{place}: {found.message}"
    return "the rules could not be looked at"


def advice_about(error: OSError) -> str:
    """The advice about a named file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return "name a rule file that exists"
    if isinstance(error, IsADirectoryError):
        return "name the rule files of the folder one by one"
    return "make the file readable, or name another one"
