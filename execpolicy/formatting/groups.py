"""Reads one logical line as nested brackets with their comments; decides the blanks between the parts of a line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from execpolicy.lang.terminals import RuleToken

_OPERANDS = frozenset(("NAME", "INT", "FLOAT", "STRING", "BYTES", "FSTRING", "ELLIPSIS", "GROUP"))
_SIGNS = frozenset(("PLUS", "MINUS", "TILDE", "STAR", "STAR_STAR", "SLASH"))


class Spacing:
    """The spacing of the parts of a line or of an item, read in order; ``around`` is the enclosing bracket."""

    def __init__(self, around: Group | None) -> None:
        self.around = around
        self.previous = ""
        self.tight = False  # the previous part was a sign, which has no blank before its operand
        self.lambdas = 0
        self.closed_lambda = False
        self.annotated = False

    def before(self, part: Part) -> str:
        """The blank, or nothing, between the previous part and ``part``; then ``part`` is the previous part."""
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
            slices = self.around is not None and self.around.kind == "index" and not self.closed_lambda
            return "" if slices else " "
        if kind == "EQUAL" or previous == "EQUAL":
            return "" if self._keyword() else " "
        return " "

    def _keyword(self) -> bool:
        """True if ``=`` here follows the name of an argument or of a parameter with a default."""
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


_OPEN = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
_OPERAND_ENDS = frozenset(("NAME", "STRING", "BYTES", "RPAR", "RSQB", "RBRACE", "INT", "FLOAT", "FSTRING_END"))


class Unsupported(Exception):
    """A comment is at a place where no layout can keep it; the line is not changed."""


@dataclass(slots=True)
class Atom:
    """A token, or a whole f-string, that is printed unchanged."""

    type: str
    text: str


@dataclass(slots=True)
class Item:
    """The parts between two commas of a bracket."""

    parts: list[Part] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    trailing: str | None = None


@dataclass(slots=True)
class Group:
    """A pair of brackets.

    Attributes:
        kind: ``call`` (also parameters of a ``def``), ``index``, ``tuple``, ``list`` or ``dict``.
        items: split at commas; a comprehension is one item.
        comma: true if a comma follows the last item.
        comments: the comments before the closing bracket.
    """

    open: str
    close: str
    kind: str
    items: list[Item] = field(default_factory=list)
    comma: bool = False
    comments: list[str] = field(default_factory=list)
    comprehension: bool = False

    def has_comments(self) -> bool:
        """True if there is a comment at any depth."""
        return bool(self.comments) or any(
            item.comments
            or item.trailing
            or any(isinstance(part, Group) and part.has_comments() for part in item.parts)
            for item in self.items
        )


Part: TypeAlias = Atom | Group

_DEEPEST = 100


def line_parts(tokens: list[RuleToken]) -> tuple[list[Part], str | None]:
    """The parts of a logical line (without its ``NEWLINE``) and the comment at its end.

    Raises:
        Unsupported: a comment is inside an expression, or brackets are nested too deeply.
    """
    reader = _LineReader(tokens)
    parts = reader.parts(frozenset())
    if reader.at < len(tokens):
        raise Unsupported
    return parts, reader.comment


class _LineReader:
    def __init__(self, tokens: list[RuleToken]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.comment: str | None = None

    def parts(self, stop: frozenset[str]) -> list[Part]:
        """The parts up to a token of a type in ``stop`` or to the end of the line."""
        found: list[Part] = []
        previous = ""
        lambdas = 0  # open `lambda` parameter lists, where a comma separates no items
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            kind = token.type
            if kind == "BLANK" or kind == "LINE_BREAK":
                self.at += 1
            elif kind == "COMMENT":
                if self.depth:
                    return found
                self.comment = token.text
                self.at += 1
            elif kind in stop and not (kind == "COMMA" and lambdas):
                return found
            elif self.comment is not None:
                raise Unsupported
            elif kind == "FSTRING_START":
                found.append(self.f_string())
                previous = "FSTRING_END"
            elif kind in _OPEN:
                found.append(self.group(token, previous))
                previous = _OPEN[kind]
            else:
                lambdas += (kind == "LAMBDA") - (kind == "COLON" and lambdas > 0)
                found.append(Atom(kind, _string(token.text) if kind == "STRING" else token.text))
                previous = kind
                self.at += 1
        return found

    def f_string(self) -> Atom:
        start, depth = self.at, 0
        while True:
            kind = self.tokens[self.at].type
            depth += (kind == "FSTRING_START") - (kind == "FSTRING_END")
            self.at += 1
            if not depth:
                return Atom("FSTRING", "".join([token.text for token in self.tokens[start : self.at]]))

    def group(self, opening: RuleToken, previous: str) -> Group:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unsupported
        self.at += 1
        closing = _OPEN[opening.type]
        group = Group(opening.text, {"(": ")", "[": "]", "{": "}"}[opening.text], _kind(opening.type, previous))
        group.comprehension = self.is_comprehension()
        stop = frozenset((closing,)) if group.comprehension else frozenset((closing, "COMMA"))
        while True:
            comments = self.own_line_comments()
            if self.tokens[self.at].type == closing:
                group.comments = comments
                break
            item = Item(self.parts(stop), comments)
            group.items.append(item)
            below = self.before_comma(item, closing)
            group.comma = self.tokens[self.at].type == "COMMA"
            if below:
                group.comments = below
                break
            if group.comma:
                self.at += 1
                item.trailing = item.trailing or self.trailing_comment()
        self.at += 1
        self.depth -= 1
        return group

    def is_comprehension(self) -> bool:
        """True if there is a ``for`` directly in the bracket that was just opened."""
        depth = lambdas = 0
        for index in range(self.at, len(self.tokens)):
            kind = self.tokens[index].type
            if kind in _OPEN or kind == "FSTRING_OPEN":
                depth += 1
            elif kind in ("RPAR", "RSQB", "RBRACE", "FSTRING_CLOSE"):
                depth -= 1
                if depth < 0:
                    return False
            elif kind == "FOR" and depth == 0:
                return True
            elif depth == 0 and kind == "LAMBDA":
                lambdas += 1
            elif depth == 0 and kind == "COLON" and lambdas:
                lambdas -= 1
            elif depth == 0 and kind == "COMMA" and not lambdas:
                return False
        return False

    def own_line_comments(self) -> list[str]:
        """The comments before the next item."""
        found: list[str] = []
        while self.tokens[self.at].type in ("BLANK", "LINE_BREAK", "COMMENT"):
            if self.tokens[self.at].type == "COMMENT":
                found.append(self.tokens[self.at].text)
            self.at += 1
        return found

    def before_comma(self, item: Item, closing: str) -> list[str]:
        """Adds a comment between an item and its comma to the item; returns the comments below the last item."""
        start = self.at
        comments = self.own_line_comments()
        after = self.tokens[self.at].type
        if comments and self._starts_line(start) and after == closing:
            return comments
        if after not in (closing, "COMMA") or len(comments) > 1:
            raise Unsupported
        if comments:
            item.trailing = comments[0]
        return []

    def _starts_line(self, index: int) -> bool:
        """True if only blanks precede the token at ``index`` on its line."""
        while self.tokens[index - 1].type == "BLANK" and "\n" not in self.tokens[index - 1].text:
            index -= 1
        return self.tokens[index - 1].type == "LINE_BREAK"

    def trailing_comment(self) -> str | None:
        """The comment after the comma on the same line."""
        index = self.at
        while self.tokens[index].type == "BLANK" and "\n" not in self.tokens[index].text:
            index += 1
        if self.tokens[index].type != "COMMENT":
            return None
        self.at = index + 1
        return self.tokens[index].text


def _kind(opening: str, previous: str) -> str:
    operand = previous in _OPERAND_ENDS
    if opening == "LBRACE":
        return "dict"
    if opening == "LPAR":
        return "call" if operand or previous == "LOAD" else "tuple"
    return "index" if operand else "list"


def _string(literal: str) -> str:
    """``literal`` in double quotes if that needs no other change."""
    if literal[0] == "'" and not literal.startswith("'''"):
        body = literal[1:-1]
        if '"' not in body and "\\" not in body and "\r" not in body:
            return f'"{body}"'
    return literal
