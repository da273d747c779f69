"""Words that a program fills in at run time: ``{}`` of ``find`` and ``xargs``."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.shell.pieces import Piece
from execpolicy.shell.script import replace
from execpolicy.shell.words import Word
from execpolicy.source import Span


def unknown_word(
    span: Span,
    *,
    many: bool = False,
    prefix: str = "",
    suffix: str = "",
    kind: str = "mixed",
    pieces: tuple[Piece, ...] = (),
) -> Word:
    """A word that the program fills in at run time. It is nowhere in the script: its span is empty."""
    return Word(None, Span(span.end, span.end), many=many, kind=kind, prefix=prefix, suffix=suffix, pieces=pieces)


def filled(word: Word, places: Sequence[str], span: Span, start: str = "", end: str = "") -> Word:
    """``word`` with the placeholders in it made unknown: every value starts with ``start`` and ends with ``end``."""
    text = word.literal
    if text is None:
        return _filled_in_part(word, places, span)
    pieces = _parted(text, places, True)
    if not pieces:
        return word
    before = pieces[0].text or "" if pieces[0].kind == "literal" else ""
    behind = pieces[-1].text or "" if pieces[-1].kind == "literal" else ""
    return unknown_word(span, prefix=before + start, suffix=behind or end, pieces=pieces)


def _parted(text: str, places: Sequence[str], quoted: bool) -> tuple[Piece, ...]:
    """``text`` in front of the placeholders, those with what is between them, and the text behind; or nothing."""
    first = min([at for at in (text.find(place) for place in places) if at >= 0], default=-1)
    if first < 0:
        return ()
    end = max([at + len(place) for place in places if (at := text.rfind(place)) >= 0])
    # what is written is evidence of what it runs
    found = [Piece("literal", text[:first], quoted), Piece("mixed", text[first:end], True)]
    found.append(Piece("literal", text[end:], quoted))
    return tuple([piece for piece in found if piece.text])


def _filled_in_part(word: Word, places: Sequence[str], span: Span) -> Word:
    """A word that only the run knows, ``~/{}`` or ``"$x/{}"``, with the placeholders in its text made unknown."""
    pieces: list[Piece] = []
    for piece in word.pieces:
        parted = _parted(piece.text or "", places, piece.quoted) if piece.kind == "literal" else ()
        pieces += parted or (piece,)
    if len(pieces) == len(word.pieces) and all(piece.kind != "mixed" for piece in pieces):
        return word
    first, last = pieces[0], pieces[-1]
    cut = min([at for place in places if (at := word.prefix.find(place)) >= 0], default=len(word.prefix))
    suffix = last.text or "" if last.kind == "literal" else ""
    prefix = word.prefix[:cut] if first.kind == "literal" else ""
    return replace(word, span=Span(span.end, span.end), pieces=tuple(pieces), prefix=prefix, suffix=suffix)
