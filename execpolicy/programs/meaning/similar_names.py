"""What git takes a word for that is no sub-command: the names that are spelled alike.

Source: git's own weights for unknown commands (``help.autocorrect``).
"""

from __future__ import annotations

_NEAR = 7
"""How unlike, as git counts it, a word may be to be taken for another."""


def similar_names(word: str, names: set[str]) -> list[str]:
    """The names that git would take ``word`` for."""
    ranked = sorted([(_distance(word, name), name) for name in names if abs(len(name) - len(word)) <= 2])
    best = [name for far, name in ranked if far == ranked[0][0]]
    return best if ranked and ranked[0][0] < _NEAR else []


def _distance(word: str, name: str) -> int:
    """How far ``word`` is from ``name``: a swap costs nothing, an insertion 1, another letter 2, a deletion 3."""
    before: list[int] = []
    last = [at * 1 for at in range(len(name) + 1)]
    for row, letter in enumerate(word):
        here = [(row + 1) * 3]
        for column, other in enumerate(name):
            cost = last[column] + 2 * (letter != other)
            if row and column and word[row - 1] == other and name[column - 1] == letter:
                cost = min(cost, before[column - 1])
            here.append(min(cost, last[column + 1] + 3, here[column] + 1))
        if min(here) >= _NEAR <= min(last):
            return _NEAR  # too far already, and nothing brings it nearer
        before, last = last, here
    return last[-1]
