"""Brace expansion of one word, as in bash (bash manual, "Brace Expansion"; every odd case was tried with 5.2.15)."""

from __future__ import annotations

from execpolicy.core.text import is_integer
from execpolicy.shell.limits import LIMITS
from execpolicy.shell.pieces import Piece
from execpolicy.shell.variables import NAME_PART

TYPE_CHECKING = False
if TYPE_CHECKING:
    Atom = str | Piece
    """An unquoted character, or a quoted or dynamic piece in which braces have no effect."""
    Atoms = list[Atom]


class UnclearBraces(Exception):
    """Braces that bash reads in a way that this module does not follow."""


def expand_braces(pieces: list[Piece], limit: int) -> list[list[Piece]]:
    """The words that ``pieces`` expand to. Raises ``UnclearBraces`` for more than ``limit`` words or unclear braces."""
    atoms: Atoms = []
    for piece in pieces:
        if piece.kind == "literal" and not piece.quoted:
            atoms.extend(piece.text or "")
        else:
            atoms.append(piece)
    if atoms.count("{") > LIMITS.opened or len(atoms) > LIMITS.atoms:
        raise UnclearBraces("too many braces in one word")
    expanded = _expand(atoms, limit, 0)
    if len(expanded) == 1 and len(expanded[0]) == len(atoms):
        return [pieces]
    for at, atom in enumerate(atoms):
        if atom == "$":
            raise UnclearBraces("`$` beside a brace expansion")
        if isinstance(atom, Piece) and atom.kind == "variable" and atoms[at + 1 : at + 2] == ["{"]:
            raise UnclearBraces("a variable directly before a brace expansion")
    ended = [atom for at, atom in enumerate(atoms) if _variable(atom) and atoms[at + 1 : at + 2] in ([","], ["}"])]
    if ended and any(
        _variable(one[at]) and one[at] in ended and one[at + 1] in NAME_PART
        for one in expanded
        for at in range(len(one) - 1)
    ):
        # bash expands braces first: `{$x,b}c` has the variable `xc`.
        raise UnclearBraces("a variable at the end of a part of a brace expansion")
    return [_join(found) for found in expanded if found]


def expands_alike_in_zsh(pieces: list[Piece]) -> bool:
    """True if zsh 5.9 expands the braces of a word as bash does.

    zsh keeps an empty word (``{a,}``), pads by the first number and reverses a sequence for a negative step. It has no
    step between letters; a number and a letter are a sequence to it.
    """
    text = "".join([(piece.text or "") if piece.kind == "literal" and not piece.quoted else "?" for piece in pieces])
    for part in text.split("{")[1:]:
        inside = part.partition("}")[0]
        if "," in inside:
            if "" in inside.split(",") and text[0] == "{" and text[-1] == "}":
                return False
        elif ".." in inside and not _plain_sequence(inside.split("..")):
            return False
    return True


def _plain_sequence(parts: list[str]) -> bool:
    """True if the parts of a sequence are two letters, or numbers of one width or without leading zeros."""
    if len(parts) == 2 and len(parts[0]) == len(parts[1]) == 1 and (parts[0] + parts[1]).isalpha():
        return True
    canonical = [_integer(part) and str(int(part)) == part for part in parts]
    padded = len(parts[0]) == len(parts[1]) and parts[0].isdecimal() and parts[1].isdecimal()
    return (all(canonical[:2]) or padded) and all(canonical[2:]) and all(int(part) > 0 for part in parts[2:])


def _variable(atom: Atom) -> bool:
    return isinstance(atom, Piece) and atom.kind == "variable"


def _ends_blank(atom: Atom) -> bool:
    return isinstance(atom, Piece) and (atom.text or "")[-1:] in (" ", "\t", "\n")


def _join(atoms: Atoms) -> list[Piece]:
    pieces: list[Piece] = []
    run: list[str] = []
    for atom in atoms:
        if isinstance(atom, Piece):
            if run:
                pieces.append(Piece("literal", "".join(run), False))
                run = []
            pieces.append(atom)
        else:
            run.append(atom)
    if run:
        pieces.append(Piece("literal", "".join(run), False))
    return pieces


