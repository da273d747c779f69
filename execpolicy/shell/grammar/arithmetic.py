"""Arithmetic text: where it ends, what it names and what runs in it."""

from __future__ import annotations

from execpolicy.shell.grammar.cursor import DIGITS, NAME_PART, NAME_START
from execpolicy.shell.grammar.quotes import QuoteReader
from execpolicy.shell.grammar.state import Use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ARITHMETIC = frozenset("+-*/%()<>=!&|^~?:, \t\n")


class NotArithmetic(Exception):
    """``((`` turned out to open two subshells."""


class ArithmeticReader(QuoteReader):
    """Reads the inside of ``$((…))``, ``((…))``, ``$[…]``, subscripts and offsets."""

    def scan_arithmetic(self, close: str, start: int) -> None:
        """Read an arithmetic text behind the position up to ``close`` (``))``, ``]`` or ``}``) and go behind it.

        What is not a constant is recorded as a ``Use`` and proven, or not, at the end.
        """
        text, end, state = self.text, self.end, self.state
        first = len(state.commands)
        outer_context = self.context
        self.context = outer_context + ("arithmetic",)
        names: set[str] = set()
        ranges: list[Sequence[int]] = []
        unknown = False
        nesting = 0
        while True:
            if self.pos >= end:
                self.fail("unterminated arithmetic", start)
            char = text[self.pos]
            if char == close[0] and nesting == 0:
                following = self.after(self.pos + 1)
                if close == "))":
                    if self.char(following) != ")":
                        self.context = outer_context
                        raise NotArithmetic
                    following += 1
                self.pos = following if close == "))" else self.pos + 1
                break
            if char == "$" or char == "`":
                piece = self.read_dollar("double") if char == "$" else self.read_backquote("double")
                if piece.kind == "substitution":
                    ranges.append(piece.inner)
                elif piece.kind == "variable" and not piece.number:
                    if piece.operator or piece.subscript is not None or piece.name[0] not in NAME_START:
                        unknown = True
                    names.add(piece.name)
                elif piece.kind == "literal":
                    unknown = True
            elif char in NAME_START:
                begin = self.pos
                while self.pos < end and text[self.pos] in NAME_PART:
                    self.pos += 1
                names.add(text[begin : self.pos])
            elif char in DIGITS:
                while self.pos < end and (text[self.pos] in NAME_PART or text[self.pos] == "#"):
                    self.pos += 1
            elif char == "\\" and self.char(self.pos + 1) == "\n":
                self.pos = self.after(self.pos)
            elif char in _ARITHMETIC:
                if char == "(":
                    nesting += 1
                elif char == ")":
                    nesting -= 1
                    if nesting < 0:
                        self.fail("unbalanced parenthesis in arithmetic")
                self.pos += 1
            elif char == "[":
                self.pos += 1
                unknown = True
                self.enter()
                self.scan_arithmetic("]", self.pos - 1)
                self.leave()
            elif char == '"' and close == "]":
                unknown = True
                self.read_double("double")
            elif char == "'" and close == "]":
                unknown = True
                self.plain_quote()
            elif close == "]" and (char in "@.%/" or char == "-"):
                unknown = True
                self.pos += 1
            else:
                self.fail("unusual character in arithmetic")
        self.context = outer_context
        if unknown or names or ranges:
            inner = tuple([index for one in ranges for index in one])
            where = self.span(start, self.pos)
            state.uses.append(Use(frozenset(names), unknown, where, inner, self.blocks))
        elif len(state.commands) > first:
            state.uses.append(Use(frozenset(), True, self.span(start, self.pos), (), self.blocks))

    def plain_quote(self) -> str:
        """A single quote where bash reads it in two ways: only accepted when both end at the same place."""
        close = self.text.find("'", self.pos + 1, self.end)
        inside = self.text[self.pos + 1 : close]
        if close < 0 or any(char in inside for char in "}])$`\\\"'"):
            self.fail("single quote inside double-quoted ${…}")
        whole = self.text[self.pos : close + 1]
        self.pos = close + 1
        return whole
