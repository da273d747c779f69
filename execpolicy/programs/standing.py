"""Where each command of a script may run: every folder that the script can have changed to.

A folder is known when each word that names it is known; then the list is whole, whether the shell could change to it or
not. What it is called says nothing about links on the way to it.
"""

from __future__ import annotations

from itertools import accumulate

from execpolicy.programs.builtin_effects import builtin_effects
from execpolicy.shell.pieces import literal_text, without_tilde
from execpolicy.shell.vocabulary import run_here
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.pieces import Piece
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

TOPLEVEL = "/\0"
"""The folder that git says a working tree begins in, seen from where the script begins; no file is called so."""
_MOST = 16
_FLAGS = frozenset(["--", "-P", "-L", "-e", "-@"])
_LATER = ("function:", "trap")
_CONFINING = frozenset(("subshell", "substitution", "process", "background"))
"""Constructs that another process runs: it moves alone."""
_REPEATING = frozenset(("loop", "select"))
_WILD = frozenset("*?[")
_ODD = frozenset("(){}~")
_FOLDERS = {"HOME": "~", "PWD": "."}
_WORKING_FOLDER = (("pwd",), ("pwd", "-P"), ("pwd", "-L"))
_WORKING_TREE = ("git", "rev-parse", "--show-toplevel")


@value
class Standing:
    """The folders in which one command may run.

    Attributes:
        shapes: every folder as the script names it, relative to where it begins if it does not start with ``/`` or
            ``~``, with ``*`` for a name on the way that only the run knows. The first is where it begins or moved to
            last. Empty: unknown.
        sure: it is the first one, unless the shell could not change to it.
    """

    shapes: tuple[str, ...]
    _: KW_ONLY
    sure: bool

    @property
    def folders(self) -> tuple[str, ...]:
        """The same where all their names are known, otherwise empty."""
        return () if any("*" in shape for shape in self.shapes) else self.shapes

    def joined(self, path: str) -> tuple[str, ...]:
        """Returns what ``path`` may mean there: each once."""
        return _joined(self.folders, path)


HERE = Standing(("",), sure=True)
NOWHERE_KNOWN = Standing((), sure=False)


def standing_of(command: Command, facts: Facts, start: Standing | None) -> Standing:
    """Where ``command`` of the script, or what one of its commands wraps, may run. It begins ``HERE`` by default."""
    places = facts.once(standings, start or HERE)
    if len(places) == 1 and facts.script.commands[0] is command:  # an argv, for which no module is to be loaded
        return places[0]
    from bisect import bisect_right

    starts, last = facts.once(_last_by_start)
    behind = bisect_right(starts, command.span.start)
    return places[last[behind - 1]] if behind else start or HERE


def _last_by_start(facts: Facts) -> tuple[list[int], list[int]]:
    """Where the commands start, in order, and the last command of those that start no later than each."""
    ordered = sorted([(command.span.start, at) for at, command in enumerate(facts.script.commands)])
    return [start for start, _ in ordered], list(accumulate([at for _, at in ordered], max))


def standings(facts: Facts, start: Standing = HERE) -> list[Standing]:
    """Where each command of the script may run that begins at ``start``."""
    commands = facts.script.commands
    moving = [any(effect.kind == "cd" for effect in builtin_effects(command, facts)) for command in commands]
    if True not in moving:
        return [start] * len(commands)
    repeated = any(moves and _is_repeated(command.context) for moves, command in zip(moving, commands, strict=True))
    processes: dict[tuple[str, ...], Standing] = {(): start}
    pending: list[tuple[int, tuple[str, ...], Standing]] = []  # what is in the words of `cd "$(git …)"` runs before
    found: list[Standing] = []
    for moves, command in zip(moving, commands, strict=True):
        while pending and pending[-1][0] < command.span.end:
            _, process, moved = pending.pop()
            processes[process] = moved
        process, now = _process(command.context, processes)
        if _is_later(command) or (repeated and not _REPEATING.isdisjoint(command.context)):
            now = NOWHERE_KNOWN
        found.append(now)
        if moves:
            pending.append((command.span.end, process, _moved(command, now, start, facts)))
    return found


def _process(context: tuple[str, ...], processes: dict[tuple[str, ...], Standing]) -> tuple[tuple[str, ...], Standing]:
    """Which process runs what is in ``context``, and where that may be by now: where its parent is, or where it
    moved itself. Two processes in the same constructs count as one.
    """
    process: tuple[str, ...] = ()
    now = processes[process]
    for at, part in enumerate(context, 1):
        if part in _CONFINING:
            process = context[:at]
            now = processes[process] = _either(processes.get(process, now), now)
    return process, now


def _either(one: Standing, other: Standing) -> Standing:
    if one is other:
        return one
    if not one.shapes or not other.shapes:
        return NOWHERE_KNOWN
    shapes = tuple(dict.fromkeys(one.shapes + other.shapes))
    if len(shapes) == len(one.shapes):
        return one
    return Standing(shapes, sure=False) if len(shapes) <= _MOST else NOWHERE_KNOWN


def _is_repeated(context: tuple[str, ...]) -> bool:
    """True if the same process may come by once more, where it moved to the first time."""
    for part in reversed(context):
        if part in _REPEATING:
            return True
        if part in _CONFINING:
            return False
    return False


