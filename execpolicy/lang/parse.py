"""Parses the text of a rule file to its concrete syntax. The only module here that loads lark, and only on demand.

Checks that the grammar cannot express: assignment targets, order of arguments, places of statements, types.

Messages are starlark-rust's own if it has the same check. Nothing here recurses: trees are as deep as the text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import RuleFileError
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.lexer import tokenize
from execpolicy.lang.nodes import Element, Node
from execpolicy.lang.syntax_messages import unexpected
from execpolicy.lang.terminals import TRIVIA, RuleToken, SyntaxProblem
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


_TARGET = "left-hand-side of assignment must take the form `a`, `a.b` or `a[b]`"


def problems_of(nodes: list[Node]) -> list[SyntaxProblem]:
    """Every error in statements that the grammar accepts."""
    problems: list[SyntaxProblem] = []
    # (node, at the top level, in a `for`, in a `def`)
    stack: list[tuple[Node, bool, bool, bool]] = [
        (node, True, False, False) for node in reversed(nodes) if node.kind != "rule_call"
    ]
    while stack:
        node, top, looping, defining = stack.pop()
        kind = node.kind
        if kind in _CHECKS:
            problems.extend(_CHECKS[kind](node))
        elif kind in ("break_stmt", "continue_stmt") and not looping:
            word = kind.removesuffix("_stmt")
            problems.append(_problem(node, f"`{word}` cannot be used outside of a `for` loop"))
        elif kind == "return_stmt" and not defining:
            problems.append(_problem(node, "`return` cannot be used outside of a `def` function"))
        elif kind == "load_stmt":
            if not top:
                problems.append(_problem(node, "`load` must only occur at the top of a module"))
            if not any(isinstance(child, Node) for child in node.children):
                problems.append(_problem(node, "`load` statement requires at least two arguments"))
        if kind == "def_stmt":
            top, looping, defining = False, False, True
        elif kind == "for_stmt":
            top, looping = False, True
        elif kind == "if_stmt":
            top = False
        stack.extend([(child, top, looping, defining) for child in reversed(node.children) if isinstance(child, Node)])
    return problems


def _problem(element: Element, message: str, help: str | None = None) -> SyntaxProblem:
    return SyntaxProblem(message, element.start, element.end, help)


def _bare(element: Element) -> Element:
    """``element`` without the brackets around it."""
    while isinstance(element, Node) and element.kind == "parenthesised":
        element = element.children[1]
    return element


def _members(element: Node) -> list[Element]:
    """The members of a list or a tuple."""
    return [
        child
        for child in element.children
        if isinstance(child, Node) or child.type not in ("COMMA", "LSQB", "RSQB", "LPAR", "RPAR")
    ]


_SEQUENCES = frozenset(("list", "test_list", "expr_list", "empty_tuple"))


def _check_target(target: Element) -> Iterator[SyntaxProblem]:
    stack = [target]
    while stack:
        element = _bare(stack.pop())
        if isinstance(element, Node) and element.kind in _SEQUENCES:
            stack.extend(reversed(_members(element)))
        elif not (_is(element, "NAME") or (isinstance(element, Node) and element.kind in ("attribute", "index"))):
            yield _problem(element, _TARGET)


def _check_assignment(node: Node) -> Iterator[SyntaxProblem]:
    target = node.children[0]
    annotation = node.children[2] if _is(node.children[1], "COLON") else None
    operator = node.children[3 if annotation is not None else 1]
    modifying = not _is(operator, "EQUAL")
    bare = _bare(target)
    several = isinstance(bare, Node) and bare.kind in _SEQUENCES
    if modifying and several:
        yield _problem(target, "left-hand-side of modifying assignment cannot be a list or tuple")
        return
    yield from _check_target(target)
    if annotation is not None and modifying:
        yield _problem(annotation, "type annotations not allowed on augmented assignments")
    elif annotation is not None and several:
        yield _problem(annotation, "type annotations not allowed on multiple assignments")


def _check_loop(node: Node) -> Iterator[SyntaxProblem]:
    return _check_target(node.children[1])


def _is(element: Element, kind: str) -> bool:
    return not isinstance(element, Node) and element.type == kind


def _check_arguments(node: Node) -> Iterator[SyntaxProblem]:
    names: set[str] = set()
    stage = 0  # 0 positional, 1 named, 2 after *, 3 after **
    for argument in node.children:
        if not isinstance(argument, Node):
            continue
        first = argument.children[0]
        if len(argument.children) == 1:
            if stage > 0:
                yield _problem(argument, "positional argument after non positional", "name it, or move it forward")
        elif _is(first, "STAR"):
            if stage > 1:
                yield _problem(argument, "Args array after another args or kwargs")
            stage = max(stage, 2)
        elif _is(first, "STAR_STAR"):
            if stage > 2:
                yield _problem(argument, "Multiple kwargs dictionary in arguments")
            stage = 3
        else:
            if stage > 1:
                yield _problem(argument, "named argument after *args or **kwargs")
            stage = max(stage, 1)
            name = "" if isinstance(first, Node) else first.text
            if name in names:
                yield _problem(argument, "repeated named argument", f"give `{name}` once")
            names.add(name)


def _check_parameters(node: Node) -> Iterator[SyntaxProblem]:
    parameters = [child for child in node.children if isinstance(child, Node)]
    names: set[str] = set()
    optional = False
    stage = 0  # 1 after `*`, 2 after `**`
    for index, parameter in enumerate(parameters):
        first = parameter.children[0]
        parts = parameter.children
        if _is(first, "SLASH"):
            yield _problem(parameter, "/ positional-only-arguments is not allowed in this dialect")
            continue
        starred = _is(first, "STAR") or _is(first, "STAR_STAR")
        named = parts[1] if starred and len(parts) > 1 else first
        if not isinstance(named, Node) and named.type == "NAME":
            if named.text in names:
                yield _problem(parameter, "duplicated parameter name")
            names.add(named.text)
        if _is(first, "STAR"):
            if stage:
                yield _problem(parameter, "Args parameter after another args or kwargs parameter")
            elif len(parts) == 1:
                yield from _check_bare_star(parameter, parameters[index + 1 : index + 2])
            stage = max(stage, 1)
        elif _is(first, "STAR_STAR"):
            if stage == 2:
                yield _problem(parameter, "Multiple kwargs dictionary in parameters")
            stage = 2
        elif stage == 2:
            yield _problem(parameter, "Parameter after kwargs")
        elif any(_is(part, "EQUAL") for part in parts):
            optional = True
        elif optional and not stage:
            yield _problem(parameter, "positional parameter after non positional")


def _check_bare_star(star: Node, following: list[Node]) -> list[SyntaxProblem]:
    if not following:
        return [_problem(star, "`*` parameter must not be last")]
    if not _is(following[0].children[0], "NAME"):
        return [_problem(following[0], "`*` must be followed by named parameter")]
    return []


def _check_type(node: Node) -> Iterator[SyntaxProblem]:
    """The problems of a type: a name, a dotted name, ``a[b]``, ``a.b[c, d]``, a tuple, ``a | b`` or ``...`` is valid.

    A list needs two members or more, except directly inside ``a[…, …]`` (source: measured on starlark-rust 0.13).
    """
    stack: list[tuple[Element, bool]] = [(node.children[0], False)]
    while stack:
        written, any_list = stack.pop()
        element = _bare(written)
        if not isinstance(element, Node):
            if element.type not in ("NAME", "ELLIPSIS"):
                yield _refused_type(element)
        elif element.kind in ("test_list", "empty_tuple"):
            stack.extend([(member, False) for member in _members(element)])
        elif element.kind == "list":
            members = _members(element)
            if len(members) < 2 and not any_list:
                yield _refused_type(element)
            stack.extend([(member, any_list) for member in members])
        elif element.kind == "binary" and _is(element.children[1], "PIPE"):
            stack.extend([(element.children[0], False), (element.children[2], False)])
        elif element.kind == "index":
            if not _is(_bare(element.children[0]), "NAME"):
                yield _refused_type(element)
            stack.append((element.children[2], False))
        elif element.kind == "index_pair":
            base = _bare(element.children[0])
            if isinstance(base, Node):
                yield from _check_dotted_type(base) if base.kind == "attribute" else [_refused_type(base)]
            elif base.type != "NAME":
                yield _refused_type(base)
            stack.extend([(element.children[2], True), (element.children[4], True)])
        elif element.kind == "attribute":
            yield from _check_dotted_type(element)
        else:
            yield _refused_type(element)


def _check_dotted_type(node: Node) -> list[SyntaxProblem]:
    last = node.children[2]
    if not isinstance(last, Node) and last.text == "type":
        return [_problem(node, "`.type` is not allowed in type expression", "leave `.type` out")]
    element: Element = node
    while isinstance(element, Node) and element.kind == "attribute":
        element = _bare(element.children[0])
    return [] if _is(element, "NAME") else [_refused_type(node)]


def _refused_type(element: Element) -> SyntaxProblem:
    return _problem(
        element, "this expression is not allowed in type expression", "use a name, `a[b]`, `a | b` or `None`"
    )


def _check_replacement(node: Node) -> list[SyntaxProblem]:
    conversion = node.children[-2]
    if not _is(node.children[-3], "FSTRING_BANG") or (not isinstance(conversion, Node) and conversion.text in "rs"):
        return []
    return [_problem(conversion, "invalid f-string conversion specifier, expected `s` or `r`")]


_CHECKS: dict[str, Callable[[Node], Iterable[SyntaxProblem]]] = {
    "replacement": _check_replacement,
    "assign_stmt": _check_assignment,
    "for_stmt": _check_loop,
    "comp_for": _check_loop,
    "arguments": _check_arguments,
    "parameters": _check_parameters,
    "lambda_parameters": _check_parameters,
    "type": _check_type,
}
