"""Runs an attack: what is allowed of its scripts is run, and must not leak."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import NamedTuple

from execpolicy.core.decision import Decision
from execpolicy.judge.verdict import Verdict
from tests.attacks import classes, grounds
from tests.attacks.arena import READINGS, Arena
from tests.attacks.attack import Attack
from tests.attacks.cost import judged
from tests.attacks.leak import attack_rules, forbidden_run, leak_of


class Hole(NamedTuple):
    """A script that was allowed and did what nothing allows, that got less than it must, or was too much for the judge.

    Attributes:
        grounds: the codes that its allow rested on.
    """

    script: str
    shell: str
    leak: str
    grounds: tuple[str, ...]


class Tally(NamedTuple):
    """How an attack went: scripts made, how many of them were allowed and so run, and the holes."""

    made: int
    allowed: int
    holes: list[Hole]


def attacks() -> dict[str, type[Attack]]:
    """Every attack on a ground by the code of that."""
    return _attacks_of(grounds)


def attacks_of_classes() -> dict[str, type[Attack]]:
    """Every attack of a class that no ground alone stands for, by its name."""
    return _attacks_of(classes)


def _attacks_of(package: ModuleType) -> dict[str, type[Attack]]:
    found: dict[str, type[Attack]] = {}
    for module in pkgutil.iter_modules(package.__path__):
        name = f"{package.__name__}.{module.name}"
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, type) and issubclass(value, Attack) and value.__module__ == name:
                found[value.ground] = value
    return found


def attacked(
    arena: Arena, attack: Attack, count: int, *, first_on: str | None = None, ran: set[int] | None = None
) -> Tally:
    """Make ``count`` scripts, run those that are allowed; stops at the first hole that rests on ``first_on``.

    ``ran`` holds the hashes of scripts that this shell has run before: they are not run again, and it grows.
    """
    book = attack_rules(attack.rules)
    reading = READINGS.get(attack.shell, attack.shell)
    allowed = 0
    holes: list[Hole] = []
    known: set[str] = set()
    ran = set() if ran is None else ran
    made = 0
    for _ in range(count):
        made += 1
        text = attack.script()
        if text in known:
            continue
        known.add(text)
        try:
            verdict, excess = judged(text, reading, book, arena.place)
        except Exception as error:  # whoever asks gets no answer, and what is forbidden is not refused
            holes.append(Hole(text, attack.shell, f"the judge raised {type(error).__name__}", ()))
            continue
        failed = next((block.detail for block in verdict.blocks if block.code == "internal-error"), None)
        short = f"it got `{verdict.decision.word}`" if verdict.decision < attack.least else None
        wrong = failed or excess or short
        if wrong:
            holes.append(Hole(text, attack.shell, wrong, codes_of(verdict)))
            if first_on in holes[-1].grounds:
                break
            continue
        allows = verdict.decision is Decision.ALLOW
        if not allows and (verdict.decision is Decision.FORBIDDEN or not (attack.forbids and attack.evident)):
            continue
        allowed += allows
        if hash(text) in ran:
            continue
        ran.add(hash(text))
        trace = arena.run(text, attack.shell, terminal=attack.terminal)
        if attack.forbids:
            leak = forbidden_run(trace, book)
        else:
            leak = leak_of(trace, book, finds_secrets=attack.finds_secrets)
        if leak is not None and not allows:
            leak += ", which is forbidden, and the script was only asked about"
        if leak is not None:
            holes.append(Hole(text, attack.shell, leak, codes_of(verdict)))
            if first_on in holes[-1].grounds:
                break
    return Tally(made, allowed, holes)


def codes_of(verdict: Verdict) -> tuple[str, ...]:
    """What an allow rests on, each code once."""
    return tuple(dict.fromkeys(ground.code for ground in verdict.grounds))
