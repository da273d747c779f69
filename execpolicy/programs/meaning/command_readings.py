"""What the words of one command line give: every way to read them by the grammar of its program."""

from __future__ import annotations

from execpolicy.programs.meaning.command_grammar import key_and_rest
from execpolicy.programs.options import OptionReading, readings, takes_boolean, with_usual_dashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.programs.meaning.command_grammar import CommandGrammar
    from execpolicy.programs.options import OptionReading, Options

_MOST_READINGS = 32
_TELL_ONLY = frozenset(["--help", "--version"])
"""With these a program does nothing."""


class GivenWord:
    """One thing that a command line says.

    Attributes:
        name: the option, by the first of its names, or the operand; ``None`` for one that is only known at run time.
        value: of the option, if it is known.
        at: the index of the word that says it.
        is_option: it is an option.
    """

    __slots__ = ("at", "is_option", "name", "value")

    def __init__(self, name: str | None, at: int, *, value: str | None = None, is_option: bool = False) -> None:
        self.name = name
        self.value = value
        self.at = at
        self.is_option = is_option


class CommandReading:
    """One way to read the words behind a program.

    Attributes:
        path: the sub-commands in front.
        given: what the words say, in order; sub-commands are listed as operands, too.
        at: the index of the word that is read next.
        leading: that word may still be a sub-command.
        guessed: one of the sub-commands is spelled otherwise.
        over: the options are over.
    """

    __slots__ = ("at", "given", "guessed", "leading", "over", "path")

    def __init__(self, at: int, path: tuple[str, ...], leading: bool, given: Sequence[GivenWord]) -> None:
        self.at = at
        self.guessed = False
        self.over = False
        self.path = path
        self.leading = leading
        self.given = list(given)

    def going_on(self, at: int, path: tuple[str, ...], leading: bool, given: Sequence[GivenWord]) -> CommandReading:
        """Another way to read the words that this one has read so far."""
        made = CommandReading(at, path, leading, given)
        made.guessed, made.over = self.guessed, self.over
        return made

    def operands(self) -> int:
        """How many operands are given so far, without the sub-commands."""
        return sum(not each.is_option for each in self.given) - len(self.path)


def command_readings(grammar: CommandGrammar, texts: Sequence[str | None]) -> Iterator[CommandReading]:
    """Every way to read the words behind the program; ``None`` is a word that is only known at run time."""
    pending = [_bundled(grammar, texts) if grammar.bundles else CommandReading(0, (), True, ())]
    found = 0
    while pending and found < _MOST_READINGS:
        reading = pending.pop()
        while reading.at < len(texts):
            text = texts[reading.at]
            if text is None or reading.over or len(text) < 2 or text[0] not in grammar.signs:
                pending += _read_operand(grammar, text, reading)
                line = grammar.line(reading.path)
                if text is not None and line is not None and line.front is not None and not reading.leading:
                    reading.over = reading.over or reading.operands() >= line.front
            elif text == "--" or (grammar.nopt and not text.strip("-")):
                reading.over = not grammar.late
                reading.given.append(GivenWord(text, reading.at, is_option=True))
                reading.at += 1
            else:
                pending += _read_options(grammar, texts, reading)
        found += 1
        _add_values(grammar, reading)
        yield reading
        yield from _under_other_names(grammar, reading)


def _add_values(grammar: CommandGrammar, reading: CommandReading) -> None:
    """The options whose values stand as operands."""
    line = grammar.line(reading.path)
    if line is not None and line.operands:
        names = {each.name for each in reading.given if each.is_option}
        operands = [each for each in reading.given if not each.is_option][len(reading.path) :]
        missing = [name for name in line.operands if name not in names]
        for name, each in zip(missing, operands, strict=False):
            reading.given.append(GivenWord(name, each.at, value=each.name, is_option=True))


