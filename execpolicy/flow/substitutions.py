"""What patterns and edits in a program text make of other texts: ``s/x/g/``, ``/x(.*)/``, ``gsub(/[0-9]/, "")``.

sed, awk, perl, editors and the languages of programs write patterns nearly alike. Which text a pattern is for is not
worked out: each is tried on every text, and what comes out is looked through for what is forbidden. It is evidence.
"""

from __future__ import annotations

import re
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_EDIT = re.compile(
    r"(?<!\w)(?:[sS]|%s|g/\w*/s)([/|#,!:@])((?:(?!\1)[^\\\n]|\\.){1,60})\1((?:(?!\1)[^\\\n]|\\.){0,60})\1(\w*)"
)
"""``s/x/g/`` of sed, perl, ed and vim."""
_LETTERS = re.compile(r"(?<!\w)(?:y|tr)([/|#,])([^/|#,\\\n]{1,30})\1([^/|#,\\\n]{0,30})\1")
"""``y/x/g/``."""
_CALLED = re.compile(
    r"((?:g|re\.)?sub|gensub|replace|replaceAll)\b\W{0,3}(?:/((?:[^/\\\n]|\\.){1,60})/\w*|[\"']((?:[^\"'\\\n]|\\.){1,60})[\"'])\s*,\s*[\"']([^\"'\n]{0,60})[\"']"
)
"""``gsub(/x/, "g")``, ``.replace("x", "g")``, ``re.sub("x", "g", …)``."""
_PATTERN = re.compile(
    r"(?<![\w)\]])(?:m|qr|r)?/((?:[^/\\\n]|\\.){1,60})/|\bm\{([^}\n]{1,60})\}|\bregexp\b[^{\n]{0,30}\{([^}\n]{1,60})\}"
)
"""``/x(.*)/``, ``m{x(.*)}``, Tcl's ``{x(.*)}``."""
_QUOTED = re.compile(r"\"((?:[^\"\\\n]|\\.){1,60})\"|'((?:[^'\\\n]|\\.){1,60})'")
_SPELT = re.compile(r"\\(?:(o)([0-7]{3})|(d)(\d{3})|(x)([0-9a-fA-F]{2}))")
"""Letters of a replacement by their numbers, as sed has them."""
_WILD = re.compile(r"[.*+?\[(|]")
_WIDTHS = re.compile(r"FIELDWIDTHS\s{0,3}=\s{0,3}[\"']?([\d: ]{3,40})")
_REPEATING = re.compile(r"[*+?}]")
_LONGEST_PROGRAM = 2_000
_MOST = 12
"""Patterns, and matches of one, that are looked at."""
_STEPS = 10_000
"""Steps that a pattern may take in one text: its length, to the power of what repeats in the pattern and one more."""
_CLASS = re.compile(r"\[:(\w+):\]")
_CLASSES = {"alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "space": r"\s", "upper": "A-Z", "lower": "a-z"}
_RESERVED = ("[[", "--", "&&", "||", "~~")
"""What Python may come to read as operators of sets."""
_GROUPS_REPEAT = re.compile(r"\)[*+{]")
"""What may take a time that grows without bound."""


class Changes:
    """The edits and patterns in some program texts."""

    __slots__ = ("edits", "patterns", "widths")

    def __init__(self, programs: Iterable[str]) -> None:
        shown = [program[:_LONGEST_PROGRAM] for program in programs]
        self.edits = list(dict.fromkeys([each for program in shown for each in _edits(program)]))[:_MOST]
        patterns = dict.fromkeys([each for program in shown for each in _patterns(program)])
        self.patterns = [(each, search) for each in list(patterns)[:_MOST] if (search := _compiled(each)) is not None]
        self.widths = [each for program in shown for each in _WIDTHS.findall(program)][:_MOST]

    def edited(self, text: str) -> list[str]:
        """What the edits make of ``text``: each alone, and at last all, one after the other."""
        whole = text
        found: dict[str, None] = {}
        for edit in self.edits:
            whole = _replaced(whole, *edit)
            found[_replaced(text, *edit)] = None
        found.pop(whole, None)
        return [made for made in (*found, whole) if made != text]

    def matched(self, text: str) -> Iterator[str]:
        """What the patterns find in ``text``, what lies in front of that and behind, and what is left without it."""
        yield from [_cut(text, widths) for widths in self.widths]
        for pattern, search in self.patterns:
            if not _is_short(pattern, text):
                continue
            for one in islice(search.finditer(text), _MOST):
                yield from [part for part in (one[0], *one.groups()) if part]
                yield text[: one.start()]
                yield text[one.end() :]
            yield search.sub(" ", text)
            yield search.sub("", text)


def _edits(program: str) -> Iterator[tuple[str, str, int | None]]:
    """Pattern, replacement, and how often (0: everywhere); ``None`` where letters stand for letters."""
    for _, old, new, flags in _EDIT.findall(program):
        yield old, new, int("g" not in flags)
    for _, old, new in _LETTERS.findall(program):
        yield old, new, None
    for called, slashed, quoted, new in _CALLED.findall(program):
        yield slashed or quoted, new, int(called == "sub")


def _replaced(text: str, old: str, new: str, times: int | None) -> str:
    if times is None:
        return text.translate({ord(one): new[min(at, len(new) - 1)] if new else "" for at, one in enumerate(old)})
    search = _compiled(old)
    if search is None:
        return text.replace(old, new)
    made = re.sub(r"[\\$]([1-9])", r"\\\1", _SPELT.sub(_spelt, new)).replace("&", r"\g<0>")
    lines = [
        _sub(search, made, line, times) if _is_short(old, line) else line for line in text.split("\n")[: 10 * _MOST]
    ]
    return "\n".join(lines)


def _spelt(found: re.Match[str]) -> str:
    octal, decimal, by_sixteen = found[2], found[4], found[6]
    return chr(int(octal, 8) if octal else int(decimal) if decimal else int(by_sixteen, 16))


def _sub(search: re.Pattern[str], made: str, line: str, times: int) -> str:
    try:
        return search.sub(made, line, count=times)
    except (re.error, IndexError):
        return line


def _patterns(program: str) -> Iterator[str]:
    for slashed, braced, listed in _PATTERN.findall(program):
        yield slashed or braced or listed
    for one, other in _QUOTED.findall(program):
        if _WILD.search(one or other):
            yield one or other
    if len(program) <= _MOST and _WILD.search(program):  # a word by itself: `-F[xy]`, `g.t`
        yield program.removeprefix("-F")


def _compiled(pattern: str) -> re.Pattern[str] | None:
    """``pattern`` as Python reads it; ``None`` where it does not, or where it may take very long."""
    if "\\(" in pattern:  # a basic one
        pattern = re.sub(r"\\([(){}|+?])", r"\1", pattern)
    pattern = re.sub(r"\(\?<(?=\w)", "(?P<", pattern)
    pattern = _CLASS.sub(lambda found: _CLASSES.get(found[1], ""), pattern)
    if _GROUPS_REPEAT.search(pattern) or any(mark in pattern for mark in _RESERVED):
        return None
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def _is_short(pattern: str, text: str) -> bool:
    """Whether ``text`` is short enough for ``pattern`` to be tried on it."""
    steps: int = len(text) ** (1 + len(_REPEATING.findall(pattern)))
    return steps <= _STEPS


def _cut(text: str, widths: str) -> str:
    """``text`` in columns: ``3 1:4`` is three characters and, one further, four more."""
    parts, at = [], 0
    for width in widths.split()[:_MOST]:
        skipped, _, taken = width.rpartition(":")
        at += int(skipped[:3] or 0) if skipped.isdecimal() else 0
        length = int(taken[:3] or 0)
        parts.append(text[at : at + length])
        at += length
    return " ".join(parts)
