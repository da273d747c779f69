"""Text functions: white space as Codex trims it, caseless comparison, sets of names, patterns."""

from __future__ import annotations

from _collections_abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unicodedata import normalize as normalize
else:

    def normalize(form, text):  # only a few policies need the table
        global normalize
        from unicodedata import normalize

        return normalize(form, text)


_CLUSTER = 6
"""The number of characters of a one-dash option after which its value may begin."""
WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def is_blank(text: str) -> bool:
    """True if ``text`` holds only white space. U+200B counts as text, U+00A0 as space."""
    return not text.strip(WHITE_SPACE)


def is_integer(text: str) -> bool:
    """True if ``text`` is a whole number in ASCII digits, optionally negative."""
    digits = text[1:] if text[:1] == "-" else text
    return digits.isascii() and digits.isdigit()


def word_set(text: str) -> frozenset[str]:
    """The set of the names in ``text``, which are separated by blanks."""
    return frozenset(text.split())


def words_in(name: str) -> list[str]:
    """The words of a name in lower case: ``runShell2``, ``run_shell`` and ``run-shell`` have two."""
    return "".join([f" {char}" if char.isupper() else char if char.isalpha() else " " for char in name]).lower().split()


def to_bytes(text: str) -> bytes:
    """``text`` in UTF-8; escaped bytes become those bytes, and a lone surrogate is encoded as itself. Never fails."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def to_text(data: bytes) -> str:
    """``data`` decoded as UTF-8; invalid bytes are escaped."""
    return data.decode("utf-8", "surrogateescape")


def bracket_end(pattern: str, at: int) -> int:
    """The offset of the ``]`` that closes the ``[`` at ``at``, or -1 if there is none and the ``[`` is literal.

    A ``]`` in front is one of the characters, and ``[:alpha:]``, ``[=a=]`` and ``[.a.]`` have brackets of their own
    (POSIX, 2.13.1).
    """
    here = at + 1
    if pattern[here : here + 1] in ("!", "^"):
        here += 1
    if pattern[here : here + 1] == "]":
        here += 1
    while here < len(pattern):
        char = pattern[here]
        if char == "]":
            return here
        if char == "\\":
            here += 1
        elif char == "[" and pattern[here + 1 : here + 2] in (":", "=", "."):
            close = pattern.find(pattern[here + 1] + "]", here + 2)
            here = close + 1 if close >= 0 else here
        here += 1
    return -1


UNKNOWN = "\ufffd"
"""The placeholder for the part of a word that is only known at run time."""
_ANY, _ONE = "\ue000", "\ue001"


def glob_matches(pattern: str, text: str) -> bool:
    """True if the whole of ``text`` matches ``pattern``. Linear in practice, at worst the product of the lengths."""
    first = pattern[:1]
    if first not in "*?[" and first != text[:1]:
        return False  # the fast exit for most patterns
    last = pattern[-1:]
    if last not in "*?]" and last != text[-1:]:
        return False
    if "?" not in pattern and "[" not in pattern:
        return _in_order(pattern.split("*"), text)
    if "[" in pattern:
        marked = pattern.replace("[*]", _ANY).replace("[?]", _ONE)
        pieces = list(marked)
    else:
        pieces = list(pattern)
    at = kept = position = 0
    star = -1
    end, size = len(text), len(pieces)
    while position < end:
        piece = pieces[at] if at < size else ""
        if piece == "*":
            star, kept = at, position
            at += 1
        elif piece == "?" or (piece and _plain(piece) == text[position]):
            at += 1
            position += 1
        elif star >= 0:
            kept += 1
            at, position = star + 1, kept
        else:
            return False
    return all(piece == "*" for piece in pieces[at:])


def _in_order(parts: list[str], text: str) -> bool:
    """True if ``text`` contains these parts in order, with any text between them."""
    if len(parts) == 1:
        return text == parts[0]
    at, end = len(parts[0]), len(text) - len(parts[-1])
    if at > end or not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return False
    for part in parts[1:-1]:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def _plain(piece: str) -> str:
    return "*" if piece == _ANY else "?" if piece == _ONE else piece


def canonical(token: str) -> str:
    """The key of ``token`` in Unicode canonical caseless matching (Unicode 15, D145), for ``canonical_matching=True``.

    Two tokens are canonically equal if and only if their keys are equal. The key is ``NFD(casefold(NFD(token)))``.

    Source: measured on Codex 0.169.0 for 13,754 code points.
    """
    if token.isascii():
        return token.lower()
    return normalize("NFD", normalize("NFD", token).casefold())


def option_values(text: str) -> Sequence[int]:
    """The offsets in the word ``text`` at which a path may begin.

    They are the start, the text after ``=`` in a long option, and the text attached to a short option or to a cluster
    of them (``-nfFILE``).
    """
    if text[:1] != "-":
        return (0,) if text else ()
    if text[:2] == "--":
        at = text.find("=") + 1
        return (0, at) if 0 < at < len(text) else (0,)
    return (0, *range(2, min(len(text), _CLUSTER)))
