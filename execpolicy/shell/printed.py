"""What ``echo`` and ``printf`` print when their words are known: the short way for evidence about variables."""

from __future__ import annotations


def printed(texts: list[str]) -> str | None:
    """The output of ``echo`` and ``printf`` with literal words, without its trailing newlines, if it is simple."""
    if not texts:
        return None
    program, arguments = texts[0].rpartition("/")[2], texts[1:]
    if program == "echo":
        escapes = False
        while arguments and arguments[0] in ("-n", "-e", "-ne", "-en", "-E"):
            escapes = "e" in arguments[0]
            arguments = arguments[1:]
        text = " ".join(arguments)
        return (_unescaped(text) if escapes else text).rstrip("\n")
    if program != "printf" or not arguments:
        return None
    if arguments[0] == "--":
        arguments = arguments[1:]
    if not arguments:
        return None
    form, values = _unescaped(arguments[0]), arguments[1:]
    if "%" not in form:
        return form.rstrip("\n")
    whole: list[str] = []
    while True:
        consumed = len(values)
        parts = form.split("%")
        whole.append(parts[0])
        skip = False
        for part in parts[1:]:
            if skip:
                whole.append(part)
                skip = False
            elif part == "":
                whole.append("%")
                skip = True
            elif part[0] in "sb":
                value = values[0] if values else ""
                values = values[1:]
                whole.append((_unescaped(value) if part[0] == "b" else value) + part[1:])
            else:
                return None
        if not values or len(values) == consumed or len(whole) > 1000:
            return "".join(whole).rstrip("\n")


def _unescaped(text: str) -> str:
    """Backslash escapes of ``printf`` and ``echo -e``: octal, hexadecimal and the usual letters."""
    if "\\" not in text:
        return text
    letters = {"n": "\n", "t": "\t", "\\": "\\", "a": "\a", "b": "\b", "r": "\r", "e": "\x1b", "f": "\f", "v": "\v"}
    parts: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        follower = text[at : at + 1]
        if char != "\\" or not follower:
            parts.append(char)
        elif follower in letters:
            parts.append(letters[follower])
            at += 1
        else:
            base, start, most = (16, at + 1, 2) if follower == "x" else (8, at, 4 if follower == "0" else 3)
            last = start
            digits = "0123456789abcdefABCDEF" if base == 16 else "01234567"
            while last < start + most and text[last : last + 1] and text[last] in digits:
                last += 1
            if last == start:
                parts.append("\\" + follower)
                at += 1
            else:
                parts.append(chr(int(text[start:last], base)))
                at = last
    return "".join(parts)
