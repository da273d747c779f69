"""A command line told apart into options and operands, in every way that a table leaves open."""

from __future__ import annotations

from execpolicy.programs.options import readings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from execpolicy.programs.options import GivenOption, Options

    _Chain: TypeAlias = "tuple[_Chain, Sequence[Any]] | None"
    """A reading as a beginning and more behind it: readings that differ at the end share the beginning."""


MANY_SPLITS = 16


def splits(table: Options, texts: Sequence[str]) -> list[tuple[list[GivenOption], list[str]]]:
    """Every way to tell the options among ``texts`` from the operands, at most ``MANY_SPLITS``.

    The first takes options that are not listed for flags. Options may stand behind operands.
    """
    found: list[tuple[list[GivenOption], list[str]]] = []
    pending: list[tuple[int, _Chain, _Chain]] = [(0, None, None)]
    while pending and len(found) < MANY_SPLITS:
        at, given, operands = pending.pop()
        while at < len(texts):
            text = texts[at]
            at += 1
            if text == "--":
                operands = (operands, texts[at:])
                break
            if len(text) < 2 or text[0] != "-":
                operands = (operands, (text,))
                continue
            read = readings(table, text)
            sure = [reading for reading in read if reading.given[-1].kind != "unknown" or not reading.takes]
            first = sure[-1] if sure else read[0]
            for reading in reversed(read):
                if reading is not first:
                    pending.append((at + reading.takes, (given, reading.given), operands))
            given, at = (given, first.given), at + first.takes
        found.append((_listed(given), _listed(operands)))
    return found


def _listed(chain: _Chain) -> list[Any]:
    """Returns what the parts of a chain hold, in order."""
    parts: list[Sequence[Any]] = []
    while chain is not None:
        chain, part = chain
        parts.append(part)
    return [one for part in reversed(parts) for one in part]