def _under_other_names(grammar: CommandGrammar, reading: CommandReading) -> Iterator[CommandReading]:
    """The same under each other name of the sub-command."""
    path, line = reading.path, grammar.line(reading.path)
    options = [each for each in reading.given if each.is_option]
    operands = [each for each in reading.given if not each.is_option]
    names = {each.name for each in options}
    at = operands[len(path) - 1].at if path else -1  # the program itself
    if line is not None and line.bare is not None and not operands[len(path) :] and names.isdisjoint(_TELL_ONLY):
        said = [*operands, GivenWord(line.bare, at), *options]
        yield reading.going_on(reading.at, (*path, line.bare), False, said)
    for other, wanted, gives in grammar.same_as(path):
        if gives or names.issuperset(wanted):
            said = [GivenWord(name, at) for name in other] + operands[len(path) :] + options
            more = [GivenWord(name, at, is_option=True) for name in wanted if gives]
            yield reading.going_on(reading.at, other, False, [*said, *more])


def may_say(grammar: CommandGrammar, path: tuple[str, ...], texts: Sequence[str | None]) -> set[str]:
    """All operands, options and values that the words behind the sub-commands ``path`` may give."""
    said = {text for text in texts if text is not None}
    keys = {key_and_rest(text)[0] for text in said} | said
    for line in grammar.lines_to(path):
        for option, others in line.stands_for.items():
            if option.partition("=")[2] in keys:  # a value that stands for options
                said.update([grammar.same_option(path, other.partition("=")[0]) for other in others])
    said |= keys
    for reading in command_readings(grammar, [*path, *texts]):
        said.update([each.name for each in reading.given if each.name is not None])
        for each in reading.given:
            if each.value is not None:
                said.add(each.value)
                said.add(key_and_rest(each.value)[0])
    if grammar.nopt:  # the word behind it may say the opposite
        said.update([_negated(name) for name in said if name.startswith("--")])
    return said


def _bundled(grammar: CommandGrammar, texts: Sequence[str | None]) -> CommandReading:
    """The reading of a first word of options without a dash, whose values are the next words in turn."""
    reading = CommandReading(0, (), True, ())
    letters = texts[0] if texts else None
    if not letters or letters[0] == "-":
        return reading
    reading.at = 1
    for letter in letters:
        given = GivenWord(grammar.same_option((), "-" + letter), 0, is_option=True)
        if grammar.options_behind(()).kinds.get("-" + letter) == ":":
            given.value = texts[reading.at] if reading.at < len(texts) else None
            reading.at += 1
        reading.given += _said(grammar, (), given)
    return reading


def _said(grammar: CommandGrammar, path: tuple[str, ...], given: GivenWord) -> list[GivenWord]:
    """What an option says: itself, what it stands for, and what it implies."""
    line = grammar.line(path)
    if line is None or not line.stands_for:
        return [given]
    value = given.value
    others = line.stands_for.get(given.name or "")
    if others is None and value is not None:
        key, rest = key_and_rest(value) if given.name in line.keyed else (value, None)
        others = line.stands_for.get(f"{given.name}={key}")
        value = rest
    found: list[GivenWord] = []
    for other in others if others is not None else [given.name or ""]:
        name, keyed, key = other.partition("=")
        if other == given.name:
            found.append(given)
        elif value is not None or not keyed or not line.options.kinds.get(given.name or ""):
            said = f"{key}={value or 'yes'}" if keyed else value
            found.append(GivenWord(grammar.same_option(path, name), given.at, value=said, is_option=True))
    return found


def _read_operand(grammar: CommandGrammar, text: str | None, reading: CommandReading) -> list[CommandReading]:
    """Read an operand, which may be a sub-command, and give the other ways to read it."""
    at, path = reading.at, reading.path
    reading.at += 1
    if grammar.settings and text is not None and "=" in text:
        name, _, value = text.partition("=")
        reading.given.append(GivenWord(name + "=", at, value=value or None, is_option=True))
        return []
    children = grammar.child(path, text) if reading.leading and text is not None else []
    if children:
        reading.guessed = grammar.is_guess(path, text or "", [each.value for each in reading.given])
        above = grammar.line(path)
        named = text.partition("/")[2] if text is not None and above is not None and above.kinds else ""
        more = [GivenWord(named, at)] if named else []
        others = [
            reading.going_on(at + 1, (*path, other), not named, (*reading.given, GivenWord(other, at), *more))
            for other in children[1:]
        ]
        reading.path = (*path, children[0])
        line = grammar.line(reading.path)
        if line is not None and line.through is not None:
            others.append(reading.going_on(at + 1 + line.through, (), True, reading.given))
        reading.given += [GivenWord(children[0], at), *more]
        return others
    others = _of_more_kinds(grammar, text, reading)
    reading.leading = False
    reading.given.append(GivenWord(text, at))
    line = grammar.line(path)
    for prefix, option in line.implied if line is not None else ():
        if text is not None and len(text) > len(prefix) and text.startswith(prefix):
            reading.given.append(GivenWord(grammar.same_option(path, option), at, is_option=True))
    return others


