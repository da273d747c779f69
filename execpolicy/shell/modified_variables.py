"""Variables that builtins may give a value without an assignment that the reader sees."""

from __future__ import annotations

from execpolicy.shell.limits import LIMITS
from execpolicy.shell.vocabulary import ASSIGNING, CHANGING_ANYTHING, REFERRING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.shell.grammar.state import Draft
    from execpolicy.shell.script import Command


class Touched:
    """The names that the builtins of one script may set; made once, asked often.

    Attributes:
        everything: some command may set any variable.
    """

    def __init__(self, commands: Iterable[Command | Draft]) -> None:
        self.everything = False
        self.names: set[str] = set()
        self.options: set[str] = set()
        for command in commands:
            self._add(command)
        if len(self.options) > LIMITS.options:
            self.everything = True

    def touches(self, name: str) -> bool:
        """Whether a builtin may give ``name`` a value that is not written as an assignment."""
        return self.everything or name in self.names or any(option.endswith(name) for option in self.options)

    def _add(self, command: Command | Draft) -> None:
        for redirect in command.redirects:
            if redirect.fd is not None and redirect.fd[0] == "{":
                self.names.add(redirect.fd[1:-1])
        if not command.words:
            return
        program = command.words[0].literal
        if program == "command" and command.words[1:2] and command.words[1].literal in ("-v", "-V"):
            return
        if program is None or program in CHANGING_ANYTHING:
            self.everything = True
            return
        if program not in ASSIGNING:
            return
        if program == "printf" and len(command.words) > 1:
            option = command.words[1].literal
            if option is not None and not option.startswith("-v"):
                return
        for word in command.words[1:]:
            text = word.prefix
            if word.literal is None and (not text or (word.many and "=" not in text)):
                self.everything = True
                return
            bare = text.partition("=")[0].partition("[")[0].rstrip("+")
            self.names.add(bare)
            if bare.startswith("-"):
                self.options.add(bare)
                # `declare -n a=b`: what is given to `a` is given to `b`.
                self.everything = self.everything or (program in REFERRING and "n" in bare)
