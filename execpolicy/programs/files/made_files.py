"""The files that a script itself writes, by their paths: where a program looks for one by its name."""

from __future__ import annotations

from execpolicy.core.text import glob_matches
from execpolicy.flow.look_ups import LookUps, named_in, plain_path
from execpolicy.programs.files.source_files import SETTINGS, is_settings
from execpolicy.programs.inner_scripts import with_inner_scripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner_scripts import Carried
    from execpolicy.shell.words import Word

_MOST_FILES = 16
_SPECIAL = frozenset("/*?[{\\")
"""What no pattern holds that is the name of a file."""


def files_made(facts: Facts) -> tuple[tuple[str, str], ...]:
    """The paths of the files that a script writes, each with what it is known by (``$f``)."""
    look_ups = facts.once(LookUps)
    found = [(path, path) for path in (*look_ups.writers, *look_ups.copies, *look_ups.edited)]
    found += [(path, path) for text, _ in look_ups.texts[:_MOST_FILES] for path in named_in(text)]
    for key, words in look_ups.named_later.items():
        found += [(path, key) for word in words[:_MOST_FILES] for path in _values_of(word, facts)]
    return tuple(dict.fromkeys(found))


def files_called(facts: Facts, patterns: tuple[str, ...]) -> list[tuple[str, str]]:
    """Those of the files that a script writes which are called like one of ``patterns``: the path, and its key."""
    return facts.once(_called, patterns)


def called_anywhere(
    outermost: Facts, carried: Carried, patterns: tuple[str, ...]
) -> list[tuple[Facts, tuple[str, str]]]:
    """Those that any script within the outermost one writes, each with the script."""
    return outermost.once(_called_anywhere, carried, patterns)


def _called_anywhere(
    outermost: Facts, carried: Carried, patterns: tuple[str, ...]
) -> list[tuple[Facts, tuple[str, str]]]:
    if all(map(_SPECIAL.isdisjoint, patterns)) and SETTINGS not in patterns:
        named = outermost.once(_by_name_anywhere, carried)
        return [file for each in dict.fromkeys(patterns) for file in named.get(each, ())]
    scripts = outermost.once(with_inner_scripts, carried)
    return [(each, file) for each in scripts for file in files_called(each, patterns)]


def _by_name_anywhere(outermost: Facts, carried: Carried) -> dict[str, list[tuple[Facts, tuple[str, str]]]]:
    found: dict[str, list[tuple[Facts, tuple[str, str]]]] = {}
    for each in outermost.once(with_inner_scripts, carried):
        for name, files in each.once(_by_name).items():
            found.setdefault(name, []).extend([(each, file) for file in files])
    return found


def _called(facts: Facts, patterns: tuple[str, ...]) -> list[tuple[str, str]]:
    if all(map(_SPECIAL.isdisjoint, patterns)) and SETTINGS not in patterns:
        named = facts.once(_by_name)
        return [file for each in dict.fromkeys(patterns) for file in named.get(each, ())]
    return [file for file in facts.once(files_made) if any(is_called(file[0], pattern) for pattern in patterns)]


def _by_name(facts: Facts) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for file in facts.once(files_made):
        found.setdefault(plain_path(file[0]).rpartition("/")[2], []).append(file)
    return found


def _values_of(word: Word, facts: Facts) -> list[str]:
    return [" ".join(value) for value in facts.values(word)]


def is_called(path: str, pattern: str) -> bool:
    """Whether a file is called like ``pattern``, in whatever folder."""
    if pattern == SETTINGS:
        return not path.startswith("\0") and is_settings(path)
    if pattern[:2] == "*." and "*" not in pattern[1:]:
        return path.endswith(pattern[1:])
    return bool(pattern) and glob_matches("*/" + pattern, "/" + plain_path(path))