def _is_later(command: Command) -> bool:
    """True if it runs where a function is called, or at the end."""
    if any(part.startswith(_LATER) for part in command.context):
        return True
    return bool(command.words) and command.words[run_here(command.words)].literal == "trap"


def _moved(command: Command, now: Standing, start: Standing, facts: Facts) -> Standing:
    """Where what is behind ``command`` may run, which changes the folder."""
    words = command.words[run_here(command.words) :]
    name, arguments = words[0].literal, [word for word in words[1:] if word.literal not in _FLAGS]
    if not now.shapes:
        return now
    if name == "popd" and not arguments:  # what is on the stack was put there by this script
        return _either(Standing(start.shapes, sure=False), now)
    if name in ("cd", "chdir") and not arguments and "HOME" not in facts.assigned:
        there = Standing(("~",), sure=now.sure)
    elif name not in ("cd", "chdir", "pushd") or len(arguments) != 1 or "CDPATH" in facts.assigned:
        return NOWHERE_KNOWN
    else:
        if any(word.literal == "-P" for word in words) and ".." in (arguments[0].literal or "..").split("/"):
            return NOWHERE_KNOWN  # what is above the target of a link
        # to other shells `cd old new` is a change of the path
        several = arguments[0].many and facts.script.shell != "bash" and not facts.cases(arguments[0])
        there = NOWHERE_KNOWN if several else inside(arguments[0], now, facts)
    if not there.shapes:
        return there
    shapes = tuple(dict.fromkeys(there.shapes + now.shapes))
    return Standing(shapes, sure=there.sure and not command.context) if len(shapes) <= _MOST else NOWHERE_KNOWN


def inside(word: Word, now: Standing, facts: Facts) -> Standing:
    """Where a program is that starts in the folder ``word``, as it is called where ``now`` is."""
    shapes: list[str] = []
    cases = facts.cases(word) or ((word,),)
    for case in cases:
        target = _folder(case[0], now, facts) if len(case) == 1 else None
        if target is None:
            return NOWHERE_KNOWN
        shapes += _joined(now.shapes, target)
    return Standing(tuple(dict.fromkeys(shapes)), sure=now.sure and len(cases) == 1)


def _joined(folders: Sequence[str], path: str) -> tuple[str, ...]:
    if path.startswith(("/", "~")):
        return (path,)
    return tuple(dict.fromkeys([f"{folder}/{path}" if folder else path for folder in folders]))


def _folder(word: Word, now: Standing, facts: Facts) -> str | None:
    """The folder that ``word`` names, with ``*`` for each name that only the run knows; ``None`` if it may be any."""
    made = word.literal
    if made is None:
        made = root_of(word.pieces[0], now, facts) if word.pieces else None
        for piece in word.pieces[made is not None :]:
            text = "*" if piece.kind == "glob" or piece.number else piece.text if piece.kind == "literal" else None
            if text is None or not _ODD.isdisjoint(text if made or piece.quoted else text[1:]):
                return None
            if made in ("~", ".", TOPLEVEL) and text[:1] not in ("", "/"):  # `$PWD-old`
                return None
            made = (made or "") + text
    if not made or made[0] in "-+" or made[:2] in ("~+", "~-"):
        return None
    names = made.split("/")
    if any(name[:1] == "." and not _WILD.isdisjoint(name) for name in names):  # `.*` finds `..`
        return None
    return "/".join(["*" if not _WILD.isdisjoint(name) else name for name in names])


def below_known(word: Word, facts: Facts) -> str | None:
    """``~/…`` or ``./…`` if ``word`` is ``~``, ``$HOME`` or ``$PWD`` with a known path behind it, else ``None``."""
    pieces = without_tilde(word.pieces)
    rest = literal_text(pieces[1:]) if pieces and word.kind != "glob" and not word.pattern else None
    if rest is None or rest[:1] not in ("", "/") or not rest.isprintable():
        return None
    root = _FOLDERS.get(pieces[0].name) if pieces[0].plain and pieces[0].name not in facts.assigned else None
    return None if root is None else root + rest


def files_named(word: Word, facts: Facts, home: str | None) -> list[str]:
    """Every file that the one word ``word`` may name, as literal text; none if one is only known at run time."""
    if word.literal is not None:
        return [word.literal]
    found: list[str | None] = []
    for case in facts.cases(word) or ((word,),):
        named = below_known(case[0], facts)
        path = case[0].literal if named is None else named if named[0] == "." else home and home + named[1:]
        found.append(path if len(case) == 1 else None)
    known = [path for path in found if path is not None]
    return known if len(known) == len(found) else []


def root_of(piece: Piece, now: Standing, facts: Facts) -> str | None:
    """The folder that an expansion in front of a path is known to be: ``$HOME``, ``$PWD``, git's answer."""
    if piece.kind == "variable" and piece.plain and piece.name not in facts.assigned:
        return _FOLDERS.get(piece.name)
    if piece.kind != "substitution" or len(piece.inner) != 1:
        return None
    command = facts.script.commands[piece.inner[0]]
    if command.assignments or command.plain_argv is None or command.plain_argv[0] in facts.script.functions:
        return None
    if command.plain_argv in _WORKING_FOLDER:
        return "."
    return TOPLEVEL if command.plain_argv == _WORKING_TREE and now.shapes == HERE.shapes else None
