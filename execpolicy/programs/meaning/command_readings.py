"""All readings of one command line by the grammar of its program."""

from __future__ import annotations

from execpolicy.programs.meaning.command_grammar import key_and_rest
from execpolicy.programs.meaning.operand_kinds import EVERY, is_relative, parts_of_db
from execpolicy.programs.options import OptionReading, readings, takes_boolean, with_usual_dashes
from execpolicy.shell.words import Word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from execpolicy.programs.meaning.command_grammar import CommandGrammar
    from execpolicy.programs.meaning.operand_kinds import Said
    from execpolicy.programs.options import Options

_MOST_READINGS = 32
_MOST_TOKENS = 2_000
_TELL_ONLY = frozenset(["--help", "--version"])
"""With these a program does nothing."""
SOME = Word(None, Span(0, 0), many=True)
"""Operands that are only known at run time."""


def unknown_settings() -> None:
    """Settings of which nothing is known."""


class GivenWord:
    """One thing that a command line says.

    Attributes:
        name: the option, by the first of its names, or the operand.
        value: of the option, if it has one.
        at: the index of the word that says it.
        is_option: it is an option.
        is_behind: it is an operand behind ``--``.
        is_implied: another option implies it, with a value that a given one replaces.
        may_be_value: it is an operand, or the value of the option in front.
    """

    __slots__ = ("at", "is_behind", "is_implied", "is_option", "may_be_value", "name", "value")

    def __init__(self, name: Said, at: int, *, value: Said | None = None, is_option: bool = False) -> None:
        self.name = name
        self.value = value
        self.at = at
        self.is_option = is_option
        self.is_behind = False
        self.is_implied = False
        self.may_be_value = False


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


def loose_reading(texts: Sequence[Said]) -> CommandReading:
    """The words behind a program without a grammar: every word without a dash may be the value of an option."""
    reading = CommandReading(len(texts), (), False, ())
    for at, text in enumerate(texts):
        if isinstance(text, str) and len(text) > 1 and text[0] == "-" and not reading.over:
            reading.over = text == "--"
            name, equals, value = text.partition("=")
            given = GivenWord(name if text[:2] == "--" else text, at, is_option=True)
            given.value = value if equals and text[:2] == "--" else None
        elif not isinstance(text, str) and text.prefix[:1] == "-" and not reading.over:
            name, equals, _ = text.prefix.partition("=")
            given = GivenWord(name if equals else text, at, is_option=True)
            given.value = text.behind(len(name) + 1) if equals else None
        else:
            last = reading.given[-1] if reading.given else None
            given = GivenWord(text, at)
            given.is_behind = reading.over
            if last is not None and last.is_option and last.name != "--" and last.value is None:
                last.value, given.may_be_value = text, True
        reading.given.append(given)
    return reading


def token_readings(grammar: CommandGrammar, path: tuple[str, ...], token: str) -> list[CommandReading]:
    """Every way to read a token of a rule behind the sub-commands ``path``. It is remembered."""
    found: list[CommandReading] | None = grammar.tokens.get((path, token))
    if found is None:
        if len(grammar.tokens) >= _MOST_TOKENS:
            grammar.tokens.clear()
        found = grammar.tokens[path, token] = list(command_readings(grammar, [*path, token]))
    return found


def command_readings(
    grammar: CommandGrammar,
    texts: Sequence[Said],
    *,
    is_fed: bool = False,
    settings: Callable[[], str | None] = unknown_settings,
) -> Iterator[CommandReading]:
    """Every way to read the words behind the program.

    Args:
        is_fed: something that is only known at run time may be on its standard input.
        settings: gives the last operand that settings say where it is left out, if it is known.
    """
    pending = [_bundled(grammar, texts) if grammar.bundles else CommandReading(0, (), True, ())]
    found = 0
    while pending and found < _MOST_READINGS:
        reading = pending.pop()
        while reading.at < len(texts):
            text = texts[reading.at]
            start = text if isinstance(text, str) else text.prefix + "*"
            if reading.over or len(start) < 2 or start[0] not in grammar.signs or grammar.is_mode(start):
                pending += _read_operand(grammar, text, reading)
                line = grammar.line(reading.path)
                if isinstance(text, str) and line is not None and line.front is not None and not reading.leading:
                    reading.over = reading.over or reading.operands() >= line.front
            elif not isinstance(text, str):
                _read_half_known(grammar, text, reading)
            elif text == "--" or (grammar.nopt and not text.strip("-")):
                reading.over = not grammar.late
                reading.given.append(GivenWord(text, reading.at, is_option=True))
                reading.at += 1
            else:
                pending += _read_options(grammar, texts, reading)
        found += 1
        _add_values(grammar, reading, settings)
        _mark_clauses(grammar, texts, reading)
        line = grammar.line(reading.path)
        for option in line.input if is_fed and line is not None else ():
            reading.given.append(GivenWord(Word(None, Span(0, 0), prefix=option), len(texts) - 1, is_option=True))
        yield reading
        yield from _under_other_names(grammar, reading)


