"""How much of a script is looked at. Beyond a limit something is opaque or unknown, never slow."""

from __future__ import annotations

STEP = 20
"""Work that one small step costs: a question, a piece of a word."""
COMMAND = 200
"""Work that one command costs whose output is worked out, one word that is proven, one redirection that is judged."""
JUDGED = 1_000
"""Work that one command costs that is judged in full."""
READ = 10
"""Work that one character costs of a script inside a script."""
MANY_WORDS = 100
"""Readings of longer commands are not opened one by one."""


class Limits:
    """The limits of one judgement.

    Beyond one of the reader's (the first eight) a script is opaque; beyond one of the others a value, a text or a proof
    is not known, which grants nothing.

    Attributes:
        characters: longest script that is read. Agents' scripts are below 20,000; here-documents make the longest.
        depth: nesting of compound commands, substitutions and ``${…}`` together. Each level costs the Python stack ten
            frames.
        commands: simple commands in one script; in a script that cannot be read, those that are seen in it.
        behind: commands that are seen behind the last one where there were too many.
        parts: words in one script, those of brace expansions included, with every quote, expansion and redirection in
            them, which counts as four; in a script that cannot be read, the parts of what is seen in it.
        braces: words that one brace expansion may become.
        opened: opening braces in one word; matching them takes time in the square of their number.
        atoms: characters of a word with braces.
        work: bytes that are looked at once more, to read what is derived from a text and to find out what values, files
            and streams there may be, shared by a script and all inside; ``STEP`` and ``COMMAND`` say what else costs.
        refused: the same for a script with more commands than are read: nothing of it is granted.
        questions: questions about values and streams inside one another. Each costs the Python stack ten frames.
        values: lists of words that are kept as evidence for one dynamic word.
        value: characters of one of them; ``all_values``: of all together, where there are several.
        rounds: how often a variable that is made of itself is gone through.
        substitution: commands in a substitution whose output is a value.
        cases: lists of words that are followed as proof for one word or command.
        followed: assignments behind one another that are followed as proof.
        options: different options of builtins that may name a variable, which are compared with each name.
        texts: alternative texts that are followed for one thing.
        writers: commands that are looked at because they write one file, fill one variable or make up one function.
        lines: lines that ``read`` is taken to read.
        evaluated: texts that are read because something evaluates them, and commands in one of those.
        output: bytes that the commands of one substitution or pipe print together.
        pattern: characters of a value and a pattern that are matched; ``line``: of a line of an edited text.
        edits: commands of one edit.
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
    line = 2_000
    edits = 64
    tokens = 50_000

    def __init__(self, **other: int) -> None:
        """``other``: limits that have another value in this judgement."""
        unknown = other.keys() - vars(Limits).keys()
        if unknown:
            raise TypeError(f"no such limits: {', '.join(unknown)}")
        vars(self).update(other)


LIMITS = Limits()
"""Those of every judgement."""


class Budget:
    """The work that one judgement may still do.

    Attributes:
        limits: those of the judgement.
        left: what is left of ``limits.work``; below zero when it is spent.
    """

    __slots__ = ("left", "limits")

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.limits = limits
        self.left = limits.work

    def spend(self, work: int = 1) -> bool:
        """Take ``work`` away; whether that was still there."""
        self.left -= work
        return self.left >= 0
