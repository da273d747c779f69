"""Whether a file is named like an option that does harm: ``wc *`` beside a file ``--files0-from=.env``.

An entry says which words do no harm whatever they are; of a word that a glob or a list of names fills, that includes
options whose value is a path, and only the disk says whether a name there is such an option. A folder counts with what
may lie in it: ``git ls-files | xargs wc`` where something lies in ``--files0-from=/home/u``. Names come from where the
command runs and from folders that the script names (``ls sub``). That restricts; it proves nothing.
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
"""Names of one folder that are looked at; where there are more, it is asked about."""
_MOST_FOLDERS = 50
_LONGEST_PATH = 4096
_INSIDE = "/.env"
"""What may lie in a folder that is named like an option."""


def named_like_option(
    command: Command, facts: Facts, standing: Standing, situation: Situation, heuristics: Heuristics
) -> str | None:
    """Why a name in a folder may be an option with which ``command`` is not safe, or ``None`` if none may."""
    words = command.words
    free = [at for at, word in enumerate(words) if word.literal is None and word.may_start_with_dash()]
    for folder in _folders(facts, standing, situation):
        names = facts.once(_names, folder)
        if names is None:
            return f"`{folder}` holds more names than are looked at, and one may be an option that reads a secret"
        for name in names:
            for at in [each for each in free if _may_be(words[each], name)]:
                put = changed(command, words=(*words[:at], Word(name, words[at].span), *words[at + 1 :]))
                if not facts.budget.spend(COMMAND) or heuristics.opinion(put, facts).verdict != "safe":
                    return f"what is called `{name.removesuffix(_INSIDE)}` there may be an option that reads a secret"
    return None


def _may_be(word: Word, name: str) -> bool:
    """Whether ``word`` may be ``name``: of what lies in a folder only the folder's name is compared."""
    if word.kind != "glob":
        return True
    if not name.endswith(_INSIDE):
        return glob_matches(word.shape, name)
    first, slash, _ = word.shape.partition("/")
    return slash != "" and glob_matches(first, name.removesuffix(_INSIDE).partition("/")[0])


def _folders(facts: Facts, standing: Standing, situation: Situation) -> tuple[str, ...]:
    """The folders whose names ``command`` may get: where it may run, and those that the script names."""
    running = [path for shape in standing.shapes for path in situation.places_of(shape)]
    return tuple(dict.fromkeys([*running, *facts.outermost.once(_named, situation)]))


def _named(facts: Facts, situation: Situation) -> list[str]:
    """The folders that words of the script name, as seen from where it begins."""
    words = {word.literal for command in facts.script.commands for word in command.words[1:] if word.literal}
    if not facts.budget.spend(STEP * len(words)):
        return []
    plain = sorted([each for each in words if each[0] != "-" and len(each) < _LONGEST_PATH and "\0" not in each])
    return [path for each in plain[:_MOST_FOLDERS] for path in situation.places_of(each) if os.path.isdir(path)]


def _names(facts: Facts, folder: str) -> list[str] | None:
    """The names in ``folder`` that are options with the path of a secret, as far as they show; none if too many."""
    try:
        with os.scandir(folder) as entries:
            seen = list(islice(entries, _MOST_NAMES + 1))
    except (OSError, ValueError):  # nobody can list it, the shell neither
        return []
    if len(seen) > _MOST_NAMES or not facts.budget.spend(len(seen)):
        return None
    dashed = [entry for entry in seen if entry.name[:1] == "-"]
    inside = [entry.name + _INSIDE for entry in dashed if entry.is_dir()]
    return [*inside, *[entry.name for entry in dashed if _names_secret(entry.name)]]


def _names_secret(name: str) -> bool:
    return any(value and secret_in(value) for value in (name.partition("=")[2], name[2:]))
