"""Texts that a command is given key by key or as numbers: ``xdotool key g i t space``, ``zellij action write 103``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FEWEST = 4
"""Keys in a row that say something."""
_KEYS = {
    **dict.fromkeys(("space", "spc", "kp_space", "key_space"), " "),
    **dict.fromkeys(("tab", "kp_tab"), "\t"),
    **dict.fromkeys(("return", "enter", "kpenter", "kp_enter", "c-m", "c-j", "ctrl+m", "ctrl+j", "cr", "lf"), "\n"),
    "minus": "-",
    "hyphen": "-",
    "period": ".",
    "dot": ".",
    "slash": "/",
    "underscore": "_",
    "colon": ":",
    "semicolon": ";",
    "equal": "=",
    "plus": "+",
    "at": "@",
    "exclam": "!",
    "quotedbl": '"',
    "apostrophe": "'",
}
"""Names of keys, as X, tmux and their kin call them."""
_ROWS = ((2, "1234567890-=\b\t"), (16, "qwertyuiop[]\n"), (30, "asdfghjkl;'`"), (43, "\\zxcvbnm,./"), (57, " "))
_CODES = {first + at: char for first, chars in _ROWS for at, char in enumerate(chars)}
"""Numbers of keys to Linux (``input-event-codes.h``), on a keyboard of the United States."""
_TYPED = frozenset((9, 10, 13, *range(32, 127)))
"""Numbers of the letters that can be typed."""
_NOTHING = "\0"
"""What releasing a key types."""


def typed_texts(words: Sequence[str | None]) -> list[str]:
    """The lines that ``words`` in a row type, letter by letter, by the numbers of letters or by those of keys."""
    found: dict[str, None] = {}
    for read in (_by_keys, _by_decimals, _by_hexadecimals, _by_codes):
        row: list[str] = []
        for text in [read(word) if word else "" for word in words] + [""]:
            if text:
                row.append(text)
            else:
                if len(row) >= _FEWEST:
                    found.update(dict.fromkeys(_lines("".join(row).replace(_NOTHING, ""))))
                row = []
    return list(found)


def typed_together(words: Sequence[str]) -> str:
    """What ``words`` type one behind the other, each a key or a text."""
    return "".join([_KEYS.get(word.lower(), word) for word in words])


def _lines(text: str) -> Iterator[str]:
    for line in text.replace("\r", "\n").split("\n"):
        if line.isprintable() and " " in line.strip():
            yield line.strip()


def _by_keys(word: str) -> str:
    """What one key types; ``g+i`` are two keys."""
    if word.lower() in _KEYS:
        return _KEYS[word.lower()]
    return word.replace("+", "") if len(word) == 1 or all(len(key) == 1 for key in word.split("+")) else ""


def _by_decimals(word: str) -> str:
    return chr(int(word)) if word.isdecimal() and len(word) < 4 and int(word) in _TYPED else ""


def _by_hexadecimals(word: str) -> str:
    digits = word.lower().removeprefix("0x")
    known = len(digits) == 2 and not set(digits) - set("0123456789abcdef")
    return chr(int(digits, 16)) if known and int(digits, 16) in _TYPED else ""


def _by_codes(word: str) -> str:
    """What the key of a number types that is pressed, ``34:1``, or released, ``34:0``."""
    code, colon, pressed = word.partition(":")
    if not colon or not code.isdecimal() or len(code) > 3:
        return ""
    return _CODES.get(int(code), "") if pressed == "1" else _NOTHING
