"""Everything this package raises on purpose, cut by what the caller does next: fix a rule, a file, the disk, a call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.diagnostics.model import Diagnostic


class ExecPolicyError(Exception):
    """Base class; catching it catches every expected failure and no bug."""


class InvalidRuleError(ExecPolicyError):
    """One statement of a rule file is wrong. Raised without a position; ``lang`` adds it.

    Attributes:
        message: what is wrong, one line, in Codex's words where Codex has the same check and says it well.
        help: what to do, or ``None``.
        codex: the message in Codex's words, where ours is in others.
    """

    def __init__(self, message: str, *, help: str | None = None, codex: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.codex = codex


class RuleFileError(ExecPolicyError):
    """A rule file has problems: at least one, in source order.

    Attributes:
        diagnostics: the problems with file, line, column and span.
    """

    def __init__(self, first: Diagnostic, *others: Diagnostic) -> None:
        self.diagnostics = (first, *others)
        super().__init__("; ".join(found.message for found in self.diagnostics))


class RuleStoreError(ExecPolicyError):
    """A rule file could not be read, locked or written; the message names the file and says what to do."""


class UsageError(ExecPolicyError):
    """The call itself is wrong (a missing argument, an unknown word). The message says what is accepted."""


def os_reason(error: Exception) -> str:
    """Why the system refused something, without a number (``Permission denied``); of another error what it says."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
