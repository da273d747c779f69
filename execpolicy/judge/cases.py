"""A command with the values that its words are proven to have: ``n=3; head -n "$n" f`` is ``head -n 3 f``."""

from __future__ import annotations

from execpolicy.shell.script import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.words import Word

MAX_CASES = 24
"""More combinations than this are not tried: the command is then judged as it is written only."""


def cases_of(command: Command) -> list[Command]:
    """Every command that ``command`` can be; empty if that is not known or too much.

    The program is not replaced: one that is only known at run time is never granted.
    """
    if command.words[0].cases:
        return []
    found: list[tuple[Word, ...]] = [()]
    for word in command.words:
        fields = word.cases or ((word,),)
        if len(found) * len(fields) > MAX_CASES:
            return []
        found = [(*before, *more) for before in found for more in fields]
    return [
        Command(
            words,
            command.span,
            assignments=command.assignments,
            redirects=command.redirects,
            context=command.context,
            piped_from=command.piped_from,
            body=command.body,
        )
        for words in found
    ]
