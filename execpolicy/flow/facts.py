"""What is learnt about one script while it is judged: worked out when it is asked for, kept as long as the script."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from execpolicy.shell.script import Script

    Fact = TypeVar("Fact")


class Facts:
    """One script and what is known about it.

    Attributes:
        script: as it was read; nothing that is learnt about it changes it.
    """

    __slots__ = ("_known", "script")

    def __init__(self, script: Script) -> None:
        self.script = script
        self._known: dict[tuple[object, ...], Any] = {}

    def once(self, work_out: Callable[..., Fact], *asked: object) -> Fact:
        """What ``work_out(facts, *asked)`` says, worked out once for each question."""
        question = (work_out, *asked)
        if question not in self._known:
            self._known[question] = work_out(self, *asked)
        found: Fact = self._known[question]
        return found
