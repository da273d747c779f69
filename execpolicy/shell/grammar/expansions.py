"""``$``: parameters, command and process substitution, arithmetic expansion."""

from __future__ import annotations

from unicodedata import category

from execpolicy.shell.grammar.arithmetic import NotArithmetic, plain_quote, scan_arithmetic
from execpolicy.shell.grammar.quotes import read_ansi, read_backquote, read_double, read_locale, read_single
from execpolicy.shell.grammar.reader import DIGITS, Reader
from execpolicy.shell.pieces import UNFOLLOWED, Piece
from execpolicy.shell.script import ASSIGN_DEFAULT, INDIRECT, PROMPT_EXPANSION
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


SPECIAL = frozenset("@*#?-$!")
"""Parameters whose name is one punctuation character."""
NUMBERS = frozenset("#?$")
"""Special parameters whose value is an integer."""
IDENTITIES = frozenset(("PPID", "UID", "EUID"))
"""Variables of bash whose value is an integer that cannot be changed."""


def is_integer_parameter(reader: Reader, name: str) -> bool:
    """True if the value of the parameter ``name`` is always an integer."""
    return name in NUMBERS or (name in IDENTITIES and reader.state.shell == "bash")


def read_braced(reader: Reader, start: int, opening: int, mode: str) -> Piece:
    """Reads ``${…}`` that begins at ``start``, with ``opening`` at the brace."""
    # One sequence through the syntax: prefix, name, subscript, operator; every step needs the steps before it.
    text = reader.text
    quoted = mode != "bare"
    first = len(reader.state.commands)
    pos = opening + 1
    indirect = length = False
    if reader.state.shell == "zsh":
        pos, indirect = _zsh_flags(reader, pos)
    char, follower = reader.char(pos), reader.char(pos + 1)
    if char == "!" and follower != "}":
        last = follower == "#" and reader.char(pos + 2) == "}"
        if follower not in NAME_PART and follower not in "@*" and not last:
            reader.fail("unusual ${!…}")
        indirect = True
        pos += 1
    elif char == "#" and follower != "}":
        if follower not in NAME_PART and not (follower in SPECIAL and reader.char(pos + 2) == "}"):
            reader.fail("unusual ${#…}")
        length = True
        pos += 1
    char = reader.char(pos)
    begin = pos
    if char in NAME_START and char:
        while reader.char(pos) in NAME_PART and pos < reader.end:
            pos += 1
    elif char in DIGITS and char:
        while reader.char(pos) in DIGITS and pos < reader.end:
            pos += 1
    elif char in SPECIAL and char:
        pos += 1
    elif char != ":" or reader.state.shell != "zsh":  # `${:-word}`
        reader.fail("unusual parameter in ${…}", opening)
    name = text[begin:pos]
    subscript: str | None = None
    elements = name == "@" or (name == "*" and not quoted)
    if reader.char(pos) == "[" and name[:1] in NAME_START and name:
        reader.bash_only("array subscripts")
        close = text.find("]", pos)
        inside = text[pos + 1 : close] if close > 0 else ""
        if inside in ("@", "*"):
            subscript = inside
            elements = inside == "@" or not quoted
            pos = close + 1
        else:
            reader.pos = pos + 1
            scan_arithmetic(reader, "]", pos)
            pos = reader.pos
            subscript = text[begin + len(name) + 1 : pos - 1]
    reader.pos = pos
    char = reader.char(pos)
    operator, number, many = "", subscript is None and is_integer_parameter(reader, name), elements
    word: tuple[Piece, ...] = ()
    if char == "}":
        reader.pos += 1
        if indirect:
            reader.bash_only("${!…}")
            if subscript not in ("@", "*"):
                reader.state.effect(INDIRECT, reader.span(opening - 1, reader.pos), f"${{!{name}}}")
            operator, subscript, number = (UNFOLLOWED if subscript in ("@", "*") else "!"), None, False
        elif length:
            operator, subscript, number, many = UNFOLLOWED, None, True, False
    elif indirect and char in ("@", "*") and reader.char(pos + 1) == "}" and subscript is None:
        reader.bash_only("${!…}")
        reader.pos += 2
        operator, number, many = UNFOLLOWED, False, char == "@"
    elif length:
        reader.fail("unusual ${#…}", opening)
    else:
        if indirect:
            reader.bash_only("${!…}")
            reader.state.effect(INDIRECT, reader.span(opening - 1, pos), f"${{!{name}}}")
        operator, word = read_operator(reader, opening, mode, name)
        operator = UNFOLLOWED if indirect else operator
        number, many = False, elements or any(piece.many for piece in word)
    ran, source = range(first, len(reader.state.commands)), text[start : reader.pos]
    return Piece(
        "variable",
        None,
        quoted,
        many=many,
        number=number,
        name=name,
        subscript=subscript,
        operator=operator,
        word=word,
        inner=ran,
        source=source,
    )


