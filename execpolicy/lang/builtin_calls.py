"""Calls of the builtins as written: arguments, literals, spans."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from execpolicy.lang.nodes import Element, Node
from execpolicy.lang.terminals import WholeCall, decode_string
from execpolicy.source import Span
from execpolicy.value import value

_DEEPEST_LITERAL = 4
_PIECE = re.compile(r'(?:[,) \n]++|#[^\n]*+)*+(?:"([^"]*+)"|([a-z_]++)[ ]?=[ ]?|(True|False)|([\[\]])|\Z)')
_STRING, _KEYWORD, _BOOLEAN = 1, 2, 3


@value
class Value:
    """An expression at a place where a tool may need a literal.

    Attributes:
        kind: ``string``, ``list``, ``name`` (also ``True``, ``False`` and ``None``) or ``other``.
        start, end: its range.
        value: the decoded text of a string, the identifier of a name, else ``None``.
        items: the items of a list.
    """

    kind: str
    start: int
    end: int
    value: str | None = None
    items: tuple[Value, ...] = ()

    @property
    def span(self) -> Span:
        """The range of the expression."""
        return Span(self.start, self.end)

    def moved(self, by: int) -> Value:
        """A copy whose range starts ``by`` characters later."""
        items = tuple([item.moved(by) for item in self.items]) if self.items else ()
        return Value(self.kind, self.start + by, self.end + by, self.value, items)

    def strings(self) -> tuple[str, ...] | None:
        """The texts of a list of string literals (or of one string); ``None`` if it contains anything else."""
        if self.kind == "string" and self.value is not None:
            return (self.value,)
        if self.kind != "list":
            return None
        found = [item.value for item in self.items if item.kind == "string"]
        return tuple([text for text in found if text is not None]) if len(found) == len(self.items) else None

    def literal(self) -> str | bool | list[object] | None:
        """The Python value of a literal; ``None`` for ``None`` and for everything that is not a literal."""
        if self.kind == "string":
            return self.value
        if self.kind == "name":
            return {"True": True, "False": False}.get(self.value or "")
        if self.kind == "list":
            return [item.literal() for item in self.items]
        return None

    @property
    def is_literal(self) -> bool:
        """True if the value contains only string, list and bool literals."""
        if self.kind == "list":
            return all(item.is_literal for item in self.items)
        return self.kind == "string" or (self.kind == "name" and self.value in ("True", "False"))


@value
class Argument:
    """One argument of a call.

    Attributes:
        name: the keyword, ``None`` for a positional argument; ``*`` or ``**`` for a splat.
        start, end: the range with the keyword.
    """

    name: str | None
    start: int
    end: int
    value: Value

    def moved(self, by: int) -> Argument:
        """A copy whose range starts ``by`` characters later."""
        return Argument(self.name, self.start + by, self.end + by, self.value.moved(by))

    @property
    def span(self) -> Span:
        """The range of the argument, including its keyword."""
        return Span(self.start, self.end)


class BuiltinCall:
    """One call of a builtin, as written.

    Attributes:
        name: the builtin.
        start, end: the range from the name to the closing bracket.
        arguments: in source order.
        context: the kinds of the statements and expressions around it, outermost first (``for_stmt``, ``def_stmt``,
            ``if_stmt``, ``list_comprehension``, ``call`` …); empty for a plain statement of the file.
        node: the node or token of the call; a ``RULE_CALL`` token for a call of plain literals.
    """

    def __init__(self, name: str, node: Element, context: tuple[str, ...], text: str) -> None:
        self.name = name
        self.node = node
        self.context = context
        self.start = node.start
        self.end = node.end
        self._text = text

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments in source order."""
        if isinstance(self.node, Node):
            return _arguments_of(self.node)
        return tuple([one.moved(self.start) for one in _literal_arguments(self.node.text)])

    @property
    def keywords(self) -> tuple[str | None, ...]:
        """The names of the arguments in source order, see :class:`Argument`."""
        if isinstance(self.node, WholeCall):
            return self.node.keywords
        return tuple([argument.name for argument in self.arguments])

    @property
    def span(self) -> Span:
        """The range from the name to the closing bracket."""
        return Span(self.start, self.end)

    @property
    def name_span(self) -> Span:
        """The range of the builtin's name."""
        return Span(self.start, self.start + len(self.name))

    def argument(self, name: str) -> Argument | None:
        """The argument for parameter ``name``, by keyword or (only without splats before it) by position."""
        if isinstance(self.node, WholeCall):
            if name not in self.node.keywords:
                return None
            return next(one for one in _literal_arguments(self.node.text) if one.name == name).moved(self.start)
        parameters = PARAMETERS.get(self.name, ())
        for position, argument in enumerate(self.arguments):
            if argument.name in ("*", "**"):
                continue
            if argument.name == name:
                return argument
            if argument.name is None and position < len(parameters) and parameters[position] == name:
                return argument
        return None

    @property
    def text(self) -> str:
        """The call as written."""
        return self._text[self.start : self.end]


