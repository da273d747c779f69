"""JSON with one meaning for every reader: a duplicate name in an object is an error.

For a duplicate name, some readers take the first value and some the last.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn


class DuplicateNameError(ValueError):
    """An object has a name twice.

    Attributes:
        name: the first such name.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"the field `{name}` is there twice")
        self.name = name


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs.

    Raises:
        DuplicateNameError: a name occurs twice.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise DuplicateNameError(next(name for name in names if names.count(name) > 1))
    return found


def no_constant(word: str) -> NoReturn:
    """Refuses ``NaN`` and the infinities, which JSON does not have."""
    raise ValueError(f"{word} is no number")


def read_json(text: str) -> Any:
    """The value of the JSON ``text``.

    Raises:
        ValueError: it is not JSON, or an object in it has a name twice.
        RecursionError: it is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=once_each, parse_constant=no_constant)
