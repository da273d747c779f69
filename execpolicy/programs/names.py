"""Program names: which names a first word means, and whether a path names the system's program."""

from __future__ import annotations

from execpolicy.core.text import bracket_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.shell.words import Word

SYSTEM_FOLDERS = frozenset(["/bin", "/usr/bin", "/sbin", "/usr/sbin"])
"""Folders that only the system's administrator writes to. ``/usr/local/bin`` and Homebrew's belong to users often."""
EXECUTABLE_SUFFIXES = (".exe", ".cmd", ".bat", ".com")
MAX_PATTERN = 256
"""Characters of a pattern that is compared with names; a longer one may be made for any."""


def base_name(program: str) -> str:
    """The last part of a path, without ``.exe`` and its like: ``/bin/../bin/rm`` and ``rm.exe`` are ``rm``."""
    name = program
    if "/" in name:
        name = name.rstrip("/").rpartition("/")[2]
    if "\\" in name:
        name = name.rpartition("\\")[2] or name
    if name[-4:].lower() in EXECUTABLE_SUFFIXES and len(name) > 4:
        name = name[:-4]
    return name


def names_system_program(program: str) -> bool:
    """True if ``program`` is a bare name or a path straight into a system folder."""
    folder, slash, _ = program.rpartition("/")
    return not slash or folder in SYSTEM_FOLDERS


def names_matching(pattern: str, tokens: Iterable[str]) -> list[str]:
    """Those of ``tokens`` that a program written as the shell pattern ``pattern`` may become, or a path to them.

    Evidence for restricting only: a pattern without a literal letter or digit in its last part says nothing and never
    matches. ``pattern`` is as in :attr:`execpolicy.shell.words.Word.pattern`: quoted characters are escaped.
    """
    last = pattern.rpartition("/")[2]
    if len(last) > MAX_PATTERN:
        return list(tokens)
    if not last.strip("*?") or ("[" not in last and not any(map(str.isalnum, last))):
        return []
    name = fnmatch_pattern(last)
    found = [token for token in tokens if fits_glob(token[token.rfind("/") + 1 :], name)]
    if len(pattern) > MAX_PATTERN or not any("/" in token for token in found):
        return found
    path = fnmatch_pattern(pattern)
    return [token for token in found if "/" not in token or fits_glob(token, path)]


def fits_glob(text: str, pattern: str) -> bool:
    """True if ``text`` matches a pattern as :mod:`fnmatch` reads it, capitals and small letters told apart."""
    from fnmatch import fnmatchcase

    return fnmatchcase(text, pattern)


def fnmatch_pattern(pattern: str) -> str:
    """A shell pattern in the form that :mod:`fnmatch` reads, which finds at least as much.

    Classes and ranges depend on the locale (``[a-c]`` may hold ``B``): they stand for any character.
    """
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\" and at + 1 < len(pattern):
            at += 1
            parts.append(f"[{pattern[at]}]" if pattern[at] in "*?[" else pattern[at])
        elif char == "[" and (end := bracket_end(pattern, at)) > 0:
            inside = pattern[at + 1 : end]
            wide = "[" in inside or "-" in inside or "\\" in inside
            parts.append("?" if wide else f"[!{inside[1:]}]" if inside[0] == "^" else f"[{inside}]")
            at = end
        else:
            parts.append(char)
        at += 1
    return "".join(parts)


def program_names(word: Word, known: Iterable[str] = ()) -> list[tuple[str, bool]]:
    """Base names that a first word may stand for, each with whether that is certain.

    Args:
        known: names worth finding when the word is a glob.
    """
    literal = word.literal
    if literal is not None:
        return [(base_name(literal), True)]
    if word.kind == "glob" and word.pattern:
        return [(name, False) for name in names_matching(word.pattern, known)]
    if "/" in word.suffix:
        return [(base_name(word.suffix), False)]
    return []
