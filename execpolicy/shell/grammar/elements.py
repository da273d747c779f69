"""Words and arrays as written: pieces up to the next metacharacter."""

from __future__ import annotations

from execpolicy.shell.grammar.arithmetic import scan_arithmetic
from execpolicy.shell.grammar.expansions import read_dollar, read_substitution
from execpolicy.shell.grammar.quotes import read_backquote, read_double, read_single
from execpolicy.shell.grammar.reader import META, Reader
from execpolicy.shell.grammar.word_building import build_words
from execpolicy.shell.pieces import SOMEWHERE, Piece
from execpolicy.shell.script import ARITHMETIC, CUT_OFF
from execpolicy.shell.variables import assignment_name, is_name
from execpolicy.shell.words import Word

_QUOTES = frozenset("'\"\\$`")
WORD_STOP = META | _QUOTES
_ENDING = META - {"<", ">"}
"""Characters that end a word in every case."""


def read_word(reader: Reader, *, element: bool = False) -> list[Piece]:
    """The word at the position (not empty), up to the next metacharacter.

    Args:
        element: an assignment is possible here. For ``name[sub]=…`` the pieces begin at ``=`` or ``+=`` and
            ``reader.element`` is the name; otherwise ``reader.element`` is ``None``.
    """
    # The hot loop of the reader: a function call for each branch would cost more than the branch.
    text, end = reader.text, reader.end
    reader.element = None
    assigning = element
    pos = start = reader.pos
    stop = reader.plain_end(pos)
    if stop > pos and (stop == end or text[stop] in _ENDING):  # the usual case
        reader.pos = stop
        return [Piece("literal", text[pos:stop], False)]
    pieces: list[Piece] = []
    name: str | None = None
    while pos < end:
        char = text[pos]
        if char not in WORD_STOP:
            if not (element and pieces and char == "["):  # else a subscript, after an escaped line break
                begin = pos
                pos = max(reader.plain_end(pos), pos + 1)
                if element:
                    while pos < end and text[pos] not in WORD_STOP and text[pos] != "[":
                        pos += 1
                else:
                    while pos < end and text[pos] not in WORD_STOP:
                        pos += 1
                run = text[begin:pos]
                if pieces and pieces[-1].kind == "literal" and not pieces[-1].quoted:
                    pieces[-1] = Piece("literal", (pieces[-1].text or "") + run, False)
                else:
                    pieces.append(Piece("literal", run, False))
            if element and text[pos : pos + 1] == "[":
                if len(pieces) == 1 and is_name(pieces[0].text or "") and name is None:
                    reader.pos = pos
                    pos = _read_subscript(reader, pieces)
                    name = reader.element
                    continue
                element = False
            continue
        reader.pos = pos
        if char == "\\":
            follower = text[pos + 1 : pos + 2]
            if follower == "\n":
                reader.state.rich = True
                pos += 2
                continue
            pieces.append(Piece("literal", follower or "\\", True))
            if not follower:
                if reader.state.depth or reader.offsets is not None:
                    reader.fail("backslash at the end")
                # bash 5.2 drops it if quotes opened on an earlier line, and keeps it otherwise.
                if reader.state.shell != "bash" or "\n" in text:
                    reader.state.mark_ambiguous("a backslash at the end")
                where = reader.span(pos, pos + 1)
                reader.state.effect(CUT_OFF, where, "the text ends in a backslash, as if it were cut off")
            pos += 2
            pos = min(pos, end)
            continue
        if char == "'":
            pieces.append(read_single(reader))
        elif char == '"':
            pieces += read_double(reader)
        elif char == "$":
            piece = read_dollar(reader, "bare")
            last = pieces[-1] if pieces else None
            if piece.kind == "literal" and not piece.quoted and last and last.kind == "literal" and not last.quoted:
                pieces[-1] = Piece("literal", (last.text or "") + (piece.text or ""), False)
            else:
                pieces.append(piece)
        elif char == "`":
            pieces.append(read_backquote(reader, "bare"))
        elif char in "<>" and reader.char(reader.after(pos + 1)) == "(":
            if reader.state.shell not in ("bash", "zsh"):
                reader.state.mark_ambiguous("<(…) is not read by every sh")
            pieces.append(read_substitution(reader, pos, reader.after(pos + 1), False, "process"))
        else:
            break
        pos = reader.pos
    if "{" in text[start:pos] and not (assigning and _assigns(pieces)) and _hides_braces(text[start:pos]):
        reader.state.mark_ambiguous("braces beside backquotes or quotes inside ${…} in one word")
        pieces.append(Piece("mixed", None, False, many=True))
    reader.pos = pos
    reader.element = name  # words inside this word may have set it
    return pieces


