"""What ``sed``, ``ex``, Perl and their like put into a text: replacements, and lines that are put in.

Every place counts where such an order could stand. It is evidence for what a shell or a program reads behind it.
"""

from __future__ import annotations

MAX_TRIED = 1_000
"""Places of one text at which an order may begin."""
MAX_EDITS = 64
"""Edits of one text that are looked at."""
_CLOSING = {"{": "}", "(": ")", "[": "]", "<": ">"}
"""What ends the parts of an order of Perl."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_NUMBERED = r"(?s)\\(?:x\{?([0-9a-fA-F]{1,2})\}?|o([0-7]{1,3})|d([0-9]{1,3})|(.))"
_TYPED = r"(?:r\w*\s*!\s*\w+|norm\w*!?|put!?|=|append|insert|a|i|setline|feedkeys)\W{0,9}([\w\"'].{0,400})"
"""What puts text into what vi edits, as keys or as words."""
_ADDRESSES = "0123456789$,!~+IM {"
"""What stands in front of an order, beside patterns."""


def replacements(text: str) -> list[str]:
    """The replacements of every ``s/…/…/``, in whatever way their parts are marked off."""
    found: list[str] = []
    at = text.find("s")
    for _ in range(MAX_TRIED):
        if at < 0 or len(found) >= MAX_EDITS:
            break
        delimiter = text[at + 1 : at + 2]
        if (
            delimiter
            and not (delimiter.isalnum() or delimiter.isspace() or delimiter in "_\\")
            and _may_begin(text, at)
        ):
            replacement = _second_part(text, at + 1)
            if replacement is not None:
                found += _replaced(replacement)
        at = text.find("s", at + 1)
    return found


def inserted(text: str) -> list[str]:
    """The lines that ``a``, ``i`` and ``c`` put in, behind addresses or none."""
    found: list[str] = []
    for line in text.replace("\\\n", "\\").split("\n"):
        for at in [0, *[at + 1 for at, letter in enumerate(line) if letter in ";{"]][:MAX_EDITS]:
            behind = _without_addresses(line[at:])
            if behind[:1] in ("a", "i", "c") and behind[1:]:
                put_in = behind[1:].lstrip(" |")
                found.append(_unescaped(put_in.removeprefix("\\")).strip(" "))
    return found[: MAX_EDITS * 4]


def typed(line: str) -> list[str]:
    """The texts that an order of vi types, with the key in front that begins it or without: ``norm igit push``."""
    import re

    return [text.strip("\"') ") for said in re.findall(_TYPED, line) for text in (said, said[1:])]


def _may_begin(text: str, at: int) -> bool:
    return at == 0 or not (text[at - 1].isalpha() or text[at - 1] in "_\\")


def _second_part(text: str, at: int) -> str | None:
    """What stands between the second and the third delimiter, the first of which is at ``at``."""
    closing = _CLOSING.get(text[at], text[at])
    middle = _end(text, at + 1, closing)
    if middle < 0:
        return None
    start = middle + 1
    if closing != text[at]:  # s{…}{…}
        start += len(text[start:]) - len(text[start:].lstrip())
        opening = text[start : start + 1]
        closing = _CLOSING.get(opening, opening)
        start += 1
    end = _end(text, start, closing) if closing else -1
    return text[start:end].replace("\\" + closing, closing) if end >= 0 else None


def _end(text: str, start: int, closing: str) -> int:
    """Where the next ``closing`` stands that no backslash is in front of; -1 if there is none."""
    at = text.find(closing, start)
    while at >= 0:
        first = at
        while first > start and text[first - 1] == "\\":
            first -= 1
        if (at - first) % 2 == 0:
            break
        at = text.find(closing, at + 1)
    return at


def _replaced(replacement: str) -> list[str]:
    plain = replacement.replace("\\&", "\0").replace("&", "").replace("\0", "&").replace("\\1", "")
    turned = [plain.replace("\\L", "").lower()] if "\\L" in plain else []
    for order in ("\\L", "\\U", "\\l", "\\u", "\\E", "\\Q"):
        plain = plain.replace(order, "")
    return [_unescaped(each) for each in (plain, *turned)]


def _unescaped(text: str) -> str:
    """``text`` with the letters that escapes stand for."""
    if "\\" not in text:
        return text
    import re

    def letter(found: re.Match[str]) -> str:
        in_hexadecimal, octal, decimal, other = found.groups()
        if other is not None:
            return _ESCAPES.get(other, other)
        number = int(in_hexadecimal, 16) if in_hexadecimal else int(octal, 8) if octal else int(decimal)
        return chr(number)

    return re.sub(_NUMBERED, letter, text)


def _without_addresses(line: str) -> str:
    """``line`` from the order on: behind ``1,3``, ``$``, ``/pattern/I`` and ``\\%pattern%``."""
    behind = line.lstrip(_ADDRESSES)
    for _ in range(2):
        start = 1 if behind[:1] == "/" else 2 if behind[:1] == "\\" else 0
        end = _end(behind, start, behind[start - 1]) if 0 < start < len(behind) else -1
        if end < 0:
            break
        behind = behind[end + 1 :].lstrip(_ADDRESSES)
    return behind