def _add_values(grammar: CommandGrammar, reading: CommandReading, settings: Callable[[], str | None]) -> None:
    """The options whose values stand as operands, and the operands that options and settings stand for."""
    line = grammar.line(reading.path)
    if line is None:
        return
    given = reading.given
    count = len([each for each in given if not each.is_option]) - len(reading.path)
    for each in given[:]:
        if each.is_option and each.name in line.named and each.value is not None:
            given.append(GivenWord(each.value, each.at))
        elif each.is_option and count <= len(line.fixed) and (each.name in line.every or each.name in line.some):
            given += [GivenWord(SOME, each.at)] * (len(line.fixed) - count)
            given.append(GivenWord(EVERY if each.name in line.every else SOME, each.at))
            count = len(line.fixed) + 1
    implied = [each for each in given if each.is_implied]
    if implied:
        replaced = {each.name for each in given if not each.is_implied}
        last = max(implied, key=lambda each: line.rank(each.name, each.value))
        reading.given = given = [
            each for each in given if not each.is_implied or (each is last and each.name not in replaced)
        ]
    for each in given if line.configured else ():
        text = each.name if isinstance(each.name, str) and not each.is_option else ":"
        if ":" not in text and is_relative(line.rest or "", text):
            each.name = settings() or text
    if line.configured and count <= len(line.fixed) and not any(each.name in line.settled for each in given):
        at, said = max([each.at for each in given], default=0), settings()
        remote = [GivenWord(Word(None, Span(0, 0)), at) for _ in range(len(line.fixed) - count)] if said else []
        for one in remote:
            one.is_behind = True
        given += [*remote, GivenWord(said or SOME, at)]
    if line.parts:
        _add_parts(line.parts, reading)
    if line.operands:
        names = {each.name for each in reading.given if each.is_option}
        operands = [each for each in reading.given if not each.is_option][len(reading.path) :]
        missing = [name for name in line.operands if name not in names]
        for name, each in zip(missing, operands, strict=False):
            reading.given.append(GivenWord(name, each.at, value=each.name, is_option=True))


def _add_parts(parts: Sequence[str], reading: CommandReading) -> None:
    """The options that mean the same as the address of a database, and the address that such options mean."""
    scheme, *names = parts
    given = reading.given
    hosts = [each.value for each in given if each.name == names[0] and isinstance(each.value, str)]
    for each in [each for each in given if not each.is_option][len(reading.path) :][:1]:
        name = each.name
        if isinstance(name, str):
            said: Sequence[Said] = parts_of_db(name)
        else:
            said = [Word(None, name.span)] * len(names) if not name.prefix or "://" in name.prefix else []
        given += [
            GivenWord(one, each.at, value=part, is_option=True) for one, part in zip(names, said, strict=False) if part
        ]
        if hosts and isinstance(name, str) and "://" not in name:
            each.may_be_value = True
            given.append(GivenWord(f"{scheme}{hosts[-1]}/{name}", each.at))


