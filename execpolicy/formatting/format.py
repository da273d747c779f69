"""Formats one rule file: parses it, lays it out, and proves that the meaning is the same.

A text without this proof is never written.

Converts rule text to canonical rule text. Pure; :mod:`execpolicy.formatting.format` proves the same meaning.

A statement is on one line if it fits into :data:`WIDTH` columns. Otherwise each argument or list item is on its own
line, with a comma after the last. In a list of ten or more short strings, as many as fit are on a line; alternatives
are distributed evenly. Keywords have no blanks around ``=``, strings have double quotes, indentation is four blanks,
and there is at most one empty line in a row.

A line as an amendment writes it (``prefix_rule(pattern=["git", "push"], decision="allow")``) stays one line, however
long it is. So does every rule on one line in a file with six or more rules, most of them on one line each.
"""

from __future__ import annotations

import re

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import RuleFileError
from execpolicy.formatting.groups import Atom, Group, Part, Spacing, Unsupported, line_parts
from execpolicy.lang.compile import compile_source
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.lexer import call_tokens, said_in_call
from execpolicy.lang.parse import parse
from execpolicy.lang.scan import BUILTINS
from execpolicy.lang.terminals import KEYWORDS, OPERATORS, RuleToken
from execpolicy.source import Source


def same_meaning(before: SyntaxTree, after: SyntaxTree) -> bool:
    """True if both texts have the same tokens and evaluate to the same statements (or to the same error)."""
    return same_tokens(before, after) and same_outcome(before, after)


def same_outcome(before: SyntaxTree, after: SyntaxTree) -> bool:
    """True if both texts evaluate to the same statements, or to the same error."""
    return _outcome(before.source) == _outcome(after.source)


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


WIDTH = 100
"""Maximum number of columns of a line before it is broken."""

_DENSE_RULES = 6
"""Number of rules, most of them on one line each, from which a file is a table: a rule on one line stays on one."""

_ANY_WIDTH = 1_000_000
_INDENT = 4
_TABLE_ITEMS = 10
_TABLE_WORD = 30

_TEXT = r'"[^"\\\n\r]*+"'
_ITEM = rf"(?:{_TEXT}|\[{_TEXT}(?:, {_TEXT})*+\])"
_VALUE = rf"(?:{_TEXT}|\[(?:{_ITEM}(?:, {_ITEM})*+)?\]|True|False)"
_CANONICAL = re.compile(rf"[a-z_]++\([a-z_]++={_VALUE}(?:, [a-z_]++={_VALUE})*+\)")
_ANY_TEXT = r'"(?:[^"\\\n\r]|\\.)*+"'
_AMENDMENT = re.compile(
    rf'prefix_rule\(pattern=\[{_ANY_TEXT}(?:, {_ANY_TEXT})*+\], decision="[a-z]++"'
    rf"(?:, unless=\[{_ANY_TEXT}(?:, {_ANY_TEXT})*+\])?\)"
    rf'|network_rule\(host={_ANY_TEXT}, protocol="[a-z0-9_]++", decision="[a-z]++"'
    r'(?:, justification="(?:Allow|Deny) [a-z0-9_]++ access to [^"\\\n]*+")?\)'
)


def canonical_text(tree: SyntaxTree) -> str:
    """The text of ``tree`` in canonical layout, with line feeds only, and one at the end unless it is empty."""
    writer = _Writer(tree.tokens, as_table=True)
    writer.run()
    if writer.has_wide and not writer.is_table():
        writer = _Writer(tree.tokens, as_table=False)
        writer.run()
    return "\n".join(writer.lines) + "\n" if writer.lines else ""


