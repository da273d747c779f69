"""Parses the text of a rule file to its concrete syntax. The only module here that loads lark, and only on demand."""

from __future__ import annotations

import os
from _collections_abc import Iterable, Iterator
from dataclasses import replace

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import RuleFileError
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.lexer import tokenize
from execpolicy.lang.nodes import Node
from execpolicy.lang.syntax_messages import unexpected
from execpolicy.lang.terminals import TRIVIA, RuleToken, SyntaxProblem
from execpolicy.lang.validate import problems_of
from execpolicy.resources import grammar_folder
from execpolicy.source import Source, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lark import Lark
    from lark.common import LexerConf

_PARSER: Lark | None = None


def parse(source: Source) -> SyntaxTree:
    """The concrete syntax of ``source``; nothing in it is evaluated.

    Only memory limits the nesting: no step here recurses into the text.

    Raises:
        RuleFileError: the text is not a rule file; the diagnostics (code EP001) carry positions and, where known, a
            fix.
    """
    try:
        tokens = tokenize(source.text)
        nodes = _statements(tokens)
    except SyntaxProblem as problem:
        raise _error(source, [problem]) from None
    problems = problems_of(nodes)
    if problems:
        raise _error(source, problems)
    return SyntaxTree(source, tokens, nodes)


def explained(found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Evaluation problems with the wording and the places of this parser, if it finds the fault too."""
    first = found[0]
    if first.code != "EP001" or first.help is not None or first.source is None:
        return found
    try:
        parse(first.source)
    except RuleFileError as error:
        own, *others = error.diagnostics
        return (replace(own, codex=first.message), *others)
    return found


def _error(source: Source, problems: list[SyntaxProblem]) -> Exception:
    found = [diagnostic_of(problem, source) for problem in sorted(problems, key=lambda each: each.start)]
    return RuleFileError(*found)


def diagnostic_of(problem: SyntaxProblem, source: Source, code: str = "EP001") -> Diagnostic:
    """``problem`` with its place in ``source``."""
    line, column = source.position(problem.start)
    return Diagnostic(
        code=code,
        message=problem.message,
        path=source.name,
        line=line,
        column=column,
        span=Span(problem.start, problem.end),
        source=source,
        help=problem.help,
    )


def _statements(tokens: list[RuleToken]) -> list[Node]:
    """The top-level statements. Calls of plain literals are already parsed; the parser reads the text between them."""
    nodes: list[Node] = []
    rest: list[RuleToken] = []
    whole: RuleToken | None = None
    for token in tokens:
        kind = token.type
        if kind in TRIVIA:
            continue
        if whole is not None:  # the lexer saw a line break or the end after it
            nodes.append(Node("rule_call", [whole, token]))
            whole = None
        elif kind == "RULE_CALL":
            if rest:
                nodes.extend(_parsed(rest))
                rest = []
            whole = token
        elif rest or kind != "NEWLINE":
            rest.append(token)
    if rest:
        nodes.extend(_parsed(rest))
    return nodes


def _parsed(significant: list[RuleToken]) -> Iterable[Node]:
    from lark.exceptions import UnexpectedToken

    try:
        start: object = _parser().parse(significant)
    except UnexpectedToken as error:
        found = error.token if isinstance(error.token, RuleToken) else significant[-1]
        raise unexpected(found, frozenset(error.accepts), significant) from None
    assert isinstance(start, Node)  # the parser builds nodes
    return [child for child in start.children if isinstance(child, Node)]


def _parser() -> Lark:
    global _PARSER
    if _PARSER is None:
        from lark import Lark
        from lark.lexer import Lexer

        class ReadTokens(Lexer):
            """Passes existing tokens to the parser."""

            def __init__(self, lexer_conf: LexerConf) -> None: ...

            def lex(self, tokens: Iterable[RuleToken]) -> Iterator[RuleToken]:  # type: ignore[override]  # the same
                return iter(tokens)

        with open(os.path.join(grammar_folder(), "rules.lark"), encoding="utf-8") as file:
            grammar = file.read()
        _PARSER = Lark(
            grammar, parser="lalr", lexer=ReadTokens, keep_all_tokens=True, maybe_placeholders=False, tree_class=Node
        )
    return _PARSER
