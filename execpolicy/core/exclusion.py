"""Exclusions of an allow rule (``unless``), decided from the words alone; a doubtful word is excluded."""

from __future__ import annotations

from _collections_abc import Iterable, Sequence

from execpolicy.core.text import glob_matches

NOTHING_MORE = ("*",)
"""The ``unless`` of a rule that covers its own words and no further word."""

_BETWEEN = (":", "/", ",", "=")
"""Separators between the names that one word may hold: ``:app:publish``, ``a,b``."""


def left_out_by(unless: Iterable[str], words: Sequence[str | None]) -> str | None:
    """The entry of ``unless`` that one of ``words`` may match, or ``None``.

    An entry with ``*`` is a pattern for words and for the values attached to them. An entry that begins with a dash is
    an option in any spelling. An entry that ends with ``=`` is the beginning of a word. Any other entry is a word.

    Args:
        words: the words after the pattern of the rule; ``None`` may be any word.
    """
    if not words:
        return None
    for entry in unless:
        for word in words:
            if word is None or _may_be(entry, word):
                return entry
    return None


def is_option_entry(entry: str) -> bool:
    """True if an entry of ``unless`` names one option."""
    return entry[:1] == "-" and "*" not in entry


def samples_of(entry: str) -> list[str]:
    """Words that ``entry`` excludes, the usual spelling first: for display, and to tell two entries apart."""
    if "*" in entry:
        return [entry.replace("*", "x")]
    if not is_option_entry(entry):
        return [entry + "x" if entry[-1:] == "=" else entry]
    cluster = ["-x" + entry[1]] if len(entry) == 2 else [entry[:-1], entry + "=x"]
    return [entry, entry + "x", *cluster]


def _may_be(entry: str, word: str) -> bool:
    if "*" in entry:
        return glob_matches(entry, word) or (entry[:1] != "-" and any(glob_matches(entry, v) for v in _glued(word)))
    if entry[:1] == "-":
        return _may_be_option(entry, word)
    if entry[-1:] == "=":
        return word.startswith(entry)
    return word == entry or any(entry in _parts(each) for each in (word, *_glued(word)))


def _parts(word: str) -> list[str]:
    for mark in _BETWEEN:
        word = word.replace(mark, " ")
    return word.split(" ")


def _glued(word: str) -> list[str]:
    """The values that ``word`` may hold after the name of an option or variable."""
    found = [word.partition("=")[2]] if "=" in word else []
    if word[:1] == "-":
        found.append(word[2:])
    return [each for each in found if each]


def _may_be_option(entry: str, word: str) -> bool:
    """True if ``word`` is the option, begins with it, abbreviates it, or is a cluster of letters that contains it."""
    if word[:1] != "-" or len(word) < 2:
        return False
    if word.startswith(entry):
        return True
    name = entry.lstrip("-")
    if len(name) == 1:
        if word[1] == "-":
            return word[2:3] == name and word[3:4] in ("", ":", "=")
        return name in word
    given = _plainly(word.partition("=")[0])
    wanted = _plainly(entry)
    if len(given) == 1 and word[:2] != entry[:2]:
        return False  # `-c` does not abbreviate `--config`
    return bool(given) and (wanted.startswith(given) or given.startswith(wanted))


def _plainly(option: str) -> str:
    """The option's name as the most tolerant parsers compare it: one dash or two, ``_``, and camel case."""
    return option.replace("-", "").replace("_", "").lower()
