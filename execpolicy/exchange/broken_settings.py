"""The error about a settings file of an agent that cannot be used: nothing is written then."""

from __future__ import annotations

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import RuleFileError
from execpolicy.source import Source, Span

AGENT_SETTINGS = "EP016"


def broken(source: Source, message: str, offset: int | None = None) -> RuleFileError:
    """The error that ``message`` is wrong with ``source``, at ``offset`` (code points) if that is known."""
    if offset is None:
        return RuleFileError(Diagnostic(code=AGENT_SETTINGS, message=message, path=source.name))
    line, column = source.position(offset)
    span = Span(offset, offset + 1)
    return RuleFileError(
        Diagnostic(
            code=AGENT_SETTINGS,
            message=message,
            path=source.name,
            line=line,
            column=column,
            span=span,
            source=source,
            help="repair the file; nothing was written",
        )
    )


def of_kind(source: Source, value: object, kind: type | tuple[type, ...], where: str) -> None:
    """Make sure that the value at ``where`` is of ``kind``.

    Raises:
        RuleFileError: it is not.
    """
    if not isinstance(value, kind):
        names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(names.get(each, each.__name__) for each in kinds)
        raise broken(source, f"`{where}` must be {wanted}")
