"""Static versions of the small programs that scripts build text with: ``echo``, ``printf``, ``base64 -d`` …

Each takes the arguments, the bytes on standard input and the shell's name, and gives what the program prints, or
``None`` where it reads files or uses an option that is not modelled. Checked against coreutils 9.1 and bash 5.2.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64

from execpolicy.core.text import to_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Filter: TypeAlias = Callable[[list[str], bytes, str], bytes | None]
    """The arguments, the bytes on standard input and the shell's name to what the program prints."""

_SIMPLE = {"a": 7, "b": 8, "e": 27, "E": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, '"': 34, "'": 39}
_HEX = "0123456789abcdefABCDEF"
_DUMPED = 32
"""Digits of a line of a dump, as ``xxd`` makes it by itself."""


def unescape(text: str, *, leading_zero: bool) -> tuple[bytes, bool]:
    """Backslash escapes expanded, and whether ``\\c`` ended the output.

    Args:
        leading_zero: octal escapes are ``\\0NNN`` (``echo -e``, ``%b``) besides ``\\NNN``.
    """
    out = bytearray()
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if char != "\\" or at + 1 == end:
            out += to_bytes(char)
            at += 1
            continue
        kind = text[at + 1]
        at += 2
        if kind == "c" and leading_zero:
            return bytes(out), True
        if kind in _SIMPLE and not (leading_zero and kind in "\"'"):
            out.append(_SIMPLE[kind])
        elif kind == "x" or kind in "uU":
            width = {"x": 2, "u": 4, "U": 8}[kind]
            digits = _take(text, at, _HEX, width)
            if not digits:
                out += to_bytes("\\" + kind)
                continue
            at += len(digits)
            out += bytes([int(digits, 16)]) if kind == "x" else chr(int(digits, 16)).encode("utf-8", "surrogatepass")
        elif kind in "01234567":
            more = _take(text, at, "01234567", 3 if leading_zero and kind == "0" else 2)
            at += len(more)
            out.append(int(kind + more, 8) & 255)
        else:
            out += to_bytes("\\" + kind)
    return bytes(out), False


def _take(text: str, at: int, allowed: str, most: int) -> str:
    end = at
    while end < len(text) and end - at < most and text[end] in allowed:
        end += 1
    return text[at:end]


