"""Limits on the cost of one rule file. A hostile file fails to load; it never kills or hangs the host."""

from __future__ import annotations

from execpolicy.errors import UsageError
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
MEBIBYTE = 1 << 20


@value
class FileLimits:
    """Limits for one rule file; every excess is an ``EP006`` diagnostic.

    Attributes:
        size: characters of text.
        brackets: nesting of brackets and blocks. Starlark recurses on it: Codex survives 5,000 and aborts at 20,000.
        operators: operators in one expression without a comma or bracket between them, for the same reason.
        statements: rules that one file may define.
        seconds: processor time of the evaluation.
        clock: wall-clock time of the evaluation, which is longer on a busy machine; at least ``seconds``.
        memory: address space of the evaluating process, in bytes.
        examples: characters of all examples together, which are checked when the file is loaded.
    """

    _: KW_ONLY
    size: int = 32 * MEBIBYTE
    brackets: int = 5_000
    operators: int = 20_000
    statements: int = 500_000
    seconds: float = 5.0
    clock: float = 50.0
    memory: int = 1536 * MEBIBYTE
    examples: int = 16 * MEBIBYTE

    @classmethod
    def parse(cls, text: str) -> FileLimits:
        """The default limits with some of them changed: ``size=64000000,seconds=10``.

        Raises:
            UsageError: a name is unknown, or its value is not a positive number.
        """
        changes: dict[str, float] = {}
        for part in text.split(","):
            name, _, value = part.strip().partition("=")
            if name not in _NAMES:
                raise _wrong(f"there is no limit `{name}`")
            try:
                number = float(value) if name in _OF_TIME else int(value)
            except ValueError:
                raise _wrong(f"`{value}` is no number") from None
            if not 0 < number < float("inf"):
                raise _wrong(f"`{name}` must be above 0")
            changes[name] = number
        return cls(**changes)  # type: ignore[arg-type]  # all others are whole

    def within(self, seconds: float) -> FileLimits:
        """The same limits, with at most ``seconds`` for the time limits."""
        values = {name: getattr(self, name) for name in _NAMES}
        return FileLimits(**{**values, "seconds": min(seconds, self.seconds), "clock": min(seconds, self.clock)})


_NAMES: tuple[str, ...] = tuple(FileLimits.__slots__)  # type: ignore[attr-defined]  # every value has them
_OF_TIME = ("seconds", "clock")


def _wrong(what: str) -> UsageError:
    return UsageError(f"{what}: write limits as `name=number`, separated by commas; names: {', '.join(_NAMES)}")


DEFAULT = FileLimits()