def _assigns(pieces: list[Piece]) -> bool:
    """True if a word in front of the program is ``name=value``, in which no shell expands braces."""
    first = pieces[0].text or "" if pieces and pieces[0].kind == "literal" and not pieces[0].quoted else ""
    name = assignment_name(first)
    return bool(name) and first[len(name)] != "["


def _read_subscript(reader: Reader, pieces: list[Piece]) -> int:
    """Reads ``[…]`` after a name; returns the position after it."""
    opening = reader.pos
    name = pieces[0].text or ""
    uses = len(reader.state.uses)
    reader.pos += 1
    first = len(reader.state.commands)
    reader.enter()
    scan_arithmetic(reader, "]", opening)
    reader.leave()
    follower = reader.after(reader.pos)
    raw = reader.text[opening : reader.pos]
    if reader.char(follower) == "=" or reader.text.startswith("+=", follower):
        reader.element = name
        pieces.clear()
        reader.bash_only("array elements")
        return reader.pos
    if len(reader.state.commands) > first or any(char in META or char in _QUOTES for char in raw):
        reader.fail("unusual `[` in a word", opening)
    del reader.state.uses[uses:]
    reader.element = None
    pieces[0] = Piece("literal", name + raw, False)
    return reader.pos


def read_array(reader: Reader) -> tuple[list[Word], tuple[tuple[Piece, ...], ...]]:
    """Reads ``(…)`` of an array assignment with the position on the parenthesis."""
    opening = reader.pos
    reader.bash_only("arrays")
    reader.state.rich = True
    reader.pos += 1
    words: list[Word] = []
    values: list[tuple[Piece, ...]] = []
    reader.enter()
    while True:
        char = reader.skip_blanks()
        if char == ")":
            reader.pos += 1
            reader.leave()
            raw = reader.text[opening : reader.pos]
            if ("\n" in raw or "\\" in raw) and reader.reparsed():
                reader.state.mark_ambiguous("an array with escapes or newlines inside a substitution")
            if reader.pos < reader.end and reader.text[reader.pos] not in META:
                reader.fail("text directly behind an array")
            return words, tuple(values)
        if char == "\n":
            if reader.pending:
                reader.fail("an array over several lines between a here-document and its body")
            reader.pos += 1
            continue
        if not char or (char in META and not (char in "<>" and reader.char(reader.pos + 1) == "(")):
            reader.fail("unusual character in an array", opening)
        start = reader.pos
        placed = _skip_place(reader) if char == "[" else 0
        if placed and not any(value and value[0] is SOMEWHERE for value in values):
            # indices of elements are not tracked: a placeholder of unknown length in front hides all of them
            values.append((SOMEWHERE,))
        elif char == "[" and not placed:
            reader.state.mark_ambiguous("array element with a subscript")
        pieces = [] if placed and reader.char(reader.pos) in META else read_word(reader)
        if not pieces:
            if not placed:
                reader.fail("an empty word", start)
            pieces = [Piece("literal", "", True)]
        place = (Piece("literal", reader.text[start : start + placed], False),) if placed else ()
        values.append((*place, *pieces))
        words += build_words(reader, pieces, start)


def _skip_place(reader: Reader) -> int:
    """Skips ``[…]=`` in front of an element if its text is plain, a number or a name; returns its length or ``0``."""
    text, start = reader.text, reader.pos
    quote = text[start + 1 : start + 2]
    quote = quote if quote in ("'", '"') else ""
    close = text.find(quote + "]=", start + 2, reader.end)
    inside = text[start + 1 + len(quote) : close]
    if close < 0 or not inside or any(char in META or char in "$`'\"\\[]{}*?" for char in inside):
        return 0
    if not inside.isdigit():
        where = reader.span(start, close + len(quote) + 1)
        reader.state.effect(ARITHMETIC, where, "the place of an element is evaluated, unless its array has names")
    reader.pos = close + len(quote) + 2
    return reader.pos - start


def _is_one_quote(raw: str) -> bool:
    """True if ``raw`` is one pair of double quotes with none inside: bash never expands braces there."""
    inside = raw[1:-1]
    return len(raw) > 1 and raw[0] == raw[-1] == '"' and '"' not in inside and "\\" not in inside


def _hides_braces(raw: str) -> bool:
    """True if bash, which expands braces on the raw word, may see braces that are inside an expansion.

    bash's brace expansion ignores backquotes between double quotes, and quotes inside ``"${…}"``.
    """
    rest = raw.replace("\\$", "").replace("${", "")  # the brace of `\${` is an ordinary brace
    if "{" not in rest or not ("," in rest or ".." in rest):
        return False
    if "`" in raw:
        return not _is_one_quote(raw)
    at = raw.find("${")
    while at >= 0:
        close = raw.find("}", at)
        inside = raw[at + 2 : close if close > 0 else len(raw)]
        if '"' in inside or "'" in inside or "{" in inside:
            return True
        at = raw.find("${", at + 2)
    return False
