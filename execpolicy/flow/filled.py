"""What ``read`` and ``mapfile`` visibly fill variables with. Evidence for restricting, never proof."""

from __future__ import annotations

from execpolicy.flow.streams import COST, MAX_VALUES, MAX_WRITERS, fed_texts, known_of, output_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_READING = frozenset(["read", "mapfile", "readarray"])


def read_values(word: Word, facts: Facts) -> list[str]:
    """What ``$x`` is where the script fills ``x`` with ``read`` or ``mapfile`` from input that can be seen."""
    return [value for value in [" ".join(fields) for fields in read_fields(word, facts)] if value.strip()]


def read_fields(word: Word, facts: Facts) -> list[tuple[str, ...]]:
    """The lists of words that a word becomes that is a variable which ``read`` or ``mapfile`` fills."""
    parameter = word.alone
    if not facts.script.text or parameter is None or parameter.operator or not parameter.name.isidentifier():
        return []
    name, subscript = parameter.name, parameter.subscript or ""
    from execpolicy.flow.index import index_of

    commands = index_of(facts).fillers.get(name, [])
    if name in ("REPLY", "MAPFILE"):
        commands = [
            command for command in facts.script.commands if command.words and command.words[0].literal in _READING
        ]
    known = known_of(facts)
    found: dict[tuple[str, ...], None] = {}
    for command in commands[:MAX_WRITERS]:
        known.left -= COST
        if known.left < 0:
            break
        for one in command.assignments:
            if one.name == name and one.value is not None and one.value.kind == "substitution" and one.value.inner:
                found.update(dict.fromkeys([(text.rstrip("\n"),) for text in output_texts(one.value.inner, facts)[0]]))
        argv = command.argv()
        if argv and argv[0] in _READING:
            for text in fed_texts(command, facts)[0]:
                known.left -= len(text) * 4
                if len(found) < MAX_VALUES and known.left > 0:
                    found.update(dict.fromkeys(_read_from(text, name, subscript, argv, _separators(command, facts))))
    return [fields for fields in found if any(fields)][:MAX_VALUES]


def _separators(command: Command, facts: Facts) -> str:
    """The characters that ``IFS`` may hold for ``command`` besides blanks."""
    own = [one.value.literal or "" for one in command.assignments if one.name == "IFS" and one.value]
    return "".join([*own, *facts.script.assigned.get("IFS", ())])[:32]


def _read_from(
    text: str, name: str, subscript: str, argv: tuple[str | None, ...], separators: str
) -> list[tuple[str, ...]]:
    """What the variable ``name`` holds after ``argv`` has read ``text``; with a loop around it, of each line."""
    lines = text.split("\n")[:MAX_VALUES]
    whole = subscript in ("@", "*")
    if argv[0] != "read":
        return [tuple(lines)] if whole else [(line,) for line in lines]
    names = [each for each in argv[1:] if each is not None and each.isidentifier()]
    arrays = any(each is not None and each.startswith("-") and each.endswith("a") for each in argv[1:])
    found: list[tuple[str, ...]] = []
    for line in lines:
        found.append((line,))
        for separator in separators:
            line = line.replace(separator, " ")
        fields = line.split()
        if arrays:
            found += [tuple(fields)] if whole else [(field,) for field in fields]
        elif name in names:
            parts = line.split(None, len(names) - 1)
            found += [(part,) for part in parts[names.index(name) : names.index(name) + 1]]
    return found
