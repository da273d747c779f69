"""What was handed to one command is not handed to the next, so that many commands cost no square of many texts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.script import Command


class HandedOut:
    """Which texts were given to which command in one judgement: each text is read once for each way to read it."""

    __slots__ = ("_commands", "_upto")

    def __init__(self) -> None:
        self._upto: dict[tuple[str, str], int] = {}
        self._commands: dict[object, range] = {}

    def fresh(self, script: str, way: str, command: Command, last: int) -> range:
        """Of the first ``last`` texts of ``script`` those that no other command got; the same whenever it is asked."""
        key = (script, way, command.span.start, command.span.end, command.argv(), last)
        found = self._commands.get(key)
        if found is None:
            first = self._upto.get((script, way), 0)
            found = self._commands[key] = range(first, max(first, last))
            self._upto[script, way] = found.stop
        return found
