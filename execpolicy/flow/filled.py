"""Values that builtins visibly assign: ``set``, ``read``, ``printf -v`` and so on. Evidence for restricting."""

from __future__ import annotations

from re import ASCII, findall

from execpolicy.core.text import to_text
from execpolicy.flow import filters
from execpolicy.flow.streams import literal_input, output_texts
from execpolicy.shell.pieces import Piece
from execpolicy.shell.script import GivenValue
from execpolicy.shell.variables import assignment_name
from execpolicy.shell.vocabulary import DECLARING, READING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word


def given_in(facts: Facts) -> Iterator[GivenValue]:
    """Every value that the script gives to a variable, by an assignment or a builtin, in source order."""
    assigned = iter(facts.script.seen.given)
    waiting = next(assigned, None)
    for command in facts.script.commands:
        reads = len(command.words) == 1 and command.words[0].literal in READING
        by_builtin = list(_given_by(command, facts)) if len(command.words) > 1 or reads else []
        if by_builtin:
            while waiting is not None and waiting.position <= command.span.start:
                yield waiting
                waiting = next(assigned, None)
            yield from by_builtin
    if waiting is not None:
        yield waiting
    yield from assigned
    functions = facts.script.functions
    for command in facts.script.commands if functions else ():
        if len(command.words) > 1 and command.words[0].literal in functions:
            yield _arguments(command, 1)


def _given_by(command: Command, facts: Facts) -> Iterator[GivenValue]:
    program = command.words[0].literal
    by = _GIVING.get(program) if program is not None else None
    return by(command, facts) if by is not None else iter(())


def _pieces(word: Word) -> tuple[Piece, ...]:
    return word.pieces if word.literal is None else (Piece("literal", word.literal, True),)


def _scalar(name: str, value: tuple[Piece, ...], command: Command) -> GivenValue:
    return GivenValue(name, (value,), command.span.start, (), certain=False)


def _text(name: str, text: str, command: Command) -> GivenValue:
    return _scalar(name, (Piece("literal", text, True),), command)


def _arguments(command: Command, first: int) -> GivenValue:
    """``$1``, ``$2`` … as the words from ``first`` on."""
    values = tuple(map(_pieces, command.words[first:]))
    return GivenValue("@", values, command.span.start, (), array=True, certain=False)


def _given_by_set(command: Command, facts: Facts) -> Iterator[GivenValue]:
    if command.words[1].literal in ("-A", "+A") and len(command.words) > 2:  # ksh
        values = tuple(map(_pieces, command.words[3:]))
        yield GivenValue(command.words[2].beginning, values, command.span.start, (), array=True, certain=False)
        return
    for at, word in enumerate(command.words[1:], 1):
        text = word.literal
        if text == "--" or text is None or text[:1] not in ("-", "+"):
            yield _arguments(command, at + (text == "--"))
            return


def _given_by_printf(command: Command, facts: Facts) -> Iterator[GivenValue]:
    """``printf -v name format words``."""
    words = command.words
    option = words[1].literal or ""
    glued = option[2:]
    at = 2 if glued else 3
    name = (glued or (words[2].literal if len(words) > 2 else None) or "").partition("[")[0]
    if option[:2] != "-v" or not name or len(words) <= at:
        return
    known = [word.literal for word in words[at:] if word.literal is not None]
    if len(known) == len(words) - at:
        printed = filters.printf(known, b"", facts.script.shell)
        if printed is not None:
            yield _text(name, to_text(printed), command)
            return
    value = words[at + 1] if words[at].literal in ("%s", "%b") and len(words) == at + 2 else words[at]
    yield _scalar(name, _pieces(value), command)


def _given_by_read(command: Command, facts: Facts) -> Iterator[GivenValue]:
    """``read name … <<< text``, what is behind the loop around it, and what a pipe brings."""
    body = literal_input(command, facts)
    if body is None:
        return
    argv = command.argv()
    body = _delimited(body, argv)
    texts = [text or "" for text in argv[1:]]
    names = [text for text in texts if text.isidentifier()] or ["REPLY"]
    separators = "".join([one.value.literal or "" for one in command.assignments if one.name == "IFS" and one.value])
    if any(text.startswith("-") and text.endswith("a") for text in texts):
        words = tuple([(Piece("literal", word, True),) for word in _separated(body, separators).split()])
        yield GivenValue(names[0], words, command.span.start, (), array=True, certain=False)
        return
    for line in body.split("\n")[: facts.limits.lines] if "\n" in body.rstrip("\n") else (body,):
        for taken in _taken(line, argv):
            parts = _separated(taken, separators).split(None, len(names) - 1) if len(names) > 1 else []
            for index, name in enumerate(names):
                for text in dict.fromkeys((taken, *parts[index : index + 1])):
                    yield _text(name, text, command)