PARAMETERS = {
    "prefix_rule": ("pattern", "decision", "match", "not_match", "justification", "canonical_matching"),
    "network_rule": ("host", "protocol", "decision", "justification"),
    "host_executable": ("name", "paths"),
}
"""Positional parameters of Codex's builtins, in order."""


def _arguments_of(call: Node) -> tuple[Argument, ...]:
    arguments = call.children[2]
    if not isinstance(arguments, Node):
        return ()
    found: list[Argument] = []
    for child in arguments.children:
        if not isinstance(child, Node):
            continue
        parts = child.children
        name = None
        if len(parts) > 1 and not isinstance(parts[0], Node):
            name = parts[0].text
        found.append(Argument(name, child.start, child.end, value_of(parts[-1])))
    return tuple(found)


@lru_cache(maxsize=8192)
def _literal_arguments(text: str) -> tuple[Argument, ...]:
    """The arguments of a ``RULE_CALL`` token; offsets count from the start of the token."""
    found: list[Argument] = []
    name, name_at = "", 0
    lists: list[tuple[int, list[Value]]] = []
    for piece in _PIECE.finditer(text, text.index("(") + 1):
        kind = piece.lastindex
        if kind is None:
            break  # only separators are left
        at, end = piece.start(kind) - (kind == _STRING), piece.end()
        if kind == _STRING:
            value = Value("string", at, end, piece[kind])
        elif kind == _KEYWORD:
            name, name_at = piece[kind], at
            continue
        elif kind == _BOOLEAN:
            value = Value("name", at, end, piece[kind])
        elif piece[kind] == "[":
            lists.append((at, []))
            continue
        else:
            opened, items = lists.pop()
            value = Value("list", opened, end, None, tuple(items))
        if lists:
            lists[-1][1].append(value)
        else:
            found.append(Argument(name, name_at, end, value))
    return tuple(found)


def value_of(element: Element, depth: int = 0) -> Value:
    """The expression ``element`` of a tree as a :class:`Value`."""
    start, end = element.start, element.end
    if not isinstance(element, Node):
        if element.type == "STRING":
            return Value("string", start, end, decode_string(element.text))
        return Value("name" if element.type == "NAME" else "other", start, end, element.text)
    if element.kind == "list" and depth < _DEEPEST_LITERAL:
        inner = [
            child
            for child in element.children
            if isinstance(child, Node) or child.type not in ("LSQB", "RSQB", "COMMA")
        ]
        return Value("list", start, end, None, tuple([value_of(child, depth + 1) for child in inner]))
    if element.kind == "parenthesised" and depth < _DEEPEST_LITERAL:
        inside = value_of(element.children[1], depth + 1)
        return Value(inside.kind, start, end, inside.value, inside.items)
    return Value("other", start, end)
