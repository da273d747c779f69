"""What a file is a copy of or a link to, as far as a script makes it: ``ln -s /usr/bin/git x; ./x push``. Evidence."""

from __future__ import annotations

from execpolicy.flow.look_ups import MAX_TEXTS, LookUps, descriptor_name, named_in, path_key, places, plain_path
from execpolicy.shell.limits import COMMAND, READ, STEP
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_IN_CODE = ("copy", "link", "rename", "move", "replace", "cp", "mv", "ln")
"""What stands in a program text that copies, links or moves files."""


def originals(path: str, scripts: Sequence[Facts]) -> list[str]:
    """The files that ``path`` may be, or be a copy of or a link to, and what those are of, if the script makes them.

    Args:
        path: as :func:`~execpolicy.flow.look_ups.path_key` gives it.
        scripts: those that may make them.
    """
    found: dict[str, None] = {}
    todo = [path]
    for one in todo:
        if not scripts[0].budget.spend(STEP * len(scripts)):
            break
        for source in [source for facts in scripts for source in facts.once(_of, one)]:
            if source not in found:
                found[source] = None
                todo.append(source)
    return list(found)


def and_around(facts: Facts) -> list[Facts]:
    """The facts about a script, and about those that it runs inside of: it calls what they copied."""
    found = [facts]
    while facts.around is not None:
        facts = facts.around[0]
        found.append(facts)
    return found


def _of(facts: Facts, path: str) -> list[str]:
    return list(_found(facts, path))


def _found(facts: Facts, path: str) -> Iterator[str]:
    look_ups, plain = facts.once(LookUps), plain_path(path)
    for place in places(plain, look_ups.copies, facts):
        yield from [name for source in look_ups.copies[place] for name in _names(source, facts)]
    for place in places(plain, look_ups.writers, facts):
        yield place
        for command, redirect in look_ups.writers[place]:
            others = tuple([each for each in command.redirects if each is not redirect])
            for name in _handed_on(changed(command, redirects=others), look_ups, facts):
                if plain_path(name) != place:
                    yield name
    named = facts.once(_named_together)
    for place in places(plain, named, facts):
        yield from [one for constants in named[place] for one in constants if plain_path(one) != place]


def _named_together(facts: Facts) -> dict[str, list[list[str]]]:
    """Normalised path to the constants of the program texts that name it and copy, link or move something."""
    found: dict[str, list[list[str]]] = {}
    for text, _ in facts.once(LookUps).texts[:MAX_TEXTS]:
        if any(mark in text for mark in _IN_CODE) and facts.budget.spend(READ * len(text)):
            constants = named_in(text)
            for one in dict.fromkeys(map(plain_path, constants)):
                found.setdefault(one, []).append(constants)
    return found


def _handed_on(command: Command, look_ups: LookUps, facts: Facts) -> Iterator[str]:
    """The files that ``command`` prints as they are, itself or what feeds it: ``cat f | base64 | base64 -d``."""
    commands, todo, seen = facts.script.commands, [command], set()
    for one in todo:
        name = (one.words[0].literal or "").rpartition("/")[2] if one.words else ""
        if (one.words and name not in facts.knowledge.handing_on) or not facts.budget.spend(COMMAND):
            continue
        read = [word for word in one.words[1:] if not word.beginning.startswith("-")]
        for redirect in one.redirects:
            if redirect.operator == "<":
                read.append(redirect.target)
            elif redirect.operator == "<&":
                opened = look_ups.opened.get(descriptor_name(path_key(redirect.target)), ())
                read += [each.target for _, each in opened if each is not redirect]
        yield from [name for word in read for name in _names(word, facts)]
        feeding = [at for at in dict.fromkeys(one.piped_from) if at not in seen and at < len(commands)]
        seen.update(feeding)
        todo += [commands[at] for at in feeding]


def _names(word: Word, facts: Facts) -> list[str]:
    """What ``word`` may name: its values, what a command prints in it, else its end (``$d/git``)."""
    if word.literal is not None or not facts.budget.spend(COMMAND):
        return [word.literal or ""]
    shown = [" ".join(value) for value in facts.values(word)] or [text.strip() for text in facts.texts(word)]
    return shown or [path_key(word)]
