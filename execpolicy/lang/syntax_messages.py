"""The wording of syntax errors: the found token, the expected ones, and the author's probable intention."""

from __future__ import annotations

import re

from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.nodes import Node
from execpolicy.lang.scan import BUILTINS
from execpolicy.lang.terminals import OPERATORS, RuleToken, SyntaxProblem

_PLAIN_REPLACEMENT = re.compile(r"\{ *[A-Za-z_][A-Za-z0-9_]* *(?:![rs])?\}")


def unsupported(tree: SyntaxTree) -> list[SyntaxProblem]:
    """The uses of syntax that Codex reads and the evaluator here (starlark-rust 0.13) does not, in source order."""
    message, help = "bytes literals are not supported here", "write a string: a rule holds no bytes"
    found = [SyntaxProblem(message, each.start, each.end, help) for each in tree.tokens if each.type == "BYTES"]
    message = "only plain names are supported inside an f-string here"
    help = "give the expression a name first, or use `.format(…)` or `+`"
    text = tree.source.text
    stack: list[Node] = [node for node in tree.nodes if node.kind != "rule_call"]
    while stack:
        node = stack.pop()
        if node.kind == "replacement" and _PLAIN_REPLACEMENT.fullmatch(text, node.start, node.end) is None:
            found.append(SyntaxProblem(message, node.start, node.end, help))
        stack.extend([child for child in node.children if isinstance(child, Node)])
    return sorted(found, key=lambda problem: problem.start)


_NAMES = {
    "NEWLINE": "new line",
    "INDENT": "new indentation block",
    "DEDENT": "end of indentation block",
    "RULE_CALL": "statement",
}
_KINDS = {
    "NAME": "identifier",
    "INT": "integer literal",
    "FLOAT": "float literal",
    "STRING": "string literal",
    "BYTES": "bytes literal",
    "FSTRING_START": "f-string",
}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_COMPARISONS = frozenset(("EQUAL_EQUAL", "NOT_EQUAL", "LESS", "GREATER", "LESS_EQUAL", "GREATER_EQUAL", "IN", "NOT"))
_OPERAND_STARTS = frozenset(("NAME", "STRING", "LPAR", "LSQB", "LBRACE"))
_STATEMENTS = frozenset(("DEF", "RETURN", "PASS", "BREAK", "CONTINUE", "LOAD"))
_GOING_ON = frozenset(("NAME", "FOR", "COLON"))
"""The terminals with which a statement continues after an unclosed bracket."""
_STRINGS = frozenset(("STRING", "BYTES", "FSTRING_END", "FSTRING_START"))
_SPELLINGS = {name: spelling for spelling, name in OPERATORS.items()}


def unexpected(token: RuleToken, expected: frozenset[str], significant: list[RuleToken]) -> SyntaxProblem:
    """The problem of ``token`` at a place where the grammar allows only ``expected`` (names of terminals).

    Args:
        significant: the tokens that the parser got, including ``token``.
    """
    at = next((index for index, each in enumerate(significant) if each is token), len(significant) - 1)
    opened = _open_brackets(significant[:at])
    if opened and _shows_unclosed(token, opened, significant[at + 1 :]):
        bracket = opened[-1]
        where = "unexpected end of file, " if token.type == "NEWLINE" else ""
        return SyntaxProblem(
            f"{where}`{bracket.text}` is never closed",
            bracket.start,
            bracket.start + 1,
            f"add the missing `{_CLOSERS[bracket.text]}`",
        )
    before = significant[at - 1] if at else None
    message = f"unexpected {_described(token)}"
    wanted = _wanted(expected)
    if wanted:
        message += f", expected {wanted}"
    return SyntaxProblem(message, token.start, token.end, _hint(token, before, opened, expected))


def _shows_unclosed(token: RuleToken, opened: list[RuleToken], following: list[RuleToken]) -> bool:
    """True if ``token`` is only possible there because the last of the ``opened`` brackets was never closed."""
    if token.type == "NEWLINE" or token.type in _STATEMENTS:
        return True
    if token.text in BUILTINS:  # the call of a builtin has no value, so it is a statement of its own
        return any(each.type == "LPAR" for each in following[:1])
    if token.type in _GOING_ON and _open_brackets([*opened, *following])[: len(opened)] == opened:
        return True
    closers = [_CLOSERS[bracket.text] for bracket in opened]
    return token.text in closers[:-1] and token.text != closers[-1] and token.type != "FSTRING_CLOSE"


