"""The decision of a policy about a command."""

from __future__ import annotations

from execpolicy import validators

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, NoReturn


class Decision(str):
    """``allow`` < ``prompt`` < ``forbidden``: ordered by strictness, so that ``max`` returns the strictest.

    A decision equals its word (``Decision.ALLOW == "allow"``), has the same hash, and prints as that word in JSON and
    in formatted strings. ``Decision("allow")`` returns the member for that word.

    The class is a ``str`` with three instances and not an ``enum``: importing ``enum`` costs a third of a bare
    interpreter start, and every check pays it.

    Raises:
        UsageError: it is made of, or compared with, a text that is not one of the three words.
        TypeError: it is ordered against something that is not a decision.
    """

    __slots__ = ()

    ALLOW: ClassVar[Decision]
    PROMPT: ClassVar[Decision]
    FORBIDDEN: ClassVar[Decision]

    def __new__(cls, given: str) -> Decision:
        if type(given) is cls:
            return given
        found = _BY_WORD.get(given) if isinstance(given, str) else None
        if found is None:
            raise _unknown(given)
        return found

    @property
    def value(self) -> str:
        """The word as a plain ``str``: ``allow``, ``prompt`` or ``forbidden``."""
        return _WORDS[_STRICTNESS[self]]

    word = value
    """The same as :attr:`value`."""

    @property
    def strictness(self) -> int:
        """The position in the order: 0 for ``allow``, 2 for ``forbidden``."""
        return _STRICTNESS[self]

    @classmethod
    def parse(cls, word: str) -> Decision | None:
        """The decision spelled ``word`` (exactly), or ``None``."""
        return _BY_WORD.get(word)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, str):
            return NotImplemented
        if type(other) is not Decision and other not in _BY_WORD:
            raise _unknown(other)
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = str.__hash__

    def __lt__(self, other: Decision) -> bool:  # type: ignore[override]  # a text has another order
        return _STRICTNESS[self] < (_STRICTNESS[other] if type(other) is Decision else _unordered(other))

    def __le__(self, other: Decision) -> bool:  # type: ignore[override]  # as above
        return _STRICTNESS[self] <= (_STRICTNESS[other] if type(other) is Decision else _unordered(other))

    def __gt__(self, other: Decision) -> bool:  # type: ignore[override]  # as above
        return _STRICTNESS[self] > (_STRICTNESS[other] if type(other) is Decision else _unordered(other))

    def __ge__(self, other: Decision) -> bool:  # type: ignore[override]  # as above
        return _STRICTNESS[self] >= (_STRICTNESS[other] if type(other) is Decision else _unordered(other))

    def __repr__(self) -> str:
        return f"Decision.{self.word.upper()}"

    def __reduce__(self) -> tuple[object, ...]:
        return (Decision, (self.word,))


_WORDS = ("allow", "prompt", "forbidden")
_ALL = tuple([str.__new__(Decision, word) for word in _WORDS])
_BY_WORD = dict(zip(_WORDS, _ALL, strict=True))
_STRICTNESS = {decision: number for number, decision in enumerate(_ALL)}

Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN = _ALL


def _unordered(other: object) -> NoReturn:
    raise TypeError(f"a decision is ordered among decisions only, not against {type(other).__name__} {other!r}")


def _unknown(given: object) -> Exception:
    return validators.unknown_word(given, _WORDS, "a decision")
