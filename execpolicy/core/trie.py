"""Exact answers about sets of prefix patterns: coverage, equality, and a command as the counterexample.

A pattern accepts every argv that starts with one accepted token for each position. Coverage by other patterns is
decided by walking its positions through a tree of theirs. A counterexample needs no more words than the pattern has.
Rules that compare canonically are compared canonically.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.text import canonical, normalize

Command: TypeAlias = tuple[str, ...]
Counts: TypeAlias = Callable[[int], bool]
State: TypeAlias = tuple["_Node | None", "_Node | None", tuple[int, ...]]


_MOST_PATHS = 64
_MOST_STEPS = 20_000


class TooManyAlternativesError(Exception):
    """The patterns multiply out to more combinations than the limit; nothing is claimed about them."""


class _Node:
    __slots__ = ("by_key", "children", "ends")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.ends: list[int] = []
        self.by_key: dict[str, list[str]] | None = None

    def spellings(self, key: str) -> list[str]:
        """The tokens among the children whose canonical key is ``key``."""
        if self.by_key is None:
            self.by_key = {}
            for token in self.children:
                self.by_key.setdefault(canonical(token), []).append(token)
        return self.by_key.get(key, [])


class PatternTrie:
    """An index of patterns, each identified by its position in the sequence that the index was built from."""

    __slots__ = ("_exact", "_folded", "_wide", "patterns")

    def __init__(self, patterns: Sequence[PrefixPattern]) -> None:
        self.patterns = tuple(patterns)
        self._exact = _Node()
        self._folded = _Node()
        self._wide: list[int] = []  # patterns with too many combinations to store; compared one by one
        for index, pattern in enumerate(self.patterns):
            self._add(index, pattern)

    def _add(self, index: int, pattern: PrefixPattern) -> None:
        paths = 1
        for tokens in pattern.rest:
            paths *= len(tokens)
        if paths > _MOST_PATHS:
            self._wide.append(index)
            return
        folded = pattern.canonical_matching
        nodes = [self._folded if folded else self._exact]
        for tokens in pattern.positions():
            following: list[_Node] = []
            for node in nodes:
                for token in dict.fromkeys([canonical(token) for token in tokens] if folded else tokens):
                    child = node.children.get(token)
                    if child is None:
                        child = node.children[token] = _Node()
                    following.append(child)
            nodes = following
        for node in nodes:
            node.ends.append(index)

    @property
    def is_as_written(self) -> bool:
        """True if every pattern is found by its literal words and no pattern by its program alone."""
        return not (self._wide or self._folded.children)

    def uncovered(self, pattern: PrefixPattern, counts: Counts) -> Command | None:
        """A shortest command that ``pattern`` accepts and no counted pattern accepts; ``None`` if there is none.

        Args:
            counts: true for the index of a pattern that may cover.

        Raises:
            TooManyAlternativesError: the search exceeds the limit.
        """
        if self.is_as_written and not pattern.canonical_matching and all(len(tokens) == 1 for tokens in pattern.rest):
            words = (pattern.first, *[tokens[0] for tokens in pattern.rest])
            return None if self._starts_like_one(words, counts) else words
        positions = pattern.positions()
        wide = tuple([index for index in self._wide if counts(index)])
        seen: set[tuple[int, int, int, tuple[int, ...]]] = set()
        steps = 0
        stack: list[tuple[Command, State]] = [((), (self._exact, self._folded, wide))]
        while stack:
            words, state = stack.pop()
            depth = len(words)
            if depth == len(positions):
                return words
            choices: list[tuple[Command, State]] = []
            for token in _choices(positions[depth], pattern.canonical_matching, state, self.patterns, depth):
                steps += 1
                if steps > _MOST_STEPS:
                    raise TooManyAlternativesError
                following = self._step(state, token, depth)
                if self._covers(following, depth + 1, counts):
                    continue
                exact, folded, alive = following
                mark = (depth, id(exact), id(folded), alive)
                if mark not in seen:
                    seen.add(mark)
                    choices.append(((*words, token), following))
            stack.extend(reversed(choices))
        return None

    def _starts_like_one(self, words: Command, counts: Counts) -> bool:
        """True if a counted pattern accepts ``words``, with all tokens compared as written."""
        node = self._exact
        for word in words:
            following = node.children.get(word)
            if following is None:
                return False
            if any(map(counts, following.ends)):
                return True
            node = following
        return False

    def accepting(self, words: Command) -> list[int]:
        """The patterns that accept the command ``words``, in order."""
        state: State = (self._exact, self._folded, tuple(self._wide))
        found: list[int] = []
        for depth, token in enumerate(words):
            state = self._step(state, token, depth)
            exact, folded, wide = state
            found += exact.ends if exact is not None else ()
            found += folded.ends if folded is not None else ()
            found += [index for index in wide if len(self.patterns[index]) == depth + 1]
        return sorted(found)

    def _step(self, state: State, token: str, depth: int) -> State:
        exact, folded, wide = state
        return (
            exact.children.get(token) if exact is not None else None,
            folded.children.get(canonical(token)) if folded is not None and folded.children else None,
            tuple([i for i in wide if depth < len(self.patterns[i]) and self.patterns[i].accepts(depth, token)]),
        )

    def _covers(self, state: State, depth: int, counts: Counts) -> bool:
        exact, folded, wide = state
        return (
            (exact is not None and any(counts(index) for index in exact.ends))
            or (folded is not None and any(counts(index) for index in folded.ends))
            or any(len(self.patterns[index]) == depth for index in wide)
        )


def _choices(
    tokens: Sequence[str], folded: bool, state: State, patterns: Sequence[PrefixPattern], depth: int
) -> Iterator[str]:
    """Tokens that represent every accepted token: those that a pattern distinguishes, and one of the others."""
    if not folded:
        yield from dict.fromkeys(tokens)
        return
    exact, _, wide = state
    for key in dict.fromkeys([canonical(token) for token in tokens]):
        told_apart = set(exact.spellings(key) if exact is not None else ())
        for index in wide:
            pattern = patterns[index]
            if not pattern.canonical_matching and depth < len(pattern):
                told_apart.update([token for token in pattern.positions()[depth] if canonical(token) == key])
        own = [token for token in tokens if canonical(token) == key]
        other = next((text for text in (*own, *_spellings(key)) if text not in told_apart), None)
        if other is not None:
            yield other
        yield from sorted(told_apart)


def _spellings(key: str) -> Iterator[str]:
    """Texts whose canonical key is ``key``: in other cases, and with characters that fold to ASCII ones."""
    yield key
    yield key.upper()
    places = [
        at for at, char in enumerate(key) if len(char.upper()) == 1 and canonical(char.upper()) == canonical(char)
    ]
    for number in range(1, 1 << min(len(places), 12)):
        chars = list(key)
        for bit, at in enumerate(places[:12]):
            if number >> bit & 1:
                chars[at] = chars[at].upper()
        yield "".join(chars)
    for plain, odd in (("k", "\u212a"), ("s", "\u017f"), ("ss", "\u00df"), (";", "\u037e"), ("`", "\u1fef")):
        if plain in key:
            yield key.replace(plain, odd, 1)
    if not key.isascii():
        yield normalize("NFC", key)


def difference(wider: Iterable[PrefixPattern], narrower: Iterable[PrefixPattern]) -> Command | None:
    """A shortest command that a pattern of ``wider`` accepts and no pattern of ``narrower``; ``None`` if there is none.

    Raises:
        TooManyAlternativesError: the search exceeds the limit.
    """
    trie = PatternTrie(tuple(narrower))
    found = [trie.uncovered(pattern, lambda index: True) for pattern in wider]
    return min([words for words in found if words is not None], key=len, default=None)
