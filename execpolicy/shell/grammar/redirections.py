"""Redirects: operator, descriptor and target."""

from __future__ import annotations

from execpolicy.shell.grammar.elements import read_word
from execpolicy.shell.grammar.heredocs import expect_body
from execpolicy.shell.grammar.reader import DIGITS, META, Reader
from execpolicy.shell.grammar.state import Pending
from execpolicy.shell.grammar.word_building import build_word, build_words
from execpolicy.shell.pieces import SOMEWHERE, Piece, has_brace
from execpolicy.shell.script import ASSIGNMENT, DYNAMIC_REDIRECT, NETWORK_REDIRECT, PROMPT_EXPANSION, Redirect, replace
from execpolicy.shell.variables import NAME_PART, NAME_START, harmless_assignment
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_PARTS = 4
"""The cost of one redirect in parts of a word."""
_NETWORK = ("/dev/tcp/", "/dev/udp/")
_BEHIND = {"zsh": ">&|!"}
"""The characters behind ``>`` in an operator; ``>!`` is ``>|``."""
_PLAIN = NAME_PART | frozenset("./-+:@,%=")


def redirect_ahead(reader: Reader) -> bool:
    """True if a redirect operator, with or without a descriptor in front, is at the position."""
    text, pos = reader.text, reader.pos
    char = text[pos]
    if char in "<>":
        return reader.char(reader.after(pos + 1)) != "("
    if char == "&":
        return reader.char(reader.after(pos + 1)) == ">"
    if char in DIGITS:
        pos = reader.after(pos + 1)
        while reader.char(pos) in DIGITS and pos < reader.end:
            pos = reader.after(pos + 1)
        return reader.char(pos) in ("<", ">") and reader.char(reader.after(pos + 1)) != "("
    if char == "{":
        pos = reader.after(pos + 1)
        if reader.char(pos) not in NAME_START:
            return False
        while reader.char(pos) in NAME_PART and pos < reader.end:
            pos = reader.after(pos + 1)
        if reader.char(pos) == "[":
            return False
        pos = reader.after(pos)
        if reader.char(pos) != "}":
            return False
        pos = reader.after(pos + 1)
        return reader.char(pos) in ("<", ">") and reader.char(reader.after(pos + 1)) != "("
    return False


def read_redirect(reader: Reader) -> Redirect | Pending:
    """Reads the redirect at the position; ``redirect_ahead`` was true."""
    start = reader.pos
    reader.state.rich = True
    reader.state.count(_PARTS)
    pieces: list[str] = []
    pos = start
    while reader.char(pos) not in "<>&":
        pieces.append(reader.text[pos])
        pos = reader.after(pos + 1)
    fd = "".join(pieces) or None
    if fd and len(fd) > 4 and fd[0] != "{":
        reader.fail("unusual descriptor")
    if fd and len(fd) > 1 and fd[0] != "{" and reader.state.shell != "bash":
        reader.state.mark_ambiguous("a descriptor of several digits is a word in some shells")
    if fd and fd[0] == "{":
        reader.bash_only("{name}> redirections")
        name = fd[1:-1]
        if not harmless_assignment(name, None, exported=False, shell=reader.state.shell):
            reader.state.effect(ASSIGNMENT, reader.span(start, pos), f"a redirection gives `{name}` a value")
    first = reader.text[pos]
    operator = first
    pos = reader.after(pos + 1)
    char = reader.char(pos)
    if first == "<" and char and char in "<>&":
        operator += char
        pos = reader.after(pos + 1)
        if operator == "<<" and reader.char(pos) and reader.char(pos) in "-<":
            operator += reader.text[pos]
            pos += 1
    elif first == ">" and char and char in _BEHIND.get(reader.state.shell, ">&|"):
        operator += char.replace("!", "|")
        pos += 1
    elif first == "&":
        operator = "&>"
        reader.bash_only("&>")
        if reader.state.shell == "zsh" and reader.text[max(start - 1, 0) : start] in DIGITS:
            reader.state.mark_ambiguous("zsh reads a digit in front of `&>` as a descriptor")
        pos = reader.after(pos + 1)
        if reader.char(pos) == ">":
            operator = "&>>"
            pos += 1
    reader.pos = pos
    if operator == "<<<":
        reader.bash_only("<<<")
    char = reader.skip_blanks()
    if not char or (char in META and not (char in "<>" and reader.char(reader.after(reader.pos + 1)) == "(")):
        reader.fail("redirection without a target")
    target_start = reader.pos
    if char == "-" and operator in (">&", "<&"):
        # bash always ends the word here; other shells do not.
        reader.pos += 1
        target_pieces = [Piece("literal", "-", False)]
        if reader.state.shell != "bash" and reader.char(reader.after(reader.pos)) not in META | {""}:
            reader.fail("unusual descriptor")
    else:
        target_pieces = read_word(reader)
    return _finish_redirect(reader, operator, fd, target_pieces, start, target_start)