def _zsh_flags(reader: Reader, pos: int) -> tuple[int, bool]:
    """The position after zsh flags in front of a name (``(f)``, ``=``, ``~``); true if they make it an indirection."""
    begin, indirect = pos, False
    while reader.char(pos) and reader.char(pos) in "(=~^":
        close = reader.text.find(")", pos, pos + 32) if reader.char(pos) == "(" else pos
        if close < 0:
            break
        indirect = indirect or "P" in reader.text[pos:close]
        pos = close + 1
    if pos != begin or reader.char(pos) == ":":
        reader.state.mark_ambiguous("zsh reads flags in ${…}")
    return pos, indirect


def read_operator(reader: Reader, opening: int, mode: str, name: str) -> tuple[str, tuple[Piece, ...]]:
    """Reads the part of ``${name…`` from the operator to the closing brace: the operator, and the pieces after it."""
    char = reader.char(reader.pos)
    follower = reader.char(reader.pos + 1)
    operator = UNFOLLOWED
    word: list[Piece] = []
    if char == ":" and follower in "-=+?" and follower:
        operator = follower
        reader.pos += 2
        word = read_brace_word(reader, mode)
    elif char == ":":
        reader.bash_only("${…:offset}")
        reader.pos += 1
        if reader.state.shell == "zsh" and reader.char(reader.pos) in NAME_START:
            reader.state.mark_ambiguous("zsh reads modifiers in ${…:…}")
        begin = reader.pos
        scan_arithmetic(reader, "}", opening - 1)
        reader.pos -= 1
        operator = ":"
        word = [Piece("literal", reader.text[begin : reader.pos], True)]
    elif char and char in "-=+?#%/^,~":
        if char in "/^,~":
            reader.bash_only("${…/…} and ${…^…}")
        operator = char
        reader.pos += 1
        word = read_brace_word(reader, mode)
    elif char == "@" and follower in "QEPAKakUuL" and follower and reader.char(reader.pos + 2) == "}":
        reader.bash_only("${…@…}")
        if follower == "P":
            detail = f"${{{name}@P}} expands the value of {name} again"
            reader.state.effect(PROMPT_EXPANSION, reader.span(opening - 1, reader.pos + 3), detail)
        operator = "@"
        word = [Piece("literal", follower, True)]
        reader.pos += 2
    else:
        reader.fail("unusual operator in ${…}", opening)
    if reader.char(reader.pos) != "}":
        reader.fail("unterminated ${…}", opening)
    reader.pos += 1
    if operator == "=":
        reader.state.give(name, (tuple(word),), reader.where(opening), reader.blocks, certain=False)
        detail = f"${{{name}=…}} assigns {name}"
        reader.state.effect(ASSIGN_DEFAULT, reader.span(opening - 1, reader.pos), detail)
    return operator, tuple(word)


def read_brace_word(reader: Reader, mode: str) -> list[Piece]:
    """Reads the word inside ``${x:-word}``: up to the first ``}`` that is not quoted."""
    text = reader.text
    pieces: list[Piece] = []
    while True:
        if reader.pos >= reader.end:
            reader.fail("unterminated ${…}")
        char = text[reader.pos]
        if char == "}":
            return pieces
        if char == "\\":
            follower = reader.char(reader.pos + 1)
            reader.pos += 2
            if follower == "\n":
                continue
            keep = mode != "bare" and follower not in '$`"\\}'
            pieces.append(Piece("literal", "\\" + follower if keep else follower, True))
        elif char == "'":
            if mode == "bare":
                pieces.append(read_single(reader))
            else:
                pieces.append(Piece("literal", plain_quote(reader), True))
        elif char == '"':
            if mode == "here":
                reader.fail("double quote inside ${…} of a here-document")
            pieces += read_double(reader)
        elif char == "`":
            pieces.append(read_backquote(reader, mode))
        elif char == "$":
            if mode != "bare" and reader.char(reader.after(reader.pos + 1)) in "'\"":
                pieces.append(_ansi_inside(reader))
                continue
            pieces.append(reader.hooks.read_dollar(reader, mode))
        elif char in "<>" and reader.char(reader.after(reader.pos + 1)) == "(":
            reader.fail("process substitution inside ${…}")
        else:
            pieces.append(Piece("literal", char, mode != "bare"))
            reader.pos += 1


def _ansi_inside(reader: Reader) -> Piece:
    """Reads ``$'…'`` inside a double-quoted ``${…}``, if it ends at the same place whether or not it is a quote."""
    start = reader.after(reader.pos + 1)
    close = reader.text.find("'", start + 1, reader.end)
    inside = reader.text[start + 1 : close]
    plain = not any(char in '}])$`"\n' for char in inside) and not inside.endswith("\\")
    if reader.state.shell != "bash" or reader.char(start) != "'" or close < 0 or not plain:
        reader.fail("$' or $\" inside double-quoted ${…}")
    source = reader.text[reader.pos : close + 1]
    reader.pos = close + 1
    return Piece("mixed", None, True, source=source)
