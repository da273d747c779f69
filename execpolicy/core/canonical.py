"""Unicode canonical caseless matching (Unicode 15, definition D145), as ``canonical_matching=True`` compares tokens."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unicodedata import normalize
else:

    def normalize(form, text):  # the table is only loaded by the few policies that need it
        global normalize
        from unicodedata import normalize

        return normalize(form, text)


def canonical(token: str) -> str:
    """The key of ``token``: two tokens are canonically equal iff their keys are equal. ``NFD(casefold(NFD(token)))``.

    Source: measured on Codex 0.169.0 for 13,754 code points.
    """
    if token.isascii():
        return token.lower()
    return normalize("NFD", normalize("NFD", token).casefold())
