"""A rulebook as plain data and back: what the compiled cache keeps.

The entries of programs stand behind an index of where each begins, so that a check reads those that it asks about: nine
tenths of a usual rulebook are about other programs.
"""

from __future__ import annotations

import marshal

from execpolicy.core.path_rules import ReadRule, ReadRules, WriteRule, WriteRules
from execpolicy.judge.rulebook import NO_READ_RULES, Rulebook
from execpolicy.judge.stored_policy import DECISIONS, place_of, plain_policy, policy_of
from execpolicy.resources import records_folder
from execpolicy.safety import dangers
from execpolicy.safety import entries as entries_module
from execpolicy.safety.heuristics import Heuristics
from execpolicy.source import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from execpolicy.judge.stored_policy import At
    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand

    Entry: TypeAlias = SafeCommand | DangerousCommand
    Slices: TypeAlias = Callable[[int, int], bytes]
    """Gives the bytes from one offset up to another."""

EQUAL = 2
"""Later forms write what is referred to often in another way, and a rulebook from the cache refers otherwise."""

_SIZE = 4
_PARTS = 32
"""Programs are distinguished by their last letter, which differs more than the first."""


_BUILT_IN = "\0"
"""How the path of a file of the built-in layer begins, which lies elsewhere for everybody."""


def store(rulebook: Rulebook, form: int = marshal.version, *, brought: bytes = b"") -> bytes:
    """``rulebook`` as bytes. It must not fail closed: such a state is never kept.

    Args:
        form: of ``marshal``; in :data:`EQUAL` equal rulebooks are equal bytes, which take a fifth more room.
        brought: the result of :func:`store_entries` for the built-in layer in :data:`EQUAL`, if the reader of the
            bytes has it as well. It is nine tenths of a usual rulebook, and is not stored with every set of rules.
    """
    paths: dict[str, int] = {}

    def keep(where: Place | None) -> At:
        return None if where is None else (paths.setdefault(where.path, len(paths)), where.line)

    policy = plain_policy(rulebook.policy, keep, form)
    writes = [(r.paths, r.decision.strictness, r.justification, r.delete, keep(r.place)) for r in rulebook.writes.rules]
    entries = rulebook.heuristics.entries
    kept = b"" if brought and store_entries(entries, EQUAL) == brought else store_entries(entries, form)
    reads = [(r.paths, r.decision.strictness, r.justification, keep(r.place)) for r in rulebook.reads.rules]
    return marshal.dumps((list(paths), policy, writes, reads, kept, sorted(rulebook.restricting)), form)


def store_entries(entries: Iterable[Entry], form: int = marshal.version) -> bytes:
    """``entries`` as bytes, with an index of their programs. Those of one built-in layer are the same everywhere.

    The size of the index in four bytes, the index, and one entry behind the other.
    """
    folder = records_folder() + "/"

    def keep(where: Place | None) -> tuple[str, int] | None:
        if where is None:
            return None
        return _BUILT_IN + where.path[len(folder) :] if where.path.startswith(folder) else where.path, where.line

    safe: dict[str, list[int]] = {}
    dangerous: dict[str, list[int]] = {}
    anywhere: list[int] = []
    blobs: list[bytes] = []
    ends: list[int] = []
    for number, entry in enumerate(entries):
        arguments: Any = entry.arguments  # JSON-like, which is what marshal takes
        blobs.append(marshal.dumps((entry.kind, arguments, keep(entry.place)), form))
        ends.append(len(blobs[-1]) + (ends[-1] if ends else 0))
        index = safe if entry.kind == "safe_command" else dangerous
        for program in entry.programs:
            index.setdefault(program, []).append(number)
        if not entry.programs:
            anywhere.append(number)
    indexes = (_plain_index(safe, form), _plain_index(dangerous, form))
    head = marshal.dumps((*indexes, anywhere, ends), form)
    return len(head).to_bytes(_SIZE, "big") + head + b"".join(blobs)


def _plain_index(table: dict[str, list[int]], form: int) -> list[bytes]:
    """``table`` in parts, so that one check reads one of them."""
    parts: list[dict[str, list[int]]] = [{} for _ in range(_PARTS)]
    for program, numbers in table.items():
        parts[_part(program)][program] = numbers
    return [marshal.dumps(part, form) for part in parts]


def _part(program: str) -> int:
    return ord(program[-1]) % _PARTS if program else 0


