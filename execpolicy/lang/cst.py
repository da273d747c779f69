"""The concrete syntax of one rule file, for tools: statements, calls of the builtins, comments, positions.

Nothing here evaluates: only literals have a known value. A tree comes from :func:`execpolicy.lang.parse.parse`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from execpolicy.lang.builtin_calls import BuiltinCall
from execpolicy.lang.lexer import call_tokens
from execpolicy.lang.nodes import Element, Node
from execpolicy.lang.scan import BUILTINS
from execpolicy.lang.terminals import RuleToken
from execpolicy.source import Place, Source, Span

_CONTEXTS = frozenset((
    "def_stmt", "for_stmt", "if_stmt", "list_comprehension", "dict_comprehension", "lambda_expr", "conditional",
    "assign_stmt", "return_stmt", "call", "list", "dict", "binary", "unary", "parenthesised", "fstring", "index",
))  # fmt: skip


class Statement:
    """A top-level statement.

    Attributes:
        kind: the grammar's name of it: ``rule_call`` and ``simple_stmt`` for one logical line, ``def_stmt``,
            ``for_stmt``, ``if_stmt``.
        start, end: the code's range, without the line break.
        call: the builtin's call if it is the whole statement.
    """

    __slots__ = ("call", "end", "kind", "node", "start")

    def __init__(self, node: Node, call: BuiltinCall | None) -> None:
        self.kind = node.kind
        self.node = node
        self.start = node.start
        last = node.children[-1]
        self.end = node.children[-2].end if not isinstance(last, Node) and last.type == "NEWLINE" else _code_end(node)
        self.call = call

    @property
    def span(self) -> Span:
        """The range of the code."""
        return Span(self.start, self.end)


class SyntaxTree:
    """A rule file that is syntactically correct.

    Attributes:
        source: the text and its name.
        tokens: every token in order, including blanks and comments; joined, they are the text. A call of plain literals
            is one ``RULE_CALL`` token.
        nodes: the nodes of the top-level statements.
    """

    def __init__(self, source: Source, tokens: list[RuleToken], nodes: list[Node]) -> None:
        self.source = source
        self.tokens = tokens
        self.nodes = nodes

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The top-level statements in order."""
        whole = {call.start: call for call in self.calls if not call.context}
        return tuple([Statement(node, self._whole_call(node, whole)) for node in self.nodes])

    def _whole_call(self, node: Node, whole: dict[int, BuiltinCall]) -> BuiltinCall | None:
        if node.kind == "rule_call":
            return whole[node.start]
        if node.kind == "simple_stmt" and len(node.children) == 2 and isinstance(node.children[0], Node):
            call = whole.get(node.start)
            return call if call is not None and call.end == node.children[0].end else None
        return None

    @cached_property
    def calls(self) -> tuple[BuiltinCall, ...]:
        """Every call of a builtin by its own name, at any depth, in source order."""
        return tuple(self._find_calls())

    def _find_calls(self) -> Iterator[BuiltinCall]:
        text = self.source.text
        for top in self.nodes:
            if top.kind == "rule_call":
                token = top.children[0]
                yield BuiltinCall(text[token.start : text.index("(", token.start)], token, (), text)
                continue
            stack: list[tuple[Element, tuple[str, ...]]] = [(top, ())]
            while stack:
                element, context = stack.pop()
                if not isinstance(element, Node):
                    continue
                name = _called_builtin(element)
                if name is not None:
                    yield BuiltinCall(name, element, context, text)
                if element.kind in _CONTEXTS and len(context) < 100:
                    context = (*context, element.kind)
                stack.extend([(child, context) for child in reversed(element.children)])

    def calls_at_line(self, line: int) -> tuple[BuiltinCall, ...]:
        """The calls of builtins whose name is on ``line`` (1-based)."""
        return tuple(self._calls_by_line.get(line, ()))

    @cached_property
    def _calls_by_line(self) -> dict[int, list[BuiltinCall]]:
        found: dict[int, list[BuiltinCall]] = {}
        for call in self.calls:
            found.setdefault(self.position(call.start)[0], []).append(call)
        return found

    def comments(self) -> Iterator[RuleToken]:
        """Every comment in order, including those inside whole calls."""
        for token in self.tokens:
            if token.type == "COMMENT":
                yield token
            elif token.type == "RULE_CALL" and "#" in token.text:
                for inner in call_tokens(token.text):
                    if inner.type == "COMMENT":
                        yield RuleToken("COMMENT", inner.text, token.start + inner.start)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of ``offset``, both 1-based; fast for many offsets of one file."""
        breaks = self._line_breaks
        line = bisect_left(breaks, offset)
        return line + 1, offset - (breaks[line - 1] + 1 if line else 0) + 1

    def place(self, span: Span) -> Place:
        """The place of ``span``."""
        line, column = self.position(span.start)
        return Place(self.source.name, line, column, span)

    def line_span(self, line: int) -> Span:
        """The range of ``line`` (1-based) without its line break."""
        breaks = self._line_breaks
        start = breaks[line - 2] + 1 if line > 1 else 0
        return Span(start, breaks[line - 1] if line <= len(breaks) else len(self.source.text))

    def lines_of(self, span: Span) -> tuple[int, int]:
        """First and last line that ``span`` touches, 1-based."""
        return self.position(span.start)[0], self.position(max(span.start, span.end - 1))[0]

    @cached_property
    def _line_breaks(self) -> list[int]:
        return [found.start() for found in re.finditer("\n", self.source.text)]


def _called_builtin(node: Node) -> str | None:
    if node.kind != "call":
        return None
    callee = node.children[0]
    if isinstance(callee, Node) or callee.type != "NAME" or callee.text not in BUILTINS:
        return None
    return callee.text


def _code_end(node: Node) -> int:
    """The end of the last token of ``node`` that is not a line break or a change of indentation."""
    element: Element = node
    while isinstance(element, Node):
        solid = [
            child
            for child in element.children
            if isinstance(child, Node) or child.type not in ("NEWLINE", "INDENT", "DEDENT")
        ]
        element = solid[-1]
    return element.end
