"""Where each command of a script may run: the folders that the script visibly changes to.

Evidence for restricting, never proof for granting: what a folder is called says nothing about links on the way to it.
"""

from __future__ import annotations

from execpolicy.programs.builtin_effects import builtin_effects
from execpolicy.shell.vocabulary import run_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_MOST = 16
_FLAGS = frozenset(["--", "-P", "-L", "-e", "-@"])
_LATER = ("function:", "trap")


class Standing:
    """Where one command may run.

    Attributes:
        folders: as the script names them, relative to where it begins if they do not start with ``/`` or ``~``; the
            first is where it begins or moved to last. Empty: not known.
        sure: it is the first one, unless the shell could not change to it.
    """

    __slots__ = ("folders", "sure")

    def __init__(self, folders: tuple[str, ...], *, sure: bool) -> None:
        self.folders = folders
        self.sure = sure

    def joined(self, path: str) -> tuple[str, ...]:
        """What ``path`` may mean there: each once."""
        if path.startswith(("/", "~")):
            return (path,)
        return tuple(dict.fromkeys([f"{folder}/{path}" if folder else path for folder in self.folders]))


HERE = Standing(("",), sure=True)
NOWHERE_KNOWN = Standing((), sure=False)


def standing_of(command: Command, facts: Facts, start: Standing | None) -> Standing:
    """Where ``command`` of the script, or what one of its commands wraps, may run. The script begins ``HERE`` unless it
    is told otherwise."""
    places = facts.once(standings, start or HERE)
    behind = [at for at, each in enumerate(facts.script.commands) if each.span.start <= command.span.start]
    return places[behind[-1]] if behind else start or HERE


def standings(facts: Facts, start: Standing = HERE) -> list[Standing]:
    """Where each command of the script may run that begins at ``start``."""
    commands = facts.script.commands
    moving = [any(effect.kind == "cd" for effect in builtin_effects(command, facts)) for command in commands]
    if True not in moving:
        return [start] * len(commands)
    found: list[Standing] = []
    before = now = start
    words_end = 0  # what stands in the words of a command that moves, `cd "$(git …)"`, runs before it does
    repeated = any(moves and "loop" in command.context for moves, command in zip(moving, commands, strict=True))
    for moves, command in zip(moving, commands, strict=True):
        later = _is_later(command)
        unknown = later or (repeated and "loop" in command.context)
        here = before if command.span.end <= words_end else now
        found.append(NOWHERE_KNOWN if unknown else here)
        if moves:
            before, words_end = here, command.span.end
            now = NOWHERE_KNOWN if unknown else _moved(command, now, start, facts)
    return found


def _is_later(command: Command) -> bool:
    """Whether it runs where a function is called, or at the end."""
    if any(part.startswith(_LATER) for part in command.context):
        return True
    return bool(command.words) and command.words[run_here(command.words)].literal == "trap"


def _moved(command: Command, now: Standing, start: Standing, facts: Facts) -> Standing:
    """Where what stands behind ``command`` may run, which changes the folder."""
    words = command.words[run_here(command.words) :]
    name, arguments = words[0].literal, [word for word in words[1:] if word.literal not in _FLAGS]
    if not now.folders:
        return now
    if name == "popd" and not arguments:  # what is on the stack was put there by this script
        return Standing(tuple(dict.fromkeys([*start.folders, *now.folders])), sure=False)
    if name in ("cd", "chdir") and not arguments and "HOME" not in facts.assigned:
        targets: list[str | None] = ["~"]
    elif name not in ("cd", "chdir", "pushd") or len(arguments) != 1 or "CDPATH" in facts.assigned:
        return NOWHERE_KNOWN
    else:
        word = arguments[0]
        target = word.literal if word.literal is not None else _home(word, facts)
        targets = [target] if target is not None else _cases(facts.cases(word))
    if not targets or not all(text and not text.startswith(("-", "+")) for text in targets):
        return NOWHERE_KNOWN
    folders = [one for text in targets if text is not None for one in now.joined(text)]
    folders = list(dict.fromkeys([*folders, *now.folders]))
    sure = now.sure and not command.context and len(targets) == 1
    return Standing(tuple(folders), sure=sure) if len(folders) <= _MOST else NOWHERE_KNOWN


def _home(word: Word, facts: Facts) -> str | None:
    """A folder that is named from the home folder (``~/x``, ``"$HOME/x"``), from ``~`` on."""
    text = word.written
    if "HOME" in facts.assigned:
        return None
    for name in ("~",) if word.kind == "tilde" else ("$HOME", "${HOME}"):
        rest = text[len(name) :]
        if text.startswith(name) and rest[:1] in ("", "/") and "$" not in rest and "`" not in rest:
            return "~" + rest
    return None


def _cases(cases: Sequence[Sequence[object]]) -> list[str | None]:
    return [getattr(case[0], "literal", None) if len(case) == 1 else None for case in cases]
