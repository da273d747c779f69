"""Where the operands of a command start, under every reading of its options."""

from __future__ import annotations

from execpolicy.programs.options import GivenOption, readings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from execpolicy.programs.options import Options
    from execpolicy.shell.words import Word

    _Chain: TypeAlias = "tuple[_Chain, Sequence[Any]] | None"
    """What stands in front, and more behind it: readings that part ways share what they have in common."""

MANY_STATES = 512
"""A walk over more states than this stops; the caller then knows that it is not exact."""
MANY_SPLITS = 16
_ALL = -1
"""Operands are skipped to the end."""


class Walk:
    """The result of :func:`walk`.

    Attributes:
        starts: indices where what follows the options and ``operands`` may begin, most likely first.
        seen: every option that some reading saw.
        ambiguous: there was more than one reading, so that nothing can be concluded from an option that was seen.
        exact: there was one reading only, every word up to the start literal, every option spelled fully.
        operands: the index of each operand skipped, for the first reading.
    """

    __slots__ = ("ambiguous", "exact", "operands", "seen", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.seen: list[GivenOption] = []
        self.ambiguous = False
        self.exact = True
        self.operands: list[int] = []


def walk(table: Options, words: Sequence[Word], at: int, *, operands: int = 0, assignments: bool = False) -> Walk:
    """Find every place where the command behind options and operands may start.

    Args:
        at: the index of the first word behind the program.
        operands: how many operands stand before it.
        assignments: ``NAME=value`` operands are skipped first.
    """
    return _walk(table, words, at, operands, assignments, table.permute)


def every_option(table: Options, words: Sequence[Word], at: int) -> Walk:
    """Find the options in all ``words`` behind ``at``; all others are operands."""
    return _walk(table, words, at, _ALL, False, True)


def _walk(table: Options, words: Sequence[Word], at: int, operands: int, assignments: bool, permute: bool) -> Walk:
    result = Walk()
    count = len(words)
    most = MANY_STATES if operands != _ALL else MANY_STATES + 2 * count
    # A state is where we are, how many operands are still to come, and whether options are over.
    pending: list[tuple[int, int, bool]] = [(at, operands, False)]
    visited: set[tuple[int, int, bool]] = set()
    while pending:
        state = pending.pop(0)
        if state in visited:
            continue
        visited.add(state)
        if len(visited) > most:
            result.exact = False
            break
        here, left, over = state
        if here >= count:
            continue
        word = words[here]
        text = word.literal
        if text is None:
            if assignments and not word.many and is_assignment(word.prefix):
                pending.append((here + 1, left, over))
            else:
                _unknown(result, word, state, pending)
            continue
        if text.startswith("-") and len(text) > 1 and not over:
            if text == "--":
                pending.append((here + 1, left, True))
            else:
                _read_options(result, table, words, state, pending)
            continue
        if assignments and is_assignment(text):
            pending.append((here + 1, left, over))
            continue
        if text == "-" and "-" in table.kinds:
            result.seen.append(GivenOption("-", ""))
            pending.append((here + 1, left, over))
            continue
        if left == 0:
            result.starts.append(here)
            continue
        result.operands.append(here)
        pending.append((here + 1, max(left - 1, _ALL), over if permute else over or left == 1))
    if len(result.starts) != 1:
        result.exact = False
    return result


def _unknown(result: Walk, word: Word, state: tuple[int, int, bool], pending: list[tuple[int, int, bool]]) -> None:
    """A word that is only known at run time: an operand, an option with or without a value, or several of them."""
    here, left, over = state
    result.exact = False
    result.ambiguous = True
    result.operands.append(here)
    if left == 0 and (over or not word.prefix.startswith("-")):
        result.starts.append(here)
    if not over and word.may_start_with_dash():
        pending.append((here + 1, left, False))
        pending.append((here + 2, left, False))
    pending.append((here + 1, max(0, left - 1) if left != _ALL else _ALL, over))
    if word.many:
        pending.extend([(here + 1, fewer, over) for fewer in range(left + 1)])


def _read_options(
    result: Walk,
    table: Options,
    words: Sequence[Word],
    state: tuple[int, int, bool],
    pending: list[tuple[int, int, bool]],
) -> None:
    """A word of options, and the words that are values of the last of them."""
    here, left, _ = state
    found = readings(table, words[here].literal or "")
    if len(found) > 1:
        result.exact = False
        result.ambiguous = True
    for reading in found:
        for each in reading.given:
            each.at = here
        if reading.takes and here + 1 < len(words):
            value = words[here + 1]
            reading.given[-1].word = value
            if value.literal is None:
                result.exact = False
                result.ambiguous = result.ambiguous or value.many
                if value.many:
                    pending.append((here + 1, left, False))
        pending.append((here + 1 + reading.takes, left, False))
        result.seen.extend(reading.given)


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
    """What the parts of a chain hold, in order."""
    parts: list[Sequence[Any]] = []
    while chain is not None:
        chain, part = chain
        parts.append(part)
    return [one for part in reversed(parts) for one in part]


def is_assignment(text: str) -> bool:
    """Whether ``env`` and ``sudo`` would take ``text`` for ``NAME=value``: ``=`` behind at least one letter."""
    return text.find("=") > 0
