"""What a rule file did when it was evaluated: the builtin calls it made, in order, and how it ended."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Encoded: TypeAlias = Any
    """A Starlark value: ``str``, ``bool``, ``None`` and ``list`` as they are; a dict as ``{"d": [[key, value], …]}``;
    everything else as ``{"t": type name, "r": repr}``."""


class RecordedCall:
    """One call of a builtin, not yet checked.

    Attributes:
        name: the builtin.
        line: 1-based line of the call in the file, also inside functions and loops; 0 if unknown.
        args: encoded positional arguments.
        kwargs: ``[name, encoded value]`` pairs in the order written.
    """

    __slots__ = ("args", "kwargs", "line", "name")

    def __init__(self, name: str, line: int, args: list[Encoded], kwargs: list[list[Encoded]]) -> None:
        self.name = name
        self.line = line
        self.args = args
        self.kwargs = kwargs


class Failure:
    """Why evaluation stopped.

    Attributes:
        code: ``EP001`` for syntax and names, ``EP002`` for a run-time error, ``EP006`` for a limit.
        message: in Starlark's words.
        line: 1-based, 0 if unknown.
        column: 1-based, 0 if unknown.
        end: 1-based column behind the last character on that line, 0 if unknown.
        help: what to do, or ``None``.
    """

    __slots__ = ("code", "column", "end", "help", "line", "message")

    def __init__(
        self, code: str, message: str, line: int = 0, column: int = 0, end: int = 0, help: str | None = None
    ) -> None:
        self.code = code
        self.message = message
        self.line = line
        self.column = column
        self.end = end
        self.help = help


class Recording:
    """The calls that a file made before it ended or failed.

    Calls are checked afterwards, in order: builtins return nothing, so the first bad call is the error that Codex
    would have stopped at, and it comes before ``failure``.
    """

    __slots__ = ("calls", "failure")

    def __init__(self, calls: list[RecordedCall], failure: Failure | None) -> None:
        self.calls = calls
        self.failure = failure

    def to_plain(self) -> Any:
        """The recording as built-in values, for ``marshal``."""
        failure = self.failure
        return (
            [(call.name, call.line, call.args, call.kwargs) for call in self.calls],
            failure and (failure.code, failure.message, failure.line, failure.column, failure.end, failure.help),
        )

    @classmethod
    def from_plain(cls, plain: Any) -> Recording:
        """The inverse of :meth:`to_plain`."""
        calls, failure = plain
        return cls([RecordedCall(*call) for call in calls], Failure(*failure) if failure else None)