def _gobble(atoms: Atoms, start: int, wanted: str) -> int:
    """The index of ``wanted`` at the level of ``start``, or -1."""
    level = 0
    separators = 0 if wanted == "}" else 1
    at = start
    while at < len(atoms):
        atom = atoms[at]
        if atom == wanted and level == 0 and separators:
            empty = wanted == "{" and at == 0 and (at + 1 == len(atoms) or atoms[at + 1] == "}")
            if not empty:
                return at
            at += 1
            continue
        if atom == "{":
            level += 1
        elif atom == "}":
            level -= level > 0
        elif wanted == "}" and level == 0:
            dots = atom == "." and atoms[at + 1 : at + 2] == ["."] and atoms[at + 2 : at + 3] != ["}"]
            if atom == "," or dots:
                separators += 1
        at += 1
    return -1


def _expand(atoms: Atoms, limit: int, depth: int) -> list[Atoms]:
    if depth > 20:
        raise UnclearBraces("braces nested too deeply")
    opening = -1
    closing = -1
    at = 0
    while closing < 0:
        opening = _gobble(atoms, at, "{")
        if opening < 0:
            return [atoms]
        closing = _gobble(atoms, opening + 1, "}")
        at = opening + 1
    if opening and atoms[opening + 1] == "}" and _ends_blank(atoms[opening - 1]):
        raise UnclearBraces("`{}` behind a blank in front of a comma")  # bash skips it after `\\ `, but not after `' '`
    before, inside, behind = atoms[:opening], atoms[opening + 1 : closing], atoms[closing + 1 :]
    if "," in inside:
        middle = _alternatives(inside, limit, depth)
    elif any(isinstance(atom, Piece) and (atom.text is None or "," in atom.text) for atom in inside):
        raise UnclearBraces("a quoted comma or an expansion inside braces")
    else:
        sequence = _sequence("".join([atom for atom in inside if isinstance(atom, str)]), inside, limit)
        if sequence is not None:
            middle = sequence
        elif behind:
            middle = [atoms[opening : closing + 1]]
        else:
            return [atoms]
    tails = _expand(behind, limit, depth + 1) if behind else [[]]
    if len(middle) * len(tails) > limit:
        raise UnclearBraces("a brace expansion into too many words")
    return [before + one + tail for one in middle for tail in tails]


def _alternatives(inside: Atoms, limit: int, depth: int) -> list[Atoms]:
    found: list[Atoms] = []
    start = 0
    while True:
        comma = _gobble(inside, start, ",")
        found += _expand(inside[start:] if comma < 0 else inside[start:comma], limit, depth + 1)
        if len(found) > limit:
            raise UnclearBraces("a brace expansion into too many words")
        if comma < 0:
            return found
        start = comma + 1


def _integer(text: str) -> bool:
    return is_integer(text) and len(text.lstrip("-")) <= 15


def _sequence(text: str, inside: Atoms, limit: int) -> list[Atoms] | None:
    """The items of ``{1..9}``, ``{a..e}`` and ``{1..9..2}``; ``None`` if it is not a sequence."""
    parts = text.split("..")
    if len(parts) not in (2, 3) or len(text) != len(inside):
        if ".." in text:
            raise UnclearBraces("unusual sequence in braces")
        return None
    first, last = parts[0], parts[1]
    step = 1
    if len(parts) == 3:
        if not _integer(parts[2]):
            raise UnclearBraces("unusual step of a sequence in braces")
        step = abs(int(parts[2])) or 1
    if _integer(first) and _integer(last):
        padded = any(part.lstrip("-").startswith("0") and len(part.lstrip("-")) > 1 for part in (first, last))
        width = max(len(first), len(last)) if padded else 0
        low, high = int(first), int(last)
        count = abs(high - low) // step + 1
        if count > limit:
            raise UnclearBraces("a brace expansion into too many words")
        direction = step if high >= low else -step
        return [list(f"{low + index * direction:0{width}d}") for index in range(count)]
    if len(first) == len(last) == 1 and text.isascii() and (first + last).isalpha():
        if first.islower() != last.islower():
            raise UnclearBraces("a sequence between upper and lower case in braces")
        direction = step if last >= first else -step
        stop = ord(last) + (1 if direction > 0 else -1)
        return [[chr(code)] for code in range(ord(first), stop, direction)]
    if any(part == "" for part in parts) or (not _integer(first) and len(first) > 1) or len(last) > 1:
        raise UnclearBraces("unusual sequence in braces")
    return None
