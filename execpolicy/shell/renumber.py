"""Keeps references between commands right when the list of commands changes behind the reading."""

from __future__ import annotations

from execpolicy.shell.pieces import renumbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.shell.script import Command, Effect
    from execpolicy.shell.words import Word


def renumber(before: Sequence[Command | None], after: Sequence[Command], effects: Sequence[Effect]) -> None:
    """Make every index into ``before`` one into ``after``; references to commands that are gone are dropped."""
    places = {id(command): at for at, command in enumerate(after)}
    new: dict[int, int] = {}
    for at, command in enumerate(before):
        if command is not None and id(command) in places:
            new[at] = places[id(command)]
    if all(at == place for at, place in new.items()) and len(new) == len(before):
        return
    seen: set[int] = set()
    for command in before:
        if command is None:
            continue
        command.piped_from = _moved(command.piped_from, new)
        for word in _words(command):
            if id(word) not in seen:  # one here-document may stand on several commands
                seen.add(id(word))
                word.inner = _moved(word.inner, new)
                word.pieces = renumbered(word.pieces, new)
    for effect in effects:
        effect.inner = _moved(effect.inner, new)


def _moved(indices: tuple[int, ...], new: dict[int, int]) -> tuple[int, ...]:
    return tuple([new[index] for index in indices if index in new])


def _words(command: Command) -> Iterator[Word]:
    yield from command.words
    for assignment in command.assignments:
        if assignment.value is not None:
            yield assignment.value
        yield from assignment.items
    for redirect in command.redirects:
        yield redirect.target
        if redirect.body is not None:
            yield redirect.body
    if command.body is not None:
        yield command.body
