"""``$``: parameters, command and process substitution, arithmetic expansion."""

from __future__ import annotations

from execpolicy.shell.grammar.arithmetic import NotArithmetic, scan_arithmetic
from execpolicy.shell.grammar.parameters import SPECIAL, is_integer_parameter, read_braced
from execpolicy.shell.grammar.quotes import read_ansi, read_locale
from execpolicy.shell.grammar.reader import DIGITS, Reader
from execpolicy.shell.pieces import Piece
from execpolicy.shell.variables import NAME_PART, NAME_START

LETTERED = ("zsh", "ksh", "sh")
"""Shells whose names may contain letters beyond ASCII; ``sh`` may be ksh93."""


def read_dollar(reader: Reader, mode: str) -> Piece:
    start = reader.pos
    reader.state.count()
    quoted = mode != "bare"
    pos = reader.after(start + 1)
    char = reader.char(pos)
    if reader.state.shell == "zsh" and char and char in "=~^" and reader.char(pos + 1) in NAME_START:
        reader.mark_ambiguous_in_zsh(pos, "=~^")
        pos += 1
        char = reader.char(pos)
    if char in NAME_START and char:
        return _named(reader, start, pos, quoted)
    if char == "(":
        reader.state.rich = True
        if reader.char(reader.after(pos + 1)) == "(":
            return read_arithmetic(reader, start, reader.after(pos + 1) + 1, quoted)
        return read_substitution(reader, start, pos, quoted)
    if char == "{":
        reader.state.rich = True
        reader.enter()
        piece = read_braced(reader, start, pos, mode)
        reader.leave()
        return piece
    if char in DIGITS or char in SPECIAL:
        if char:
            reader.state.rich = True
            reader.pos = pos + 1
            reader.mark_ambiguous_in_zsh(pos + 1, "[:")
            if char == "#" and reader.state.shell == "zsh":
                _mark_zsh_length(reader, reader.after(pos + 1))
            if char == "$" and quoted and reader.char(pos + 1) and reader.char(pos + 1) in "({[":
                # bash finds the end of the quotes as if a substitution began at the second `$`.
                reader.state.mark_ambiguous("`$$` before a bracket between double quotes")
            number = is_integer_parameter(reader, char)
            return Piece("variable", None, quoted, name=char, many=char == "@", number=number, source="$" + char)
    elif char == "[":
        reader.state.rich = True
        reader.bash_only("$[…]")
        reader.enter()
        reader.pos = pos + 1
        first = len(reader.state.commands)
        scan_arithmetic(reader, "]", start)
        reader.leave()
        return arithmetic_piece(reader, start, quoted, first)
    elif char == "'" and not quoted:
        reader.pos = pos
        return read_ansi(reader)
    elif char == '"' and not quoted:
        reader.pos = pos
        return read_locale(reader)
    reader.pos = start + 1
    reader.mark_ambiguous_in_zsh(pos, "+=~^#:")
    _mark_locale_letter(reader, pos)
    return Piece("literal", "$", quoted)


def _named(reader: Reader, start: int, pos: int, quoted: bool) -> Piece:
    """Reads ``$name``; the name begins at ``pos``."""
    parts = [reader.char(pos)]
    pos = reader.after(pos + 1)
    while reader.char(pos) in NAME_PART and pos < reader.end:
        parts.append(reader.text[pos])
        pos = reader.after(pos + 1)
    reader.pos = pos
    reader.state.rich = True
    reader.mark_ambiguous_in_zsh(pos, "[:")
    _mark_locale_letter(reader, pos)
    subscript = _bare_subscript(reader) if reader.state.shell == "zsh" else None
    source = reader.text[start : reader.pos]
    name = "".join(parts)
    number = is_integer_parameter(reader, name)
    return Piece("variable", None, quoted, number=number, name=name, subscript=subscript, source=source)


def _mark_zsh_length(reader: Reader, pos: int) -> None:
    """Marks the script ambiguous: zsh reads ``$#name`` as a length and evaluates a subscript after it: ``"$#y[x]"``.

    Without a subscript the result is a number, and in other shells ``$#`` followed by a name: neither can be a command
    or an option.
    """
    first = reader.char(pos)
    if first in SPECIAL and first:
        pos = reader.after(pos + 1)
    while reader.char(pos) in NAME_PART and pos < reader.end:
        pos = reader.after(pos + 1)
    reader.mark_ambiguous_in_zsh(pos, "[:")
    _mark_locale_letter(reader, pos)


