"""What is evident again and again is judged once: texts of programs hand on each other's parts, in every order."""

from __future__ import annotations

from execpolicy.judge.failures import TOO_DEEP
from execpolicy.judge.verdict import Block
from execpolicy.programs.unwrap import MAX_WRAPPERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from execpolicy.judge.grants import Grants
    from execpolicy.judge.verdict import CommandVerdict
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

    Judged: TypeAlias = tuple[tuple[CommandVerdict, ...], tuple[Block, ...]]
    Judging: TypeAlias = Callable[[Command, Inner, Grants, int], Judged]

_WRAPPER = "wrapper:"
_READ = frozenset([_WRAPPER + name for name in ("find", "xargs", "fd", "fdfind", "parallel")])
"""Wrappers that make a difference to what a command inside them runs."""


class JudgedOnce:
    """What was judged inside of something else in one judgement, by what the verdict on it depends on.

    While something is judged, what leads to itself shows nothing new: the same is being judged further out.
    """

    __slots__ = ("_evident", "_judged")

    def __init__(self) -> None:
        self._judged: dict[tuple[object, ...], tuple[int, Judged]] = {}
        self._evident = 0

    def judged(self, judge: Judging, carrier: Command, one: Inner, grants: Grants, depth: int) -> Judged:
        """What ``judge`` says of ``one``, which ``carrier`` runs, or said of the same no deeper than here."""
        self._evident += one.evidence
        question = _question(carrier, one, grants, evident=self._evident > 0)
        known = self._judged.get(question) if question else None
        try:
            if known is not None and known[0] <= depth:
                return known[1]
            if not question:
                return judge(carrier, one, grants, depth)
            self._judged[question] = depth, ((), (Block("hidden-command", TOO_DEEP, one.span),))
            try:
                found = judge(carrier, one, grants, depth)
            except BaseException:
                del self._judged[question]
                raise
            self._judged[question] = depth, found
            return found
        finally:
            self._evident -= one.evidence


def _question(carrier: Command, one: Inner, grants: Grants, *, evident: bool) -> tuple[object, ...]:
    """What the verdict on ``one`` depends on; empty where that is not plain.

    Args:
        evident: it can only restrict. Then the script around a script makes no difference unless it feeds it or goes to
            another folder: what it says otherwise is evident in itself.
    """
    if one.moved or one.bare:
        return ()
    script = one.script
    if script is None:
        return _of_command(one.command, grants) if one.command is not None else ()
    contexts = tuple([each.context for each in script.commands])
    asked = (script.text, script.shell, script.positional, contexts)
    if not evident or carrier.redirects or carrier.piped_from or carrier.body:
        around = _of_command(carrier, grants)
        return (*asked, *around) if around else ()
    start = grants.where.of_inner(carrier, one)
    place = (start.shapes, start.sure) if start is not None else grants.where.moves
    return (*asked, *_context(carrier), place)


def _of_command(command: Command, grants: Grants) -> tuple[object, ...]:
    argv = command.plain_argv
    if argv is None or command.assignments:
        return ()
    given = (command.redirects, command.piped_from, command.body)
    return (grants, argv, command.span.start, command.span.end, *given, *_context(command))


def _context(command: Command) -> tuple[object, ...]:
    """What of the constructs around ``command`` makes a difference."""
    context = [part if part in _READ or not part.startswith(_WRAPPER) else _WRAPPER for part in command.context]
    return (frozenset(context), len(context) > MAX_WRAPPERS)