def _of_more_kinds(grammar: CommandGrammar, text: str | None, reading: CommandReading) -> list[CommandReading]:
    """``svc/b`` behind ``delete po/a``: the same is done to an object of another kind."""
    *above, _ = reading.path or ("",)
    line = grammar.line(tuple(above)) if reading.path else None
    if text is None or "/" not in text or line is None or not line.kinds:
        return []
    operands = [each for each in reading.given if not each.is_option][: len(above)]
    options = [each for each in reading.given if each.is_option]
    at, name = reading.at - 1, text.partition("/")[2]
    return [
        reading.going_on(at + 1, (*above, kind), False, (*operands, GivenWord(kind, at), GivenWord(name, at), *options))
        for kind in grammar.child(tuple(above), text)
    ]


def _ways(tables: Sequence[Options], text: str) -> list[OptionReading]:
    """What a word of options may mean; cut short, it may be an option of any sub-command in front."""
    name = text.partition("=")[0]
    listing = next((each for each in tables if name in each.kinds or text[:2] in each.kinds), None)
    found = readings(listing or tables[0], text)
    for table in tables[1:] if listing is None else ():
        found += [way for way in readings(table, text) if way.given[-1].kind != "unknown"]
    return found


def _ways_of_npm(tables: Sequence[Options], text: str) -> list[OptionReading]:
    """The same for npm's reader: what begins with ``no-`` takes no value, and twice is not at all."""
    text = with_usual_dashes(tables, text)
    if not text.startswith("--no-"):
        return _ways(tables, text)
    positive = text
    while positive.startswith("--no-no-"):
        positive = "--" + positive[8:]
    found = _ways(tables, positive)
    bare = [OptionReading(way.given, 0) for way in found]
    return bare if positive.startswith("--no-") else found + bare


def _negated(name: str) -> str:
    return name.replace("--no-", "--", 1) if name.startswith("--no-") else name.replace("--", "--no-", 1)


def _read_options(
    grammar: CommandGrammar, texts: Sequence[str | None], reading: CommandReading
) -> list[CommandReading]:
    """Read a word of options, which may take the next words for a value, and give the other ways to read it."""
    at, path = reading.at, reading.path
    text = texts[at] or ""
    if grammar.dashes and text[:2] == "--":
        text = text[1:]
    tables = [line.options for line in reversed(grammar.lines_to(path))]
    ways: list[CommandReading] = []
    for way in _ways_of_npm(tables, text) if grammar.nopt else _ways(tables, text):
        value = texts[at + 1] if way.takes and at + 1 < len(texts) else None
        given = list(way.given)
        behind = given[-1].glued or ""
        if grammar.splits and behind[:1] == "-" and given[-1].kind != ":":
            given += [each for one in readings(tables[0], behind) for each in one.given]
        more = [GivenWord(grammar.same_option(path, each.name), at, value=each.glued, is_option=True) for each in given]
        if value is not None:
            more[-1].value = value
        elif grammar.nopt and (given[-1].kind == "" or given[-1].name.startswith("--no-")):
            following = texts[at + 1] if at + 1 < len(texts) else None
            way.takes = int(takes_boolean(way, following))
            if (following if way.takes else given[-1].glued) == "false":
                more[-1].name = _negated(more[-1].name or "")
        said = [each for one in more for each in _said(grammar, path, one)]
        ways.append(reading.going_on(at + 1 + way.takes, path, reading.leading, (*reading.given, *said)))
        last = grammar.line(path)
        ways[-1].over = last is not None and any(each.name in last.last for each in more)
    reading.at, reading.given, reading.over = ways[0].at, ways[0].given, ways[0].over
    return ways[1:]