def restored(data: bytes, brought: Callable[[], Slices | None] = lambda: None) -> Rulebook:
    """The rulebook that :func:`store` made ``data`` of.

    Args:
        brought: gives what was left out of ``data``.

    Raises:
        EOFError: nothing was brought, but something was left out.
    """
    paths, policy, writes, reads, kept, restricting = marshal.loads(data)
    slices = (lambda start, end: kept[start:end]) if kept else brought()
    if slices is None:
        raise EOFError
    heuristics = restored_entries(slices)
    rules = WriteRules(
        [
            WriteRule(globs, DECISIONS[strictness], why, delete=delete, place=place_of(paths, at))
            for globs, strictness, why, delete, at in writes
        ]
    )
    read_rules = NO_READ_RULES
    if reads:
        read_rules = ReadRules([ReadRule(g, DECISIONS[d], why, place=place_of(paths, at)) for g, d, why, at in reads])
    return Rulebook.of_parts(policy_of(policy, paths), heuristics, rules, read_rules, frozenset(restricting))


def restored_entries(slices: Slices) -> Heuristics:
    """The entries that :func:`store_entries` made the bytes of, each read when it is first asked for.

    Raises:
        EOFError: there is nothing.
    """
    begin = _SIZE + int.from_bytes(slices(0, _SIZE), "big")
    safe, dangerous, anywhere, ends = marshal.loads(slices(_SIZE, begin))
    entries = _Entries(slices, begin, ends)
    return Heuristics.of_index(
        _Index(entries, safe), _Index(entries, dangerous), _Anywhere(entries, anywhere), entries.all
    )


class _Entries:
    """Heuristic entries, made when they are first asked for.

    Attributes:
        _begin: where the first one begins.
        _ends: where each of them ends, counted from there.
    """

    __slots__ = ("_begin", "_ends", "_made", "_slices")

    def __init__(self, slices: Slices, begin: int, ends: list[int]) -> None:
        self._slices = slices
        self._begin = begin
        self._ends = ends
        self._made: dict[int, Entry] = {}

    def make(self, number: int) -> Entry:
        entry = self._made.get(number)
        if entry is None:
            start = self._begin + (self._ends[number - 1] if number else 0)
            kind, arguments, at = marshal.loads(self._slices(start, self._begin + self._ends[number]))
            place = None
            if at is not None:
                path, line = at
                path = f"{records_folder()}/{path[len(_BUILT_IN) :]}" if path.startswith(_BUILT_IN) else path
                place = Place(path, line)
            entry = self._made[number] = entries_module.restore(kind, arguments, place)
        return entry

    def danger(self, number: int) -> dangers.DangerousCommand:
        entry = self.make(number)
        assert isinstance(entry, dangers.DangerousCommand)  # only those may lack a program
        return entry

    def all(self) -> tuple[Entry, ...]:
        return tuple([self.make(number) for number in range(len(self._ends))])


class _Anywhere:
    """The dangerous entries without a program, made when they are gone through."""

    __slots__ = ("_entries", "_made", "_numbers")

    def __init__(self, entries: _Entries, numbers: list[int]) -> None:
        self._entries = entries
        self._numbers = numbers
        self._made: tuple[DangerousCommand, ...] | None = None

    def __iter__(self) -> Iterator[DangerousCommand]:
        if self._made is None:
            self._made = tuple([self._entries.danger(number) for number in self._numbers])
        return iter(self._made)


class _Index(dict[str, "Any"]):
    """Entries by program, read in parts when a program is first asked for."""

    __slots__ = ("_entries", "_parts", "_read")

    def __init__(self, entries: _Entries, parts: list[bytes]) -> None:
        super().__init__()
        self._entries = entries
        self._parts = parts
        self._read: dict[int, dict[str, list[int]]] = {}

    def _numbers(self, part: int) -> dict[str, list[int]]:
        found = self._read.get(part)
        if found is None:
            found = self._read[part] = marshal.loads(self._parts[part])
        return found

    def get(self, program: str, default: Any = None) -> Any:
        numbers = self._numbers(_part(program)).get(program)
        return default if numbers is None else [self._entries.make(number) for number in numbers]

    def __contains__(self, program: object) -> bool:
        return isinstance(program, str) and program in self._numbers(_part(program))

    def __iter__(self) -> Iterator[str]:
        for part in range(len(self._parts)):
            yield from self._numbers(part)
