"""Prefix patterns: a program token and, for each following position, the accepted tokens."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy import validators
from execpolicy.core.text import canonical
from execpolicy.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Alternatives: TypeAlias = tuple[str, ...]


class PrefixPattern:
    """Matches every argv that starts with one accepted token for each position, in order.

    Attributes:
        first: the program token; a policy is indexed by it.
        rest: for each further position, the accepted tokens (one or more).
        length: the number of positions.
        canonical_matching: compare tokens by Unicode canonical caseless match instead of byte for byte.

    Raises:
        UsageError: a token is not a text, or a position has no tokens. A text in ``rest`` is a position with one token.
    """

    __slots__ = ("_keys", "canonical_matching", "first", "length", "rest")

    def __init__(self, first: str, rest: tuple[Alternatives, ...] = (), *, canonical_matching: bool = False) -> None:
        try:
            "".join(sum(() + rest, (first,)))  # raises for everything but a tuple of tuples of texts
            if () in rest or canonical_matching is not False:
                first, rest = _settled(first, rest, canonical_matching)
        except TypeError:
            first, rest = _settled(first, rest, canonical_matching)
        self.first = first
        self.rest = rest
        self.length = 1 + len(rest)
        self.canonical_matching = canonical_matching
        self._keys: tuple[frozenset[str], ...] | None = None

    @classmethod
    def of(cls, tokens: Sequence[str]) -> PrefixPattern:
        """The pattern that matches exactly the argvs that start with ``tokens`` (at least one; a text raises)."""
        if not isinstance(tokens, (list, tuple)) or not tokens:
            raise _no_tokens(tokens)
        return cls(tokens[0], tuple([(token,) for token in tokens[1:]]))

    def __len__(self) -> int:
        return self.length

    def positions(self) -> tuple[Alternatives, ...]:
        """The accepted tokens of every position, the program's first."""
        return ((self.first,), *self.rest)

    def matches_rest(self, argv: Sequence[str]) -> bool:
        """True if ``argv[1:]`` starts with ``rest``; the caller has compared the program."""
        rest = self.rest
        if len(argv) < self.length:
            return False
        if self.canonical_matching:
            keys = self._keys
            if keys is None:
                keys = self._keys = tuple([frozenset([canonical(token) for token in tokens]) for tokens in rest])
            for at, accepted in enumerate(keys, 1):
                if canonical(argv[at]) not in accepted:
                    return False
            return True
        at = 1
        for tokens in rest:
            if argv[at] not in tokens:
                return False
            at += 1
        return True

    def accepts(self, position: int, token: str) -> bool:
        """True if ``token`` is accepted at ``position`` (0 is the program)."""
        tokens = (self.first,) if position == 0 else self.rest[position - 1]
        if self.canonical_matching:
            key = canonical(token)
            return any(canonical(accepted) == key for accepted in tokens)
        return token in tokens

    def _identity(self) -> tuple[object, ...]:
        return (self.first, self.rest, self.canonical_matching)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PrefixPattern) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __str__(self) -> str:
        return " ".join([p[0] if len(p) == 1 else f"[{'|'.join(p)}]" for p in self.positions()])

    def __repr__(self) -> str:
        return f"PrefixPattern({self.first!r}, {self.rest!r}, canonical_matching={self.canonical_matching})"


def _settled(first: object, rest: object, canonical_matching: object) -> tuple[str, tuple[Alternatives, ...]]:
    """The arguments converted to the stored form."""
    validators.flag(canonical_matching, "PrefixPattern: `canonical_matching`")
    positions = validators.every(validators.texts)(rest, "PrefixPattern: `rest`")
    if () in positions:
        raise _no_tokens(())
    return validators.text(first, "PrefixPattern: `first`"), positions


def _no_tokens(given: object) -> Exception:
    return UsageError(
        f"a pattern must be a list of tokens, at least one for each position, not {validators.shown(given)}"
    )