def _under_other_names(grammar: CommandGrammar, reading: CommandReading) -> Iterator[CommandReading]:
    """The same under each other name of the sub-command."""
    path, line = reading.path, grammar.line(reading.path)
    options = [each for each in reading.given if each.is_option]
    operands = [each for each in reading.given if not each.is_option]
    names = {each.name for each in options}
    at = operands[len(path) - 1].at if path else -1  # the program itself
    bare = grammar.line((*path, line.bare)) if line is not None and line.bare is not None else None
    takes_operands = bare is not None and bool(bare.fixed or bare.rest)
    is_bare = names.isdisjoint(_TELL_ONLY) and (takes_operands or not operands[len(path) :])
    if line is not None and line.bare is not None and is_bare:
        said = [*operands[: len(path)], GivenWord(line.bare, at), *operands[len(path) :], *options]
        yield reading.going_on(reading.at, (*path, line.bare), False, said)
    if line is not None and line.perhaps and line.perhaps[1] in names:
        said = [GivenWord(line.perhaps[0], at), *operands[len(path) :], *options]
        other_way = reading.going_on(reading.at, (line.perhaps[0],), False, said)
        # with a value it may be `false`
        other_way.guessed = any(each.value is not None for each in options if each.name == line.perhaps[1])
        yield other_way
    for other, wanted, gives in grammar.same_as(path):
        if gives or names.issuperset(wanted):
            said = [GivenWord(name, at) for name in other] + operands[len(path) :] + options
            more = [GivenWord(name, at, is_option=True) for name in wanted if gives]
            yield reading.going_on(reading.at, other, False, [*said, *more])


def _bundled(grammar: CommandGrammar, texts: Sequence[Said]) -> CommandReading:
    """The reading of a first word of options without a dash, whose values are the next words in turn."""
    reading = CommandReading(0, (), True, ())
    first = texts[0] if texts else ""
    letters = first if isinstance(first, str) else first.prefix
    if letters[:1] in ("", "-"):
        return reading
    reading.at = 1
    if not isinstance(first, str):
        reading.given.append(GivenWord(Word(None, first.span, prefix=f"-{letters}"), 0, is_option=True))
    for letter in letters:
        given = GivenWord(grammar.same_option((), "-" + letter), 0, is_option=True)
        if grammar.options_behind(()).kinds.get("-" + letter) == ":":
            given.value = texts[reading.at] if reading.at < len(texts) else None
            reading.at += 1
        reading.given += _said(grammar, (), given)
    return reading


def _said(grammar: CommandGrammar, path: tuple[str, ...], given: GivenWord) -> list[GivenWord]:
    """Returns what an option says: itself, what it means, and what it implies."""
    line = grammar.line(path)
    if line is None or not line.stands_for or not isinstance(given.name, str):
        return [given]
    value = given.value
    others = line.stands_for.get(given.name)
    if others is None and isinstance(value, str):
        key, rest = key_and_rest(value) if given.name in line.keyed else (value, None)
        with_rest = line.stands_for.get(f"{given.name}={key}={rest.lower()}") if rest else None
        others = with_rest or line.stands_for.get(f"{given.name}={key}")
        value = rest
    found: list[GivenWord] = []
    for other in others if others is not None else [given.name]:
        name, keyed, key = other.partition("=")
        option, _, implied = other.partition(":")
        if implied:
            found.append(GivenWord(grammar.same_option(path, option), given.at, value=implied, is_option=True))
            found[-1].is_implied = True
        elif other == given.name:
            found.append(given)
        elif value is not None or not keyed or not line.options.kinds.get(given.name):
            said = f"{key}={value or 'yes'}" if keyed else value
            found.append(GivenWord(grammar.same_option(path, name), given.at, value=said, is_option=True))
    return found


def _read_operand(grammar: CommandGrammar, said: Said, reading: CommandReading) -> list[CommandReading]:
    """Read an operand, which may be a sub-command, and give the other ways to read it."""
    at, path = reading.at, reading.path
    reading.at += 1
    text = said if isinstance(said, str) else None
    known = said if isinstance(said, str) else said.prefix
    if grammar.settings and "=" in known:
        name, _, value = known.partition("=")
        left = (value or None) if isinstance(said, str) else said.behind(len(name) + 1)
        reading.given.append(GivenWord(name + "=", at, value=left, is_option=True))
        return []
    children = grammar.child(path, text) if reading.leading and text is not None else []
    if children:
        reading.guessed |= grammar.is_guess(path, text or "", [each.value for each in reading.given])
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
    reading.given.append(GivenWord(said, at))
    reading.given[-1].is_behind = reading.over
    line = grammar.line(path)
    for prefix, option in line.implied if line is not None else ():
        if known.startswith(prefix) and (text is None or len(text) > len(prefix)):
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
    """Returns what a word of options may mean; cut short, it may be an option of any sub-command in front."""
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


def negated(name: str) -> str:
    """The option that ``name`` is to npm with ``false`` behind it."""
    return name.replace("--no-", "--", 1) if name.startswith("--no-") else name.replace("--", "--no-", 1)