def _finish_redirect(
    reader: Reader, operator: str, fd: str | None, pieces: list[Piece], start: int, target_start: int
) -> Redirect | Pending:
    opened = reader.state.opened
    opened.append(fd or ("0" if operator[0] == "<" else "1"))
    if operator in ("<<", "<<-"):
        reader.state.may_fail()  # its body is read after the end of the line, but expanded before it
        target = Word("".join([piece.text or "" for piece in pieces]), reader.span(target_start, reader.pos))
        plain = any(piece.quoted for piece in pieces)
        due = Pending(operator, fd, target, reader.span(start, reader.pos), reader.context, plain=plain)
        return expect_body(reader, due, pieces)
    plain = operator == "<<<"
    if reader.state.shell == "zsh" and not plain and _read_otherwise_by_zsh(reader, operator, pieces):
        reader.state.mark_ambiguous("zsh reads this redirection in its own way")
    braces = not plain and has_brace(pieces)
    target = build_word(reader, pieces, target_start, split=False, glob=not plain)
    if braces:
        expanded = build_words(reader, pieces, target_start)
        if len(expanded) != 1 or target.literal is None or expanded[0].literal != target.literal:
            reader.state.mark_ambiguous("braces in the target of a redirection")
    writes = operator in (">", ">>", ">|", "<>", "&>", "&>>")
    if operator == ">&" or operator == "<&":
        if target.quoted and reader.reparsed():
            reader.state.mark_ambiguous("a quoted descriptor inside a substitution")
        text = target.literal
        if operator == ">&":
            _expanded_twice(reader, target)
            if text is None and not target.number:  # the end of a value may be in the text after it: `$`, `ut`
                target = replace(target, suffix="")
                if any(not _PLAIN.issuperset(piece.text or "") for piece in pieces):  # a quote was removed
                    target = replace(target, prefix="", pieces=(SOMEWHERE,), absolute=False)
        if text is None:
            writes = operator == ">&" and not target.number
        else:
            text = text[:-1] if text.endswith("-") and len(text) > 1 else text
            descriptor = text == "-" or (text.isascii() and text.isdigit())
            writes = operator == ">&" and not descriptor
            if writes:
                reader.bash_only(">& with a name")
    if operator[0] == "&" or (operator == ">&" and writes and fd is None):
        opened.append("2")
    span = reader.span(start, reader.pos)
    redirect = Redirect(operator, fd, target, span, writes=writes, body=target if plain else None)
    if operator == "<<<" or target.kind == "process":
        return redirect
    known = target.literal
    if known is None:
        prefix = target.prefix
        network = prefix.startswith(_NETWORK) or (prefix != "" and any(n.startswith(prefix) for n in _NETWORK))
        if network:
            reader.state.effect(NETWORK_REDIRECT, span, f"a redirection to {prefix}…")
        elif not prefix and not writes and operator == "<" and not target.absolute:
            reader.state.effect(DYNAMIC_REDIRECT, span, "what is read is only known at run time")
    elif known.startswith(_NETWORK):
        reader.state.effect(NETWORK_REDIRECT, span, f"{known} opens a connection")
    return redirect


def _read_otherwise_by_zsh(reader: Reader, operator: str, pieces: Sequence[Piece]) -> bool:
    """True if zsh reads the operator or the target differently from bash.

    It takes part of the target as the operator (``>>!f``, ``<1-9>``), or gives the target another meaning: ``>&p`` is a
    coprocess, ``>&1-`` a file, ``> =ls`` a program.

    Source: zsh 5.9 manual, "Redirection" and "Glob Operators".
    """
    first = pieces[0]
    if first.kind == "literal" and not first.quoted and (first.text or "").startswith(("!", "=")):
        return True
    text = "".join([piece.text or "" for piece in pieces])
    if operator == "<":
        return "-" in text and not text.strip("0123456789-") and reader.char(reader.pos) == ">"
    return operator in (">&", "<&") and text != "-" and (text == "p" or text.endswith("-"))


def _expanded_twice(reader: Reader, target: Word) -> None:
    """Records the second expansion of a target of ``>&`` that is a name, in bash: `>&'$(c)'` runs ``c``."""
    state = reader.state
    if target.literal is None:
        if not target.number:
            state.effect(PROMPT_EXPANSION, target.span, "the target of `>&` is expanded twice")
    elif target.quoted and not _PLAIN.issuperset(target.literal):
        state.mark_ambiguous("a quoted name behind `>&`, which bash expands twice")
        state.texts.append((target.literal, target.span))
