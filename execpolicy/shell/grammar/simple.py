"""Simple commands: assignments, words and redirections in any order."""

from __future__ import annotations

from execpolicy.core.text import is_integer
from execpolicy.shell.grammar.elements import read_array, read_word
from execpolicy.shell.grammar.reader import DIGITS, META, Reader
from execpolicy.shell.grammar.redirections import read_redirect, redirect_ahead
from execpolicy.shell.grammar.shell_options import note_failing, note_settings
from execpolicy.shell.grammar.state import Draft, Pending
from execpolicy.shell.grammar.word_building import build_word, build_words
from execpolicy.shell.pieces import Piece, bare_text
from execpolicy.shell.script import Assignment, Redirect, replace
from execpolicy.shell.variables import assignment_name
from execpolicy.shell.vocabulary import DECLARING, LOOKED_THROUGH, RESERVED
from execpolicy.shell.words import Word

_REDIRECTING = DIGITS | frozenset("<>&{")
"""What a redirection may begin with."""


def read_simple(reader: Reader) -> None:
    """A simple command at the position: assignments, words and redirections in any order bash allows."""
    state = reader.state
    start = reader.pos
    index = state.reserve(start)
    words: list[Word] = []
    assignments: list[Assignment] = []
    redirects: list[Redirect | Pending] = []
    named = declaring = False
    known = len(state.given)
    last = start
    while True:
        char = reader.skip_blanks()
        if not char:
            break
        if char in _REDIRECTING and redirect_ahead(reader):
            redirects.append(read_redirect(reader))
            last = reader.pos
            continue
        if char in META and not (char in "<>" and reader.char(reader.after(reader.pos + 1)) == "("):
            break
        begin = reader.pos
        if not named:
            pieces = read_word(reader, element=True)
            found = _read_assignment(reader, pieces, begin, bool(redirects))
            if found is not None:
                assignments.append(found)
                last = reader.pos
                continue
        else:
            pieces = read_word(reader)
            if declaring and reader.char(reader.pos) == "(":
                last = _read_declared(reader, pieces, begin, words)
                continue
        if not pieces:
            reader.fail("an empty word", begin)
        if reader.text.startswith(("<", ">"), reader.pos) and _names_descriptor(pieces[0]):
            reader.fail("a descriptor is stored in an element of an array", begin)
        if redirects and not named and bare_text(pieces) in RESERVED and (state.shell == "zsh" or reader.reparsed()):
            reader.state.doubt("a reserved word behind a redirection, which not every shell reads alike")
        named = True  # also by a word that comes to nothing: behind `{,}` nothing is assigned
        words += build_words(reader, pieces, begin)
        last = reader.pos
        if not declaring and words and words[-1].literal in DECLARING and bare_text(pieces) in DECLARING:
            declaring = all(word.literal in LOOKED_THROUGH for word in words[:-1])
    if reader.char(reader.pos) == "(":
        reader.fail("unexpected `(`")
    if not words and not assignments and not redirects:
        reader.fail("a command is missing", start)
    if words or redirects:
        # it holds for this command only, or does not happen where a file cannot be opened (dash, mksh)
        doubt_given(reader, known, None)
    if assignments or redirects:
        state.rich = True
        state.bare_redirects = state.bare_redirects or (not words and bool(redirects))
    span = reader.span(start, last)
    state.commands[index] = Draft(span, reader.context, words, assignments, redirects)
    if words:
        note_settings(state, words, span)
        note_failing(state, words)


def doubt_given(reader: Reader, first: int, blocks: tuple[int, ...] | None) -> None:
    """What is given from index ``first`` on may not happen, or not in this shell."""
    given = reader.state.given
    for at in range(first, len(given)):
        if given[at].certain and (blocks is None or given[at].blocks == blocks):
            given[at] = replace(given[at], certain=False)


def _read_assignment(reader: Reader, pieces: list[Piece], start: int, behind_redirect: bool) -> Assignment | None:
    """The assignment that ``pieces`` are, or ``None``."""
    if not pieces or pieces[0].kind != "literal" or pieces[0].quoted:
        return None
    text = pieces[0].text or ""
    element = reader.element
    if element is not None:
        name = element
        rest = text
    else:
        name = assignment_name(text)
        if not name or text[len(name)] == "[":
            return None
        rest = text[len(name) :]
    append = rest.startswith("+=")
    value_text = rest[2:] if append else rest[1:]
    if append:
        reader.bash_only("+=")
    value = ([Piece("literal", value_text, False)] if value_text else []) + pieces[1:]
    where = reader.where(start)
    if not value and reader.char(reader.pos) == "(":
        if element is not None or behind_redirect:
            reader.fail("unusual array assignment")
        items, values = read_array(reader)
        reader.state.give(name, values, where, reader.blocks, array=True, append=append)
        return Assignment(name, None, reader.span(start, reader.pos), append=append, items=tuple(items))
    if not value:
        value = [Piece("literal", "", False)]
    word = build_word(reader, value, start, split=False, glob=False)
    if ":~" in value_text or any(
        piece.kind == "literal" and not piece.quoted and ":~" in (piece.text or "") for piece in value
    ):
        word = Word(None, word.span, kind="tilde", inner=word.inner, pieces=tuple(value))
    number = all(piece.number or piece.kind == "arithmetic" for piece in value)
    if word.literal is not None and is_integer(word.literal):
        number = True
    at = None if element is None else _index(reader.text, start + len(element))
    number = number and not append
    reader.state.give(name, (tuple(value),), where, reader.blocks, append=append, number=number, element=at)
    return Assignment(name, word, reader.span(start, reader.pos), append=append, subscript=element is not None)


def _read_declared(reader: Reader, pieces: list[Piece], begin: int, words: list[Word]) -> int:
    """``declare name=(…)``: one dynamic word."""
    text = bare_text(pieces) or ""
    name = assignment_name(text)
    if not name or text not in (name + "=", name + "+="):
        reader.fail("unexpected `(`")
    opening = reader.pos
    _, values = read_array(reader)
    append = text.endswith("+=")
    reader.state.give(name, values, reader.where(begin), reader.blocks, array=True, append=append)
    array = Piece("mixed", None, True, source=reader.text[opening : reader.pos])
    where = reader.span(begin, reader.pos)
    words.append(Word(None, where, prefix=text, kind="mixed", pieces=(*pieces, array)))
    return reader.pos


def _names_descriptor(first: Piece) -> bool:
    """Whether a word is ``{name[…]}``, which in front of a redirection takes the descriptor: bash evaluates it."""
    text = first.text or ""
    return first.kind == "literal" and not first.quoted and text[:1] == "{" and "[" in text


def _index(text: str, opening: int) -> int:
    """The number between the brackets at ``opening``, or -1 if there is none or it is out of all proportion."""
    digits = text[opening + 1 : text.find("]", opening)]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else -1
