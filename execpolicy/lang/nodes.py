"""Nodes of the concrete syntax."""

from __future__ import annotations

from typing import TypeAlias

from execpolicy.lang.terminals import RuleToken
from execpolicy.value import value

Element: TypeAlias = "Node | RuleToken"


@value
class Node:
    """A part of the tree: ``kind`` is the rule (or alias) in ``grammar/rules.lark``, ``children`` nodes and tokens."""

    kind: str
    children: list[Element]

    @property
    def start(self) -> int:
        """The offset of the first character."""
        element: Element = self
        while isinstance(element, Node):
            element = element.children[0]
        return element.start

    @property
    def end(self) -> int:
        """The offset after the last character."""
        element: Element = self
        while isinstance(element, Node):
            element = element.children[-1]
        return element.end
