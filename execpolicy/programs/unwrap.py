"""What a command would run itself: one level of wrappers, shells and other carriers.

Used asymmetrically. To restrict, everything that may be run counts, on evidence too. To grant, only an
``Inner`` that is ``transparent`` counts: an exact reading of a wrapper that adds nothing.
"""

from __future__ import annotations

from execpolicy.programs.registry import CARRIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

    Carrier = Callable[[Command, Facts, str], list[Inner]]

_loaded: dict[str, Carrier] = {}
MAX_INNER = 1_000
"""More than this from one command is not looked at; what is left out is reported as one opaque entry."""
MAX_WRAPPERS = 60
"""Wrappers inside wrappers that are opened one by one; a grant reaches no further."""
MAX_WORDS = 60_000
"""Words of the commands that are found below that, counted for each level."""
MANY_WORDS = 100
"""Readings of longer commands are not opened one by one."""
MANY_TIMES = 16
"""A wrapper that comes more often in a row is opened only a few times."""
ALL_LEVELS = "wrapper:…"
_TEXTUAL = ("git:git", "make:make")
"""Carriers with shell text in the middle of their arguments, which look at literal words only."""


def unwrap(command: Command, facts: Facts) -> tuple[Inner, ...]:
    """What ``command`` would run itself, one level deep. Empty for most commands.

    Under very many wrappers it is all levels at once: the commands found so carry :data:`ALL_LEVELS` in their context,
    and of them only the scripts that they run are given.

    Args:
        script: the script that holds ``command``; its text and its other commands are evidence.
    """
    found = one_level(command, facts)
    if ALL_LEVELS in command.context:
        return tuple([inner for inner in found if inner.command is None])
    if len(command.words) <= MANY_WORDS and len(command.context) <= MAX_WRAPPERS:
        return tuple(found)
    from execpolicy.programs import levels

    if len(command.words) > MANY_WORDS and sum([1 for inner in found if inner.command is not None]) > 1:
        return levels.all_levels(command, facts)
    if found and len(command.context) > MAX_WRAPPERS and levels.wrappers(command) > MAX_WRAPPERS:
        return levels.all_levels(command, facts)
    return tuple(found)


def one_level(command: Command, facts: Facts) -> list[Inner]:
    """What ``command`` runs itself, one level deep in every case."""
    words = command.words
    found: list[Inner] = []
    if command.assignments:
        from execpolicy.programs.carriers.variables import assigned_commands

        found = assigned_commands(command, facts)
    if words:
        literal = words[0].literal
        carrier = None
        if literal is not None and "/" not in literal and "." not in literal:
            carrier = CARRIERS.get(literal)
            if carrier is not None:
                found.extend(run_carrier(carrier, command, facts, literal))
        if carrier is None and (literal is None or not _is_plain(literal)):
            from execpolicy.programs.unusual import unusual_program

            unusual_program(command, facts, found)
        if "read" in facts.script.text or "mapfile" in facts.script.text:
            from execpolicy.programs.unusual import with_read_words

            with_read_words(command, facts, found)
        if literal is not None and literal in facts.script.functions:
            from execpolicy.flow.calls import called
            from execpolicy.programs.inner import run_command

            calls = called(command, facts, literal)
            found.extend([run_command(literal, body, filled, evidence=True) for body, filled in calls])
    if len(found) > MAX_INNER:
        from execpolicy.programs.inner import run_unknown

        found = [*found[:MAX_INNER], run_unknown("", command, "runs more commands than are looked at")]
    return found


def _is_plain(name: str) -> bool:
    """Whether ``name`` is no path and, at a glance, no other spelling of a carrier: ``python3``, ``SUDO``, ``ld64``."""
    if "/" in name or "." in name or "\\" in name:
        return False
    if name == name.lower() and not name[-1:].isdigit():
        return True
    return name.rstrip("0123456789-") not in CARRIERS and name.lower() not in CARRIERS and not name.startswith("ld")


def run_carrier(carrier: str, command: Command, facts: Facts, name: str) -> list[Inner]:
    """What ``carrier``, a value of the registry, says that ``command`` runs; it is called ``name``."""
    if len(command.words) > MANY_WORDS:
        skipped = _repeated(command.words)
        if skipped:
            from execpolicy.programs.inner import run_command, run_unknown

            # Only the last of the same wrappers in a row are opened, and nothing is granted for it.
            rest = run_command(name, command, command.words[skipped:])
            return [rest, run_unknown(name, command, "runs itself many times over")]
    if carrier == "wrapper":
        from execpolicy.programs.wrapped import wrapped
        from execpolicy.programs.wrappers import WRAPPERS

        return wrapped(name, WRAPPERS[name], command, facts)
    run = _loaded.get(carrier)
    if run is None:
        module, _, function = carrier.partition(":")
        loaded = __import__("execpolicy.programs.carriers." + module, fromlist=(function,))
        run = _loaded[carrier] = getattr(loaded, function)
    found = run(command, facts, name)
    if carrier in _TEXTUAL and command.plain_argv is None:
        from execpolicy.programs.guessed import guesses, restricting

        for guess in guesses(command, facts):
            found += [restricting(inner) for inner in run(guess, facts, name) if not inner.opaque]
    return found


def _repeated(words: Sequence[Word]) -> int:
    """How many words in front to leave out where the first words come again and again: ``sudo sudo …``."""
    for period in (1, 2, 3, 4):
        unit = [word.literal for word in words[:period]]
        if None in unit:
            return 0
        times = 1
        at = period
        while at + period <= len(words) and all(words[at + each].literal == unit[each] for each in range(period)):
            times += 1
            at += period
        if times > MANY_TIMES:
            return at - period * 4
    return 0
