"""A rulebook as plain data and back: what the compiled cache keeps."""

from __future__ import annotations

import marshal

from execpolicy.core.writes import WriteRule, WriteRules
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.stored_policy import DECISIONS, place_of, plain_policy, policy_of
from execpolicy.safety.entries import restore
from execpolicy.safety.heuristics import Heuristics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.judge.stored_policy import At
    from execpolicy.source import Place


def store(rulebook: Rulebook) -> bytes:
    """``rulebook`` as bytes. It must not fail closed: such a state is never kept."""
    paths: dict[str, int] = {}

    def keep(where: Place | None) -> At:
        return None if where is None else (paths.setdefault(where.path, len(paths)), where.line)

    policy = plain_policy(rulebook.policy, keep)
    writes = [(r.paths, int(r.decision), r.justification, keep(r.place)) for r in rulebook.writes.rules]
    entries = [(entry.kind, entry.arguments, keep(entry.place)) for entry in rulebook.heuristics.entries]
    return marshal.dumps((list(paths), policy, writes, marshal.dumps(entries), sorted(rulebook.restricting)))


def restored(data: bytes) -> Rulebook:
    """The rulebook that :func:`store` made ``data`` of."""
    paths, policy, writes, entries, restricting = marshal.loads(data)
    heuristics = Heuristics(
        [restore(kind, arguments, place_of(paths, at)) for kind, arguments, at in marshal.loads(entries)]
    )
    rules = WriteRules([WriteRule(g, DECISIONS[d], why, place=place_of(paths, at)) for g, d, why, at in writes])
    return Rulebook.of_parts(policy_of(policy, paths), heuristics, rules, frozenset(restricting))
