"""Words as the shell passes them to a program: literal (known byte for byte) or dynamic."""

from __future__ import annotations

from itertools import takewhile

from execpolicy.core import quoting
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from execpolicy.shell.pieces import Piece

    ProgramPoint: TypeAlias = tuple[tuple[int, ...], int, int]
    """The lists of commands around a place, as numbers, the number of values given before it, and its line."""


class Word:
    """One word of a command after quote removal and brace expansion.

    Attributes:
        literal: exactly the text that the program will get; ``None`` if it is only known at run time (*dynamic*).
        prefix: text that every possible value starts with; equal to ``literal`` for a literal word, ``""`` if unknown.
        suffix: text that every possible value ends with; equal to ``literal`` for a literal word, ``""`` if unknown.
        many: a dynamic word that may become several words, or none (an unquoted variable, a glob, ``"$@"`` …).
        kind: ``literal``, ``glob``, ``tilde``, ``variable``, ``substitution``, ``arithmetic``, ``process``
            (``<(…)``: a ``/dev/fd`` path) or ``mixed``.
        absolute: every possible value starts with ``/`` (a literal path, ``~``, ``$PWD/…``, ``$HOME``, ``<(…)``).
        number: every possible value is a decimal integer (``$((1+2))``, ``$#``, ``$?``, ``$$`` …), optionally negative.
        pattern: for ``glob``: the shell pattern with quoted characters escaped; for what ``find`` fills in, that of the
            name. Evidence for prompt and forbid rules only.
        quoted: some part of the word was quoted or escaped in the script.
        inner: indices into ``Script.commands`` of the commands that substitutions inside this word run.
        span: its range in the script, in code points.
        pieces: the pieces of a dynamic word; empty for most literal words, which are one piece of text.
        split: the shell splits and globs its unquoted parts (not in assignments and redirects).
        place: the place of its expansion, for a dynamic word that the reader saw; otherwise ``None``.
    """

    __slots__ = (
        *("absolute", "inner", "kind", "literal", "many", "number", "pattern", "pieces", "place", "prefix", "quoted"),
        *("span", "split", "suffix"),
    )

    def __init__(
        self,
        literal: str | None,
        span: Span,
        *,
        prefix: str = "",
        suffix: str = "",
        many: bool = False,
        kind: str = "literal",
        absolute: bool = False,
        number: bool = False,
        pattern: str | None = None,
        quoted: bool = False,
        inner: tuple[int, ...] = (),
        pieces: tuple[Piece, ...] = (),
        split: bool = False,
        place: ProgramPoint | None = None,
    ) -> None:
        self.literal = literal
        self.span = span
        self.prefix = prefix if literal is None else literal
        self.suffix = suffix if literal is None else literal
        self.many = many
        self.kind = kind
        self.absolute = absolute
        self.number = number
        self.pattern = pattern
        self.quoted = quoted
        self.inner = inner
        self.pieces = pieces
        self.split = split
        self.place = place

    def may_start_with_dash(self) -> bool:
        """True if some possible value starts with ``-`` and could be read as an option."""
        return self.prefix.startswith("-") if self.prefix else self.literal is None and not self.absolute

    @property
    def may_be_any(self) -> bool:
        """True if it may become several words of which nothing is known; what a glob or a search finds starts alike."""
        return self.many and self.kind not in ("glob", "names")

    @property
    def is_path(self) -> bool:
        """True if every possible value contains a slash: a file where it is a program."""
        return self.absolute or "/" in self.prefix + self.suffix

    @property
    def written(self) -> str:
        """The text without quotes, with its expansions as written: ``"rm -rf $x"`` is ``rm -rf $x``.

        Read as a script it shows every command whose name does not come from an expansion. For prompt and forbid rules
        only.
        """
        if self.literal is not None:
            return self.literal
        return "".join([piece.source or piece.text or "" for piece in self.pieces])

    @property
    def beginning(self) -> str:
        """The text before the first expansion, even if the word is split: ``a=`` of ``a=$x``."""
        return self.literal if self.literal is not None else _leading(self.pieces, 1)

    @property
    def ending(self) -> str:
        """The text after the last expansion, even if the word is split: ``/b`` of ``$x/b``."""
        return self.literal if self.literal is not None else _leading(self.pieces, -1)

    @property
    def shape(self) -> str:
        """The text as a shell pattern, with ``*`` for every part that is only known at run time."""
        return _escaped(self.literal) if self.literal is not None else shape(self.pieces)

    @property
    def alone(self) -> Piece | None:
        """The expansion, if the whole word is one, quoted or not: ``"$x"``, ``${x[1]}``, ``$(pwd)``."""
        if len(self.pieces) == 1:
            return self.pieces[0] if self.pieces[0].kind != "literal" else None
        made = [piece for piece in self.pieces if piece.kind != "literal" or piece.text]
        return made[0] if len(made) == 1 and made[0].kind != "literal" else None

    def behind(self, count: int) -> Word:
        """The word after its first ``count`` characters, which are text: the value of ``NAME="$x"``."""
        span = self.span
        where = Span(min(span.start + count, span.end), span.end)
        if self.literal is not None:
            return Word(self.literal[count:], where, quoted=self.quoted)
        return Word(
            None,
            where,
            prefix=self.prefix[count:],
            kind=self.kind,
            inner=self.inner,
            pieces=_without_start(self.pieces, count),
            place=self.place,
        )

    def __repr__(self) -> str:
        return f"Word({self.literal!r})" if self.literal is not None else f"Word(<{self.kind}> {self.prefix!r}…)"


def seen_word(text: str, span: Span) -> Word:
    """A word of text that was not read: parts that a shell would expand may have any value."""
    if any(char in text for char in "$*?["):
        return Word(None, span, many=True, kind="mixed")
    return Word(text, span)


def literal_start(words: Sequence[Word]) -> list[str]:
    """The texts of the literal words up to the first dynamic one."""
    return [word.literal or "" for word in takewhile(lambda word: word.literal is not None, words)]


def quote_word(word: Word) -> str:
    """``word`` as shell text with the same meaning: its text quoted, its expansions as written."""
    if word.literal is not None:
        return quoting.quote(word.literal)
    return "".join(map(_quote_piece, word.pieces))


def _quote_piece(piece: Piece) -> str:
    source = piece.source or piece.text or ""
    if not piece.quoted:
        return source
    return quoting.quote(source) if piece.kind == "literal" else f'"{source}"'


def shape(pieces: Sequence[Piece]) -> str:
    """``pieces`` as a shell pattern, with ``*`` for every piece that is only known at run time."""
    return "".join(
        [
            "*" if piece.kind != "literal" else _escaped(piece.text or "") if piece.quoted else piece.text or ""
            for piece in pieces
        ]
    )


def _escaped(text: str) -> str:
    """Quoted text as part of a shell pattern."""
    return "".join(["\\" + char if char in "*?[]\\" else char for char in text])


def _leading(pieces: tuple[Piece, ...], step: int) -> str:
    """The text of the literal pieces at the start (``step`` 1) or at the end (-1)."""
    found: list[str] = []
    for piece in pieces[::step]:
        if piece.kind != "literal":
            break
        found.append(piece.text or "")
    return "".join(found[::step])


def _without_start(pieces: tuple[Piece, ...], count: int) -> tuple[Piece, ...]:
    for at, piece in enumerate(pieces):
        text = piece.text or ""
        if piece.kind != "literal":
            return pieces[at:]
        if len(text) > count:
            return (type(piece)("literal", text[count:], piece.quoted), *pieces[at + 1 :])
        count -= len(text)
    return ()
