"""Arithmetic text: where it ends, what it names and what runs in it."""

from __future__ import annotations

from execpolicy.shell.grammar.cursor import DIGITS
from execpolicy.shell.grammar.quotes import QuoteReader
from execpolicy.shell.script import Use
from execpolicy.shell.variables import NAME_PART, NAME_START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ARITHMETIC = frozenset("+-*/%()<>=!&|^~?:, \t\n")


def _holds_octals(script: str) -> bool:
    """Whether some variable may be a number like ``08``, which arithmetic refuses: ``n=08``, ``n=$(date +%m)``."""
    return "date" in script or any(f"=0{digit}" in script for digit in DIGITS)


def _never_fails(text: str, octals: object) -> bool:
    """Whether ``text`` and what closes it is a sum or product of numbers and variables, and nothing else."""
    if octals:
        return False
    expecting = True
    for token in text.rstrip(")]}").replace("+", " + ").replace("-", " - ").replace("*", " * ").split():
        if token in ("+", "-", "*"):
            if expecting:
                return False
            expecting = True
            continue
        name = token[2:-1] if token.startswith("${") and token.endswith("}") else token.removeprefix("$")
        number = token.isascii() and token.isdigit() and (len(token) == 1 or token[0] != "0")
        if not expecting or not (number or name.isidentifier()):
            return False
        expecting = False
    return not expecting


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
        begun = self.pos
        operand = ""
        while True:
            if self.pos >= end:
                self.fail("unterminated arithmetic", start)
            char = text[self.pos]
            beside, operand = operand, ""
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
                # `x$y` and `x\⏎5` are names that are put together at run time; `1$x` and `10#$x` are numbers if `x` is
                unknown = unknown or beside == "name"
                operand = "value"
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
                unknown = unknown or beside != ""
                operand = "name"
                while self.pos < end and text[self.pos] in NAME_PART:
                    self.pos += 1
                names.add(text[begin : self.pos])
            elif char in DIGITS:
                unknown = unknown or beside == "name"
                operand = "value"
                while self.pos < end and (text[self.pos] in NAME_PART or text[self.pos] == "#"):
                    self.pos += 1
            elif char == "\\" and self.char(self.pos + 1) == "\n":
                operand = beside
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
        if unknown or ranges or not _never_fails(text[begun : self.pos], names and _holds_octals(text)):
            state.may_fail()
        if unknown or names or ranges:
            inner = tuple([index for one in ranges for index in one])
            where = self.span(start, self.pos)
            state.uses.append(Use(frozenset(names), unknown, where, inner, self.blocks, self.state.line))
        elif len(state.commands) > first:
            state.uses.append(Use(frozenset(), True, self.span(start, self.pos), (), self.blocks, self.state.line))

    def plain_quote(self) -> str:
        """A single quote where bash reads it in two ways: only accepted when both end at the same place."""
        close = self.text.find("'", self.pos + 1, self.end)
        inside = self.text[self.pos + 1 : close]
        if close < 0 or any(char in inside for char in "}])$`\\\"'"):
            self.fail("single quote inside double-quoted ${…}")
        whole = self.text[self.pos : close + 1]
        self.pos = close + 1
        return whole
