"""Words that a program fills in at run time: ``{}`` of ``find`` and ``xargs``."""

from __future__ import annotations

from execpolicy.shell.pieces import Piece
from execpolicy.shell.words import Word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def unknown_word(
    span: Span,
    *,
    many: bool = False,
    prefix: str = "",
    suffix: str = "",
    kind: str = "mixed",
    pieces: tuple[Piece, ...] = (),
) -> Word:
    """A word that the program fills in at run time. It stands nowhere in the script: its span is empty."""
    return Word(None, Span(span.end, span.end), many=many, kind=kind, prefix=prefix, suffix=suffix, pieces=pieces)


def filled(word: Word, places: Sequence[str], span: Span, start: str = "") -> Word:
    """``word`` with the placeholders in it made unknown; ``start`` is what every filled-in value starts with."""
    text = word.literal
    if text is None:
        return word
    first = min([at for at in (text.find(place) for place in places) if at >= 0], default=-1)
    if first < 0:
        return word
    last, length = max([(text.rfind(place), len(place)) for place in places])
    shown = Piece("mixed", text, True)  # the text around the placeholder is evidence of what it runs
    return unknown_word(span, prefix=text[:first] + start, suffix=text[last + length :], pieces=(shown,))
