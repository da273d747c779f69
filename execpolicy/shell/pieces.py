"""Pieces: the parts of one word before the shell expands it."""

from __future__ import annotations

from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


@value
class Piece:
    """A part of one word.

    Attributes:
        kind: ``literal``, or the cause of its being dynamic: ``variable substitution arithmetic process mixed``; in a
            proven case of a word also ``glob``: the name of a file that a relative pattern finds.
        text: the characters of a literal piece; for a dynamic one its usual text (``$"…"``), or ``None``.
        quoted: no splitting, no globbing, no tilde, no braces.
        many: several words, or none, although quoted (``"$@"``, ``"${a[@]}"``).
        number: every possible value is a decimal integer.
        name: the parameter of a ``variable`` piece.
        subscript: the text in ``name[…]`` as written, else ``None``.
        operator: the operator of ``${name operator word}``: its first character without a colon (``-`` ``=`` ``+``
            ``#`` ``%`` ``/`` ``^`` ``,`` ``~`` ``?`` ``@``), ``:`` for ``${name:offset}`` and ``!`` for ``${!name}``;
            ``""`` if there is none, :data:`UNFOLLOWED` if its value is not tracked.
        word: the pieces of that word.
        inner: indices into ``Script.commands`` of the commands that run for it.
        source: a dynamic piece as written, without quotes around it: ``$x``, ``${x#a}``, ``$(pwd)``.
    """

    kind: str
    text: str | None
    quoted: bool
    _: KW_ONLY
    many: bool = False
    number: bool = False
    name: str = ""
    subscript: str | None = None
    operator: str = ""
    word: tuple[Piece, ...] = ()
    inner: Sequence[int] = ()
    source: str = ""

    @property
    def plain(self) -> bool:
        """True for a variable without an operator: ``$x`` and ``${x}``."""
        return self.kind == "variable" and not self.operator and self.subscript is None

    def __repr__(self) -> str:
        return f"Piece({self.kind!r}, {self.text if self.kind == 'literal' else self.source!r})"


GLOB = frozenset("*?[")
"""Characters that make a pattern of an unquoted word."""
UNFOLLOWED = "unfollowed"
"""The operator of a variable whose value does not determine the resulting text: ``${#x}``, ``${!x*}``."""
SOMEWHERE = Piece("mixed", None, False, many=True)
"""The placeholder in front of the elements of an array with explicit indices: their positions cannot be proven."""


HOME = Piece("variable", None, True, name="HOME", source="$HOME")
"""The home folder: what ``~`` becomes."""


def is_home(piece: Piece) -> bool:
    """True for ``$HOME`` and ``${HOME}``, quoted or not: no home folder has a name that the shell splits."""
    return piece.name == "HOME" and piece.plain


def without_tilde(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """``pieces`` with :data:`HOME` in place of a tilde at the start that means the home folder."""
    first = pieces[0] if pieces else None
    if first is None or first.kind != "literal" or first.quoted or not first.text:
        return pieces
    if first.text.startswith("~/") or (first.text == "~" and len(pieces) == 1):
        return [HOME, Piece("literal", first.text[1:], False), *pieces[1:]]
    return pieces


def literal_text(pieces: Sequence[Piece]) -> str | None:
    """The characters of ``pieces`` if all are literal, else ``None``."""
    if len(pieces) == 1:
        return pieces[0].text if pieces[0].kind == "literal" else None
    parts = []
    for piece in pieces:
        if piece.kind != "literal" or piece.text is None:
            return None
        parts.append(piece.text)
    return "".join(parts)


def has_brace(pieces: Sequence[Piece]) -> bool:
    """True if braces in ``pieces`` may be expanded."""
    return any(piece.kind == "literal" and not piece.quoted and "{" in (piece.text or "") for piece in pieces)


def bare_text(pieces: Sequence[Piece]) -> str | None:
    """The word if no part of it is quoted or dynamic (so that it can be a reserved word), else ``None``."""
    if len(pieces) == 1 and pieces[0].kind == "literal" and not pieces[0].quoted:
        return pieces[0].text
    return None


def around_pattern(pieces: Sequence[Piece]) -> tuple[str, str]:
    """The literal text before the first and after the last pattern character."""
    before: list[str] = []
    behind: list[str] = []
    seen = False
    for piece in pieces:
        text = piece.text or ""
        if piece.quoted:
            (behind if seen else before).append(text)
            continue
        for char in text:
            if char in GLOB:
                seen = True
                behind.clear()
            elif char == "]":
                behind.clear()
                if not seen:
                    before.append(char)
            else:
                (behind if seen else before).append(char)
    return "".join(before), "".join(behind)
