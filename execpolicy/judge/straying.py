"""Where a script leaves the folder that it is judged for: an allow rule was written for what lies there."""

from __future__ import annotations

from execpolicy.programs.builtin_effects import builtin_effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.shell.script import Command

_BUILTINS = ("command", "builtin")
_OPTIONS = ("--", "-P", "-L", "-p")
_WITHIN_PIPE = frozenset(["pipeline"])


def strays_at(facts: Facts, situation: Situation) -> int | None:
    """The offset from which on ``facts.script`` may run in a folder outside; ``None`` if it never does.

    A folder below the one that it starts in, or below the project root, is inside, also by its absolute path.
    """
    inside = [path for folder in (situation.cwd, situation.root) for path in _paths(situation, folder)]
    below = ""
    for command in facts.script.commands:
        if not any(effect.kind == "cd" for effect in builtin_effects(command, facts)):
            continue
        target = _target(command)
        if target is not None:
            below = target if target.startswith("/") else f"{below}/{target}".lstrip("/" if not below else "")
            paths = _paths(situation, below)
            if paths and all(any(f"{path}/".startswith(f"{each}/") for each in inside) for path in paths):
                continue
        return command.span.start if _WITHIN_PIPE.issuperset(command.context) else 0
    return None


def _target(command: Command) -> str | None:
    """The folder that ``command`` surely moves to, ``.`` where it goes back; ``None`` if that cannot be seen."""
    argv = command.argv()
    while argv[:1] and argv[0] in _BUILTINS:
        argv = argv[1:]
    operands = [text for text in argv[1:] if text not in _OPTIONS]
    if argv[:1] == ("popd",):  # everything on the stack was pushed by the script
        return "."
    if len(operands) != 1 or not operands[0] or operands[0][0] in "-+" or ".." in operands[0].split("/"):
        return None
    return operands[0]


def _paths(situation: Situation, path: str) -> tuple[str, ...]:
    """``path`` as written and with its links followed; nothing where the system knows no such name."""
    try:
        return situation.paths_of(path)
    except ValueError:
        return ()
