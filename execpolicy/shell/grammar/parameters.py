"""``${…}``: parameters with subscripts and operators."""

from __future__ import annotations

from execpolicy.shell.grammar.arithmetic import plain_quote, scan_arithmetic
from execpolicy.shell.grammar.quotes import read_backquote, read_double, read_single
from execpolicy.shell.grammar.reader import DIGITS, Reader
from execpolicy.shell.pieces import UNFOLLOWED, Piece
from execpolicy.shell.script import ASSIGN_DEFAULT, INDIRECT, PROMPT_EXPANSION
from execpolicy.shell.variables import NAME_PART, NAME_START

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
