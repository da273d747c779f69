"""From an argv or a script text to a :class:`Script`: the one door that every caller goes through."""

from __future__ import annotations

from execpolicy.programs.names import names_system_program
from execpolicy.shell import read
from execpolicy.shell.script import SHELLS, Command, Script
from execpolicy.shell.words import Word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def read_command(command: str | Sequence[str], *, shell: str = "bash") -> Script:
    """Returns what ``command`` runs: a string is a script for ``shell``; an argv is run as it is.

    An argv of the form ``[bash, -lc, script]`` is read as that script if the shell is a bare name or in a system
    folder. No option may change how it reads, or print the values of variables. Spans of an argv count in the words
    joined with single blanks."""
    if isinstance(command, str):
        return read.read_script(command, shell=shell)
    if len(command) > 2:  # the least that hands a script to a shell
        from execpolicy.programs.launcher import launched_script

        launched = launched_script(tuple(command))
        printed = launched is not None and launched.traced and "$" in launched.script
        if launched is not None and not launched.odd and not printed and _is_shell_itself(command[0]):
            return read.read_script(launched.script, shell=launched.shell, positional=launched.positional)
    words: list[Word] = []
    at = 0
    for text in command:
        words.append(Word(text, Span(at, at + len(text))))
        at += len(text) + 1
    whole = Span(0, max(at - 1, 0))
    status = "opaque" if not words or any("\0" in word for word in command) else "plain"
    reason = None if status == "plain" else "an argv needs at least one word and no NUL"
    return Script(
        " ".join(command),
        shell,
        "plain" if status == "plain" else "opaque",
        (Command(tuple(words), whole),) if words else (),
        reason=reason,
    )


def _is_shell_itself(program: str) -> bool:
    """True if ``program`` is proven to be the shell of its name: a bare name, or in a system folder."""
    return names_system_program(program) and program[program.rfind("/") + 1 :] in SHELLS
