"""Option grammars of wrappers and of programs with global options, and a walk that finds where the operands start.

A grammar is written as blank-separated options. A suffix says what follows the option:

======  ==========================================================================
``-v``    nothing
``-k:``   a value, glued or the next word (``--long:`` also ``--long=value``)
``-e?``   a value only if it is glued (``--long?`` only as ``--long=value``)
``-c!``   like ``:``, and the value is shell text that will be run
``-x*``   like ``:``, and the value is a program or command line that will be run
``-b&``   two values, in the next two words
======  ==========================================================================

A single dash with several letters (``-nx``) is one option, as gdb and find write them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.words import Word

KINDS = ":?!*&"
MANY_STATES = 512
"""A walk over more states than this stops; the caller then knows that it is not exact."""


class Grammar:
    """A parsed option grammar: option name (``-k``, ``--kill-after``) to the kind of its value."""

    __slots__ = ("longs", "options")

    def __init__(self, text: str) -> None:
        self.options: dict[str, str] = {}
        for item in text.split():
            if item[-1] in KINDS and len(item) > 2:
                self.options[item[:-1]] = item[-1]
            else:
                self.options[item] = ""
        self.longs = [name for name in self.options if len(name) > 2]

    def lookup_long(self, name: str) -> list[str]:
        """The options that ``name`` names or abbreviates."""
        if name in self.options:
            return [name]
        return [option for option in self.longs if option.startswith(name)]


_grammars: dict[str, Grammar] = {}


def grammar(text: str) -> Grammar:
    """The grammar that ``text`` describes, parsed once."""
    found = _grammars.get(text)
    if found is None:
        found = _grammars[text] = Grammar(text)
    return found


class Seen:
    """One option found.

    Attributes:
        at: the index of the word that it stands in.
        name: its full name, ``--kill-after`` also when it was abbreviated.
        kind: the suffix of the grammar, or ``unknown``.
        glued: its value, if it stands in the same word; ``word``: its value, if it is the next word.
        full: it was spelled out and given the kind of value that it takes.
    """

    __slots__ = ("at", "full", "glued", "kind", "name", "word")

    def __init__(self, name: str, kind: str, *, glued: str | None = None, word: Word | None = None, full: bool = True):
        self.at = 0
        self.name = name
        self.kind = kind
        self.glued = glued
        self.word = word
        self.full = full

    def value(self) -> str | None:
        """The literal value; ``None`` if there is none or it is dynamic."""
        if self.glued is not None:
            return self.glued
        return self.word.literal if self.word is not None else None


def read_option(table: Grammar, text: str) -> list[tuple[list[Seen], bool]]:
    """What ``text``, which starts with ``-``, may mean: options seen, and whether the last takes the next word.

    More than one reading means that the grammar does not decide it.
    """
    options = table.options
    if text.startswith("--") or (len(text) > 2 and text.split("=", 1)[0] in options):
        name, equals, glued = text.partition("=")
        found = table.lookup_long(name)
        if not found:
            seen = Seen(name, "unknown", glued=glued if equals else None, full=False)
            return [([seen], False)] if equals else [([seen], False), ([seen], True)]
        readings: list[tuple[list[Seen], bool]] = []
        for option in found:
            kind = options[option]
            full = option == name
            if equals:
                readings.append(([Seen(option, kind, glued=glued, full=full and kind != "")], False))
            else:
                readings.append(([Seen(option, kind, full=full)], kind not in ("", "?")))
        return readings
    cluster: list[Seen] = []
    for at in range(1, len(text)):
        option = "-" + text[at]
        found_kind = options.get(option)
        rest = text[at + 1 :]
        if found_kind is None:
            cluster.append(Seen(option, "unknown", glued=rest or None, full=False))
            return [(cluster, False), (cluster, True)]
        if found_kind:
            if rest or found_kind == "?":
                cluster.append(Seen(option, found_kind, glued=rest or None))
                return [(cluster, False)]
            cluster.append(Seen(option, found_kind))
            return [(cluster, True)]
        cluster.append(Seen(option, ""))
    return [(cluster, False)]


class Walk:
    """The result of :func:`walk`.

    Attributes:
        starts: indices where what follows the options and ``operands`` may begin, most likely first.
        seen: every option that some reading saw.
        ambiguous: there was more than one reading, so that nothing can be concluded from an option that was seen.
        exact: there was one reading only, every word up to the start literal, every option spelled fully.
        operands: the index of each operand skipped, for the first reading.
    """

    __slots__ = ("ambiguous", "exact", "operands", "seen", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.seen: list[Seen] = []
        self.ambiguous = False
        self.exact = True
        self.operands: list[int] = []


def walk(
    table: Grammar,
    words: Sequence[Word],
    at: int,
    *,
    operands: int = 0,
    assignments: bool = False,
    permute: bool = False,
    signed: bool = False,
) -> Walk:
    """Find every place where the command behind options and operands may start.

    Args:
        at: the index of the first word behind the program.
        operands: how many operands stand before it.
        assignments: ``NAME=value`` operands are skipped first.
        permute: options may also follow the operands.
        signed: ``-5``, ``--5`` and ``-+5`` are options of their own (``nice``).
    """
    result = Walk()
    count = len(words)
    # A state is where we are, how many operands are still to come, and whether options are over.
    pending: list[tuple[int, int, bool]] = [(at, operands, False)]
    visited: set[tuple[int, int, bool]] = set()
    while pending:
        state = pending.pop(0)
        if state in visited:
            continue
        visited.add(state)
        if len(visited) > MANY_STATES:
            result.exact = False
            break
        here, left, over = state
        if here >= count:
            continue
        word = words[here]
        text = word.literal
        if text is None:
            if assignments and not word.many and is_assignment(word.prefix):
                pending.append((here + 1, left, over))
                continue
            result.exact = False
            result.ambiguous = True
            result.operands.append(here)
            if left == 0 and (over or not word.prefix.startswith("-")):
                result.starts.append(here)
            if not over and word.may_start_with_dash():
                pending.append((here + 1, left, False))
                pending.append((here + 2, left, False))
            pending.append((here + 1, max(0, left - 1), over))
            if word.many:
                pending.extend([(here + 1, fewer, over) for fewer in range(left + 1)])
            continue
        if text.startswith("-") and len(text) > 1 and not over:
            if text == "--":
                pending.append((here + 1, left, True))
                continue
            if signed and text[1:].lstrip("-+")[:1].isdigit() and len(text) - len(text[1:].lstrip("-+")) <= 2:
                result.seen.append(Seen("-n", ":", glued=text[1:]))
                pending.append((here + 1, left, False))
                continue
            readings = read_option(table, text)
            if len(readings) > 1:
                result.exact = False
                result.ambiguous = True
            for seen, takes_next in readings:
                for each in seen:
                    each.at = here
                if takes_next:
                    if here + 1 < count:
                        seen[-1].word = words[here + 1]
                        if words[here + 1].literal is None:
                            result.exact = False
                            result.ambiguous = result.ambiguous or words[here + 1].many
                            if words[here + 1].many:
                                pending.append((here + 1, left, False))
                    pending.append((here + (3 if seen[-1].kind == "&" else 2), left, False))
                else:
                    pending.append((here + 1, left, False))
                result.seen.extend(seen)
            continue
        if assignments and is_assignment(text):
            pending.append((here + 1, left, over))
            continue
        if text == "-" and "-" in table.options:
            result.seen.append(Seen("-", ""))
            pending.append((here + 1, left, over))
            continue
        if left == 0:
            result.starts.append(here)
            continue
        result.operands.append(here)
        pending.append((here + 1, left - 1, over if permute else over or left == 1))
    if len(result.starts) != 1:
        result.exact = False
    return result


def is_assignment(text: str) -> bool:
    """Whether ``env`` and ``sudo`` would take ``text`` for ``NAME=value``: ``=`` behind at least one letter."""
    return text.find("=") > 0
