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

    def _kind(self, part: Part) -> str:
        return part.type if isinstance(part, Atom) else "GROUP"

    def before(self, part: Part) -> str:
        """What stands between the previous part and ``part``: a blank or nothing."""
        kind, previous = self._kind(part), self.previous
        if not previous or self.tight or kind in ("COMMA", "SEMICOLON") or previous == "DOT":
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

    def after(self, part: Part) -> None:
        """Go on behind ``part``."""
        kind, previous = self._kind(part), self.previous
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
