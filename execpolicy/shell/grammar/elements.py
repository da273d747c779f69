"""Words and arrays as they stand in the text: pieces up to the next metacharacter."""

from __future__ import annotations

from execpolicy.shell.grammar.cursor import META
from execpolicy.shell.grammar.heredocs import HeredocReader
from execpolicy.shell.pieces import Piece
from execpolicy.shell.variables import NAME_PART, NAME_START
from execpolicy.shell.words import Word

_QUOTES = frozenset("'\"\\$`")
_WORD_STOP = META | _QUOTES


class WordReader(HeredocReader):
    """Reads words."""

    def read_word(self, *, element: bool = False) -> list[Piece]:
        """The word at the position (not empty); stops at a metacharacter.

        ``element``: an assignment may stand here. For ``name[sub]=…`` the pieces begin at ``=`` or ``+=`` and
        ``self.element`` is the name; otherwise ``self.element`` is ``None``.
        """
        text, end = self.text, self.end
        pieces: list[Piece] = []
        name: str | None = None
        self.element = None
        pos = start = self.pos
        while pos < end:
            char = text[pos]
            if char not in _WORD_STOP:
                begin = pos
                pos += 1
                if element:
                    while pos < end and text[pos] not in _WORD_STOP and text[pos] != "[":
                        pos += 1
                else:
                    while pos < end and text[pos] not in _WORD_STOP:
                        pos += 1
                run = text[begin:pos]
                if pieces and pieces[-1].kind == "literal" and not pieces[-1].quoted:
                    pieces[-1] = Piece("literal", (pieces[-1].text or "") + run, False)
                else:
                    pieces.append(Piece("literal", run, False))
                if element and text[pos : pos + 1] == "[":
                    if len(pieces) == 1 and _is_name(pieces[0].text or "") and name is None:
                        self.pos = pos
                        pos = self._read_subscript(pieces)
                        name = self.element
                        continue
                    element = False
                continue
            self.pos = pos
            if char == "\\":
                follower = text[pos + 1 : pos + 2]
                if follower == "\n":
                    self.state.rich = True
                    pos += 2
                    continue
                pieces.append(Piece("literal", follower or "\\", True))
                if not follower:
                    if self.state.depth or self.offsets is not None:
                        self.fail("backslash at the end")
                    # bash 5.2 drops it when quotes opened on an earlier line, and keeps it otherwise.
                    self.state.doubt("a backslash at the end")
                pos += 2
                pos = min(pos, end)
                continue
            if char == "'":
                pieces.append(self.read_single())
            elif char == '"':
                pieces += self.read_double("bare")
            elif char == "$":
                piece = self.read_dollar("bare")
                last = pieces[-1] if pieces else None
                if piece.kind == "literal" and not piece.quoted and last and last.kind == "literal" and not last.quoted:
                    pieces[-1] = Piece("literal", (last.text or "") + (piece.text or ""), False)
                else:
                    pieces.append(piece)
            elif char == "`":
                pieces.append(self.read_backquote("bare"))
            elif char in "<>" and self.char(self.after(pos + 1)) == "(":
                if self.state.shell not in ("bash", "zsh"):
                    self.state.doubt("<(…) is not read by every sh")
                pieces.append(self.read_substitution(pos, self.after(pos + 1), False, "process"))
            else:
                break
            pos = self.pos
        if "{" in text[start:pos] and _hides_braces(text[start:pos]):
            self.state.doubt("braces beside backquotes or quotes inside ${…} in one word")
            pieces.append(Piece("mixed", None, False, many=True))
        self.pos = pos
        self.element = name  # words inside this one may have set it
        return pieces

    def _read_subscript(self, pieces: list[Piece]) -> int:
        """``[…]`` behind a name; returns the position behind it."""
        opening = self.pos
        name = pieces[0].text or ""
        uses = len(self.state.uses)
        self.pos += 1
        first = len(self.state.commands)
        self.enter()
        self.scan_arithmetic("]", opening)
        self.leave()
        follower = self.after(self.pos)
        raw = self.text[opening : self.pos]
        if self.char(follower) == "=" or self.text.startswith("+=", follower):
            self.element = name
            pieces.clear()
            self.bash_only("array elements")
            return self.pos
        if len(self.state.commands) > first or any(char in META or char in _QUOTES for char in raw):
            self.fail("unusual `[` in a word", opening)
        del self.state.uses[uses:]
        self.element = None
        pieces[0] = Piece("literal", name + raw, False)
        return self.pos

    def read_array(self) -> tuple[list[Word], tuple[tuple[Piece, ...], ...]]:
        """``(…)`` of an array assignment with the position on the parenthesis."""
        opening = self.pos
        self.bash_only("arrays")
        self.state.rich = True
        self.pos += 1
        words: list[Word] = []
        values: list[tuple[Piece, ...]] = []
        self.enter()
        while True:
            char = self.skip_blanks()
            if char == ")":
                self.pos += 1
                self.leave()
                raw = self.text[opening : self.pos]
                if ("\n" in raw or "\\" in raw) and self.reparsed():
                    self.state.doubt("an array with escapes or newlines inside a substitution")
                if self.pos < self.end and self.text[self.pos] not in META:
                    self.fail("text directly behind an array")
                return words, tuple(values)
            if char == "\n":
                if self.pending:
                    self.fail("an array over several lines between a here-document and its body")
                self.pos += 1
                continue
            if not char or (char in META and not (char in "<>" and self.char(self.pos + 1) == "(")):
                self.fail("unusual character in an array", opening)
            start = self.pos
            if char == "[":
                self.state.doubt("array element with a subscript")
            pieces = self.read_word()
            if not pieces:
                self.fail("an empty word", start)
            values.append(tuple(pieces))
            words += self.build_words(pieces, start)


def _is_name(text: str) -> bool:
    return bool(text) and text[0] in NAME_START and all(char in NAME_PART for char in text)


def _hides_braces(raw: str) -> bool:
    """Whether bash, which expands braces on the raw word, may see braces that are inside an expansion.

    It does not know backquotes between double quotes, nor quotes inside ``"${…}"``.
    """
    rest = raw.replace("${", "")
    if "{" not in rest or not ("," in rest or ".." in rest):
        return False
    if "`" in raw:
        return True
    at = raw.find("${")
    while at >= 0:
        close = raw.find("}", at)
        inside = raw[at + 2 : close if close > 0 else len(raw)]
        if '"' in inside or "'" in inside or "{" in inside:
            return True
        at = raw.find("${", at + 2)
    return False
