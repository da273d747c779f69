"""What was seen lately: values by name, of which the oldest are forgotten."""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The newest values: at least ``least`` of them, at most twice as many.

    They are forgotten a whole generation at a time: a table from which one is taken for each that comes is made anew,
    and larger, again and again, and over a million requests a process grew by a tenth.
    """

    def __init__(self, least: int) -> None:
        self._least = least
        self._young: dict[str, Value] = {}
        self._old: dict[str, Value] = {}

    def get(self, name: str) -> Value | None:
        """The value of this name, ``None`` if it was never put or is forgotten."""
        found = self._young.get(name)
        return self._old.get(name) if found is None else found

    def put(self, name: str, value: Value) -> None:
        """Remember ``value``."""
        if len(self._young) >= self._least:
            self._old, self._young = self._young, {}
        self._young[name] = value
