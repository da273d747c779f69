"""Quotes: ``'…'``, ``"…"``, ``$'…'``, ``$"…"``, backslashes and backquotes."""

from __future__ import annotations

from execpolicy.shell.grammar.reader import Reader
from execpolicy.shell.pieces import Piece, literal_text

_ANSI = dict(zip("ntrabeEfv\\'\"?", "\n\t\r\a\b\x1b\x1b\f\v\\'\"?", strict=True))
"""One-character escapes of ``$'…'`` (bash manual, "ANSI-C Quoting")."""
_NO_ESCAPES = frozenset("[](){}|.+*^$-/,;:%#@!&<>=~ dDwWsS")
"""Characters before which bash 5.2 keeps a backslash in these quotes, as before every character that is not an escape.
"""
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")


def read_single(reader: Reader) -> Piece:
    """Reads ``'…'`` at the position."""
    reader.state.count()
    close = reader.text.find("'", reader.pos + 1, reader.end)
    if close < 0:
        reader.fail("unterminated single quote")
    piece = Piece("literal", reader.text[reader.pos + 1 : close], True)
    reader.pos = close + 1
    return piece


def read_double(reader: Reader) -> list[Piece]:
    """Reads ``"…"`` at the position: literal and dynamic pieces, all of them quoted, at least one."""
    start = reader.pos
    reader.state.count()
    reader.pos += 1
    pieces = read_quoted_text(reader, '"', "double")
    if reader.pos >= reader.end:
        reader.fail("unterminated double quote", start)
    reader.pos += 1
    return pieces


def read_quoted_text(reader: Reader, close: str, mode: str) -> list[Piece]:
    """Reads text as between double quotes up to ``close`` (``""``: to the end, as in a here-document)."""
    text, end = reader.text, reader.end
    pieces: list[Piece] = []
    parts: list[str] = []
    begin = pos = reader.pos
    while pos < end:
        char = text[pos]
        if char == close:
            break
        if char == "\\":
            follower = text[pos + 1 : pos + 2]
            parts.append(text[begin:pos])
            if follower == "\n":
                reader.state.rich = True
                pos += 2
                begin = pos
            elif follower and (follower in "$`\\" or follower == close):
                parts.append(follower)
                pos += 2
                begin = pos
            else:
                begin = pos
                pos += 2 if follower else 1
        elif char == "$" or char == "`":
            parts.append(text[begin:pos])
            reader.pos = pos
            piece = reader.hooks.read_dollar(reader, mode) if char == "$" else read_backquote(reader, mode)
            pos = begin = reader.pos
            if piece.kind == "literal":
                parts.append(piece.text or "")
            else:
                joined = "".join(parts)
                if joined:
                    pieces.append(Piece("literal", joined, True))
                parts = []
                pieces.append(piece)
        else:
            pos += 1
    pos = min(pos, end)
    parts.append(text[begin:pos])
    joined = "".join(parts)
    if joined or not pieces:
        pieces.append(Piece("literal", joined, True))
    reader.pos = pos
    return pieces


def read_ansi(reader: Reader) -> Piece:
    """Reads ``$'…'`` with the position on the quote."""
    text, start = reader.text, reader.pos
    pos = start + 1
    codes = bytearray()
    known = True
    while True:
        if pos >= reader.end:
            reader.fail("unterminated $' quote", start)
        char = text[pos]
        pos += 1
        if char == "'":
            break
        if char != "\\":
            codes += char.encode("utf-8", "surrogatepass")
            continue
        escape = text[pos : pos + 1]
        pos += 1
        if escape in _ANSI:
            codes += _ANSI[escape].encode()
        elif escape in _OCTAL:
            last = _digits_end(reader, pos, _OCTAL, 2)
            codes.append(int(text[pos - 1 : last], 8) & 0xFF)
            pos = last
        elif escape == "x" or escape == "u" or escape == "U":
            last = _digits_end(reader, pos, _HEX, {"x": 2, "u": 4, "U": 8}[escape])
            if last == pos:
                reader.state.mark_ambiguous("unusual escape in $' quote")
                known = False
                continue
            value = int(text[pos:last], 16)
            if value > 0x7F and escape != "x":
                known = False  # depends on the locale of the shell
            else:
                codes.append(value)
            pos = last
        elif escape in _NO_ESCAPES and reader.state.shell == "bash":
            codes += b"\\" + escape.encode()  # zsh and mksh drop the backslash
        else:
            reader.state.mark_ambiguous("unusual escape in $' quote")
            known = False
            # `\c'` is one escape: the quote does not end there.
            pos += 1 if escape == "c" else 0
    known = _cut_at_nul(reader, codes) and known
    reader.pos = pos
    reader.bash_only("$'…'")
    try:
        value_text = codes.decode("utf-8")
    except UnicodeDecodeError:
        known = False
    if not known:
        return Piece("mixed", None, True, source="$" + text[start:pos])
    return Piece("literal", value_text, True)


