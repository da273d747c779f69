"""Fields: the words that a piece of a word becomes, or the elements of an array."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from execpolicy.shell.script import GivenValue

    Fields: TypeAlias = tuple[str, ...]
    """Of a piece, the first joins what is before it and the last what is behind it."""


def length(fields: Fields) -> int:
    """Characters of ``fields`` as one text: an empty one is something, too."""
    return len(fields) + sum(map(len, fields))


def joined(fields: Fields) -> str:
    """One text of all."""
    return " ".join(fields)


def joining(before: Fields, behind: Fields) -> Fields:
    """Two pieces of one word: the last of ``before`` and the first of ``behind`` become one field."""
    if not behind:
        return before
    if not before:
        return behind
    return before[:-1] + (before[-1] + behind[0],) + behind[1:]


def merged(first: list[Fields] | None, second: list[Fields] | None) -> list[Fields] | None:
    """The values that either may have; ``None`` where nothing is known."""
    if first is None:
        return second
    return first + second if second is not None else first


def in_order(fields: Fields) -> Fields:
    """Elements without the ``[key]=`` in front of them, sorted where the keys are numbers."""
    if not any(field.startswith("[") for field in fields):
        return fields
    pairs = [
        field[1:].partition("]=") if field.startswith("[") and "]=" in field else ("", "", field) for field in fields
    ]
    if all(key.isascii() and key.isdigit() and len(key) < 10 for key, _, _ in pairs):
        pairs.sort(key=lambda one: int(one[0]))
    return tuple([value for _, _, value in pairs])


def with_element(array: Fields, one: GivenValue, value: Fields) -> list[Fields]:
    """Returns what ``array`` may be with ``value`` at the place of ``one``: in stead of what is there, or among the
    others.
    """
    at = len(array) if one.element is None or one.element < 0 else min(one.element, len(array))
    text = (joined(value),)
    if at == len(array):
        return [array + text]
    if one.append:
        return [(*array[:at], array[at] + text[0], *array[at + 1 :])]
    return [array[:at] + text + array[at:], array[:at] + text + array[at + 1 :]]


def keyed(one: GivenValue) -> bool:
    """True if elements of the array are given with their keys."""
    return any(value and (value[0].text or "").startswith("[") for value in one.values)


def longer(before: list[Fields], added: list[Fields], most: int) -> list[Fields]:
    """Returns what each of ``before`` becomes with one of ``added`` behind it, or in a loop with all of them in
    turn.
    """
    starts = list(map(joined, before)) or [""]
    ends = list(map(joined, added))
    ends += ["".join(ends)] if len(ends) > 1 else []
    made: list[Fields] = [(start + end,) for start in starts for end in ends]
    return made[:most]


def split_at(text: str, separators: str) -> Fields:
    """``text`` as the words that it becomes; empty strings at the ends where it begins or ends with a separator.

    Args:
        separators: what it is split at besides blanks and newlines.
    """
    for separator in separators:
        text = text.replace(separator, " ")
    fields = text.split()
    if not fields:
        return ("", "") if text else ("",)
    if text[0] in " \t\n":
        fields.insert(0, "")
    if text[-1] in " \t\n":
        fields.append("")
    return tuple(fields)