class _Writer:
    """Writes the logical lines.

    Attributes:
        indents: the indentation of the open blocks in the old text; ``previous_indents`` in the last logical line.
        as_table: true if a rule on one line stays on one line, however long it is.
        rules: the number of rules so far. ``on_one_line`` of them are on one line each, and ``has_wide`` is true if one
            of those is wider than :data:`WIDTH`.
        pending: comment lines before the next statement: column, text, true if an empty line is above.
    """

    def __init__(self, tokens: list[RuleToken], *, as_table: bool) -> None:
        self.tokens = tokens
        self.as_table = as_table
        self.rules = self.on_one_line = 0
        self.has_wide = False
        self.lines: list[str] = []
        self.indents = [0]
        self.previous_indents = [0]
        self.blank = False
        self.after_header = True
        self.pending: list[tuple[int, str, bool]] = []

    def run(self) -> None:
        line: list[RuleToken] = []
        column = 0
        for token in self.tokens:
            kind = token.type
            if kind == "INDENT":
                self.indents.append(column)
            elif kind == "DEDENT":
                self.indents.pop()
            elif line or kind not in ("BLANK", "COMMENT", "LINE_BREAK", "NEWLINE"):
                if kind == "NEWLINE":
                    self.logical_line(line)
                    line, column = [], 0
                else:
                    line.append(token)
            elif kind == "BLANK":
                column = 0 if "\n" in token.text else column + token.text.count(" ")
            elif kind == "COMMENT":
                self.pending.append((column, token.text, self.blank))
                self.blank = False
                column = 0
            elif kind == "NEWLINE" and token.text:
                self.blank = True
                column = 0
        self.flush_comments(len(self.indents) - 1, end=True)

    def is_table(self) -> bool:
        """True if most rules are on one line each. The layout of a table is again a table."""
        return self.rules >= _DENSE_RULES and self.on_one_line * 4 >= self.rules * 3

    def flush_comments(self, depth: int, *, end: bool = False) -> None:
        """Writes the comment lines before a statement of ``depth``, each indented according to its column."""
        for column, text, blank in self.pending:
            level = depth if not end else 0
            if end or len(self.previous_indents) - 1 > depth:
                deeper = [at for at, indent in enumerate(self.previous_indents) if indent <= column]
                level = max(level, deeper[-1] if deeper else 0)
            self.empty_line(blank)
            self.lines.append(" " * (_INDENT * level) + _comment(text))
        self.pending = []

    def empty_line(self, wanted: bool) -> None:
        if wanted and not self.after_header and self.lines:
            self.lines.append("")
        self.after_header = False

    def logical_line(self, line: list[RuleToken]) -> None:
        depth = len(self.indents) - 1
        blank = self.blank
        self.flush_comments(depth)
        self.previous_indents = list(self.indents)
        self.empty_line(blank)
        self.blank = False
        is_rule = line[0].type == "RULE_CALL" or line[0].text in BUILTINS
        stays = self.as_table and is_rule and not depth and not any("\n" in token.text for token in line)
        text = _laid_out(line, _INDENT * depth, _ANY_WIDTH if stays else WIDTH)
        self.lines.append(text)
        if is_rule:
            self.rules += 1
            self.on_one_line += "\n" not in text
            self.has_wide = self.has_wide or (stays and len(text) > WIDTH)
        significant = [token for token in line if token.type not in ("BLANK", "COMMENT", "LINE_BREAK")]
        self.after_header = significant[-1].type == "COLON"


def _comment(text: str) -> str:
    """A comment with one blank after its marker; ``#!`` and banners of ``#`` are unchanged."""
    text = text.rstrip()
    return f"# {text[1:]}" if len(text) > 1 and text[1] not in " #!:" else text


def _laid_out(line: list[RuleToken], indent: int, width: int) -> str:
    """One logical line in canonical layout, or unchanged if a comment prevents that."""
    if line[0].type == "RULE_CALL":
        text = line[0].text
        if _AMENDMENT.fullmatch(text) or (len(text) <= width and _CANONICAL.fullmatch(text)):
            behind = "".join([token.text for token in line if token.type == "COMMENT"])
            return text + (f"  {_comment(behind)}" if behind else "")
        line = [*call_tokens(text), *line[1:]]
    try:
        parts, comment = line_parts(line)
        text = _Line(indent, width).text(parts)
    except Unsupported:
        text, comment = "".join([token.text for token in line]).replace("\r\n", "\n").rstrip(), None
    return " " * indent + text + (f"  {_comment(comment)}" if comment else "")


