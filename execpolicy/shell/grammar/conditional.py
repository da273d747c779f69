"""``[[ … ]]``: not a command, but it may run substitutions and arithmetic."""

from __future__ import annotations

from execpolicy.shell.grammar.elements import read_word
from execpolicy.shell.grammar.expansions import read_dollar
from execpolicy.shell.grammar.quotes import read_backquote, read_double, read_single
from execpolicy.shell.grammar.reader import META, Reader
from execpolicy.shell.pieces import Piece, bare_text
from execpolicy.shell.variables import NAME_START, is_name

_NUMERIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_BINARY = frozenset(("=", "==", "!=", "=~", "-nt", "-ot", "-ef")) | _NUMERIC
_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")


def read_conditional(reader: Reader) -> None:
    """Reads a condition from after ``[[`` up to and including ``]]``."""
    reader.bash_only("[[")
    opening = max(0, reader.pos - 2)
    reader.state.rich = True
    reader.enter()
    if reader.pending:
        reader.fail("[[ between a here-document and its body")
    _read_or(reader)
    reader.leave()
    start = reader.pos
    if bare_text(_operand(reader, plain=True)) != "]]":
        reader.fail("[[ without ]]", start)
    reader.state.conditions.append(reader.span(opening, reader.pos))


def _blanks(reader: Reader) -> str:
    while True:
        char = reader.skip_blanks()
        if char != "\n":
            return char
        reader.pos += 1


def _read_or(reader: Reader) -> None:
    while True:
        _read_term(reader)
        _blanks(reader)
        if not (reader.text.startswith("&&", reader.pos) or reader.text.startswith("||", reader.pos)):
            return
        reader.pos += 2


def _read_term(reader: Reader) -> None:
    char = _blanks(reader)
    if char == "(":
        reader.enter()
        reader.pos += 1
        _read_or(reader)
        if _blanks(reader) != ")":
            reader.fail("unbalanced parenthesis in [[ ]]")
        reader.pos += 1
        reader.leave()
        return
    start = reader.pos
    first = _operand(reader, plain=True)
    word = bare_text(first)
    if word == "!":
        reader.enter()
        _read_term(reader)
        reader.leave()
        return
    if word == "]]" or not first:
        reader.fail("unusual [[ ]]", start)
    char = _blanks(reader)
    ahead = _peek_word(reader)
    if word in _UNARY and ahead not in _BINARY and ahead != "]]" and char not in "&|)<>":
        operand = _operand(reader, plain=True)
        if word == "-v" or word == "-R":
            _variable_test(reader, operand, start)
        elif word == "-t" and reader.state.shell in ("zsh", "ksh"):  # zsh 5.9 evaluates `psvar[$(cmd)]`
            _number(reader, operand, start)
        return
    if char and char in "<>":
        reader.pos += 1
        _blanks(reader)
        _operand(reader, plain=True)
        return
    if ahead not in _BINARY:
        return
    reader.pos += len(ahead)
    if reader.skip_blanks() in ("\n", ""):
        reader.fail("unusual [[ ]]", start)
    if ahead == "=~":
        _regex(reader)
        return
    second = _operand(reader, plain=ahead in _NUMERIC)
    if ahead in _NUMERIC:
        _number(reader, first, start)
        _number(reader, second, start)


def _peek_word(reader: Reader) -> str:
    """The raw characters up to the next blank or metacharacter (``<`` and ``>`` are operators of their own)."""
    at = reader.pos
    while at < reader.end and reader.text[at] not in META:
        at += 1
    return reader.text[reader.pos : at]


def _operand(reader: Reader, *, plain: bool) -> list[Piece]:
    """Reads a word; unless ``plain``, a pattern with ``@(…)`` parts is valid too."""
    char = _blanks(reader)
    if not char or (char in META and not (char in "<>" and reader.char(reader.pos + 1) == "(")):
        reader.fail("a word is missing in [[ ]]")
    pieces = read_word(reader)
    while reader.char(reader.pos) == "(":
        if plain or reader.text[reader.pos - 1] not in "?*+@!":
            reader.fail("unexpected `(` in [[ ]]")
        _parenthesised(reader)
        if reader.char(reader.pos) not in META:
            pieces += read_word(reader)
        pieces.append(Piece("mixed", None, True))
    return pieces


def _parenthesised(reader: Reader) -> None:
    """Reads a balanced ``(…)`` of a pattern or regular expression."""
    opening = reader.pos
    depth = 0
    while reader.pos < reader.end:
        char = reader.text[reader.pos]
        if char == "(":
            depth += 1
            reader.pos += 1
        elif char == ")":
            depth -= 1
            reader.pos += 1
            if depth == 0:
                return
        elif char == "\\":
            reader.pos += 2
        elif char == "'":
            read_single(reader)
        elif char == '"':
            read_double(reader)
        elif char == "$":
            read_dollar(reader, "bare")
        elif char == "`":
            read_backquote(reader, "bare")
        elif char in "<>;&\n#":
            reader.fail("unusual character in a pattern of [[ ]]")
        else:
            reader.pos += 1
    reader.fail("unbalanced parenthesis in [[ ]]", opening)


def _regex(reader: Reader) -> None:
    """Reads the right side of ``=~``: parentheses and ``|`` are part of the word."""
    if reader.char(reader.pos) == "#":
        reader.fail("unusual regular expression in [[ ]]")
    while (char := reader.char(reader.pos)) not in ("", " ", "\t", "\n"):
        if char == "(":
            _parenthesised(reader)
        elif char == "|":
            reader.pos += 1
        elif char in "<>;&)" or not read_word(reader):
            reader.fail("unusual regular expression in [[ ]]")


def _number(reader: Reader, pieces: list[Piece], start: int) -> None:
    """Records an operand of ``-eq`` and similar operators, which bash evaluates as arithmetic."""
    reader.state.may_fail()
    names: set[str] = set()
    inner: list[int] = []
    unknown = False
    for piece in pieces:
        if piece.kind == "literal":
            text = piece.text or ""
            unknown = unknown or not all(char in "0123456789+- " for char in text)
        elif piece.kind == "substitution":
            inner.extend(piece.inner)
        elif piece.kind == "variable" and not piece.number:
            simple = not piece.operator and piece.subscript is None and piece.name[0] in NAME_START
            unknown = unknown or not simple
            names.add(piece.name)
        elif piece.kind not in ("arithmetic", "variable"):
            unknown = True
    if len(pieces) == 1 and pieces[0].kind == "literal" and is_name(pieces[0].text or ""):
        names.add(pieces[0].text or "")
        unknown = False
    _note_text(reader, pieces, start)
    if names or inner or unknown:
        reader.use(start, names, inner, unknown=unknown)


def _variable_test(reader: Reader, pieces: list[Piece], start: int) -> None:
    """Records the operand of ``-v``: ``-v a[$(c)]`` evaluates the subscript."""
    if len(pieces) == 1 and pieces[0].kind == "literal" and is_name(pieces[0].text or ""):
        return
    _note_text(reader, pieces, start)
    reader.use(start)


def _note_text(reader: Reader, pieces: list[Piece], start: int) -> None:
    """Records text that is evaluated however it is quoted: ``a['$(c)']`` and ``a[\\$\\(c\\)]`` contain a command."""
    text = "".join([piece.source or piece.text or "" for piece in pieces])
    reader.state.texts.append((text, reader.span(start, reader.pos)))
