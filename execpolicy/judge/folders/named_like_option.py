"""Whether a file is named like an option that does harm: ``wc *`` beside a file ``--files0-from=.env``.

An entry says which words do no harm whatever they are; of a word that a glob or a list fills, that includes options
whose value is a path, and only the disk says whether a name there is such an option. That restricts; it proves nothing.
"""

from __future__ import annotations

import os
from itertools import islice

from execpolicy.core.text import glob_matches
from execpolicy.safety.secrets import secret_in
from execpolicy.shell.limits import COMMAND, STEP
from execpolicy.shell.script import changed
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.safety.heuristics import Heuristics
    from execpolicy.shell.script import Command

_MOST_NAMES = 20_000
"""Names of one folder that are looked at."""


def named_like_option(
    command: Command, facts: Facts, standing: Standing, situation: Situation, heuristics: Heuristics
) -> str | None:
    """The name of a file, where ``command`` may run, that is an option with which it is not safe; with the reason."""
    words = command.words
    free = [at for at, word in enumerate(words) if word.literal is None and word.may_start_with_dash()]
    if not free:
        return None
    for shape in standing.shapes:
        for name in facts.once(_names, shape, situation):
            for at in [each for each in free if words[each].kind != "glob" or glob_matches(words[each].shape, name)]:
                if not facts.budget.spend(COMMAND):
                    return f"a file there is called `{name}`"
                put = changed(command, words=(*words[:at], Word(name, words[at].span), *words[at + 1 :]))
                if heuristics.opinion(put, facts).verdict != "safe":
                    return f"a file there is called `{name}`, which is an option that reads a secret"
    return None


def _names(facts: Facts, shape: str, situation: Situation) -> tuple[str, ...]:
    """The names in the folders of ``shape`` that are options with the path of a secret, as far as they show."""
    found: list[str] = []
    for folder in situation.places_of(shape):
        try:
            with os.scandir(folder) as entries:
                found += [entry.name for entry in islice(entries, _MOST_NAMES) if _names_secret(entry.name)]
        except (OSError, ValueError):  # nobody can look: what the words say holds
            continue
        facts.budget.spend(STEP * len(found))
    return tuple(found)


def _names_secret(name: str) -> bool:
    return name[:1] == "-" and any(value and secret_in(value) for value in (name.partition("=")[2], name[2:]))
