"""Command lines of one program, put together at random in the spellings that its parser may take."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

Words = list[str]

RECORDED = Path(__file__).parents[1] / "data" / "meaning"
QUIET = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": 20}


class Shape:
    """What the command lines of one program are put together from.

    Attributes:
        heads: sub-commands, with what may stand in front of them.
        options: each as the words that give it, between bars.
        letters: one-letter options without a value, to be clustered.
        tails: operands.
    """

    def __init__(self, heads: list[str], options: str, letters: str, tails: list[str]) -> None:
        self.heads = [head.split() for head in heads]
        self.options = [option.split() for option in options.split("|")]
        self.letters = letters
        self.tails = [tail.split() for tail in tails]

    def spelling(self, chance: random.Random) -> Words:
        """One of them, at random."""
        pieces = [self._spelled(option, chance) for option in chance.sample(self.options, chance.randint(0, 3))]
        if self.letters and chance.random() < 0.6:
            pieces.append(["-" + "".join(chance.sample(self.letters, chance.randint(1, min(3, len(self.letters)))))])
        tail = list(chance.choice(self.tails))
        chance.shuffle(pieces)
        cut = chance.randint(0, len(pieces))
        if chance.random() < 0.06:
            tail.insert(chance.randint(0, len(tail)), "--")
        middle = tail
        if len(tail) > 1 and chance.random() < 0.3:  # options between the operands
            at = chance.randint(1, len(tail) - 1)
            middle = [*tail[:at], *(pieces.pop() if pieces else []), *tail[at:]]
        front = [word for piece in pieces[:cut] for word in piece]
        behind = [word for piece in pieces[cut:] for word in piece]
        return [*chance.choice(self.heads), *front, *middle, *behind]

    @staticmethod
    def _spelled(option: Words, chance: random.Random) -> Words:
        name, equals, value = option[0].partition("=")
        if name.startswith("--") and len(name) > 5 and chance.random() < 0.5:
            name = name[: chance.randint(5, len(name))]
        return [name + equals + value, *option[1:]]
