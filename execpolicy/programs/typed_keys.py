"""Texts that a command is given key by key or as numbers: ``xdotool key g i t space``, ``zellij action write 103``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FEWEST = 4
"""Keys in a row that say something."""
_BEFORE = 3
"""Words in front of the keys that may be taken for one: ``--delay 5``."""
_KEYS = {
    **dict.fromkeys(("space", "spc", "kp_space"), " "),
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
_PREFIXES = ("key_", "keycode_", "vk_")
"""What Linux, Android and Windows put in front of them."""


def _numbered(*rows: tuple[int, str]) -> dict[int, str]:
    return {first + at: char for first, chars in rows for at, char in enumerate(chars)}


_LINUX = _numbered(
    (2, "1234567890-=\b\t"), (16, "qwertyuiop[]\n"), (30, "asdfghjkl;'`"), (43, "\\zxcvbnm,./"), (57, " ")
)
"""Numbers of keys to Linux (``input-event-codes.h``), on a keyboard of the United States."""
_ANDROID = _numbered(
    (7, "0123456789"), (29, "abcdefghijklmnopqrstuvwxyz,."), (61, "\t "), (66, "\n"), (69, "-=[]\\;'/@")
)
"""The same to Android (``KeyEvent``)."""
_ASCII = {number: chr(number) for number in (9, 10, 13, *range(32, 127))}
_NOTHING = "\0"
"""What releasing a key types."""


def typed_texts(words: Sequence[str | None]) -> list[str]:
    """The lines that ``words`` in a row type, letter by letter, by the numbers of letters or by those of keys."""
    parts = list(_parts(words))
    found: dict[str, None] = {}
    for read in (_by_name, _by_decimal, _by_hexadecimal, _by_press, _by_linux, _by_android):
        row: list[str] = []
        for text in [read(word) if word else "" for word in parts] + [""]:
            if text:
                row.append(text)
            else:
                if len(row) >= _FEWEST:
                    for start in range(_BEFORE):
                        found.update(dict.fromkeys(_lines("".join(row[start:]).replace(_NOTHING, ""))))
                row = []
    return list(found)


def typed_together(words: Sequence[str]) -> str:
    """What ``words`` type one behind the other, each a key or a text."""
    return "".join([_KEYS.get(word.lower(), word) for word in words])


def _parts(words: Sequence[str | None]) -> Iterator[str | None]:
    """``words``, lists parted, without what is said with each key: ``key g key i``, ``'key g' 'key i'``."""
    parts: list[str | None] = []
    for word in words:
        listed = (word or "").strip("[]{}()").replace(",", " ").replace(";", " ").split()
        parts += listed if len(listed) > 1 else [word]
    counts: dict[str, int] = {}
    for word in parts:
        if word is not None and len(word) > 1 and not word.isdecimal() and word.lower() not in _KEYS:
            counts[word] = counts.get(word, 0) + 1
    often = {word for word, times in counts.items() if times >= _FEWEST}
    return (word for word in parts if word not in often)


def _lines(text: str) -> Iterator[str]:
    for line in text.replace("\r", "\n").split("\n"):
        if line.isprintable() and " " in line.strip():
            yield line.strip()


def _by_name(word: str) -> str:
    """What one key types; ``g+i`` are two keys."""
    key = word.lower()
    for prefix in _PREFIXES:
        key = key.removeprefix(prefix)
    if key in _KEYS:
        return _KEYS[key]
    if key != word.lower():
        return key if len(key) == 1 else ""
    return word.replace("+", "") if len(word) == 1 or all(len(key) == 1 for key in word.split("+")) else ""


def _by_decimal(word: str) -> str:
    return _of_number(word, _ASCII)


def _by_hexadecimal(word: str) -> str:
    digits = word.lower().removeprefix("0x").removeprefix("\\x")
    known = len(digits) == 2 and not set(digits) - set("0123456789abcdef")
    return _ASCII.get(int(digits, 16), "") if known else ""


def _by_press(word: str) -> str:
    """What the key of a number types that is pressed, ``34:1``, or released, ``34:0``."""
    code, colon, pressed = word.partition(":")
    if not colon:
        return ""
    return _of_number(code, _LINUX) if pressed == "1" else _NOTHING * code.isdecimal()


def _by_linux(word: str) -> str:
    return _of_number(word, _LINUX)


def _by_android(word: str) -> str:
    return _of_number(word, _ANDROID)


def _of_number(digits: str, letters: dict[int, str]) -> str:
    return letters.get(int(digits), "") if digits.isdecimal() and digits.isascii() and len(digits) < 4 else ""
