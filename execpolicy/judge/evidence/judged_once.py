"""What is evident again and again is judged once: texts of programs hand on each other's parts, in every order."""

from __future__ import annotations

from execpolicy.programs.shelf import opened
from execpolicy.programs.unwrap import MAX_WRAPPERS
from execpolicy.shell.script import changed
from execpolicy.shell.vocabulary import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.grants import Grants
    from execpolicy.judge.verdict import Block, CommandVerdict
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

    Judged: TypeAlias = tuple[tuple[CommandVerdict, ...], tuple[Block, ...]]
    Judging: TypeAlias = Callable[[Command, Inner, Grants, int], Judged]

_WRAPPER = "wrapper:"
_READ = frozenset([_WRAPPER + name for name in ("find", "xargs", "fd", "fdfind", "parallel")])
"""Wrappers that make a difference to what a command inside them runs."""


class JudgedOnce:
    """What was judged inside of something else in one judgement, by what the verdict on it depends on.

    While something is judged, what leads to itself shows nothing new: the same is being judged further out. What is
    met again is given without what it runs itself, which is told of where it was met first: shared, the verdicts would
    be a tree of more branches than anybody can walk.
    """

    __slots__ = ("_evident", "_judged")

    def __init__(self) -> None:
        self._judged: dict[object, tuple[int, Judged]] = {}
        self._evident = 0

    def judged(self, judge: Judging, carrier: Command, one: Inner, grants: Grants, depth: int) -> Judged:
        """What ``judge`` says of ``one``, which ``carrier`` runs, or said of the same no deeper than here.

        What is not evidence, nor inside of some, is judged each time: grants depend on more.
        """
        if not (self._evident or one.evidence):
            return judge(carrier, one, grants, depth)
        question = _question(carrier, one, grants) or object()  # where that is not plain, nobody asks again
        known = self._judged.get(question)
        if known is not None and known[0] <= depth:
            return known[1]
        self._judged[question] = depth, _NOTHING_NEW
        self._evident += 1
        try:
            found = judge(carrier, one, grants, depth)
        except BaseException:
            del self._judged[question]
            raise
        finally:
            self._evident -= 1
        self._judged[question] = depth, (tuple(map(_alone, found[0])), found[1])
        return found


_NOTHING_NEW: Judged = ((), ())


def _alone(verdict: CommandVerdict) -> CommandVerdict:
    """``verdict`` with no more of what is inside of it than the secrets."""
    if not verdict.inner:
        return verdict
    from execpolicy.judge.inside import shows_secret, with_inner

    secrets = {
        (each.argv, each.opinion and each.opinion.why): each for each in with_inner(verdict.inner) if shows_secret(each)
    }
    # without what is inside of those: each of that which shows a secret is among them
    return changed(verdict, inner=tuple([changed(each, inner=()) for each in secrets.values()]))


def _question(carrier: Command, one: Inner, grants: Grants) -> tuple[object, ...]:
    """What the verdict on ``one``, which can only restrict, depends on; empty where that is not plain.

    Of the scripts around a script those make a difference that do something else beside it: copy, write, assign.
    """
    if one.moved or one.bare:
        return ()
    script = one.script
    if script is None:
        return _of_command(one.command, grants) if one.command is not None else ()
    contexts = tuple([each.context for each in script.commands])
    asked = (script.text, script.shell, script.positional, contexts)
    given = [(each.operator, each.fd, each.target.literal) for each in carrier.redirects]
    if carrier.piped_from or carrier.body or any(target is None for _, _, target in given):
        called = _of_command(carrier, grants)
        return (*asked, *called) if called else ()
    start = grants.where.of_inner(carrier, one)
    place = (start.shapes, start.sure) if start is not None else grants.where.moves
    around = None if all(map(_depends_on_nothing, script.commands)) else _doing_more(grants.facts)
    return (*asked, *_context(carrier), tuple(given), place, around)


def _depends_on_nothing(command: Command) -> bool:
    """Whether ``command`` runs a program by its plain name that carries nothing and gets nothing from elsewhere."""
    argv = command.plain_argv
    if not argv or command.redirects or command.body:
        return False
    return "/" not in argv[0] and argv[0] not in opened()


def _doing_more(facts: Facts) -> frozenset[str]:
    """The texts of the scripts around a script, but the outermost, that are more than the command which runs it."""
    found = []
    while facts.around is not None:
        commands = facts.script.commands
        if commands[0].redirects or commands[0].assignments if len(commands) == 1 else any(map(_says_more, commands)):
            found.append(facts.script.text)
        facts = facts.around[0]
    return frozenset(found)


def _says_more(command: Command) -> bool:
    """Whether ``command`` is more than the name of a program, which leaves nothing behind in the script."""
    if len(command.words) != 1 or command.redirects or command.assignments or command.piped_from or command.body:
        return True
    name = command.words[0].literal
    return name is None or name in NAMES


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
