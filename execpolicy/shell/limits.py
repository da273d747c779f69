"""How much the reader is willing to read. Beyond a limit a script is opaque, never slow."""

from __future__ import annotations

MAX_CHARACTERS = 256_000
"""Longest script that is read. Agents' scripts are below 20,000 characters; here-documents make the longest."""
MAX_DEPTH = 32
"""Nesting of compound commands, substitutions and ``${…}`` together. Each level costs the Python stack ten frames."""
MAX_COMMANDS = 4_000
"""Simple commands in one script."""
MAX_WORDS = 40_000
"""Words in one script, those of brace expansions included."""
MAX_BRACES = 1_000
"""Words that one brace expansion may become."""
MAX_STEPS = 2_000_000
"""Characters looked at, counted where text is scanned more than once."""
MAX_VALUES = 64
"""Lists of words that are kept as evidence for one dynamic word."""
MAX_WORK = 4_000_000
"""Work that is done to find out what values, files and streams there may be, in bytes that are looked at."""


class Limits:
    """The limits of one reading; every argument has the documented constant as its default."""

    __slots__ = ("braces", "characters", "commands", "depth", "steps", "values", "words", "work")

    def __init__(
        self,
        *,
        characters: int = MAX_CHARACTERS,
        depth: int = MAX_DEPTH,
        commands: int = MAX_COMMANDS,
        words: int = MAX_WORDS,
        braces: int = MAX_BRACES,
        steps: int = MAX_STEPS,
        values: int = MAX_VALUES,
        work: int = MAX_WORK,
    ) -> None:
        self.characters = characters
        self.depth = depth
        self.commands = commands
        self.words = words
        self.braces = braces
        self.steps = steps
        self.values = values
        self.work = work


DEFAULT_LIMITS = Limits()


class Budget:
    """The work that one judgement may still do.

    Attributes:
        limits: those of the judgement.
        left: what is left of it, in bytes that are looked at; below zero when it is spent.
    """

    __slots__ = ("left", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = limits.work

    def spend(self, work: int = 1) -> bool:
        """Take ``work`` away; whether that was still there."""
        self.left -= work
        return self.left >= 0
