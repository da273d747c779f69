"""Where a blank stands between two parts of a line."""

from __future__ import annotations

from execpolicy.formatting.groups import Atom, Group, Part

_OPERANDS = frozenset(("NAME", "INT", "FLOAT", "STRING", "BYTES", "FSTRING", "ELLIPSIS", "GROUP"))
_SIGNS = frozenset(("PLUS", "MINUS", "TILDE", "STAR", "STAR_STAR", "SLASH"))


class Spacing:
    """Goes along the parts of a line or of an item; ``around`` is the bracket they are in."""

    def __init__(self, around: Group | None) -> None:
        self.around = around
        self.previous = ""
        self.tight = False  # the previous part was a sign, which nothing separates from its operand
        self.lambdas = 0
        self.closed_lambda = False
        self.annotated = False

    def before(self, part: Part) -> str:
        """What stands between the previous part and ``part``, a blank or nothing; and go on behind ``part``."""
        kind = part.type if isinstance(part, Atom) else "GROUP"
        between = self._between(part, kind) if self.previous and not self.tight else ""
        self._go_on(kind)
        return between

    def _between(self, part: Part, kind: str) -> str:
        previous = self.previous
        if kind in ("COMMA", "SEMICOLON") or previous == "DOT":
            return ""
        if kind == "DOT":
            return " " if previous == "INT" else ""
        if isinstance(part, Group) and part.kind in ("call", "index") and previous in (*_OPERANDS, "LOAD"):
            return ""
        if kind == "COLON":
            return ""
        if previous == "COLON":
            return "" if self._slicing() else " "
        if kind == "EQUAL" or previous == "EQUAL":
            return "" if self._keyword() else " "
        return " "

    def _slicing(self) -> bool:
        return self.around is not None and self.around.kind == "index" and not self.closed_lambda

    def _keyword(self) -> bool:
        """Whether ``=`` here names an argument or gives a parameter its default."""
        return (self.around is not None and not self.annotated) or self.lambdas > 0

    def _go_on(self, kind: str) -> None:
        previous = self.previous
        self.closed_lambda = False
        if kind == "LAMBDA":
            self.lambdas += 1
        elif kind == "COLON":
            if self.lambdas:
                self.lambdas -= 1
                self.closed_lambda = True
            elif self.around is not None and self.around.kind == "call":
                self.annotated = True
        self.tight = kind in _SIGNS and previous not in _OPERANDS
        self.previous = kind