def _read_half_known(grammar: CommandGrammar, word: Word, reading: CommandReading) -> None:
    """Read a word that begins as an option: its value is only known at run time, or even its name is."""
    at, path = reading.at, reading.path
    word = word.behind(1) if grammar.dashes and word.prefix[:2] == "--" else word
    if grammar.caseless:
        word = Word(None, word.span, prefix=f"--{word.prefix.lstrip('-').lower()}")
    start = word.prefix
    name, equals, _ = start.partition("=")
    tables = [line.options for line in reversed(grammar.lines_to(path))]
    reading.at += 1
    given = [GivenWord(word, at, is_option=True)]
    known = equals or (len(start) > 1 and start[:2] != "--")  # of a long name the end is open
    for way in _ways(tables, name + equals if equals else start) if known else ():
        last = way.given[-1]
        length = len(name) + 1 if equals else len(start) - len(last.glued or "")
        if way.takes or last.glued is not None or equals:
            given = [GivenWord(grammar.same_option(path, each.name), at, is_option=True) for each in way.given]
            given[-1].value = word.behind(length)
            if not equals and any(
                len(each) > len("-x") and each.startswith(start) for one in tables for each in one.kinds
            ):
                given.append(GivenWord(word, at, is_option=True))
            break
    reading.given += [each for one in given for each in _said(grammar, path, one)]


def _read_options(grammar: CommandGrammar, texts: Sequence[Said], reading: CommandReading) -> list[CommandReading]:
    """Read a word of options, which may take the next words for a value, and give the other ways to read it."""
    at, path = reading.at, reading.path
    text = str(texts[at])
    if grammar.dashes and text[:2] == "--":
        text = text[1:]
    if grammar.caseless:
        text = f"--{text.lstrip('-').lower()}"
    tables = [line.options for line in reversed(grammar.lines_to(path))]
    ways: list[CommandReading] = []
    known = None if grammar.nopt else grammar.ways.get((path, text))
    if known is None:
        known = _ways_of_npm(tables, text) if grammar.nopt else _ways(tables, text)
        if len(grammar.ways) >= _MOST_TOKENS:
            grammar.ways.clear()
        grammar.ways[path, text] = known
    for way in known:
        value = texts[at + 1] if way.takes and at + 1 < len(texts) else None
        given = list(way.given)
        glued = given[-1].glued or ""
        if grammar.splits and glued[:1] == "-" and given[-1].kind != ":":
            given += [each for one in readings(tables[0], glued) for each in one.given]
        more = [GivenWord(grammar.same_option(path, each.name), at, value=each.glued, is_option=True) for each in given]
        if value is not None:
            more[-1].value = value
        elif grammar.nopt and (given[-1].kind == "" or given[-1].name.startswith("--no-")):
            behind = texts[at + 1] if at + 1 < len(texts) else None
            following = behind if isinstance(behind, str) else None
            way.takes = int(takes_boolean(way, following))
            if (following if way.takes else given[-1].glued) == "false":
                more[-1].name = negated(str(more[-1].name))
        if more[-1].value == "false" and not given[-1].kind and not grammar.nopt:
            more[-1] = GivenWord(f"{given[-1].name}=false", at, is_option=True)  # a switch that is off
        said = [each for one in more for each in _said(grammar, path, one)]
        ways.append(reading.going_on(at + 1 + way.takes, path, reading.leading, (*reading.given, *said)))
        last = grammar.line(path)
        ways[-1].over = last is not None and any(each.name in last.last for each in more)
        if isinstance(value, Word) and value.kind == "glob" and at + 2 < len(texts):  # no word under `nullglob`
            ways.append(reading.going_on(at + 3, path, reading.leading, ways[-1].given))
            ways[-1].guessed = True
    reading.at, reading.given, reading.over = ways[0].at, ways[0].given, ways[0].over
    return ways[1:]


def _mark_clauses(grammar: CommandGrammar, texts: Sequence[Said], reading: CommandReading) -> None:
    """A word of another command, up to ``;`` or ``{} +``, is no option if only the run knows it."""
    line = grammar.line(reading.path)
    for start in [each.at for each in reading.given if each.name in line.clauses] if line is not None else ():
        ends = [
            at for at in range(start, len(texts)) if texts[at] == ";" or (texts[at] == "+" and texts[at - 1] == "{}")
        ]
        for each in reading.given:
            if ends and start < each.at < ends[0]:
                each.is_behind = True
