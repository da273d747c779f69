"""Limits on the analysis of a script. Beyond a limit the result is opaque or unknown, never slow."""

from __future__ import annotations

STEP = 20
"""The work of one small step: a question, a piece of a word."""
COMMAND = 200
"""The work of one command whose output is computed, one word that is proven, or one redirect that is judged."""
JUDGED = 1_000
"""The work of one command that is judged in full."""
READ = 10
"""The work of one character of a script inside a script."""
MANY_WORDS = 100
"""The number of words above which the readings of a command are not analysed one by one."""


class Limits:
    """The limits of one judgement.

    A script beyond one of the reader's limits (the first eight) is opaque. Beyond one of the others a value, a text or
    a proof is unknown, which grants nothing.

    Attributes:
        characters: the longest script that is read. Agents' scripts are below 20,000; here-documents make the longest.
        depth: nesting of compound commands, substitutions and ``${…}`` together. Each level costs the Python stack ten
            frames.
        commands: simple commands in one script; in an unreadable script, those that are recovered from it.
        behind: commands that are recovered after the last one if there were too many.
        parts: words in one script, including those of brace expansions, with every quote, expansion and redirect in
            them; a redirect counts as four. In an unreadable script, the parts of the recovered text.
        braces: words that one brace expansion may produce.
        opened: opening braces in one word; matching them takes time in the square of their number.
        atoms: characters of a word with braces.
        work: bytes that are read again, to read derived texts and to compute possible values, files and streams; shared
            by a script and all scripts inside it. ``STEP`` and ``COMMAND`` give the cost of other work.
        refused: the same for a script with more commands than are read: nothing in it is granted.
        questions: nested questions about values and streams. Each costs the Python stack ten frames.
        values: lists of words that are kept as evidence for one dynamic word.
        value: characters of one of them; ``all_values``: of all together, if there are several.
        rounds: iterations over a variable that is computed from itself.
        substitution: commands in a substitution whose output is a value.
        cases: lists of words that are tracked as proof for one word or command.
        followed: successive assignments that are tracked as proof.
        options: different options of builtins that may name a variable, which are compared with each name.
        texts: alternative texts that are tracked for one value.
        writers: commands that are examined because they form one function.
        lines: lines that ``read`` is assumed to read.
        evaluated: texts that are read because a command evaluates them, and commands in one of those.
        output: bytes that the commands of one substitution or pipe print together.
        pattern: characters of a value and a pattern that are matched.
        tokens: tokens of a program in another language.
    """

    characters = 256_000
    depth = 32
    commands = 2_000
    behind = 250
    parts = 15_000
    braces = 1_000
    opened = 40
    atoms = 20_000
    work = 2_000_000
    refused = 400_000
    questions = 24
    values = 64
    value = 100_000
    all_values = 20_000
    rounds = 5
    substitution = 8
    cases = 24
    followed = 6
    options = 64
    texts = 64
    writers = 32
    lines = 256
    evaluated = 100
    output = 1_000_000
    pattern = 500
    tokens = 50_000

    def __init__(self, **other: int) -> None:
        """``other`` are limits with another value in this judgement."""
        unknown = other.keys() - vars(Limits).keys()
        if unknown:
            raise TypeError(f"no such limits: {', '.join(unknown)}")
        vars(self).update(other)


LIMITS = Limits()
"""The default limits of a judgement."""


class Budget:
    """The remaining work of one judgement.

    Attributes:
        limits: the limits of the judgement.
        left: the rest of ``limits.work``; below zero when it is spent.
    """

    __slots__ = ("left", "limits")

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.limits = limits
        self.left = limits.work

    def spend(self, work: int = 1) -> bool:
        """Subtracts ``work``; true if it was still available."""
        self.left -= work
        return self.left >= 0
