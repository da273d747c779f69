"""The commands that a command would run itself: one level of wrappers, shells and other runners.

Used asymmetrically. To restrict, everything that may be run counts, on evidence too. To grant, only an
``Inner`` that is ``transparent`` counts: an exact reading of a wrapper that adds nothing.
"""

from __future__ import annotations

from itertools import islice

from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import runners
from execpolicy.programs.inner import Inner, run_command, run_unknown
from execpolicy.shell.limits import MANY_WORDS
from execpolicy.shell.script import Command, replace

MAX_INNER = 1_000
"""More than this from one command is not looked at; what is left out is reported as one opaque entry."""
MAX_WRAPPERS = 60
"""Wrappers inside wrappers that are opened one by one; a grant reaches no further."""
MAX_WORDS = 60_000
"""Words of the commands that are found below that, counted for each level."""
ALL_LEVELS = "wrapper:…"


def unwrap(command: Command, facts: Facts) -> tuple[Inner, ...]:
    """Returns what ``command`` would run itself, one level deep. Empty for most commands.

    Under very many wrappers it is all levels at once: the commands found so carry :data:`ALL_LEVELS` in their context,
    and of them only the scripts that they run are given.

    Args:
        facts: the script that holds ``command``; its text and its other commands are evidence.
    """
    found = _one_level(command, facts)
    if not found:
        return ()
    if ALL_LEVELS in command.context:
        return tuple([inner for inner in found if inner.command is None])
    if len(command.words) <= MANY_WORDS and len(command.context) <= MAX_WRAPPERS:
        return tuple(found)
    if len(command.words) > MANY_WORDS and sum([1 for inner in found if inner.command is not None]) > 1:
        return _all_levels(command, facts)
    if sum([1 for each in command.context if each.startswith("wrapper:")]) > MAX_WRAPPERS:
        return _all_levels(command, facts)
    return tuple(found)


def _one_level(command: Command, facts: Facts) -> list[Inner]:
    words = command.words
    found: list[Inner] = []
    if command.assignments:
        from execpolicy.programs.run_by_variables import assigned_command

        found += [inner for one in command.assignments for inner in assigned_command(one, command, facts)]
    if words:
        literal = words[0].literal
        if literal is not None and literal in runners() and "/" not in literal and "." not in literal:
            from execpolicy.programs.carried import carried

            found += islice(carried(command, facts, literal), MAX_INNER + 1)
        elif literal is None or not _is_plain(literal):
            from execpolicy.programs.unusual import unusual_program, with_values

            found += unusual_program(command, facts)
            for shown in with_values(command, facts):
                found += [replace(inner, transparent=False) for inner in _one_level(shown, facts)]
        if command.plain_argv is None and (facts.mentions("read") or facts.mentions("mapfile")):
            from execpolicy.programs.unusual import with_read_words

            with_read_words(command, facts, found)
        if literal is not None and literal in facts.script.functions:
            from execpolicy.flow.calls import called

            calls = called(command, facts, literal)
            found += [run_command(literal, body, filled, evidence=True) for body, filled in calls]
    if len(found) > MAX_INNER:
        found = [*found[:MAX_INNER], run_unknown("", command, "runs more commands than are looked at")]
    return found


def _is_plain(name: str) -> bool:
    """True if ``name`` is no path and, at a glance, no other spelling of a carrier: ``python3``, ``SUDO``, ``ld64``."""
    if "/" in name or "." in name or "\\" in name:
        return False
    if name == name.lower() and not name[-1:].isdigit():
        return True
    known = runners()
    return name.rstrip("0123456789-") not in known and name.lower() not in known and not name.startswith("ld")


def _all_levels(command: Command, facts: Facts) -> tuple[Inner, ...]:
    """Everything that ``command`` runs through wrappers, however many there are; and that nothing is proven by it."""

    found: list[Inner] = []
    pending = [command]
    seen: set[tuple[object, ...]] = set()
    words = 0
    while pending and words < MAX_WORDS and len(found) < MAX_INNER:
        here = pending.pop()
        levels = [inner for inner in _one_level(here, facts) if inner.command is not None or here is command]
        for inner in levels:
            if inner.command is None:
                found.append(inner)
                continue
            key = _suffix(inner.command)
            words += len(inner.command.words) // 8
            if key not in seen and words < MAX_WORDS:
                seen.add(key)
                words += len(inner.command.words)
                found.append(_levelled(inner.command, inner))
        # The most likely reading comes first.
        fresh = [inner.command for inner in levels if inner.command is not None]
        for inside in reversed(fresh):
            key = ("opened", *_suffix(inside))
            if key not in seen:
                seen.add(key)
                pending.append(inside)
    found.append(run_unknown("", command, "runs more wrappers inside wrappers than are opened one by one"))
    return tuple(found)


def _suffix(command: Command) -> tuple[object, ...]:
    """Returns what tells the inner commands of one command apart: they are ends of it mostly, made of the same
    words.
    """
    words = command.words
    given = tuple([(one.name, one.value.literal if one.value else None) for one in command.assignments])
    first, last = words[:1], words[-1:]
    text = tuple([word.literal if word.literal is not None else id(word) for word in (*first, *last)])
    return (len(words), text, first[0].span.start if first else 0, given)


def _levelled(command: Command, inner: Inner) -> Inner:
    context = (*command.context[: MAX_WRAPPERS + 1], ALL_LEVELS)
    return replace(inner, command=replace(command, context=context), transparent=False, appended=False, evidence=True)
