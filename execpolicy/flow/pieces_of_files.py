"""What ``split`` and ``csplit`` call the pieces of a file: ``xaa``, ``xx00``, and what their options make of that.

Which lines a piece gets is not worked out: each piece counts as the whole file, which holds what is in it. Sources for
the names: the manuals of GNU coreutils 9.1 and of FreeBSD 14.
"""

from __future__ import annotations

import re
from itertools import islice, product

from execpolicy.core.text import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VALUED = {
    "split": names("-a -b -C -l -n -t -p --suffix-length --bytes --line-bytes --lines --number --separator --filter"),
    "csplit": names("-b -f -n --suffix-format --prefix --digits"),
}
_LONG = ("additional-suffix", "suffix-length", "numeric-suffixes", "hex-suffixes", "prefix", "suffix-format", "digits")
_MOST = 26
"""Pieces that are named, and letters of a number."""


def pieces(argv: Sequence[str | None]) -> tuple[str | None, list[str]]:
    """The file that a call takes apart, ``None`` for its input, and what the first of its pieces are called."""
    program = argv[0] or ""
    given, operands = _read(argv[1:], _VALUED.get(program, frozenset()))
    source = operands[0] if operands and operands[0] not in ("-", "/dev/stdin") else None
    if program == "csplit":
        prefix = given.get("f", given.get("prefix", "xx"))
        form = given.get("b", given.get("suffix-format"))
        length = _length(given.get("n", given.get("digits", "2")))
        numbers = [_formatted(form, at) if form is not None else f"{at:0{length}}" for at in range(_MOST)]
        return source, [prefix + number for number in numbers]
    prefix = operands[1] if len(operands) > 1 else "x"
    length = _length(given.get("a", given.get("suffix-length", "2")))
    start = given.get("numeric-suffixes", "") or given.get("hex-suffixes", "")
    if given.keys() & {"d", "x", "numeric-suffixes", "hex-suffixes"}:
        suffixes = [f"{at:0{length}}" for at in range(_length(start or "0"), _length(start or "0") + _MOST)]
    else:
        suffixes = ["".join(letters) for letters in islice(product("abcdefghijklmnopqrstuvwxyz", repeat=length), _MOST)]
    return source, [prefix + suffix + given.get("additional-suffix", "") for suffix in suffixes]


def _read(words: Sequence[str | None], valued: frozenset[str]) -> tuple[dict[str, str], list[str]]:
    """The options among ``words`` by their names without dashes, with their values, and the operands."""
    given: dict[str, str] = {}
    operands: list[str] = []
    left: Iterator[str | None] = iter(words)
    for text in left:
        if text is None or text[:1] != "-" or text == "-":
            operands.append(text or "")
        elif text[:2] == "--":
            name, equals, value = text.partition("=")
            full = next((each for each in _LONG if len(name) > 2 and each.startswith(name[2:])), name[2:])
            given[full] = value if equals or "--" + full not in valued else next(left, "") or ""
        else:
            for at, letter in enumerate(text[1:], 2):
                if "-" + letter in valued:
                    given[letter] = text[at:] or next(left, "") or ""
                    break
                given[letter] = ""
    return given, operands


def _length(text: str) -> int:
    return min(int(text), 99) if text.isdecimal() and len(text) < _MOST else 2


def _formatted(form: str, at: int) -> str:
    """``%02d.sh`` with a number in its place."""
    return re.sub(r"%[-+ #']?(0?\d?)[diuxXo]", lambda found: f"{at:{found[1]}}", form)
