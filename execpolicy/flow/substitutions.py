"""What patterns and edits in a program text make of other texts: ``s/x/g/``, ``/x(.*)/``, ``gsub(/[0-9]/, "")``.

sed, awk, perl, editors and the languages of programs write patterns nearly alike. Which text a pattern is for is not
worked out: each is tried on every text, and what comes out is looked through for what is forbidden. It is evidence.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_EDIT = re.compile(
    r"(?<!\w)(?:[sS]|%s|g/\w*/s)([/|#,!:@])((?:(?!\1)[^\\\n]|\\.){1,60})\1((?:(?!\1)[^\\\n]|\\.){0,60})\1"
)
"""``s/x/g/`` of sed, perl, ed and vim."""
_LETTERS = re.compile(r"(?<!\w)(?:y|tr)([/|#,])([^/|#,\\\n]{1,30})\1([^/|#,\\\n]{0,30})\1")
"""``y/x/g/``."""
_CALLED = re.compile(
    r"(?:sub|replace|replaceAll)\b\W{0,3}(?:/((?:[^/\\\n]|\\.){1,60})/\w*|[\"']((?:[^\"'\\\n]|\\.){1,60})[\"'])\s*,\s*[\"']([^\"'\n]{0,60})[\"']"
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
_MOST = 12
"""Patterns, and matches of one, that are looked at."""
_STEPS = 50_000
"""Steps that a pattern may take in one text: its length, to the power of what repeats in the pattern and one more."""
_GROUPS_REPEAT = re.compile(r"\)[*+{]")
"""What may take a time that grows without bound."""


def edited(text: str, programs: Sequence[str]) -> list[str]:
    """What the edits in ``programs`` make of ``text``: all of them, one after the other, and each alone."""
    whole = text
    found: dict[str, None] = {}
    for edit in [each for program in programs for each in _edits(program)][:_MOST]:
        whole = _replaced(whole, *edit)
        found[_replaced(text, *edit)] = None
    found[whole] = None
    return [made for made in found if made != text]


def matched(text: str, programs: Sequence[str]) -> Iterator[str]:
    """What the patterns in ``programs`` find in ``text``, what lies between that, and what is left without it."""
    for program in programs:
        for widths in _WIDTHS.findall(program)[:_MOST]:
            yield _cut(text, widths)
    for pattern in dict.fromkeys([each for program in programs for each in _patterns(program)][:_MOST]):
        search = _compiled(pattern)
        if search is None or not _is_short(pattern, text):
            continue
        for count, one in enumerate(search.finditer(text)):
            if count == _MOST:
                break
            yield from [part for part in (one[0], *one.groups()) if part]
            yield text[: one.start()]
            yield text[one.end() :]
        yield search.sub(" ", text)
        yield search.sub("", text)


def _edits(program: str) -> Iterator[tuple[str, str, bool]]:
    """Pattern, replacement, and whether letters stand for letters."""
    for _, old, new in _EDIT.findall(program):
        yield old, new, False
    for _, old, new in _LETTERS.findall(program):
        yield old, new, True
    for slashed, quoted, new in _CALLED.findall(program):
        yield slashed or quoted, new, False


def _replaced(text: str, old: str, new: str, letters: bool) -> str:
    if letters:
        return text.translate({ord(one): new[min(at, len(new) - 1)] if new else "" for at, one in enumerate(old)})
    search = _compiled(old)
    if search is None:
        return text.replace(old, new)
    new = _SPELT.sub(_spelt, new)
    made = re.sub(r"\\([1-9])|\$([1-9])", r"\\\1\2", new).replace("&", r"\g<0>") if "\\" in new or "$" in new else new
    lines = [_sub(search, made, line) if _is_short(old, line) else line for line in text.split("\n")[: 10 * _MOST]]
    return "\n".join(lines)


def _spelt(found: re.Match[str]) -> str:
    octal, decimal, by_sixteen = found[2], found[4], found[6]
    return chr(int(octal, 8) if octal else int(decimal) if decimal else int(by_sixteen, 16))


def _sub(search: re.Pattern[str], made: str, line: str) -> str:
    try:
        return search.sub(made if "\\" in made else made.replace("&", "\\g<0>"), line)
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
    if _GROUPS_REPEAT.search(pattern):
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
