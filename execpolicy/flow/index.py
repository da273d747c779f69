"""Look-ups over the commands of one script: who writes a file, who fills a variable, what a function's body is.

Made once for a script, so that a script of thousands of commands costs no square of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command, Redirect
    from execpolicy.shell.words import Word

_COPYING = frozenset(["cp", "ln", "mv", "install"])
_FILLING = frozenset(["read", "mapfile", "readarray"])


class ScriptIndex:
    """The look-ups of one script.

    Attributes:
        writers: normalised path to the commands that write it, each with the redirection, or ``None`` for ``tee``.
        fillers: variable name to the commands that fill it: ``read``, ``mapfile`` and assignments of substitutions.
        bodies: function name to the indices of the commands in its body.
        copies: normalised path of a link or copy that the script makes to the name of what it is of.
        feeding: commands with a word or redirection ``>(…)``.
    """

    __slots__ = ("bodies", "copies", "facts", "feeding", "fillers", "writers")

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.writers: dict[str, list[tuple[Command, Redirect | None]]] = {}
        self.fillers: dict[str, list[Command]] = {}
        self.bodies: dict[str, list[int]] = {}
        self.copies: dict[str, str] = {}
        self.feeding: list[Command] = []
        for at, command in enumerate(facts.script.commands):
            self._add(at, command)

    def _add(self, at: int, command: Command) -> None:
        for redirect in command.redirects:
            if redirect.writes:
                path = plain_path(path_key(redirect.target))
                self.writers.setdefault(path, []).append((command, redirect))
        for one in command.assignments:
            if one.value is not None and one.value.inner:
                self.fillers.setdefault(one.name, []).append(command)
        argv = command.argv()
        if "tee" in argv[:4]:
            for text in argv[1:]:
                if text is not None:
                    self.writers.setdefault(plain_path(text), []).append((command, None))
        if argv and argv[0] in _FILLING:
            for text in argv[1:]:
                if text is not None:
                    self.fillers.setdefault(text, []).append(command)
        if argv and argv[0] in _COPYING:
            operands = [text for text in argv[1:] if text is None or not text.startswith("-")]
            if len(operands) == 2 and operands[0] and operands[1]:
                self.copies[plain_path(operands[1])] = operands[0]
        for name in command.context:
            if name.startswith("function:"):
                self.bodies.setdefault(name[9:], []).append(at)
        if any(word.kind == "process" for word in command.words) or any(
            redirect.target.kind == "process" for redirect in command.redirects
        ):
            self.feeding.append(command)


def path_key(word: Word) -> str:
    """What a file is known by: its path, or what is written for a word that is only known at run time (``$f``)."""
    if word.literal is not None:
        return word.literal
    return "\0" + "".join(
        [f"${piece.name}" if piece.plain else piece.source or piece.text or "" for piece in word.pieces]
    )


def plain_path(path: str) -> str:
    """``./a//b`` as ``a/b``."""
    from os.path import normpath

    return normpath(path)


def index_of(facts: Facts) -> ScriptIndex:
    """The look-ups of its script."""
    return facts.once(ScriptIndex)
