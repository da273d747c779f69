"""Quotes: ``'…'``, ``"…"``, ``$'…'``, ``$"…"``, backslashes and backquotes."""

from __future__ import annotations

from execpolicy.shell.grammar.cursor import Cursor
from execpolicy.shell.pieces import Piece, literal_text

_ANSI = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
"""One-character escapes of ``$'…'`` (bash manual, "ANSI-C Quoting")."""
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")


class QuoteReader(Cursor):
    """Reads quoted stretches."""

    def read_single(self) -> Piece:
        """``'…'`` at the position."""
        close = self.text.find("'", self.pos + 1, self.end)
        if close < 0:
            self.fail("unterminated single quote")
        piece = Piece("literal", self.text[self.pos + 1 : close], True)
        self.pos = close + 1
        return piece

    def read_double(self, mode: str) -> list[Piece]:
        """``"…"`` at the position: literal and dynamic pieces, all of them quoted, at least one."""
        start = self.pos
        self.pos += 1
        pieces = self.read_quoted_text('"', "double")
        if self.pos >= self.end:
            self.fail("unterminated double quote", start)
        self.pos += 1
        return pieces

    def read_quoted_text(self, close: str, mode: str) -> list[Piece]:
        """Text as between double quotes up to ``close`` (``""``: to the end, as in a here-document)."""
        text, end = self.text, self.end
        pieces: list[Piece] = []
        parts: list[str] = []
        begin = pos = self.pos
        while pos < end:
            char = text[pos]
            if char == close:
                break
            if char == "\\":
                follower = text[pos + 1 : pos + 2]
                parts.append(text[begin:pos])
                if follower == "\n":
                    self.state.rich = True
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
                self.pos = pos
                piece = self.read_dollar(mode) if char == "$" else self.read_backquote(mode)
                pos = begin = self.pos
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
        self.pos = pos
        return pieces

    def read_ansi(self) -> Piece:
        """``$'…'`` with the position on the quote."""
        text, start = self.text, self.pos
        pos = start + 1
        codes = bytearray()
        known = True
        while True:
            if pos >= self.end:
                self.fail("unterminated $' quote", start)
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
                last = pos
                while last < pos + 2 and self.char(last) in _OCTAL and self.char(last):
                    last += 1
                codes.append(int(text[pos - 1 : last], 8) & 0xFF)
                pos = last
            elif escape == "x" or escape == "u" or escape == "U":
                width = {"x": 2, "u": 4, "U": 8}[escape]
                last = pos
                while last < pos + width and self.char(last) in _HEX and self.char(last):
                    last += 1
                if last == pos:
                    self.state.doubt("unusual escape in $' quote")
                    known = False
                    continue
                value = int(text[pos:last], 16)
                if value > 0x7F and escape != "x":
                    known = False  # depends on the locale of the shell
                else:
                    codes.append(value)
                pos = last
            else:
                self.state.doubt("unusual escape in $' quote")
                known = False
                # `\c'` is one escape: the quote does not end there.
                pos += 1 if escape == "c" else 0
        if 0 in codes:
            self.state.doubt("NUL in $' quote")
            known = False
        self.pos = pos
        self.state_doubt("$'…' is not read by every sh")
        try:
            value_text = codes.decode("utf-8")
        except UnicodeDecodeError:
            known = False
        if not known:
            return Piece("mixed", None, True, source="$" + text[start:pos])
        return Piece("literal", value_text, True)

    def read_locale(self) -> Piece:
        """``$"…"`` with the position on the quote. A message catalogue may translate it, so it is not literal."""
        start = self.pos
        pieces = self.read_double("bare")
        self.state_doubt('$"…" is not read by every sh')
        inner = [index for piece in pieces for index in piece.inner]
        ran = tuple(inner)
        return Piece("mixed", literal_text(pieces), True, inner=ran, source=self.text[start + 1 : self.pos - 1])

    def read_backquote(self, mode: str) -> Piece:
        """`` `…` `` at the position: the text between is unescaped once and then read as a script."""
        text, start = self.text, self.pos
        escapable = '$`\\"' if mode == "double" else "$`\\"
        chars: list[str] = []
        offsets: list[int] = []
        pos = start + 1
        while True:
            if pos >= self.end:
                self.fail("unterminated backquote", start)
            char = text[pos]
            if char == "`":
                break
            if char == "\\":
                follower = text[pos + 1 : pos + 2]
                if follower == "\n":
                    self.state.rich = True
                    pos += 2
                    continue
                if follower and follower in escapable:
                    pos += 1
                    char = follower
                elif follower:
                    chars.append(char)
                    offsets.append(self.where(pos))
                    pos += 1
                    char = follower
            chars.append(char)
            offsets.append(self.where(pos))
            pos += 1
        if not self.state.budget.spend(2 * len(chars)):
            self.fail("too much text inside backquotes")
        self.state.rich = True
        first = len(self.state.commands)
        offsets.append(self.where(pos))
        self.enter()
        inner = self.derived("".join(chars), offsets, self.context + ("substitution",))
        inner.read_list((), empty=True)
        if inner.pos < inner.end:
            inner.fail("unexpected text in backquotes")
        if inner.pending:
            self.fail("here-document without a body in backquotes")
        self.leave()
        self.pos = pos + 1
        ran = range(first, len(self.state.commands))
        return Piece("substitution", None, mode != "bare", inner=ran, source=text[start : self.pos])

    def state_doubt(self, reason: str) -> None:
        if self.state.shell not in ("bash", "zsh"):
            self.state.doubt(reason)
