"""What every attack is made of: a seeded source of scripts that lean on one ground, or that belong to one class."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import ClassVar

from execpolicy.core.decision import Decision

EVIL = ("$(evil)", "`evil`", "a[$(evil)]", "$(evil >&2)", "x[$(evil)0]")
"""Texts that run a program wherever a shell evaluates them."""


class Attack:
    """Scripts against one ground or of one class, the same for the same seed.

    Subclasses set the attributes, write productions as methods and name them in ``lines``; ``script`` puts some of them
    together. A production that is allowed and leaks is a hole, whatever ground it was made for.

    Attributes:
        ground: the code of the kind whose claim it attacks, or the name of the class.
        rules: what the scripts are judged under, if not the usual rules.
        forbids: the rules forbid something, and what runs that must not be allowed; where :attr:`evident` says so, it
            must be forbidden.
        terminal: the scripts are run on a terminal.
        finds_secrets: printing a secret is no leak: this attack walks folders, and secrets are known by name only.
        shells: names of :data:`tests.attacks.arena.SHELLS` that it is run with.
        evident: the last script shows what it runs.
        least: what the last script must get at least, whether a shell gets as far as what it shows or not.
    """

    ground: ClassVar[str]
    rules: ClassVar[str] = ""
    forbids: ClassVar[bool] = False
    terminal: ClassVar[bool] = False
    finds_secrets: ClassVar[bool] = False
    shells: ClassVar[Sequence[str]] = ("bash", "sh")

    def __init__(self, seed: int, shell: str = "bash") -> None:
        self.random = random.Random(f"{self.ground}-{shell}-{seed}")
        self.shell = shell
        self.evident = False
        self.least = Decision.ALLOW

    def script(self) -> str:
        """One script."""
        raise NotImplementedError

    def pick(self, *choices: str) -> str:
        """One of ``choices``."""
        return self.random.choice(choices)

    def chance(self, part: float) -> bool:
        """True in ``part`` of all cases."""
        return self.random.random() < part

    def any_of(self, *makers: Callable[[], str]) -> str:
        """What one of ``makers`` says."""
        return self.random.choice(makers)()

    def joined(self, *parts: str) -> str:
        """``parts`` one after the other, on one line or on several."""
        return "".join([part + self.pick("; ", "\n", "; ", "\n", " && ") for part in parts[:-1]]) + parts[-1]

    def bash_like(self) -> bool:
        """Whether arrays, ``[[`` and their like are read."""
        return self.shell in ("bash", "zsh", "ksh")
