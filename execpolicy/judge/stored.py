"""A rulebook as plain data and back: what the compiled cache keeps."""

from __future__ import annotations

import marshal

from execpolicy.core.writes import WriteRule, WriteRules
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.stored_policy import DECISIONS, place_of, plain_policy, policy_of
from execpolicy.safety.dangers import DangerousCommand
from execpolicy.safety.entries import SafeCommand, restore
from execpolicy.safety.heuristics import Heuristics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from execpolicy.judge.stored_policy import At
    from execpolicy.source import Place

    Entry: TypeAlias = SafeCommand | DangerousCommand


def store(rulebook: Rulebook) -> bytes:
    """``rulebook`` as bytes. It must not fail closed: such a state is never kept."""
    paths: dict[str, int] = {}

    def keep(where: Place | None) -> At:
        return None if where is None else (paths.setdefault(where.path, len(paths)), where.line)

    policy = plain_policy(rulebook.policy, keep)
    writes = [(r.paths, int(r.decision), r.justification, keep(r.place)) for r in rulebook.writes.rules]
    safe: dict[str, list[int]] = {}
    dangerous: dict[str, list[int]] = {}
    anywhere: list[int] = []
    blobs: list[bytes] = []
    for number, entry in enumerate(rulebook.heuristics.entries):
        arguments: Any = entry.arguments  # JSON-like, which is what marshal takes
        blobs.append(marshal.dumps((entry.kind, arguments, keep(entry.place))))
        index = safe if isinstance(entry, SafeCommand) else dangerous
        for program in entry.programs:
            index.setdefault(program, []).append(number)
        if not entry.programs:
            anywhere.append(number)
    entries = (safe, dangerous, anywhere, blobs)
    return marshal.dumps((list(paths), policy, writes, entries, sorted(rulebook.restricting)))


def restored(data: bytes) -> Rulebook:
    """The rulebook that :func:`store` made ``data`` of."""
    paths, policy, writes, (safe, dangerous, anywhere, blobs), restricting = marshal.loads(data)
    entries = _Entries(paths, blobs)
    heuristics = Heuristics.of_index(
        _Index(entries, safe), _Index(entries, dangerous), [entries.danger(number) for number in anywhere], entries.all
    )
    rules = WriteRules([WriteRule(g, DECISIONS[d], why, place=place_of(paths, at)) for g, d, why, at in writes])
    return Rulebook.of_parts(policy_of(policy, paths), heuristics, rules, frozenset(restricting))


class _Entries:
    """Heuristic entries, made when they are first asked for."""

    __slots__ = ("_blobs", "_made", "_paths")

    def __init__(self, paths: list[str], blobs: list[bytes]) -> None:
        self._paths = paths
        self._blobs = blobs
        self._made: dict[int, Entry] = {}

    def make(self, number: int) -> Entry:
        entry = self._made.get(number)
        if entry is None:
            kind, arguments, at = marshal.loads(self._blobs[number])
            entry = self._made[number] = restore(kind, arguments, place_of(self._paths, at))
        return entry

    def danger(self, number: int) -> DangerousCommand:
        entry = self.make(number)
        assert isinstance(entry, DangerousCommand)  # only those may lack a program
        return entry

    def all(self) -> tuple[Entry, ...]:
        return tuple([self.make(number) for number in range(len(self._blobs))])


class _Index(dict[str, "Any"]):
    """Entries by program; the keys are there from the start."""

    __slots__ = ("_entries",)

    def __init__(self, entries: _Entries, table: dict[str, list[int]]) -> None:
        super().__init__(table)
        self._entries = entries

    def get(self, program: str, default: Any = None) -> Any:
        numbers = super().get(program)
        return default if numbers is None else [self._entries.make(number) for number in numbers]