def echo(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    escapes, newline = shell != "bash", True  # ksh93 prints them as they are, mksh does not
    at = 0
    while at < len(args) and len(args[at]) > 1 and args[at][0] == "-" and not args[at][1:].strip("neE"):
        if shell in ("sh", "dash") and args[at] != "-n":
            break
        for letter in args[at][1:]:
            if letter == "n":
                newline = False
            else:
                escapes = letter == "e"
        at += 1
    text = " ".join(args[at:])
    out, ended = unescape(text, leading_zero=True) if escapes else (to_bytes(text), False)
    return out + b"\n" if newline and not ended else out


def print_(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    """``print`` of zsh and ksh, without the options that send it elsewhere."""
    at, letters = 0, ""
    while at < len(args) and args[at][:1] == "-" and args[at] not in ("-", "--"):
        letters += args[at][1:]
        at += 1
    if shell in ("bash", "sh", "dash") or letters.strip("rRnlE"):
        return None
    words = args[at + 1 :] if args[at : at + 1] in (["-"], ["--"]) else args[at:]
    text = ("\n" if "l" in letters else " ").join(words)
    out, ended = (to_bytes(text), False) if set("rRE") & set(letters) else unescape(text, leading_zero=True)
    return out if "n" in letters or ended else out + b"\n"


def printf(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    if args[:1] == ["--"]:
        args = args[1:]
    elif args[:1] and args[0].startswith("-"):
        return None
    if not args:
        return None
    pieces = _format_pieces(args[0])
    if pieces is None:
        return None
    values = args[1:]
    takes = any(conversion for conversion, _ in pieces)
    out = bytearray()
    while True:
        for conversion, text in pieces:
            if not conversion:
                out += unescape(text, leading_zero=False)[0]
                continue
            value = values.pop(0) if values else ""
            if conversion == "b":
                shown, ended = unescape(value, leading_zero=True)
                out += shown
                if ended:
                    return bytes(out)
            elif conversion == "c":
                out += to_bytes(value[:1])
            elif conversion in "di":
                out += to_bytes(text % _integer(value))
            elif conversion in "xXou":
                out += to_bytes(text.replace("u", "d") % _integer(value))
            elif conversion == "q":
                out += to_bytes(value)
            else:
                out += to_bytes(text % value)
        if not values or not takes:
            return bytes(out)


def _integer(value: str) -> int:
    if value[:1] in ("'", '"'):
        return ord(value[1:2] or "\0")
    return int(value or "0", 0) if not value.startswith("0") or value[1:2] in "xX" else int(value, 8)


def _format_pieces(text: str) -> list[tuple[str, str]] | None:
    """The format as literal pieces (with an empty first part) and conversions (letter and Python format)."""
    pieces: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        sign = text.find("%", at)
        if sign < 0:
            pieces.append(("", text[at:]))
            break
        if sign > at:
            pieces.append(("", text[at:sign]))
        end = sign + 1
        while end < len(text) and text[end] in "-+ #0123456789.":
            end += 1
        letter = text[end : end + 1]
        if letter == "%":
            pieces.append(("", "%"))
        elif letter and letter in "sbcdiqxXou":
            pieces.append((letter, text[sign:end] + letter))
        else:
            return None
        at = end + 1
    return pieces


def cat(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    return stdin if all(arg in ("-", "-u", "--", "/dev/stdin") for arg in args) else None


def tee(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    return stdin


def nothing(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    """Returns what ``true`` prints; GNU's knows ``--help``."""
    return None if args else b""


def base64(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    decode = any(
        arg in ("-D", "-d", "-di", "-id") or (arg.startswith("--d") and "--decode".startswith(arg)) for arg in args
    )
    if any(not arg.startswith("-") for arg in args):
        return None

    if decode:
        kept = b"".join(stdin.split()).rstrip(b"=")
        return a2b_base64(kept + b"=" * (-len(kept) % 4))
    if args or len(stdin) > 57:
        return None
    return b2a_base64(stdin) if stdin else b""


def xxd(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    letters = "".join([arg.lstrip("-") for arg in args if arg.startswith("-")])
    if any(not arg.startswith("-") for arg in args) or not {"r"} <= set(letters) <= set("rpslain"):
        return None
    said = stdin.decode("ascii", "ignore")
    if "p" not in letters:
        return _undumped(said)
    kept = "".join([char for char in said if char in _HEX])
    return bytes.fromhex(kept[: len(kept) // 2 * 2])


def _undumped(dump: str) -> bytes | None:
    """Returns what ``xxd -r`` makes of a dump whose lines follow one another: an offset, digits, two blanks and the
    text.
    """
    found = b""
    for line in dump.split("\n"):
        offset, colon, rest = line.partition(":")
        digits = "".join(rest.lstrip().partition("  ")[0].split(" "))
        if not line.strip():
            continue
        if not colon or not set(_HEX).issuperset(offset + digits) or not offset or int(offset, 16) != len(found):
            return None
        if len(digits) % 2 or len(digits) > _DUMPED:
            return None
        found += bytes.fromhex(digits)
    return found


def found_program(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    """Returns what ``which NAME`` and ``command -v NAME`` print, without the folder."""
    return to_bytes(args[-1] + "\n") if args else None


FILTERS: dict[str, Filter] = {
    "echo": echo,
    "print": print_,
    "printf": printf,
    "cat": cat,
    "tee": tee,
    "base64": base64,
    "xxd": xxd,
    **dict.fromkeys(("which", "whence", "command"), found_program),
    ":": nothing,
    "true": nothing,
    "false": nothing,
}
"""Program name to its static version."""
BLIND = frozenset(("echo", "print", "printf", "which", "whence", "command", ":", "true", "false"))
"""Programs whose static version prints the same whatever their input is."""
WRITING = frozenset(("tee",))
"""Programs whose operands are files that they copy their input to."""
RUNNING_NEXT = frozenset(("command", "builtin", "exec", "env", "nice", "time", "nohup", "sudo"))
"""Programs for which the word behind them is the program that runs."""