def _given_by_mapfile(command: Command, facts: Facts) -> Iterator[GivenValue]:
    """``mapfile name <<< text``: the lines are the elements."""
    body = literal_input(command, facts)
    if body is None:
        return
    argv = command.argv()
    lines = _delimited(body, argv).rstrip("\n").split("\n")[: facts.limits.lines]
    last = (argv[-1] if len(argv) > 1 else None) or ""
    name = last if last.isidentifier() else "MAPFILE"
    values = tuple([(Piece("literal", line, True),) for line in lines])
    yield GivenValue(name, values, command.span.start, (), array=True, certain=False)


def _taken(line: str, argv: Sequence[str | None]) -> list[str]:
    """Returns what ``read`` may take of ``line``: all, without backslashes (unless ``-r``), as many letters as
    ``-n`` says.
    """
    found = [line]
    if "\\" in line:
        found.append(line.replace("\\", ""))
    for at, word in enumerate(argv[1:], 1):
        if word is not None and word[:1] == "-" and not {"n", "N"}.isdisjoint(word):
            count = word.replace("N", "n").partition("n")[2] or (argv[at + 1] if at + 1 < len(argv) else None) or ""
            if count.isdecimal() and len(count) < 6:
                found += [text[: int(count)] for text in found]
    return list(dict.fromkeys(found))


def _separated(text: str, separators: str) -> str:
    """``text`` with blanks for what ``IFS`` holds."""
    return text.translate(dict.fromkeys(map(ord, separators), " ")) if separators else text


def _given_by_eval(command: Command, facts: Facts) -> Iterator[GivenValue]:
    for word in command.words[1:]:
        for text in (word.literal or "").split():
            name = assignment_name(text)
            if name and text[len(name)] == "=":
                yield _text(name, text[len(name) + 1 :].strip("\"';"), command)


def _given_by_declaring(command: Command, facts: Facts) -> Iterator[GivenValue]:
    """``declare name=value`` and its like."""
    for word in command.words[1:]:
        name = assignment_name(word.beginning)
        rest = word.beginning[len(name) :]
        if name and rest[:1] != "[":
            yield _scalar(name, _pieces(word.behind(len(name) + 1 + (rest[:1] == "+"))), command)


_GIVING: dict[str, Callable[[Command, Facts], Iterator[GivenValue]]] = {
    "set": _given_by_set,
    "printf": _given_by_printf,
    "read": _given_by_read,
    "mapfile": _given_by_mapfile,
    "readarray": _given_by_mapfile,
    "eval": _given_by_eval,
    **dict.fromkeys([*DECLARING, "nameref"], _given_by_declaring),
}


def _delimited(text: str, argv: Sequence[str | None]) -> str:
    """``text`` with newlines where ``read -d`` ends a line."""
    for at, word in enumerate(argv[1:], 1):
        if word is not None and word[:1] == "-" and "d" in word:
            delimiter = word.partition("d")[2] or (argv[at + 1] if at + 1 < len(argv) else None) or "\0"
            return text.replace(delimiter[0], "\n")
    return text


def texts_of(words: Sequence[Word], facts: Facts) -> tuple[str | None, list[str]]:
    """The words joined with blanks: the exact text if they are all literal, otherwise what the script shows of it."""
    if all(word.literal is not None for word in words):
        return " ".join([word.literal or "" for word in words]), []
    alternatives = [""]
    for word in words:
        choices = word_texts(word, facts)
        if len(alternatives) * len(choices) > facts.limits.texts:
            choices = choices[:1]
        alternatives = [(before + " " + choice) if before else choice for before in alternatives for choice in choices]
    return None, alternatives


def word_texts(word: Word, facts: Facts) -> list[str]:
    """The text of a literal word; for a dynamic one its evident values, then what is written."""
    if word.literal is not None:
        return [word.literal]
    return facts.asked(_word_texts, word, facts, otherwise=[word.written])


def _word_texts(word: Word, facts: Facts) -> list[str]:
    texts = [" ".join(value) for value in facts.values(word)]
    if not texts and word.kind == "substitution" and word.inner:
        texts = [text.rstrip("\n") for text in output_texts(word.inner, facts)[0]]
    if word.written and word.written not in texts:
        texts.append(word.written)
    if word.prefix.strip():
        texts.append(word.prefix)
    return texts[: facts.limits.texts] or [""]


def with_variables(text: str, facts: Facts) -> str | None:
    """``text`` behind assignments of the variables in it that the script visibly sets; ``None`` if there are none."""
    if "$" not in text or not facts.assigned:
        return None

    lines: list[str] = []
    for variable in dict.fromkeys(findall(r"\w+", text, ASCII)):
        values = facts.assigned.get(variable, ())
        if len(values) == 1:
            lines.append(variable + "='" + values[0].replace("'", "'\\''") + "'\n")
    return "".join(lines) + text if lines else None