def _digits_end(reader: Reader, pos: int, digits: frozenset[str], most: int) -> int:
    """The end of the digits at ``pos``, at most ``most`` of them."""
    last = pos
    while last < pos + most and reader.char(last) in digits:
        last += 1
    return last


def _cut_at_nul(reader: Reader, codes: bytearray) -> bool:
    """Removes the text after a NUL, as bash does; true if the shell's reading of the text is then known."""
    if 0 not in codes:
        return True
    if reader.state.shell == "bash":
        del codes[codes.index(0) :]
        return True
    reader.state.mark_ambiguous("NUL in $' quote")  # zsh keeps it
    return False


def read_locale(reader: Reader) -> Piece:
    """Reads ``$"…"`` with the position on the quote. A message catalogue may translate it, so it is not literal."""
    start = reader.pos
    pieces = read_double(reader)
    reader.bash_only('$"…"')
    ran = tuple([index for piece in pieces for index in piece.inner])
    many = any(piece.many for piece in pieces)  # `$"$@"` expands to as many words as `"$@"`
    source = reader.text[start + 1 : reader.pos - 1]
    return Piece("mixed", literal_text(pieces), True, many=many, inner=ran, source=source)


def unescape_to(reader: Reader, pos: int, stop: str, escapable: str, chars: list[str], offsets: list[int]) -> int:
    """Appends the text from ``pos`` up to ``stop`` or the end, with each offset; returns the end position.

    Continuations are removed, and so are backslashes in front of one of ``escapable``.
    """
    text, end = reader.text, reader.end
    while pos < end and (char := text[pos]) != stop:
        if char == "\\":
            follower = text[pos + 1 : pos + 2]
            if follower == "\n":
                reader.state.rich = True
                pos += 2
                continue
            if follower and follower not in escapable:
                chars.append(char)
                offsets.append(reader.where(pos))
            if follower:
                pos += 1
                char = follower
        chars.append(char)
        offsets.append(reader.where(pos))
        pos += 1
    return pos


def read_backquote(reader: Reader, mode: str) -> Piece:
    """Reads `` `…` `` at the position: the text between is unescaped once and then read as a script."""
    text, start = reader.text, reader.pos
    reader.state.count()
    escapable = '$`\\"' if mode == "double" else "$`\\"
    chars: list[str] = []
    offsets: list[int] = []
    pos = unescape_to(reader, start + 1, "`", escapable, chars, offsets)
    if pos >= reader.end:
        reader.fail("unterminated backquote", start)
    if not reader.state.budget.spend(2 * len(chars)):
        reader.fail("too much text inside backquotes")
    reader.state.rich = True
    first = len(reader.state.commands)
    offsets.append(reader.where(pos))
    reader.enter()
    inner = reader.derived("".join(chars), offsets, reader.context + ("substitution",))
    reader.hooks.read_list(inner, (), empty=True)
    if inner.pos < inner.end:
        inner.fail("unexpected text in backquotes")
    if inner.pending:
        reader.fail("here-document without a body in backquotes")
    reader.leave()
    reader.pos = pos + 1
    ran = range(first, len(reader.state.commands))
    return Piece("substitution", None, mode != "bare", inner=ran, source=text[start : reader.pos])