class _Line:
    """Prints parts flat or broken. Columns count from the left margin."""

    def __init__(self, indent: int, width: int) -> None:
        self.indent = indent
        self.width = width

    def text(self, parts: list[Part]) -> str:
        if not _has_comments(parts):
            flat = _flat(parts, None)
            if self.indent + len(flat) <= self.width or _AMENDMENT.fullmatch(flat):
                return flat
        return self.broken(parts, None, self.indent)

    def broken(self, parts: list[Part], around: Group | None, indent: int) -> str:
        """``parts`` with their last bracket (and every one with a comment) broken over several lines."""
        groups = [part for part in parts if isinstance(part, Group) and (part.items or part.comments)]
        last = groups[-1] if groups else None
        pieces: list[str] = []
        state = Spacing(around)
        for part in parts:
            pieces.append(state.before(part))
            if isinstance(part, Group) and (part is last or part.has_comments()):
                pieces.append(self.group(part, indent, within=around))
            else:
                pieces.append(_one(part))
        return "".join(pieces)

    def group(self, group: Group, indent: int, within: Group | None) -> str:
        inner = indent + _INDENT
        margin = " " * inner
        if _is_table(group):
            items = _filled(group, margin, even=within is not None and within.kind == "list")
            return "\n".join([group.open, *items, " " * indent + group.close])
        lines = [group.open]
        keeps_comma = group.comma or group.kind in ("call", "list", "dict")
        for place, item in enumerate(group.items):
            lines.extend([margin + _comment(comment) for comment in item.comments])
            if group.comprehension:
                lines.extend([margin + clause for clause in self.clauses(item.parts, group, inner)])
                continue
            text = "" if _has_comments(item.parts) else _flat(item.parts, group)
            if not text or inner + len(text) + 1 > WIDTH:
                text = self.broken(item.parts, group, inner)
            comma = "," if place < len(group.items) - 1 or keeps_comma else ""
            lines.append(margin + text + comma + (f"  {_comment(item.trailing)}" if item.trailing else ""))
        lines.extend([margin + _comment(comment) for comment in group.comments])
        lines.append(" " * indent + group.close)
        return "\n".join(lines)

    def clauses(self, parts: list[Part], around: Group, indent: int) -> list[str]:
        """The lines of a comprehension: one for the element and one for each ``for`` and ``if``."""
        pieces: list[list[Part]] = [[]]
        for part in parts:
            kind = part.type if isinstance(part, Atom) else ""
            if kind == "FOR" or (kind == "IF" and len(pieces) > 1):
                pieces.append([])
            pieces[-1].append(part)
        flat = [_flat(piece, around) for piece in pieces]
        return [
            self.broken(piece, around, indent) if _has_comments(piece) or indent + len(text) > WIDTH else text
            for piece, text in zip(pieces, flat, strict=True)
        ]


def _is_table(group: Group) -> bool:
    """True if the bracket is a list of many short words, which is more readable with several on a line."""
    return (
        group.kind == "list"
        and len(group.items) >= _TABLE_ITEMS
        and not group.has_comments()
        and all(
            len(item.parts) == 1 and isinstance(part := item.parts[0], Atom) and part.type == "STRING"
            and len(part.text) <= _TABLE_WORD
            for item in group.items
        )
    )  # fmt: skip


def _filled(group: Group, margin: str, *, even: bool) -> list[str]:
    """The items of a table on the fewest lines that fit; if ``even``, as for alternatives, of similar width."""
    pieces = [f"{_flat(item.parts, group)}," for item in group.items]
    fewest = _rows(pieces, margin, WIDTH)
    if not even:
        return fewest
    high = WIDTH
    low = min(max(map(len, pieces)) + len(margin), high)
    while low < high:
        middle = (low + high) // 2
        if len(_rows(pieces, margin, middle)) > len(fewest):
            low = middle + 1
        else:
            high = middle
    return _rows(pieces, margin, high)


def _rows(pieces: list[str], margin: str, width: int) -> list[str]:
    """``pieces``, as many on each line as ``width`` columns take."""
    lines: list[str] = []
    line = margin
    for piece in pieces:
        if line != margin and len(line) + 1 + len(piece) > width:
            lines.append(line)
            line = margin
        line += piece if line == margin else f" {piece}"
    return [*lines, line]


def _has_comments(parts: list[Part]) -> bool:
    return any(isinstance(part, Group) and part.has_comments() for part in parts)


def _one(part: Part) -> str:
    if isinstance(part, Atom):
        return part.text
    inside = ", ".join([_flat(item.parts, part) for item in part.items])
    alone = part.kind == "tuple" and len(part.items) == 1 and part.comma
    return part.open + inside + ("," if alone else "") + part.close


def _flat(parts: list[Part], around: Group | None) -> str:
    if len(parts) == 1:
        return _one(parts[0])
    state = Spacing(around)
    pieces: list[str] = []
    for part in parts:
        pieces.append(state.before(part))
        pieces.append(_one(part))
    return "".join(pieces)
