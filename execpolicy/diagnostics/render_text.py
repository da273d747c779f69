"""Diagnostics for people: place, message, the source line with an underline, the suggested action.

The module imports little because every command of the CLI prints its errors with it.
"""

from __future__ import annotations

import unicodedata
from _collections_abc import Callable, Iterable

from execpolicy.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from execpolicy.diagnostics.model import Diagnostic

_TAB = 4
_WIDEST = 160
_MARGIN = 40


def render_text(found: Iterable[Diagnostic], *, color: bool = False) -> str:
    """``found`` as text, each a block that ends in a line break, blocks separated by an empty line.

    Args:
        color: use ANSI colours; the caller decides if the output is a terminal.
    """
    return "\n".join([_block(diagnostic, color) for diagnostic in found])


def _block(diagnostic: Diagnostic, color: bool) -> str:
    paint = painter(color)
    place = visible(diagnostic.path)
    if diagnostic.line:
        place += f":{diagnostic.line}"
        if diagnostic.column:
            place += f":{diagnostic.column}"
    label = paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
    lines = [f"{paint(place, 'place')}: {label}: {visible(diagnostic.message)}"]
    gutter = " " * len(str(diagnostic.line))
    lines.extend(_excerpt(diagnostic, gutter, paint))
    if diagnostic.help and not diagnostic.line:  # a whole file has no line to show
        lines[0] += f"; {visible(diagnostic.help)}"
    elif diagnostic.help:
        lines.append(f"{gutter} {paint('=', 'frame')} {paint('help', 'help')}: {visible(diagnostic.help)}")
    return "\n".join(lines) + "\n"


def _excerpt(diagnostic: Diagnostic, gutter: str, paint: Paint) -> list[str]:
    """The source line and the underline, if there is a line to show."""
    source, line = diagnostic.source, diagnostic.line
    if source is None or line < 1:
        return []
    text = _line(source, diagnostic)
    start = max(0, diagnostic.column - 1)
    length = len(text) - start if not diagnostic.column else 1
    if diagnostic.span is not None:
        length = diagnostic.span.end - diagnostic.span.start
    start = min(start, len(text))
    end = min(start + max(1, length), max(len(text), start + 1))
    before, text, end = _cropped(text, start, end)
    start = before
    shown = _columns(text)
    left = sum(width for _, width in shown[:start])
    under = sum(width for _, width in shown[start:end]) or 1
    bar = paint("|", "frame")
    return [
        f"{gutter} {bar}",
        f"{paint(str(line), 'frame')} {bar} {''.join(piece for piece, _ in shown)}".rstrip(),
        f"{gutter} {bar} {' ' * left}{paint('^' * under, diagnostic.severity)}",
    ]


def _line(source: Source, diagnostic: Diagnostic) -> str:
    """The line of the diagnostic, found from its span if it has one: a file may be big and have many problems."""
    if diagnostic.span is None:
        return source.line(diagnostic.line)
    start = source.text.rfind("\n", 0, diagnostic.span.start) + 1
    end = source.text.find("\n", diagnostic.span.start)
    return source.text[start : len(source.text) if end < 0 else end].rstrip("\r")


def _cropped(text: str, start: int, end: int) -> tuple[int, str, int]:
    """``start``, text and ``end`` of a window on a line that is too long to print."""
    if len(text) <= _WIDEST:
        return start, text, end
    first = max(0, start - _MARGIN)
    last = min(len(text), first + _WIDEST)
    head, tail = "…" if first else "", "…" if last < len(text) else ""
    shift = len(head) - first
    return start + shift, head + text[first:last] + tail, min(end, last) + shift


def _columns(text: str) -> list[tuple[str, int]]:
    """The printed form of each character, and the number of terminal columns it takes."""
    if text.isascii() and text.isprintable():
        return [(char, 1) for char in text]
    found: list[tuple[str, int]] = []
    at = 0
    for char in text:
        if char == "\t":
            width = _TAB - at % _TAB
            piece = " " * width
        else:
            piece = visible(char)
            width = len(piece) if len(piece) > 1 else _width(piece)
        found.append((piece, width))
        at += width
    return found


def _width(char: str) -> int:
    if char.isascii():
        return 1

    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def visible(text: str) -> str:
    """``text`` with characters that could control a terminal or hide text printed as ``\\u{…}``."""
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in text])


Paint: TypeAlias = "Callable[[str, str], str]"


_RESET = "\x1b[0m"
_STYLES = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "info": "\x1b[1;36m",
    "good": "\x1b[1;32m",
    "allow": "\x1b[32m",
    "prompt": "\x1b[33m",
    "forbidden": "\x1b[31m",
    "place": "\x1b[1m",
    "frame": "\x1b[34m",
    "help": "\x1b[36m",
    "dim": "\x1b[2m",
}


def painter(color: bool) -> Paint:
    """The function that colours a text by a meaning, or returns it unchanged."""
    return (lambda text, meaning: f"{_STYLES[meaning]}{text}{_RESET}") if color else lambda text, meaning: text
