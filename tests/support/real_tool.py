"""A program with sub-commands that says what its command lines mean, for :mod:`tests.support.real_programs`."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, ClassVar

from tests.support.command_shapes import QUIET, Shape

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.support.command_shapes import Words


class Tool:
    """A program with sub-commands, each with a shape of its own, that is asked in a scratch folder.

    Attributes:
        shapes: by the sub-command; the more often one is listed in ``often``, the more often it is drawn.
        refused: whether the program refused the last command line.
    """

    name: str
    patterns: ClassVar[Words]
    shapes: ClassVar[dict[str, Shape]]
    often: ClassVar[Words] = []

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.refused = False
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}

    def spelling(self, chance: random.Random) -> Words:
        return self.shapes[chance.choice([*self.shapes, *self.often])].spelling(chance)

    def run(self, words: Words) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([self.name, *words], cwd=self.folder, env=self.environment, check=False, **QUIET)
        self.refused = done.returncode != 0
        return done
