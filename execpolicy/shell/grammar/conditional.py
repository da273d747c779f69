"""``[[ … ]]``: no command of its own, but substitutions and arithmetic may run in it."""

from __future__ import annotations

from execpolicy.shell.grammar.cursor import META
from execpolicy.shell.grammar.simple import SimpleReader
from execpolicy.shell.pieces import Piece, bare_text
from execpolicy.shell.script import Use
from execpolicy.shell.variables import NAME_PART, NAME_START

_NUMERIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_BINARY = frozenset(("=", "==", "!=", "=~", "-nt", "-ot", "-ef")) | _NUMERIC
_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")


class ConditionalReader(SimpleReader):
    """Reads conditional commands."""

    def read_conditional(self) -> None:
        """Behind ``[[`` and up to and with ``]]``."""
        self.bash_only("[[")
        self.state.rich = True
        self.enter()
        if self.pending:
            self.fail("[[ between a here-document and its body")
        self._read_or()
        self.leave()
        start = self.pos
        if bare_text(self._operand(plain=True)) != "]]":
            self.fail("[[ without ]]", start)

    def _blanks(self) -> str:
        while True:
            char = self.skip_blanks()
            if char != "\n":
                return char
            self.pos += 1

    def _read_or(self) -> None:
        while True:
            self._read_term()
            self._blanks()
            if not (self.text.startswith("&&", self.pos) or self.text.startswith("||", self.pos)):
                return
            self.pos += 2

    def _read_term(self) -> None:
        char = self._blanks()
        if char == "(":
            self.enter()
            self.pos += 1
            self._read_or()
            if self._blanks() != ")":
                self.fail("unbalanced parenthesis in [[ ]]")
            self.pos += 1
            self.leave()
            return
        start = self.pos
        first = self._operand(plain=True)
        word = bare_text(first)
        if word == "!":
            self.enter()
            self._read_term()
            self.leave()
            return
        if word == "]]" or not first:
            self.fail("unusual [[ ]]", start)
        char = self._blanks()
        ahead = self._peek_word()
        if word in _UNARY and ahead not in _BINARY and ahead != "]]" and char not in "&|)<>":
            operand = self._operand(plain=True)
            if word == "-v" or word == "-R":
                self._variable_test(operand, start)
            elif word == "-t" and self.state.shell in ("zsh", "ksh"):  # zsh 5.9 evaluates it, `psvar[$(cmd)]` too
                self._number(operand, start)
            return
        if char and char in "<>":
            self.pos += 1
            self._blanks()
            self._operand(plain=True)
            return
        if ahead not in _BINARY:
            return
        self.pos += len(ahead)
        if self.skip_blanks() in ("\n", ""):
            self.fail("unusual [[ ]]", start)
        if ahead == "=~":
            self._regex()
            return
        second = self._operand(plain=ahead in _NUMERIC)
        if ahead in _NUMERIC:
            self._number(first, start)
            self._number(second, start)

    def _peek_word(self) -> str:
        """The raw characters up to the next blank or metacharacter (``<`` and ``>`` are operators of their own)."""
        at = self.pos
        while at < self.end and self.text[at] not in META:
            at += 1
        return self.text[self.pos : at]

    def _operand(self, *, plain: bool) -> list[Piece]:
        """A word; unless ``plain`` also a pattern with ``@(…)`` parts."""
        char = self._blanks()
        if not char or (char in META and not (char in "<>" and self.char(self.pos + 1) == "(")):
            self.fail("a word is missing in [[ ]]")
        pieces = self.read_word()
        while self.char(self.pos) == "(":
            if plain or self.text[self.pos - 1] not in "?*+@!":
                self.fail("unexpected `(` in [[ ]]")
            self._parenthesised()
            if self.char(self.pos) not in META:
                pieces += self.read_word()
            pieces.append(Piece("mixed", None, True))
        return pieces

    def _parenthesised(self) -> None:
        """A balanced ``(…)`` of a pattern or regular expression."""
        opening = self.pos
        depth = 0
        while self.pos < self.end:
            char = self.text[self.pos]
            if char == "(":
                depth += 1
                self.pos += 1
            elif char == ")":
                depth -= 1
                self.pos += 1
                if depth == 0:
                    return
            elif char == "\\":
                self.pos += 2
            elif char == "'":
                self.read_single()
            elif char == '"':
                self.read_double("bare")
            elif char == "$":
                self.read_dollar("bare")
            elif char == "`":
                self.read_backquote("bare")
            elif char in "<>;&\n#":
                self.fail("unusual character in a pattern of [[ ]]")
            else:
                self.pos += 1
        self.fail("unbalanced parenthesis in [[ ]]", opening)

    def _regex(self) -> None:
        """The right side of ``=~``: parentheses and ``|`` are part of the word."""
        if self.char(self.pos) == "#":
            self.fail("unusual regular expression in [[ ]]")
        while True:
            char = self.char(self.pos)
            if char == "(":
                self._parenthesised()
            elif char == "|":
                self.pos += 1
            elif char in ("", " ", "\t", "\n"):
                return
            elif char in "<>;&)" or not self.read_word():
                self.fail("unusual regular expression in [[ ]]")

    def _number(self, pieces: list[Piece], start: int) -> None:
        """An operand of ``-eq`` and its like is evaluated as arithmetic."""
        self.state.may_fail()
        names: set[str] = set()
        inner: list[int] = []
        unknown = False
        for piece in pieces:
            if piece.kind == "literal":
                text = piece.text or ""
                unknown = unknown or not all(char in "0123456789+- " for char in text)
                self.state.texts.append((text, self.span(start, self.pos)))
            elif piece.kind == "substitution":
                inner.extend(piece.inner)
            elif piece.kind == "variable" and not piece.number:
                simple = not piece.operator and piece.subscript is None and piece.name[0] in NAME_START
                unknown = unknown or not simple
                names.add(piece.name)
            elif piece.kind not in ("arithmetic", "variable"):
                unknown = True
        if len(pieces) == 1 and pieces[0].kind == "literal" and _is_name(pieces[0].text or ""):
            names.add(pieces[0].text or "")
            unknown = False
        if names or inner or unknown:
            span = self.span(start, self.pos)
            self.state.uses.append(Use(frozenset(names), unknown, span, tuple(inner), self.blocks, self.state.line))

    def _variable_test(self, pieces: list[Piece], start: int) -> None:
        """``-v a[$(c)]`` evaluates the subscript."""
        if len(pieces) == 1 and pieces[0].kind == "literal" and _is_name(pieces[0].text or ""):
            return
        for piece in pieces:
            self.state.texts.append((piece.text or "", self.span(start, self.pos)))
        self.state.uses.append(Use(frozenset(), True, self.span(start, self.pos), (), self.blocks, self.state.line))


def _is_name(text: str) -> bool:
    return bool(text) and text[0] in NAME_START and all(char in NAME_PART for char in text)
