"""Pieces: what one word is made of while it is being read, before expansion."""

from __future__ import annotations


class Piece:
    """A stretch of one word.

    Attributes:
        kind: ``literal``, or what makes it dynamic: ``variable substitution arithmetic process mixed``.
        text: the characters of a literal piece; for a dynamic one the text it has if nothing unusual happens
            (``$"…"``), or ``None``.
        quoted: no splitting, no globbing, no tilde, no braces.
        many: several words, or none, although quoted (``"$@"``, ``"${a[@]}"``).
        number: every possible value is a decimal integer.
        name: the parameter of a ``variable`` piece.
        subscript: what stands in ``name[…]``, if it is literal, else ``None``.
        operator: of ``${name operator word}``, its first character without a colon (``-`` ``=`` ``+`` ``#`` ``%``
            ``/`` ``^`` ``,`` ``~``), ``:`` for ``${name:offset}`` and ``!`` for ``${!name}``; ``""`` when there is
            none, ``"?"`` for one whose value is not followed.
        word: the pieces of that word.
        inner: the commands (as a range of indices) that run for it.
    """

    __slots__ = ("inner", "kind", "many", "name", "number", "operator", "quoted", "subscript", "text", "word")

    def __init__(
        self,
        kind: str,
        text: str | None,
        quoted: bool,
        *,
        many: bool = False,
        number: bool = False,
        name: str = "",
        subscript: str | None = None,
        operator: str = "",
        word: tuple[Piece, ...] = (),
        inner: range = range(0),
    ) -> None:
        self.kind = kind
        self.text = text
        self.quoted = quoted
        self.many = many
        self.number = number
        self.name = name
        self.subscript = subscript
        self.operator = operator
        self.word = word
        self.inner = inner


def literal_text(pieces: list[Piece]) -> str | None:
    """The characters of ``pieces`` when all are literal, else ``None``."""
    if len(pieces) == 1:
        return pieces[0].text if pieces[0].kind == "literal" else None
    parts = []
    for piece in pieces:
        if piece.kind != "literal" or piece.text is None:
            return None
        parts.append(piece.text)
    return "".join(parts)


def bare_text(pieces: list[Piece]) -> str | None:
    """The word if no part of it is quoted or dynamic (so that it can be a reserved word), else ``None``."""
    if len(pieces) == 1 and pieces[0].kind == "literal" and not pieces[0].quoted:
        return pieces[0].text
    return None
