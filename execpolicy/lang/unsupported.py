"""Syntax that Codex reads and the evaluator here (starlark-rust 0.13) does not: bytes and f-string expressions."""

from __future__ import annotations

import re

from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.nodes import Node
from execpolicy.lang.terminals import SyntaxProblem

_PLAIN_REPLACEMENT = re.compile(r"\{ *[A-Za-z_][A-Za-z0-9_]* *(?:![rs])?\}")


def unsupported(tree: SyntaxTree) -> list[SyntaxProblem]:
    """Where ``tree`` uses what the evaluator lacks, in source order; empty for a file that can be evaluated."""
    found = [
        SyntaxProblem(
            "bytes literals are not supported here", token.start, token.end, "write a string: a rule holds no bytes"
        )
        for token in tree.tokens
        if token.type == "BYTES"
    ]
    text = tree.source.text
    stack: list[Node] = [node for node in tree.nodes if node.kind != "rule_call"]
    while stack:
        node = stack.pop()
        if node.kind == "replacement" and _PLAIN_REPLACEMENT.fullmatch(text, node.start, node.end) is None:
            found.append(
                SyntaxProblem(
                    "only plain names are supported inside an f-string here",
                    node.start,
                    node.end,
                    "give the expression a name first, or use `.format(…)` or `+`",
                )
            )
        stack.extend([child for child in node.children if isinstance(child, Node)])
    return sorted(found, key=lambda problem: problem.start)
