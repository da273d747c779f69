"""A rulebook as plain data and back: what the compiled cache keeps.

Rules and entries of a program are made when that program is first looked up: most of a usual rulebook is about others.
"""

from __future__ import annotations

import marshal

from execpolicy.core.path_rules import ReadRule, ReadRules, WriteRule, WriteRules
from execpolicy.judge.rulebook import NO_READ_RULES, Rulebook
from execpolicy.judge.stored_policy import DECISIONS, at_of, place_of, plain_policy, policy_of
from execpolicy.safety import entries as entries_module
from execpolicy.safety.heuristics import Heuristics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

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


def store(rulebook: Rulebook, form: int = marshal.version, *, brought: bytes = b"") -> bytes:
    """``rulebook`` as bytes. It must not fail closed: such a state is never kept.

    Args:
        form: of ``marshal``; in :data:`EQUAL` equal rulebooks are equal bytes, which take a fifth more room.
        brought: the result of :func:`store_entries` for the built-in layer in :data:`EQUAL`, if the reader of the
            bytes has it as well. It is nine tenths of a usual rulebook, and is not stored with every set of rules.
    """
    writes = [
        (r.paths, r.decision.strictness, r.justification, r.delete, at_of(r.place)) for r in rulebook.writes.rules
    ]
    reads = [(r.paths, r.decision.strictness, r.justification, at_of(r.place)) for r in rulebook.reads.rules]
    entries = rulebook.heuristics.entries
    kept = b"" if brought and store_entries(entries, EQUAL) == brought else store_entries(entries, form)
    policy = plain_policy(rulebook.policy, form)
    return marshal.dumps((policy, writes, reads, kept, sorted(rulebook.restricting)), form)


def restored(data: bytes, brought: Callable[[], Slices | None] = lambda: None) -> Rulebook:
    """The rulebook that :func:`store` made ``data`` of.

    Args:
        brought: gives what was left out of ``data``.

    Raises:
        EOFError: nothing was brought, but something was left out.
    """
    policy, writes, reads, kept, restricting = marshal.loads(data)
    slices = (lambda start, end: kept[start:end]) if kept else brought()
    if slices is None:
        raise EOFError
    write_rules = [WriteRule(g, DECISIONS[d], why, delete=tree, place=place_of(at)) for g, d, why, tree, at in writes]
    read_rules = [ReadRule(g, DECISIONS[d], why, place=place_of(at)) for g, d, why, at in reads]
    return Rulebook.of_parts(
        policy_of(policy),
        restored_entries(slices),
        WriteRules(write_rules),
        ReadRules(read_rules) if reads else NO_READ_RULES,
        frozenset(restricting),
    )


def store_entries(entries: Iterable[Entry], form: int = marshal.version) -> bytes:
    """``entries`` as bytes, with an index of their programs. Those of one built-in layer are the same everywhere.

    The size of the index in four bytes, the index, and one entry behind the other.
    """
    safe: dict[str, list[int]] = {}
    dangerous: dict[str, list[int]] = {}
    anywhere: list[int] = []
    blobs: list[bytes] = []
    ends: list[int] = [0]
    for number, entry in enumerate(entries):
        arguments: Any = entry.arguments  # JSON-like, which is what marshal takes
        blobs.append(marshal.dumps((entry.kind, arguments, at_of(entry.place)), form))
        ends.append(ends[-1] + len(blobs[-1]))
        for program in entry.programs:
            (safe if entry.kind == "safe_command" else dangerous).setdefault(program, []).append(number)
        if not entry.programs:
            anywhere.append(number)
    indexes = [[marshal.dumps(part, form) for part in _parts(index)] for index in (safe, dangerous)]
    head = marshal.dumps((*indexes, anywhere, ends), form)
    return len(head).to_bytes(_SIZE, "big") + head + b"".join(blobs)


def _parts(index: dict[str, list[int]]) -> list[dict[str, list[int]]]:
    """``index`` in parts, so that one check reads one of them."""
    parts: list[dict[str, list[int]]] = [{} for _ in range(_PARTS)]
    for program, numbers in index.items():
        parts[_part(program)][program] = numbers
    return parts


def _part(program: str) -> int:
    return ord(program[-1]) % _PARTS if program else 0


def restored_entries(slices: Slices) -> Heuristics:
    """The entries that :func:`store_entries` made the bytes of, each read when it is first asked for.

    Raises:
        EOFError: there is nothing.
    """
    begin = _SIZE + int.from_bytes(slices(0, _SIZE), "big")
    safe, dangerous, anywhere, ends = marshal.loads(slices(_SIZE, begin))
    known: dict[int, Any] = {}

    def entry(number: int) -> Any:
        if number not in known:
            kind, arguments, at = marshal.loads(slices(begin + ends[number], begin + ends[number + 1]))
            known[number] = entries_module.restore(kind, arguments, place_of(at))
        return known[number]

    def everything() -> tuple[Any, ...]:
        return tuple(map(entry, range(len(ends) - 1)))

    return Heuristics.of_index(_Index(safe, entry), _Index(dangerous, entry), _Each(entry, anywhere), everything)


class _Index(dict[str, "Any"]):
    """Entries by program, read in parts when a program is first asked for."""

    __slots__ = ("_entry", "_parts", "_read")

    def __init__(self, parts: list[bytes], entry: Callable[[int], Any]) -> None:
        self._parts = parts
        self._entry = entry
        self._read: dict[int, dict[str, list[int]]] = {}

    def _numbers(self, part: int) -> dict[str, list[int]]:
        if part not in self._read:
            self._read[part] = marshal.loads(self._parts[part])
        return self._read[part]

    def get(self, program: str, default: Any = None) -> Any:
        numbers = self._numbers(_part(program)).get(program)
        return default if numbers is None else list(map(self._entry, numbers))

    def __contains__(self, program: object) -> bool:
        return isinstance(program, str) and program in self._numbers(_part(program))

    def __iter__(self) -> Iterator[str]:
        for part in range(_PARTS):
            yield from self._numbers(part)


class _Each:
    """The dangerous entries without a program, made when they are gone through."""

    __slots__ = ("_entry", "_numbers")

    def __init__(self, entry: Callable[[int], Any], numbers: list[int]) -> None:
        self._entry = entry
        self._numbers = numbers

    def __iter__(self) -> Iterator[DangerousCommand]:
        return map(self._entry, self._numbers)
