"""What a policy says about a command."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar


class Decision(int):
    """``allow`` < ``prompt`` < ``forbidden``: ordered by strictness, so that ``max`` is "strictest wins".

    An ``int`` with three instances and not an ``enum``: importing ``enum`` costs a third of a bare interpreter start,
    and every check pays it. ``Decision("allow")`` is the member of that spelling.

    Raises:
        UsageError: it is made of anything but a member or its spelling.
    """

    ALLOW: ClassVar[Decision]
    PROMPT: ClassVar[Decision]
    FORBIDDEN: ClassVar[Decision]

    def __new__(cls, given: Decision | str) -> Decision:
        if type(given) is cls:
            return given
        found = _BY_WORD.get(given) if isinstance(given, str) else None
        if found is None:
            from execpolicy.given import unknown_word

            raise unknown_word(given, _WORDS, "a decision")
        return found

    @property
    def word(self) -> str:
        """The spelling used in rule files and in JSON."""
        return _WORDS[self]

    @classmethod
    def parse(cls, word: str) -> Decision | None:
        """The decision spelled ``word`` (exactly), or ``None``."""
        return _BY_WORD.get(word)

    def __repr__(self) -> str:
        return f"Decision.{self.word.upper()}"

    def __str__(self) -> str:
        return self.word

    def __reduce__(self) -> tuple[object, ...]:
        return (_by_number, (int(self),))


Decision.ALLOW = int.__new__(Decision, 0)
Decision.PROMPT = int.__new__(Decision, 1)
Decision.FORBIDDEN = int.__new__(Decision, 2)

_WORDS = ("allow", "prompt", "forbidden")
_ALL = (Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)
_BY_WORD = dict(zip(_WORDS, _ALL, strict=True))


def _by_number(number: int) -> Decision:
    return _ALL[number]
