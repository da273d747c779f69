"""Objections to a command that needs a person: without one, only a record or a rule is missing."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.core.decision import Decision
from execpolicy.judge.command_verdict import Block, CommandVerdict
from execpolicy.judge.grants import Grants
from execpolicy.judge.inside import shows_secret
from execpolicy.programs.breadth import facts_behind, is_fed
from execpolicy.programs.catalog import record_of
from execpolicy.programs.looked_at import takes_plain_value
from execpolicy.programs.names import base_name
from execpolicy.safety.heuristics import secret_among
from execpolicy.safety.opinion import Opinion
from execpolicy.safety.purposes import purpose
from execpolicy.safety.secrets import secret_in
from execpolicy.shell.script import Command

_OPEN = ("no-entry", "program-path")
"""Codes of the opinion on a program that is not described at all, so that no word of it is known to matter."""


def is_unknown(
    command: Command,
    grants: Grants,
    opinion: Opinion,
    source: str,
    blocks: Sequence[Block],
    inner: Sequence[CommandVerdict],
) -> bool:
    """True if an allow rule for the words of ``command`` would be enough, and nothing in it is dangerous, secret, sent
    or only known at run time.

    Args:
        source: what settled it; the commands inside a ``wrapper`` speak for themselves.
        blocks: the obstacles to a grant.
        inner: the verdicts on what it would run itself.
    """
    words = [word.literal or "" for word in command.words]
    if not all(block.unknown for block in blocks) or any(map(_objects, inner)) or (words and is_fed(words)):
        return False
    if source == "wrapper":
        return True
    if opinion.objects:
        return False
    if not words:
        return bool(blocks)
    if any(word.literal is None for word in command.words) and (
        not (opinion.code in _OPEN or _only_values(command))
        or secret_among(base_name(words[0]), command.words, grants.facts) is not None
    ):
        return False
    described = opinion.code == "write"  # an entry accepts every word of it
    if not described and (_acts_beyond(words) or any(map(secret_in, words[1:]))):
        return False
    obstacles = [each for each in grants.by_rule(command, (), opinion) if isinstance(each, Block)]
    return all(block.unknown for block in obstacles)


def _only_values(command: Command) -> bool:
    """True if what only the run knows is the value of options that do no harm: ``git commit -m "$x"``."""
    words = [word.literal or "" for word in command.words]
    return all(
        word.literal is not None or (at > 1 and not word.many and takes_plain_value(words[: at - 1], words[at - 1]))
        for at, word in enumerate(command.words)
    )


def _objects(verdict: CommandVerdict) -> bool:
    return verdict.kind == "objected" or verdict.decision is Decision.FORBIDDEN or shows_secret(verdict)


def _acts_beyond(words: Sequence[str]) -> bool:
    """True if the program is known to send, to show secrets, to change the system, or to act on other machines."""
    name = base_name(words[0])
    does = purpose(name, words[1:])
    if does is not None and does[0] not in ("runs", "writes"):
        return True
    record = record_of(name)
    if record is None:
        return False
    published = [behind for kind, behind in facts_behind(words) if kind == "publish"]
    return record.far or any(set(words).issuperset(behind) for behind in published)
