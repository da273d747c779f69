"""Ways to break the reader on purpose: each must be noticed by the judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

from execpolicy.shell import read
from execpolicy.shell.grammar import words as build
from execpolicy.shell.grammar.cursor import Cursor
from execpolicy.shell.grammar.lists import ScriptReader
from execpolicy.shell.grammar.quotes import QuoteReader
from execpolicy.shell.grammar.simple import SimpleReader
from execpolicy.shell.grammar.state import Pending
from execpolicy.shell.pieces import Piece
from execpolicy.shell.script import Redirect
from execpolicy.shell.words import Word

Patch = Callable[[], object]


def _continuation_is_blank() -> object:
    """``\\``-newline inside a word ends the word."""
    original = SimpleReader.read_word

    def read_word(self: SimpleReader, *, element: bool = False) -> list[Piece]:
        end = self.end
        at = self.text.find("\\\n", self.pos)
        self.end = at if at > self.pos else end
        try:
            return original(self, element=element)
        finally:
            self.end = end

    return mock.patch.object(SimpleReader, "read_word", read_word)


def _redirects_vanish() -> object:
    """Output redirections are not reported as writes."""
    original = SimpleReader._finish_redirect

    def finish(self: SimpleReader, *arguments: object) -> object:
        one = original(self, *arguments)  # type: ignore[arg-type]  # passed through
        return Redirect(one.operator, one.fd, one.target, one.span, writes=False, body=one.body) if one.body else one

    return mock.patch.object(SimpleReader, "_finish_redirect", finish)


def _hash_in_word_is_comment() -> object:
    """``#`` inside a word begins a comment."""
    original = SimpleReader.read_word

    def read_word(self: SimpleReader, *, element: bool = False) -> list[Piece]:
        pieces = original(self, element=element)
        last = pieces[-1] if pieces else None
        if last is not None and last.kind == "literal" and not last.quoted and "#" in (last.text or "")[1:]:
            pieces[-1] = Piece("literal", (last.text or "").partition("#")[0], False)
        return pieces

    return mock.patch.object(SimpleReader, "read_word", read_word)


def _comments_are_words() -> object:
    """Comments are not skipped."""

    def skip_blanks(self: Cursor) -> str:
        while self.pos < self.end and (self.text[self.pos] in " \t" or self.text.startswith("\\\n", self.pos)):
            self.pos += 2 if self.text[self.pos] == "\\" else 1
        return self.char(self.pos)

    return mock.patch.object(Cursor, "skip_blanks", skip_blanks)


def _unicode_blanks_split() -> object:
    """Form feeds, carriage returns and wide blanks separate words."""
    original = ScriptReader.read_all
    table = str.maketrans("\r\f\v\u00a0\u3000\u2028", "      ")

    def read_all(self: ScriptReader) -> None:
        self.text = self.text.translate(table)
        original(self)

    return mock.patch.object(ScriptReader, "read_all", read_all)


def _backslash_stays() -> object:
    """A backslash between double quotes is dropped before any character."""
    original = QuoteReader.read_quoted_text

    def read(self: QuoteReader, close: str, mode: str) -> list[Piece]:
        pieces = original(self, close, mode)
        return [
            Piece("literal", (one.text or "").replace("\\", ""), one.quoted) if one.kind == "literal" else one
            for one in pieces
        ]

    return mock.patch.object(QuoteReader, "read_quoted_text", read)


def _globs_are_literal() -> object:
    """Patterns are taken for literal text."""
    return mock.patch.object(build, "globs", return_value=-1)


def _tildes_are_literal() -> object:
    """``~`` is taken for literal text."""
    return mock.patch.object(build.WordBuilder, "_tilde", return_value="")


def _braces_are_literal() -> object:
    """Braces are not expanded."""
    return mock.patch.object(build, "expand_braces", lambda pieces, limit: [pieces])


def _heredoc_ends_late() -> object:
    """The delimiter of ``<<-`` is looked for without removing tabs."""
    original = Pending.__init__

    def made(self: Pending, *arguments: object, plain: bool) -> None:
        original(self, *arguments, plain=plain)  # type: ignore[arg-type]  # passed through
        self.tabs = False

    return mock.patch.object(Pending, "__init__", made)


def _variables_do_not_split() -> object:
    """An unquoted variable is taken for exactly one word."""
    original = build.WordBuilder.build_words

    def build_words(self: build.WordBuilder, pieces: list[Piece], start: int) -> list[Word]:
        return [
            Word(None, word.span, prefix=word.prefix, suffix=word.suffix, kind=word.kind, pieces=word.pieces)
            if word.many
            else word
            for word in original(self, pieces, start)
        ]

    return mock.patch.object(build.WordBuilder, "build_words", build_words)


def _function_bodies_vanish() -> object:
    """Commands in function bodies are not reported."""
    original = ScriptReader.read_function

    def read_function(self: ScriptReader, name: str, start: int) -> None:
        first = len(self.state.commands)
        original(self, name, start)
        self.state.commands[first:] = [None] * (len(self.state.commands) - first)

    return mock.patch.object(ScriptReader, "read_function", read_function)


def _backquotes_vanish() -> object:
    """Commands in backquotes are not reported."""
    original = QuoteReader.read_backquote

    def read(self: QuoteReader, mode: str) -> Piece:
        first = len(self.state.commands)
        piece = original(self, mode)
        self.state.commands[first:] = [None] * (len(self.state.commands) - first)
        return piece

    return mock.patch.object(QuoteReader, "read_backquote", read)


def _operators_in_quotes() -> object:
    """``$'…'`` is read as if it were ``'…'``."""

    def read_ansi(self: QuoteReader) -> Piece:
        return self.read_single()

    return mock.patch.object(QuoteReader, "read_ansi", read_ansi)


MUTATIONS: dict[str, Patch] = {
    name.strip("_").replace("_", "-"): function
    for name, function in list(globals().items())
    if name.startswith("_") and callable(function) and getattr(function, "__module__", "") == __name__
}


@contextmanager
def broken(name: str) -> Iterator[None]:
    """The reader broken in the way ``name``; the short way for plain scripts is off, so that it matters."""
    patch = MUTATIONS[name]()
    with patch, mock.patch.object(read, "read_plain", return_value=None):  # type: ignore[attr-defined]  # a patcher
        yield
