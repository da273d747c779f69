"""The pieces of an open rule file: its outline, the uses of a name, hints, folds and colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from execpolicy.core.decision import Decision
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.errors import RuleFileError
from execpolicy.formatting.format import same_outcome
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.lexer import tokenize
from execpolicy.lang.parse import parse
from execpolicy.lang.scan import BUILTINS
from execpolicy.lang.terminals import KEYWORDS, TRIVIA, RuleToken
from execpolicy.lint.project import RuleFile, StatementGroup
from execpolicy.lint.worst import worst_of_any
from execpolicy.source import Source, Span

COLOURS = ("function", "parameter", "variable", "string", "comment", "keyword", "number")
"""The kinds of tokens that a client colours, in the order of the legend."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One line of the outline: ``span`` is the whole call."""

    label: str
    detail: str
    span: Span


def outline(file: RuleFile) -> list[OutlineEntry]:
    """One entry for each call that makes statements, in their order."""
    return [OutlineEntry(*_described(group), file.span_of(group)) for group in file.groups]


def _described(group: StatementGroup) -> tuple[str, str]:
    first = group.statements[0]
    more = f" and {len(group.statements) - 1} more" if len(group.statements) > 1 else ""
    match first:
        case PrefixRule():
            return str(first.pattern) + more, first.decision.word
        case NetworkRule():
            return f"{first.protocol} {first.host}{more}", first.decision.word
        case HostExecutable():
            return first.name + more, "host_executable"
        case _:
            return group.call.name if group.call is not None else "statement", ""


def name_at(tree: SyntaxTree, offset: int) -> RuleToken | None:
    """The variable, function or parameter at ``offset``."""
    return next((token for token in _names(tree) if token.start <= offset <= token.end), None)


def uses_of(tree: SyntaxTree, name: str) -> list[Span]:
    """The ranges where ``name`` is a variable, function or parameter."""
    return [Span(token.start, token.end) for token in _names(tree) if token.text == name]


def _names(tree: SyntaxTree) -> Iterator[RuleToken]:
    """The names in the file, without builtins, the keywords of their calls, and attributes."""
    tokens = [token for token in tree.tokens if token.type not in TRIVIA]
    texts = ["", *[token.text for token in tokens], ""]
    for before, token, after in zip(texts, tokens, texts[2:], strict=False):
        if token.type == "NAME" and token.text not in BUILTINS and before != ".":
            keyword = before in ("(", ",") and after == "="
            if not (keyword and any(call.start < token.start < call.end for call in tree.calls)):
                yield token


def renamed(tree: SyntaxTree, old: str, new: str) -> list[Span] | None:
    """The ranges that become ``new``; ``None`` if the name is not free or the file would mean something else."""
    spans, text = uses_of(tree, old), tree.source.text
    for span in reversed(spans):
        text = text[: span.start] + new + text[span.end :]
    try:
        after = parse(Source(tree.source.name, text))
    except RuleFileError:
        return None
    kept = not uses_of(tree, new) and len(uses_of(after, new)) == len(spans)
    return spans if kept and same_outcome(tree, after) else None


def hints(file: RuleFile) -> Iterator[tuple[int, str]]:
    """Offset and text of each hint: a decision that is not spelled out, and what an open allow also lets pass."""
    for group in file.groups:
        rules = [each for each in group.statements if isinstance(each, PrefixRule)]
        if group.call is None or len(rules) != 1:
            continue
        (rule,) = rules
        said = [] if file.argument(group, "decision") is not None else [rule.decision.word]
        if rule.decision is Decision.ALLOW and not rule.unless:
            worst = worst_of_any(rule.pattern.positions())
            said += [] if worst is None else [f"also allows {worst}"]
        if said:
            yield group.call.end, "; ".join(said)


def folds(tree: SyntaxTree) -> Iterator[tuple[int, int, str]]:
    """First and last line (1-based) of long statements (``region``) and comment blocks (``comment``)."""
    for statement in tree.statements:
        first, last = tree.lines_of(statement.span)
        if last > first:
            yield first, last, "region"
    begun = last = -1
    for line in [*[tree.position(token.start)[0] for token in tree.comments()], 0]:
        if line != last + 1:
            if last > begun:
                yield begun, last, "comment"
            begun = line
        last = line


def colours(tree: SyntaxTree) -> Iterator[tuple[Span, str]]:
    """The ranges that have a colour, each within one line, in order."""
    tokens = tokenize(tree.source.text, whole_rules=False)
    solid = [token for token in tokens if token.type not in TRIVIA]
    behind = dict(zip([token.start for token in solid], [token.type for token in solid[1:]], strict=False))
    depth = 0
    for token in tokens:
        depth += (token.type in _OPENERS) - (token.type in _CLOSERS)
        colour = _colour(token, argument=depth > 0 and behind.get(token.start) == "EQUAL")
        at = token.start
        for line in token.text.split("\n") if colour is not None else ():
            if line and colour is not None:
                yield Span(at, at + len(line)), colour
            at += len(line) + 1


_OPENERS = ("LPAR", "LSQB", "LBRACE")
_CLOSERS = ("RPAR", "RSQB", "RBRACE")
_COLOURED = {
    **dict.fromkeys(KEYWORDS.values(), "keyword"),
    **dict.fromkeys(("STRING", "BYTES", "FSTRING_START", "FSTRING_TEXT", "FSTRING_END"), "string"),
    "COMMENT": "comment", "INT": "number", "FLOAT": "number",
}  # fmt: skip


def _colour(token: RuleToken, *, argument: bool) -> str | None:
    if token.type != "NAME":
        return _COLOURED.get(token.type)
    return "function" if token.text in BUILTINS else "parameter" if argument else "variable"


def piece_around(tree: SyntaxTree, first: int, last: int) -> Span | None:
    """The range from the first to the last statement that the lines ``first`` to ``last`` (1-based) touch."""
    lines = [(statement, *tree.lines_of(statement.span)) for statement in tree.statements]
    touched = [statement for statement, begin, end in lines if begin <= last and first <= end]
    return Span(touched[0].start, touched[-1].end) if touched else None
