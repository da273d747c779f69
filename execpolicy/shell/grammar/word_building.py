"""Converts the pieces of a word to the ``Word`` values that it becomes."""

from __future__ import annotations

from execpolicy.shell.grammar.braces import UnclearBraces, expand_braces, expands_alike_in_zsh
from execpolicy.shell.grammar.reader import Reader
from execpolicy.shell.pieces import GLOB, Piece, around_pattern, has_brace, is_home
from execpolicy.shell.variables import assignment_name
from execpolicy.shell.words import Word, shape

_ACTIVE = GLOB | {"{", "~"}
_HOME = frozenset(("HOME", "PWD"))
_NEVER_FAILING = frozenset(("", "-", "+", "#", "%"))
"""Operators of ``${x…}`` with which an expansion cannot fail; ``=`` assigns, ``?`` requires a value."""


def globs(text: str) -> int:
    """The offset of the first character of ``text`` that makes it a pattern, or -1."""
    for at, char in enumerate(text):
        if char in "*?" or (char == "[" and "]" in text[at + 1 :]):
            return at
    return -1


def build_words(reader: Reader, pieces: list[Piece], start: int) -> list[Word]:
    """The words of a command word or list item that ends at the position, after braces, tilde, splitting, globbing."""
    state = reader.state
    if len(pieces) == 1 and pieces[0].kind == "literal":
        text, quoted = pieces[0].text or "", pieces[0].quoted
        if quoted or _ACTIVE.isdisjoint(text):
            state.count()
            return [Word(text, reader.span(start, reader.pos), quoted=quoted)]
    if not has_brace(pieces):
        state.count()
        return [build_word(reader, pieces, start)]
    if state.shell == "zsh" and not expands_alike_in_zsh(pieces):
        state.mark_ambiguous("zsh expands these braces in its own way")
    try:
        expanded = expand_braces(pieces, state.limits.braces)
    except UnclearBraces as unclear:
        state.mark_ambiguous(str(unclear))
        return [_unclear(reader, pieces, start)]
    state.count(len(expanded))
    words = [build_word(reader, one, start) for one in expanded]
    if expanded != [pieces] and state.shell not in ("bash", "zsh"):
        state.mark_ambiguous("braces are not expanded by every sh")
        raw = Piece("literal", "".join([piece.text or "" for piece in pieces]), True)
        made = [Piece("literal", word.literal, True) for word in words if word.literal is not None]
        either = Piece("either", None, True, word=(raw, *made), source=raw.text or "")
        state.rich = True
        return [Word(None, reader.span(start, reader.pos), many=True, kind="mixed", pieces=(either,))]
    return words


def _unclear(reader: Reader, pieces: list[Piece], start: int) -> Word:
    """A word with unclear braces; only the commands inside it are known."""
    inner = [index for piece in pieces for index in piece.inner]
    where = reader.span(start, reader.pos)
    return Word(None, where, many=True, kind="mixed", inner=tuple(inner), pieces=tuple(pieces))


def build_word(reader: Reader, pieces: list[Piece], start: int, *, split: bool = True, glob: bool = True) -> Word:
    """One word; ``split`` and ``glob`` are true if the shell splits and globs here (not in assignments)."""
    # The attributes of a word are interdependent: each one is decided by those before it.
    parts: list[str] = []
    kinds: list[str] = []
    quoted = many = False
    number = absolute = patterns = False
    known = True
    tilde = _tilde(pieces)
    inner: list[int] = []
    prefix: str | None = None
    suffix = ""
    for piece in pieces:
        quoted = quoted or piece.quoted
        inner.extend(piece.inner)
        if piece.kind == "literal":
            text = piece.text or ""
            parts.append(text)
            suffix += text
            if not piece.quoted:
                patterns = patterns or "*" in text or "?" in text or "[" in text
            continue
        if prefix is None:
            prefix = "".join(parts)
        suffix = ""
        known = False
        if piece.kind == "variable" and (piece.subscript is not None or piece.operator not in _NEVER_FAILING):
            reader.state.may_fail()
        if piece.kind not in kinds:
            kinds.append(piece.kind)
        if piece.many or (split and not piece.quoted and not piece.number and not is_home(piece)):
            many = True
    span = reader.span(start, reader.pos)
    bare = "".join([piece.text or "" for piece in pieces if piece.kind == "literal" and not piece.quoted])
    is_glob = glob and patterns and globs(bare) >= 0
    if known and not is_glob and not tilde:
        return Word("".join(parts), span, quoted=quoted, pieces=tuple(pieces))
    if not known:
        first = pieces[0]
        rest_numbers = all(
            piece.number or (piece.kind == "literal" and (piece.text or "").isdigit()) for piece in pieces
        )
        number = rest_numbers and not many
        absolute = first.kind == "variable" and first.name in _HOME and not first.operator and not many
        absolute = absolute or (first.kind == "process" and not many)
    if many or (is_glob and not known):
        prefix = suffix = ""
    elif is_glob:
        prefix, suffix = around_pattern(pieces)
    if is_glob:
        many = True
        kinds.append("glob")
    if tilde:
        prefix = ""
        if tilde == "other":
            suffix = ""
        elif known and not is_glob:
            suffix = suffix[1:]
        kinds.append("tilde")
        if tilde == "home" and not (kinds != ["tilde"] and many and not is_glob):
            absolute = True
    if prefix and prefix.startswith("/"):
        absolute = True
    state = reader.state
    state.rich = True
    state.splits = state.splits or split
    if state.shell == "zsh" and (is_glob or tilde == "other"):
        state.may_fail()  # no user has this name
    return Word(
        None,
        span,
        prefix=prefix or "",
        suffix=suffix,
        many=many,
        kind=kinds[0] if len(kinds) == 1 else "mixed",
        absolute=absolute,
        number=number,
        pattern=shape(pieces) if is_glob else None,
        quoted=quoted,
        inner=tuple(inner),
        pieces=tuple(pieces),
        split=split,
        place=(reader.blocks, len(state.given), state.line),
    )


def _tilde(pieces: list[Piece]) -> str:
    """``home`` for ``~`` and ``~/…``, ``other`` for other tildes that the shell may expand, ``""`` for none."""
    first = pieces[0] if pieces else None
    if first is None or first.kind != "literal" or first.quoted:
        return ""
    text = first.text or ""
    if len(pieces) > 1 and assignment_name(text):
        rest = [piece.text or "" for piece in pieces[1:] if piece.kind == "literal" and not piece.quoted]
        if any("~" in one for one in rest):
            return "other"
    if "~" not in text:
        return ""
    if text[0] == "~":
        if (text == "~" and len(pieces) == 1) or text.startswith("~/"):
            return "home"
        if "/" in text or len(pieces) == 1:
            return "other"
        return "" if pieces[1].quoted and pieces[1].kind == "literal" else "other"
    return "other" if ("=~" in text or ":~" in text) and assignment_name(text) else ""
