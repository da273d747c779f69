"""Why a grammar does not accept a command."""

from __future__ import annotations


class Refusal:
    """What the first word that a grammar does not accept is refused for.

    Attributes:
        at: the index of the word that was refused; the number of words when something is missing.
    """

    __slots__ = ("at", "code", "why")

    def __init__(self, code: str, at: int, why: str) -> None:
        self.code = code
        self.at = at
        self.why = why

    def __repr__(self) -> str:
        return f"Refusal({self.code}, {self.at}, {self.why})"
