"""An index of the many rules of one program by the words of a command."""

from __future__ import annotations

from _collections_abc import Iterable, Mapping, Sequence

from execpolicy.core.rules import PrefixRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    _Entry: TypeAlias = tuple[int, PrefixRule]

FEW_RULES = 16
"""The number of rules up to which comparing them in order is as fast."""
_PATIENCE = 4
"""The number of plain comparisons before the rules are sorted: sorting costs as much as a few of them."""


class RulesByWords:
    """Rules that share their first word, sorted by their other words once that pays off.

    Rules that compare canonically are always candidates.
    """

    __slots__ = ("_root",)

    def __init__(self, rules: Sequence[PrefixRule]) -> None:
        self._root = _Branch(list(enumerate(rules)))

    def candidates(self, argv: Sequence[str]) -> list[PrefixRule]:
        """The rules that may match ``argv``, in order; no other rule matches."""
        found: list[_Entry] = []
        node = self._root
        for depth in range(1, len(argv) + 1):
            is_sorted = node.asked > _PATIENCE or node.sort(depth)
            if node.entries:
                found += node.entries
            if not is_sorted or depth == len(argv) or argv[depth] not in node.children:
                break
            node = node.children[argv[depth]]
        if len(found) > 1:
            found.sort(key=_place)
        return [entry[1] for entry in found]


def _place(entry: _Entry) -> int:
    return entry[0]


class IndexedRules(dict[str, "tuple[PrefixRule, ...]"]):
    """Rules by program; :meth:`candidates` returns those of programs with many rules."""

    __slots__ = ("_all", "_indexes")

    def __init__(self, rules: Mapping[str, tuple[PrefixRule, ...]], many: Iterable[str]) -> None:
        """``rules`` may create those of a program on demand; ``many`` are the programs with many rules."""
        super().__init__()
        self._all = rules
        self._indexes: dict[str, RulesByWords | None] = dict.fromkeys(many)

    def get(self, program: str, default: Any = None) -> Any:
        return default if program in self._indexes else self._all.get(program, default)

    def candidates(self, argv: Sequence[str]) -> list[PrefixRule]:
        """The rules that may match ``argv``, if its program has many."""
        program = argv[0]
        if program not in self._indexes:
            return []
        index = self._indexes[program]
        if index is None:
            index = self._indexes[program] = RulesByWords(self._all[program])
        return index.candidates(argv)


class _Branch:
    """Rules that agree with a command so far; once sorted, the rules that end here and the others by next word."""

    __slots__ = ("asked", "children", "entries")

    def __init__(self, entries: list[_Entry]) -> None:
        self.entries = entries
        self.children: dict[str, _Branch] = {}
        self.asked = 0

    def sort(self, depth: int) -> bool:
        """Sorts the rules by the word at ``depth`` if they are many and often requested; true if now sorted."""
        if len(self.entries) <= FEW_RULES:
            return False
        self.asked += 1
        if self.asked <= _PATIENCE:
            return False
        kept: list[_Entry] = []
        for entry in self.entries:
            pattern = entry[1].pattern
            if pattern.canonical_matching or pattern.length <= depth:
                kept.append(entry)
                continue
            for token in dict.fromkeys(pattern.rest[depth - 1]):
                child = self.children.get(token)
                if child is None:
                    child = self.children[token] = _Branch([])
                child.entries.append(entry)
        self.entries = kept
        return True