def _open_brackets(tokens: list[RuleToken]) -> list[RuleToken]:
    opened: list[RuleToken] = []
    for token in tokens:
        if token.text in _CLOSERS and token.type in ("LPAR", "LSQB", "LBRACE", "FSTRING_OPEN"):
            opened.append(token)
        elif opened and token.type in ("RPAR", "RSQB", "RBRACE", "FSTRING_CLOSE"):
            opened.pop()
    return opened


def _described(token: RuleToken) -> str:
    if token.type in _NAMES:
        return "end of file" if token.type == "NEWLINE" and not token.text else _NAMES[token.type]
    if token.type in _KINDS:
        text = token.text if len(token.text) <= 40 and token.text.isprintable() else "…"
        return _KINDS[token.type] if token.type == "FSTRING_START" else f"{_KINDS[token.type]} `{text}`"
    return f"keyword `{token.text}`" if token.text.isalpha() else f"symbol `{token.text}`"


def _wanted(expected: frozenset[str]) -> str | None:
    if "INDENT" in expected:
        return "an indented block"
    if expected >= _OPERAND_STARTS:
        return "statement" if "DEF" in expected or "RETURN" in expected else "expression"
    if expected == {"NAME"}:
        return "name"
    if "RSQB" in expected:
        return "`]`"
    if "RPAR" in expected:
        return "`)`"
    if "RBRACE" in expected:
        return "`}`"
    if "FSTRING_CLOSE" in expected:
        return "end of f-string expression `}`"
    if len(expected) == 1:
        (only,) = expected
        return f"`{_SPELLINGS.get(only, only.lower())}`"
    if "COLON" in expected and "NEWLINE" not in expected:
        return "`:`"
    if "NEWLINE" in expected:
        return "end of statement"
    return None


def _hint(token: RuleToken, before: RuleToken | None, opened: list[RuleToken], expected: frozenset[str]) -> str | None:
    kind = token.type
    if kind in _STRINGS and before is not None and before.type in _STRINGS:
        return "put a comma or `+` between the strings: they are not joined by standing side by side"
    if kind in _STRINGS and before is not None and before.type == "NAME" and before.end == token.start:
        return f"`{before.text}` is no string prefix; there are `r`, `f`, `fr` and `b`"
    if kind in _COMPARISONS and "AND" in expected:
        return "comparisons do not chain: write `a < b and b < c`"
    if kind == "INDENT":
        return "remove the blanks at the start of the line"
    if "INDENT" in expected:
        return "put the block's lines below, indented, or one statement behind the `:`"
    if kind == "EQUAL":
        if before is not None and before.type in ("STRING", "RPAR", "RSQB"):
            return "only a plain name may stand in front of `=` here"
        return "compare with `==`"
    if kind == "STAR_STAR" and "PLUS" in expected and "STAR" in expected:
        return "there is no power operator"
    if kind in ("STAR", "STAR_STAR") and opened:
        return "`*` and `**` only unpack in calls; join lists with `+` and dictionaries with `|`"
    if kind == "ELSE":
        return "`else` belongs to `if` and comes right below its block; loops have none"
    if kind == "NAME" and before is not None and before.type == "INT" and before.end == token.start:
        return "write numbers as digits only"
    if kind == "NAME" and token.text in ("elseif", "elsif"):
        return "write `elif`"
    if kind == "COLON" and "FSTRING_CLOSE" in expected:
        return "f-strings have no format specifications"
    if kind == "EQUAL_EQUAL" and "FSTRING_CLOSE" in expected:
        return "f-strings have no `=` form"
    if kind == "LOAD":
        return "`load` is reserved, and a rule file loads nothing"
    if opened and kind not in ("RPAR", "RSQB", "RBRACE") and expected & {"COMMA"}:
        return "is a comma missing?"
    return None
