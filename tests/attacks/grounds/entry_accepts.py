"""The built-in entries turned against themselves: what they list, in every spelling and place, with hostile words."""

from __future__ import annotations

import shutil
from functools import cache
from typing import TYPE_CHECKING

from execpolicy.core.quoting import quote
from tests.attacks.arena import REAL
from tests.attacks.attack import Attack
from tests.support.entries import built_in_entries
from tests.sweep.invocations import HOSTILE, invocations, ways

if TYPE_CHECKING:
    from execpolicy.safety.entries import SafeCommand

NAMES = (
    "a.txt",
    "b.txt",
    "sub",
    "x y",
    "-n",
    "-e1e evil",
    "--compress-program=evil",
    "-oout2",
    "link",
    "opts.txt",
    "n.txt",
)
"""Files of the arena, some of which look like options."""


@cache
def _pairs() -> list[tuple[SafeCommand, str]]:
    """Every safe entry with each of its programs that the arena has."""
    return [
        (entry, program)
        for entry in built_in_entries()
        if entry.kind == "safe_command" and not entry.name.startswith("about")
        for program in entry.programs
        if program in REAL and shutil.which(program)
    ]


@cache
def _calls(at: int) -> list[list[str]]:
    entry, program = _pairs()[at]
    return invocations(entry, program, 150, seed=7)


class EntryAccepts(Attack):
    """Attacks ``entry-accepts``.

    Rests on the manuals that the entries name: every option, sub-command and operand that is listed only reads and
    prints, in every implementation that answers to the name. It breaks where an option can be abbreviated, clustered or
    glued into one that is not listed, where an option behind an operand is one (or is none), where an operand is
    interpreted, and where a name of a file in the folder looks like an option. The calls are written from the entries
    themselves and then bent; ``python -m tests.sweep`` tries each entry whole, under strace. What programs find by
    walking (``rgrep x``) is printed, secrets included: those are known by name only.
    """

    ground = "entry-accepts"
    finds_secrets = True
    shells = ("bash", "sh", "applets")

    def script(self) -> str:
        at = self.random.randrange(len(_pairs()))
        calls = _calls(at)
        words = list(self.random.choice(calls)) if calls else [_pairs()[at][1]]
        for _ in range(self.random.choice((0, 1, 1, 2, 3, 4))):
            words = self.bent(at, words)
        text = " ".join(self.word(word) for word in words)
        if self.chance(0.15):
            text = self.pick("echo a.txt | ", "printf '%s\\n' -e1e\\ evil | ", "ls | ", "cat opts.txt | ") + text
        if self.chance(0.15):
            text += self.pick(" *", " ./*", " *.txt", " -- *", ' "$x"', " $x", " -*")
        return text

    def bent(self, at: int, words: list[str]) -> list[str]:
        """``words`` changed in one place."""
        place = self.random.randrange(1, len(words) + 1)
        way = self.random.choice(ways(*_pairs()[at]))
        options = sorted(way.grammar.options.kinds) or ["-x"]
        change = self.random.randrange(8)
        if change == 0:
            return [*words[:place], self.pick(*HOSTILE, *NAMES), *words[place:]]
        if change == 1:
            return [*words[:place], self.pick(*options), *words[place:]]
        if change == 2:
            return [*words, self.pick(*NAMES)]
        if change == 3:
            return [*words[:place], "--", *words[place:]]
        if change == 4:
            return [*words, self.pick("out2", "-oout2", "--output=out2", "-i", "-w", "-o", "evil")]
        if change == 5 and len(words) > 1:
            moved = words[1:]
            self.random.shuffle(moved)
            return [words[0], *moved]
        longer = [index for index, word in enumerate(words) if word.startswith("--") and len(word) > 4]
        if change == 6 and longer:
            index = self.random.choice(longer)
            return [*words[:index], words[index][: self.random.randrange(3, len(words[index]))], *words[index + 1 :]]
        short = [index for index, word in enumerate(words) if len(word) > 1 and word[0] == "-" and word[1] != "-"]
        if short:
            index = self.random.choice(short)
            letter = self.pick(*[name[1] for name in options if len(name) == 2] or ["o"])
            return [*words[:index], words[index] + letter, *words[index + 1 :]]
        return [*words, self.pick(*NAMES)]

    def word(self, text: str) -> str:
        """``text`` as the shell reads it, mostly in plain quotes."""
        if self.chance(0.08) and text.isascii() and text.isprintable() and "'" not in text:
            return "'" + text + "'"
        return quote(text)
