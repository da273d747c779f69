"""The words that an assignment or a list gives, as pieces."""

from __future__ import annotations

from execpolicy.shell.pieces import has_brace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.pieces import Piece
    from execpolicy.shell.script import GivenValue


def behind_itself(one: GivenValue, name: str) -> tuple[Piece, ...]:
    """Returns what ``name=$name…`` puts behind what is there."""
    value = one.values[0] if len(one.values) == 1 else ()
    own = bool(value) and value[0].kind == "variable" and value[0].name == name and not value[0].operator
    return value[1:] if own else ()


def without_braces(values: Sequence[tuple[Piece, ...]], most: int) -> list[tuple[Piece, ...]]:
    """``values`` of a list with the words that ``{a,b}`` in them means."""
    found: list[tuple[Piece, ...]] = []
    for value in values:
        made = None
        if has_brace(value):
            from execpolicy.shell.grammar.braces import UnclearBraces, expand_braces

            try:
                made = expand_braces(list(value), most)
            except UnclearBraces:
                made = None
        found += [tuple(pieces) for pieces in made] if made else [value]
    return found
