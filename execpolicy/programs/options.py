"""The option language: which options a program takes, and what one word of its command line means by that.

``docs/records.md`` describes it.

One table has two readings. To restrict, :func:`readings` gives everything that a word may mean, whatever the version of
the program. To grant, :func:`sure_reading` gives what it surely means, or why that is not known. The sure reading is
always one of all.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    from execpolicy.shell.words import Word

    _Chain: TypeAlias = "tuple[_Chain, Sequence[Any]] | None"
    """A reading as a beginning and more behind it: readings that differ at the end share the beginning."""


VALUES = {"": 0, "?": 0, "~": 0, ":": 1, "!": 1, "*": 1, "=": 1, "&": 2, "unknown": 0}
"""Kind of an option to how many words behind it are its values."""
OPTION_SIGNS = ":?~&!*="
"""Signs behind the name of an option."""
USAGE = frozenset(("--help", "-h", "-help", "--version", "-V", "-v", "-version"))
"""Options of calls that print usage or a version, where they take no value."""
NUMERIC = "@numeric"
"""The name under which ``-5`` is given."""
MOST_LETTERS = 32
"""So many letters in one word may be options; what follows an unknown one behind them is its value."""


class Options:
    """The options that a program takes.

    Attributes:
        kinds: option name (``-k``, ``--kill-after``) to its suffix.
        numeric: ``-5`` is an option too.
        bundles: the first word may be letters without a dash, whose values are the next words in their order.
        permute: options may stand behind operands; where it is false the first operand ends them.
        clusters: ``-ab`` is ``-a -b``; where it is false, only ``-a -b`` is surely understood.
        glued: a value may stand in the same word as its one-letter option (``-n5``).
        nopt: it is read as npm reads it.
        separator: ``--`` ends the options.
    """

    __slots__ = ("_flags", "bundles", "clusters", "glued", "kinds", "nopt", "numeric", "permute", "separator")

    def __init__(
        self,
        kinds: Mapping[str, str],
        *,
        numeric: bool = False,
        permute: bool = False,
        clusters: bool = True,
        glued: bool = True,
        nopt: bool = False,
        separator: bool = True,
    ) -> None:
        self.kinds = kinds
        self.numeric = numeric
        self.permute = permute
        self.clusters = clusters
        self.glued = glued
        self.nopt = nopt
        self.separator = separator
        self.bundles = False
        self._flags: frozenset[str] | None = None

    @property
    def flags(self) -> frozenset[str]:
        """The letters of one-letter options that take no value."""
        if self._flags is None:
            self._flags = frozenset([name[1] for name, kind in self.kinds.items() if kind == "" and len(name) == 2])
        return self._flags

    def takes_no_value(self, text: str) -> bool:
        """True if the word ``text`` surely is one option, or several of one letter, and no value is behind it."""
        kind = self.kinds.get(text)
        if kind is not None:
            return kind == "" or kind == "?"
        if self.numeric and text[1:].isdigit() and text.isascii():
            return True
        return self.clusters and text[1:2] != "-" and self.flags.issuperset(text[1:])


_read: dict[str, Options] = {}


def option_table(text: str) -> Options:
    """The table that ``text`` describes, read once."""
    found = _read.get(text)
    if found is None:
        kinds: dict[str, str] = {}
        for item in text.split():
            if item[-1] in VALUES and len(item) > 2:
                kinds[item[:-1]] = item[-1]
            elif item[0] != "@":
                kinds[item] = ""
        found = _read[text] = Options(
            kinds, numeric="@numeric" in text, permute="@permute" in text, nopt="@nopt" in text
        )
        found.bundles = "@bundle" in text
    return found


class GivenOption:
    """One option that is given.

    Attributes:
        at: the index of the word that it is in.
        name: its full name, ``--kill-after`` also when it was abbreviated.
        kind: its suffix in the table, or ``unknown``.
        glued: its value, if it is in the same word; ``word``: its value, if it is the next word.
        full: it was spelled out and given the kind of value that it takes.
    """

    __slots__ = ("at", "full", "glued", "kind", "name", "word")

    def __init__(self, name: str, kind: str, *, glued: str | None = None, full: bool = True) -> None:
        self.at = 0
        self.name = name
        self.kind = kind
        self.glued = glued
        self.word: Word | None = None
        self.full = full

    def value(self) -> str | None:
        """The literal value; ``None`` if there is none or it is dynamic."""
        if self.glued is not None:
            return self.glued
        return self.word.literal if self.word is not None else None


class OptionReading:
    """A possible meaning of one word: the options in it, and how many of the next words are values of the last of
    them.
    """

    __slots__ = ("given", "takes")

    def __init__(self, given: list[GivenOption], takes: int) -> None:
        self.given = given
        self.takes = takes


def with_usual_dashes(tables: Sequence[Options], text: str) -> str:
    """``text`` with two dashes in front of a name and one in front of letters, where their number says nothing."""
    bare = text.lstrip("-")
    if bare.startswith("no-"):
        return "--" + bare
    name = bare.partition("=")[0]
    if any("--" + name in each.kinds for each in tables):
        return "--" + bare
    letters = all(any("-" + letter in each.kinds for each in tables) for letter in name)
    return "-" + bare if letters or any("-" + name in each.kinds for each in tables) else "--" + bare


def takes_boolean(reading: OptionReading, following: str | None) -> bool:
    """True if the next word belongs to an option that takes no value, as npm reads it."""
    return not reading.takes and reading.given[-1].glued is None and following in ("true", "false")


def readings(table: Options, text: str) -> list[OptionReading]:
    """Everything that ``text``, which starts with ``-``, may mean. More than one: the table does not decide it."""
    kinds = table.kinds
    if table.nopt:
        text = with_usual_dashes((table,), text)
    name, equals, value = text.partition("=")
    found: list[OptionReading] = []
    if table.numeric and _is_count(text):
        found.append(OptionReading([GivenOption(NUMERIC, "", glued=text[1:])], 0))
        if text[:2] not in kinds and name not in kinds:
            return found
    long = text.startswith("--")
    if long or (len(text) > 2 and name in kinds):
        found += _named(kinds, name, value if equals else None)
        if long or len(name) > 2:
            return found
    return found + _clustered(kinds, text)


def sure_reading(table: Options, text: str, *, whole: bool = True) -> OptionReading | tuple[str, str]:
    """Returns what ``text`` surely means, or the code and the words of a refusal.

    Args:
        text: starts with ``-``, or is listed.
        whole: ``text`` is the word; otherwise it is what is known of its beginning.
    """
    kinds = table.kinds
    if whole and text in kinds:
        return OptionReading([GivenOption(text, kinds[text])], VALUES[kinds[text]])
    if whole and table.numeric and text[1:].isdigit() and text.isascii():
        return OptionReading([GivenOption(NUMERIC, "", glued=text[1:])], 0)
    name, equals, value = text.partition("=")
    if equals and len(name) > 2 and name in kinds:
        if kinds[name] in ("", "&"):
            return "option", f"`{name}` takes no value behind `=`"
        return _long(name, kinds[name], value, full=True)[0]
    if text.startswith("--"):
        return "option", f"the option `{name}` is not on the list"
    if not whole and any(each.startswith(text) for each in kinds):
        return "dynamic", ""
    first = text[:2]
    read = _clustered(kinds, text if first in kinds else first)[0]
    last = read.given[-1]
    if last.kind in ("unknown", "&"):
        return "option", f"the option `{last.name}` (in `{text}`) is not on the list"
    if not table.clusters and len(read.given) > 1:
        return "option", f"`{text}` is not an option of its own"
    if last.glued is not None and not table.glued:
        return "option", f"the value of `{last.name}` must be a word of its own"
    if not whole and last.glued is None and last.kind != "?":
        empty = f"the value of `{last.name}` could be empty, and the next word then be its value"
        return "dynamic", empty if last.kind else ""
    return read


def _is_count(text: str) -> bool:
    """``-5``, and ``--5`` and ``-+5`` of ``nice``."""
    digits = text[1:].lstrip("-+")
    return digits[:1].isdigit() and len(text) - len(digits) <= 2


def _named(kinds: Mapping[str, str], name: str, value: str | None) -> list[OptionReading]:
    """``--name``, ``--name=value``, and ``-name`` of programs that write long options so.

    What is not listed may be an abbreviation of what is, or an option of another version.
    """
    kind = kinds.get(name)
    if kind is not None:
        return _long(name, kind, value, full=value is None or kind != "")
    found = [
        reading
        for option, kind in kinds.items()
        if len(option) > 2 and option.startswith(name)
        for reading in _long(option, kind, value, full=False)
    ]
    unknown = GivenOption(name, "unknown", glued=value, full=False)
    return found + [OptionReading([unknown], takes) for takes in ((0,) if value is not None else (0, 1))]


def _long(name: str, kind: str, value: str | None, *, full: bool) -> list[OptionReading]:
    given = [GivenOption(name, kind, glued=value, full=full)]
    return [OptionReading(given, takes) for takes in ((0,) if value is not None else _taken(kind))]


def _taken(kind: str) -> tuple[int, ...]:
    """How many of the next words may be values of an option without a glued one."""
    return (0, 1) if kind == "~" else (VALUES[kind],)


def _clustered(kinds: Mapping[str, str], text: str) -> list[OptionReading]:
    """``-abVALUE``: one-letter options behind each other, up to the first that takes a value.

    A letter that is not listed takes the rest as its value, the next word, or nothing.
    """
    found: list[OptionReading] = []
    cluster: list[GivenOption] = []
    for at in range(1, len(text)):
        name = "-" + text[at]
        kind = kinds.get(name)
        rest = text[at + 1 :]
        if kind is None:
            unknown = [*cluster, GivenOption(name, "unknown", glued=rest or None, full=False)]
            found += [OptionReading(unknown, takes) for takes in ((0,) if text[0] == "+" else (0, 1))]
            if not rest or at > MOST_LETTERS:
                return found
            cluster.append(GivenOption(name, "unknown", full=False))
        else:
            cluster.append(GivenOption(name, kind, glued=(rest or None) if kind else None))
            if kind:
                return found + [OptionReading(cluster, takes) for takes in ((0,) if rest else _taken(kind))]
    return [*found, OptionReading(cluster, 0)]


MANY_SPLITS = 16


def splits(table: Options, texts: Sequence[str]) -> list[tuple[list[GivenOption], list[str]]]:
    """Every way to tell the options among ``texts`` from the operands, at most ``MANY_SPLITS``.

    The first takes options that are not listed for flags. Options may follow operands.
    """
    found: list[tuple[list[GivenOption], list[str]]] = []
    pending: list[tuple[int, _Chain, _Chain]] = [(0, None, None)]
    while pending and len(found) < MANY_SPLITS:
        at, given, operands = pending.pop()
        while at < len(texts):
            text = texts[at]
            at += 1
            if text == "--":
                operands = (operands, texts[at:])
                break
            if len(text) < 2 or text[0] != "-":
                operands = (operands, (text,))
                continue
            read = readings(table, text)
            sure = [reading for reading in read if reading.given[-1].kind != "unknown" or not reading.takes]
            first = sure[-1] if sure else read[0]
            for reading in reversed(read):
                if reading is not first:
                    pending.append((at + reading.takes, (given, reading.given), operands))
            given, at = (given, first.given), at + first.takes
        found.append((_listed(given), _listed(operands)))
    return found


def _listed(chain: _Chain) -> list[Any]:
    """Returns what the parts of a chain hold, in order."""
    parts: list[Sequence[Any]] = []
    while chain is not None:
        chain, part = chain
        parts.append(part)
    return [one for part in reversed(parts) for one in part]


MANY_STATES = 512
"""A walk over more states than this stops; the caller then knows that it is not exact."""
_ALL = -1
"""Operands are skipped to the end."""


class Walk:
    """The result of :func:`walk`.

    Attributes:
        starts: indices where what follows the options and ``operands`` may begin, most likely first.
        seen: every option that some reading saw.
        ambiguous: there was more than one reading, or more words than are looked at, so that nothing can be concluded
            from an option that was seen.
        exact: there was one reading only, every word up to the start literal, every option spelled fully.
        operands: the index of each operand skipped, for the first reading.
        lenient: a word that is only known at run time is one operand, unless it begins with an option and its value.
    """

    __slots__ = ("ambiguous", "exact", "lenient", "operands", "seen", "starts")

    def __init__(self, *, lenient: bool = False) -> None:
        self.lenient = lenient
        self.starts: list[int] = []
        self.seen: list[GivenOption] = []
        self.ambiguous = False
        self.exact = True
        self.operands: list[int] = []


def walk(table: Options, words: Sequence[Word], at: int, *, operands: int = 0, assignments: bool = False) -> Walk:
    """Find every place where the command behind options and operands may start.

    Args:
        at: the index of the first word behind the program.
        operands: how many operands stand before it.
        assignments: ``NAME=value`` operands are skipped first.
    """
    return _walk(table, words, at, operands, Walk(), assignments=assignments, permute=table.permute)


def every_option(table: Options, words: Sequence[Word], at: int, *, lenient: bool = False) -> Walk:
    """Find the options in all ``words`` behind ``at``; all others are operands. ``lenient``: see :class:`Walk`."""
    bundled = _bundled(table, words, at) if table.bundles else []
    values = sum([each.word is not None for each in bundled])
    way = _walk(table, words, at + bool(bundled) + values, _ALL, Walk(lenient=lenient), permute=True)
    way.seen[:0] = bundled
    return way


def _bundled(table: Options, words: Sequence[Word], at: int) -> list[GivenOption]:
    """``xfC a d``: letters without a dash, whose values are the next words in their order."""
    letters = words[at].literal if at < len(words) else None
    found: list[GivenOption] = []
    for letter in letters or "" if (letters or "-")[0] != "-" else "":
        given = GivenOption("-" + letter, table.kinds.get("-" + letter, ""))
        given.at, at = at if not found else found[0].at, at + (given.kind == ":")
        given.word = words[at] if given.kind == ":" and at < len(words) else None
        found.append(given)
    return found


def _walk(
    table: Options,
    words: Sequence[Word],
    at: int,
    operands: int,
    result: Walk,
    *,
    assignments: bool = False,
    permute: bool = False,
) -> Walk:
    count = len(words)
    most = MANY_STATES if operands != _ALL else MANY_STATES + 2 * count
    # A state is where we are, how many operands are still to come, and whether options are over.
    pending: list[tuple[int, int, bool]] = [(at, operands, False)]
    visited: set[tuple[int, int, bool]] = set()
    while pending:
        state = pending.pop(0)
        if state in visited:
            continue
        visited.add(state)
        if len(visited) > most:
            result.exact = False
            result.ambiguous = True
            break
        here, left, over = state
        if here >= count:
            continue
        word = words[here]
        text = word.literal
        if text is None:
            _unknown(result, table, word, state, pending, assignments)
            continue
        if text.startswith("-") and len(text) > 1 and not over:
            if text == "--":
                pending.append((here + 1, left, True))
            else:
                _read_options(result, table, words, state, pending)
            continue
        if assignments and _is_assignment(text):
            pending.append((here + 1, left, over))
            continue
        if text == "-" and "-" in table.kinds:
            result.seen.append(GivenOption("-", ""))
            pending.append((here + 1, left, over))
            continue
        if left == 0:
            result.starts.append(here)
            continue
        result.operands.append(here)
        pending.append((here + 1, max(left - 1, _ALL), over if permute else over or left == 1))
    if len(result.starts) != 1:
        result.exact = False
    return result


def _partly_known(result: Walk, table: Options, word: Word, here: int) -> bool:
    """``--exec="git push $x"``: a known option whose value is only partly known."""
    start = word.beginning if result.lenient else word.prefix
    name, equals, _ = start.partition("=")
    if not (table.kinds.get(name) and (equals or (result.lenient and len(name) == len("-x")))):
        return False
    given = GivenOption(name, table.kinds[name])
    given.at, given.word = here, word.behind(len(name) + len(equals))
    result.seen.append(given)
    return True


def _unknown(
    result: Walk,
    table: Options,
    word: Word,
    state: tuple[int, int, bool],
    pending: list[tuple[int, int, bool]],
    assignments: bool,
) -> None:
    """A word that is only known at run time: an operand, an option with or without a value, or several of them."""
    here, left, over = state
    begun = _partly_known(result, table, word, here)
    option = word.prefix.startswith("-") and not over  # `env --split-string="$x"`
    if result.lenient:
        result.operands += [] if begun else [here]
        pending.append((here + 1, left, over))
        return
    if assignments and not option and not word.many and _is_assignment(word.prefix):
        pending.append((here + 1, left, over))
        return
    result.exact = False
    result.ambiguous = True
    result.operands.append(here)
    if left == 0 and not option:
        result.starts.append(here)
    if not over and word.may_start_with_dash():
        pending.append((here + 1, left, False))
        pending.append((here + 2, left, False))
    pending.append((here + 1, max(0, left - 1) if left != _ALL else _ALL, over))
    if word.many:
        pending.extend([(here + 1, fewer, over) for fewer in range(left + 1)])


def _read_options(
    result: Walk,
    table: Options,
    words: Sequence[Word],
    state: tuple[int, int, bool],
    pending: list[tuple[int, int, bool]],
) -> None:
    """A word of options, and the words that are values of the last of them."""
    here, left, _ = state
    found = readings(table, words[here].literal or "")
    if len(found) > 1:
        result.exact = False
        result.ambiguous = True
    for reading in found:
        for each in reading.given:
            each.at = here
        if reading.takes and here + 1 < len(words):
            value = words[here + 1]
            reading.given[-1].word = value
            if value.literal is None and not result.lenient:
                result.exact = False
                result.ambiguous = result.ambiguous or value.many
                if value.many:
                    pending.append((here + 1, left, False))
        elif table.nopt and here + 1 < len(words) and takes_boolean(reading, words[here + 1].literal):
            reading.takes = 1
        pending.append((here + 1 + reading.takes, left, False))
        result.seen.extend(reading.given)


def _is_assignment(text: str) -> bool:
    """True if ``env`` and ``sudo`` would take ``text`` for ``NAME=value``: ``=`` behind at least one letter."""
    return text.find("=") > 0
