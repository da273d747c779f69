"""Every exception of this package, divided by the caller's next step: fix a rule, a file, the disk or a call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.diagnostics.model import Diagnostic


class ExecPolicyError(Exception):
    """The base class; catching it catches every expected failure and no bug."""


class InvalidRuleError(ExecPolicyError):
    """One statement of a rule file is wrong. Raised without a position; ``lang`` adds it.

    Attributes:
        message: the error, one line, in Codex's words if Codex has the same check and a clear message.
        help: the suggested action, or ``None``.
        codex: the message in Codex's words, if ours differs.
    """

    def __init__(self, message: str, *, help: str | None = None, codex: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.codex = codex


class RuleFileError(ExecPolicyError):
    """A rule file has one or more problems, in source order.

    Attributes:
        diagnostics: the problems with file, line, column and span.

    Its text has one line for each: ``file:line:column: message``.
    """

    def __init__(self, first: Diagnostic, *others: Diagnostic) -> None:
        self.diagnostics = (first, *others)
        super().__init__("\n".join([str(found) for found in self.diagnostics]))


class RuleStoreError(ExecPolicyError):
    """A rule file could not be read, locked or written; the message names the file and the suggested action."""


class UsageError(ExecPolicyError):
    """The call itself is wrong (a missing argument, an unknown word). The message says what is accepted."""


def os_reason(error: Exception) -> str:
    """The system's reason for an error, without its number (``Permission denied``); for another error its message."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
