"""Formats one rule file: parses it, lays it out, and proves that the meaning is the same.

A text without this proof is never written.
"""

from __future__ import annotations

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import RuleFileError
from execpolicy.formatting.layout import canonical_text
from execpolicy.lang.compile import compile_source
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.lexer import said_in_call
from execpolicy.lang.parse import parse
from execpolicy.lang.terminals import KEYWORDS, OPERATORS, RuleToken
from execpolicy.source import Source


def same_meaning(before: SyntaxTree, after: SyntaxTree) -> bool:
    """True if both texts have the same tokens and evaluate to the same statements (or to the same error)."""
    return same_tokens(before, after) and _outcome(before.source) == _outcome(after.source)


def same_tokens(before: SyntaxTree, after: SyntaxTree) -> bool:
    """True if two trees have the same tokens and comments, except for blanks, quotes and commas before brackets."""
    return _essence(before.tokens) == _essence(after.tokens)


def _outcome(source: Source) -> object:
    """The statements without their places, or the error messages."""
    try:
        statements = compile_source(source).statements
        return [(type(each), getattr(each, "arguments", each)) for each in statements]  # an entry is its arguments
    except RuleFileError as error:
        return [(found.code, found.message) for found in error.diagnostics]


def _essence(tokens: list[RuleToken]) -> list[tuple[str, str]]:
    """The tokens, then the comments, without blanks, commas before brackets and differences in quotes."""
    found: list[tuple[str, str]] = []
    comments: list[tuple[str, str]] = []
    tuples: list[int] = []  # for every open bracket: its index if it may open a tuple, and -1 if not
    for token in tokens:
        kind, text = token.type, token.text
        if kind == "RULE_CALL":
            for piece in said_in_call(text):
                if piece[0] == "#":
                    comments.append(("COMMENT", piece.lstrip("#").strip()))
                    continue
                kind = "STRING" if piece[0] == '"' else OPERATORS.get(piece) or KEYWORDS.get(piece, "NAME")
                if kind in _CLOSERS and found[-1][0] == "COMMA":
                    found.pop()
                found.append((kind, piece.replace("'", '"')))
        elif kind == "COMMENT":
            comments.append((kind, text.lstrip("#").strip()))
        elif kind == "NEWLINE":
            if found and found[-1][0] != "NEWLINE":
                found.append((kind, ""))
        elif kind not in ("BLANK", "LINE_BREAK"):
            if kind in _OPENERS:
                plain = kind == "LPAR" and not (found and found[-1][0] in _OPERAND_ENDS)
                tuples.append(len(found) if plain else -1)
            elif kind in _CLOSERS:
                opened = tuples.pop()
                if found[-1][0] == "COMMA" and (opened < 0 or _commas(found, opened) > 1):
                    found.pop()
            found.append((kind, text.replace("\r\n", "\n").replace("'", '"')))
    return found + comments


_OPENERS = frozenset(("LPAR", "LSQB", "LBRACE"))
_CLOSERS = frozenset(("RPAR", "RSQB", "RBRACE"))
_OPERAND_ENDS = frozenset(("NAME", "STRING", "RPAR", "RSQB", "RBRACE", "LOAD", "FSTRING_END"))


def _commas(found: list[tuple[str, str]], opened: int) -> int:
    """The number of commas directly inside the bracket at ``opened``, up to the end."""
    depth = count = 0
    for kind, _ in found[opened + 1 :]:
        depth += (kind in _OPENERS) - (kind in _CLOSERS)
        count += kind == "COMMA" and depth == 0
    return count


def format_source(source: Source) -> str:
    """The text of ``source`` in canonical layout; unchanged if it is already canonical.

    Raises:
        RuleFileError: the source is not a rule file; or (EP901, a bug here) the new text would have another meaning.
    """
    before = parse(source)
    text = canonical_text(before)
    if text == source.text:
        return text
    try:
        after = parse(Source(source.name, text))
        proven = same_meaning(before, after)
    except RuleFileError:
        proven = False
    if not proven:
        raise RuleFileError(
            Diagnostic(
                code="EP901",
                message="formatting would change what the file means, so it was left alone",
                path=source.name,
                help="please report this file as a bug of the formatter",
            )
        )
    return text