def _mark_locale_letter(reader: Reader, pos: int) -> None:
    """Marks the script ambiguous: zsh and ksh93 continue a name with any locale letter (``"$xé[y]"``).

    Every character that may be a letter in some locale counts: not punctuation, mathematics, currencies or
    pictures.
    """
    char = reader.char(pos)
    if char <= "\x7f" or reader.state.shell not in LETTERED:
        return
    from unicodedata import category

    kind = category(char)
    picture = kind == "So" and not ("\u24b6" <= char <= "\u24e9" or "\U0001f130" <= char <= "\U0001f189")
    if kind[0] not in "PZ" and kind not in ("Sm", "Sc", "Sk") and not picture:
        reader.state.mark_ambiguous(f"`{char}` is part of a name in zsh and ksh93")


def _bare_subscript(reader: Reader) -> str | None:
    """``[2]`` after ``$name``, which zsh reads as its subscript, if it is a number or a key."""
    close = reader.text.find("]", reader.pos, reader.pos + 64)
    inside = reader.text[reader.pos + 1 : close]
    if reader.char(reader.pos) != "[" or close < 0 or not all(char in NAME_PART or char in "-@*" for char in inside):
        return None
    reader.pos = close + 1
    return inside


def read_substitution(reader: Reader, start: int, opening: int, quoted: bool, context: str = "substitution") -> Piece:
    """Reads ``$(…)`` or ``<(…)`` that begins at ``start``, with ``opening`` at the parenthesis."""
    state = reader.state
    first = len(state.commands)
    outer_pending, outer_context = reader.pending, reader.context
    reader.pending = []
    reader.context = outer_context + (context,)
    reader.pos = opening + 1
    reader.enter()
    heredocs, pipelines, compounds = state.heredocs, state.pipelines, state.compounds
    state.heredocs = state.pipelines = state.compounds = 0
    reader.hooks.read_list(reader, (")",), empty=True)
    # bash 5.2 prints the parsed text and parses that again; around a here-document it loses separators.
    if state.heredocs and (state.compounds or state.pipelines > 1):
        state.mark_ambiguous("a here-document beside other commands in a substitution")
    state.heredocs, state.pipelines, state.compounds = heredocs, pipelines, compounds
    reader.leave()
    if reader.pending:
        reader.fail("here-document whose body is not inside its substitution", opening)
    if reader.char(reader.pos) != ")":
        reader.fail("unterminated substitution", opening)
    if outer_pending and "\n" in reader.text[opening : reader.pos]:
        state.mark_ambiguous("a substitution over several lines between a here-document and its body")
    reader.pending, reader.context = outer_pending, outer_context
    reader.pos += 1
    state.rich = True
    kind = "substitution" if context == "substitution" else "process"
    empty = kind == "process" and len(state.commands) == first
    if empty:
        # bash removes it, and the word with it.
        state.mark_ambiguous("a process substitution without a command")
    ran, source = range(first, len(state.commands)), reader.text[start : reader.pos]
    return Piece(kind, None, quoted or kind == "process", many=empty, inner=ran, source=source)


def read_arithmetic(reader: Reader, start: int, inside: int, quoted: bool) -> Piece:
    """Reads ``$((…))`` with ``inside`` after the second parenthesis."""
    state = reader.state
    first, depth = len(state.commands), state.depth
    uses, noted, given = len(state.uses), len(state.effects), len(state.given)
    reader.pos = inside
    reader.enter()
    try:
        scan_arithmetic(reader, "))", start)
    except NotArithmetic:  # bash reads a subshell, dash reports an error
        state.depth = depth
        del state.commands[first:], state.uses[uses:], state.effects[noted:], state.given[given:]
        state.mark_ambiguous("`$((` that is not arithmetic")
        return read_substitution(reader, start, reader.after(start + 1), quoted)
    reader.leave()
    return arithmetic_piece(reader, start, quoted, first)


def arithmetic_piece(reader: Reader, start: int, quoted: bool, first: int) -> Piece:
    """The arithmetic expansion from ``start`` to the position; the commands in it begin at index ``first``."""
    ran = range(first, len(reader.state.commands))
    return Piece("arithmetic", None, quoted, number=True, inner=ran, source=reader.text[start : reader.pos])
