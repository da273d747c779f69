"""Simple commands: assignments, words and redirections in any order."""

from __future__ import annotations

from execpolicy.shell.builtins import DECLARING, RESERVED
from execpolicy.shell.grammar.cursor import DIGITS, META
from execpolicy.shell.grammar.redirections import RedirectReader
from execpolicy.shell.grammar.settings import note_failing, note_settings
from execpolicy.shell.grammar.state import Draft, Pending
from execpolicy.shell.pieces import Piece, bare_text
from execpolicy.shell.script import Assignment, Redirect
from execpolicy.shell.variables import assignment_name
from execpolicy.shell.words import Word


class SimpleReader(RedirectReader):
    """Reads one simple command."""

    def read_simple(self) -> None:
        """A simple command at the position: assignments, words and redirections in any order bash allows."""
        state = self.state
        start = self.pos
        index = state.reserve(start)
        words: list[Word] = []
        assignments: list[Assignment] = []
        redirects: list[Redirect | Pending] = []
        declaring = False
        known = len(state.given)
        last = start
        while True:
            char = self.skip_blanks()
            if not char:
                break
            if (char in "<>&{" or char in DIGITS) and self.redirect_ahead():
                redirects.append(self.read_redirect())
                last = self.pos
                continue
            if char in META and not (char in "<>" and self.char(self.after(self.pos + 1)) == "("):
                break
            begin = self.pos
            if not words:
                pieces = self.read_word(element=True)
                found = self._read_assignment(pieces, begin, bool(redirects))
                if found is not None:
                    assignments.append(found)
                    last = self.pos
                    continue
            else:
                pieces = self.read_word()
                if declaring and self.char(self.pos) == "(":
                    last = self._read_declared(pieces, begin, words)
                    continue
            if not pieces:
                self.fail("an empty word", begin)
            if self.char(self.pos) in ("<", ">") and _names_descriptor(pieces[0]):
                self.fail("a descriptor is stored in an element of an array", begin)
            if redirects and not words and bare_text(pieces) in RESERVED and self.reparsed():
                self.state.doubt("a reserved word behind a redirection inside a substitution")
            words += self.build_words(pieces, begin)
            last = self.pos
            if not declaring and pieces[0].kind == "literal" and bare_text(pieces) in DECLARING:
                declaring = len(words) == 1 or all(word.literal in ("command", "builtin") for word in words[:-1])
        if self.char(self.pos) == "(":
            self.fail("unexpected `(`")
        if not words and not assignments and not redirects:
            self.fail("a command is missing", start)
        if words or redirects:
            # it holds for this command only, or does not happen where a file cannot be opened (dash, mksh)
            self.doubt_given(known, None)
        if assignments or redirects:
            state.rich = True
            state.bare_redirects = state.bare_redirects or (not words and bool(redirects))
        span = self.span(start, last)
        state.commands[index] = Draft(span, self.context, words, assignments, redirects)
        if words:
            note_settings(state, words, span)
            note_failing(state, words)

    def doubt_given(self, first: int, blocks: tuple[int, ...] | None) -> None:
        """What is given from index ``first`` on may not happen, or not in this shell."""
        given = self.state.given
        for at in range(first, len(given)):
            if given[at].certain and (blocks is None or given[at].blocks == blocks):
                given[at] = given[at].made(given[at].values, certain=False, doubted=given[at].doubted)

    def _read_assignment(self, pieces: list[Piece], start: int, behind_redirect: bool) -> Assignment | None:
        """The assignment that ``pieces`` are, or ``None``."""
        if not pieces or pieces[0].kind != "literal" or pieces[0].quoted:
            return None
        text = pieces[0].text or ""
        element = self.element
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
            self.bash_only("+=")
        value = ([Piece("literal", value_text, False)] if value_text else []) + pieces[1:]
        where = self.where(start)
        if not value and self.char(self.pos) == "(":
            if element is not None or behind_redirect:
                self.fail("unusual array assignment")
            items, values = self.read_array()
            self.state.give(name, values, where, self.blocks, array=True, append=append)
            return Assignment(name, None, self.span(start, self.pos), append=append, items=tuple(items))
        if not value:
            value = [Piece("literal", "", False)]
        word = self.build_word(value, start, split=False, glob=False)
        if ":~" in value_text or any(
            piece.kind == "literal" and not piece.quoted and ":~" in (piece.text or "") for piece in value
        ):
            word = Word(None, word.span, kind="tilde", inner=word.inner, pieces=tuple(value))
        number = all(piece.number or piece.kind == "arithmetic" for piece in value)
        if word.literal is not None and _is_integer(word.literal):
            number = True
        at = None if element is None else _index(self.text, start + len(element))
        number = number and not append
        self.state.give(name, (tuple(value),), where, self.blocks, append=append, number=number, element=at)
        return Assignment(name, word, self.span(start, self.pos), append=append, subscript=element is not None)

    def _read_declared(self, pieces: list[Piece], begin: int, words: list[Word]) -> int:
        """``declare name=(…)``: one dynamic word."""
        text = bare_text(pieces) or ""
        name = assignment_name(text)
        if not name or text not in (name + "=", name + "+="):
            self.fail("unexpected `(`")
        opening = self.pos
        _, values = self.read_array()
        append = text.endswith("+=")
        self.state.give(name, values, self.where(begin), self.blocks, array=True, append=append)
        array = Piece("mixed", None, True, source=self.text[opening : self.pos])
        where = self.span(begin, self.pos)
        words.append(Word(None, where, prefix=text, kind="mixed", pieces=(*pieces, array)))
        return self.pos


def _names_descriptor(first: Piece) -> bool:
    """Whether a word is ``{name[…]}``, which in front of a redirection takes the descriptor: bash evaluates it."""
    text = first.text or ""
    return first.kind == "literal" and not first.quoted and text[:1] == "{" and "[" in text


def _is_integer(text: str) -> bool:
    digits = text[1:] if text[:1] == "-" else text
    return digits.isascii() and digits.isdigit()


def _index(text: str, opening: int) -> int:
    """The number between the brackets at ``opening``, or -1 if there is none or it is out of all proportion."""
    digits = text[opening + 1 : text.find("]", opening)]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else -1
