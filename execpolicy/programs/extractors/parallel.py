"""GNU ``parallel``, which writes items into a command wherever that has a place for them.

Source: parallel(1) of 2023, "OPTIONS" and "--plus". What the replacement strings become is evidence for what is
restricted; the Perl in ``{= … =}`` is not looked at.
"""

from __future__ import annotations

from _collections_abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

from execpolicy.flow.facts import Facts
from execpolicy.flow.streams import fed_texts
from execpolicy.programs.extractors.find import INPUT_FILES
from execpolicy.programs.inner import UNKNOWN_INPUT, Inner, literal_words, run_text, run_unknown
from execpolicy.programs.options import GivenOption, option_table, walk
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import glued_file_texts, option_file_texts, run_joined, shown_texts
from execpolicy.shell.limits import COMMAND, READ
from execpolicy.shell.script import Command, ParseFacts, Script
from execpolicy.shell.words import Word

_PLACES = {
    **dict.fromkeys(("-I", "-i", "--replace"), "{}"),
    **dict.fromkeys(("-U", "--extensionreplace", "--er"), "{.}"),
    **dict.fromkeys(("--basenamereplace", "--bnr"), "{/}"),
    **dict.fromkeys(("--dirnamereplace", "--dnr"), "{//}"),
    **dict.fromkeys(("--basenameextensionreplace", "--bner"), "{/.}"),
}
"""Options that give a replacement string another name."""
_ENDS = frozenset(["-d", "--delimiter"])
_COLUMNS = frozenset(["-C", "--colsep"])
_SEVERAL = frozenset(["-N", "-n", "--max-args", "--max-replace-args", "-L", "--max-lines", "-l"])
_ALL = frozenset(["-X", "-m", "--xargs"])
_BETWEEN = {"\\t": "\t", "\\s": None, "\\s+": None, " +": None, "\\n": "\n", "\\|": "|"}
"""Patterns of ``--colsep`` that are no plain text; ``None`` means blanks of any kind."""
_LONGEST_PLACE = 1_000
"""Characters of one place, its braces left out."""
_MARKING = str.maketrans(dict.fromkeys("[],:\t", " "))
"""Separators of the words of a command in files of settings, beside blanks."""
MAX_ITEMS = 256
MAX_JOBS = 20_256
"""Jobs that are looked at, all but the first 256 by their words alone."""


def parallel(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """The command is shell text; without one, every argument or input line is."""
    words, span = command.words, command.span
    separators = _separators(words)
    end = next((at for at, word in enumerate(words) if word.literal in separators or word.literal == "--"), len(words))
    way = walk(option_table(record.options), words[:end], 1)
    sources = _sources(command, facts, words[end:], separators, way.seen)
    if not way.starts:
        jobs, rest = _afforded(sources, way.seen, "", facts)
        yield from [run_text(name, command, " ".join(job.items), evidence=True) for job in jobs]
        yield from _by_names(name, command, facts, [" ".join(job.items) for job in rest])
        yield run_unknown(name, command, UNKNOWN_INPUT)
        return
    renamed = {_PLACES[seen.name]: text for seen in way.seen if seen.name in _PLACES and (text := seen.value())}
    for start in way.starts:
        inner = words[start:end]
        said = [_usual(word.literal, renamed) if word.literal is not None else None for word in inner]
        whole = " ".join([text or "" for text in said])
        jobs, rest = _afforded(sources, way.seen, whole, facts)
        yield from _by_names(name, command, facts, [" ".join((job.filled(whole), *job.items)) for job in rest])
        for job in jobs:
            shown = [Word(job.filled(text), span) if text is not None else inner[at] for at, text in enumerate(said)]
            if not any(text is not None and "{" in text for text in said):
                shown += literal_words(job.items, span)
            yield from run_joined(name, command, facts, shown)
        yield from run_joined(name, command, facts, inner)


class _Job:
    """The items of one job, and what ``--header`` calls them."""

    __slots__ = ("items", "names")

    def __init__(self, items: tuple[str, ...], names: tuple[str, ...]) -> None:
        self.items = items
        self.names = names

    def filled(self, text: str) -> str:
        """``text`` with the items in their places: ``{}``, ``{2}``, ``{name/.}``."""
        found: list[str] = []
        done = at = 0
        while (at := text.find("{", at)) >= 0:
            at += 1
            end = text.find("}", at, at + _LONGEST_PLACE)
            made = self._value(text[at:end]) if end >= 0 and text.find("{", at, end) < 0 else None
            if made is not None:
                found += text[done : at - 1], made
                done = at = end + 1
        return "".join((*found, text[done:]))

    def cost(self, text: str) -> int:
        """Characters that :meth:`filled` reads and makes, at most."""
        each = sum([len(item) + 1 for item in self.items])
        return len(text) + (1 + text.count("{")) * each

    def _value(self, place: str) -> str | None:
        """Returns what ``place``, without its braces, becomes; ``None`` if it is none."""
        digits = place.removeprefix("-")
        how = digits.lstrip("0123456789")
        number = place[: len(place) - len(how)]
        chosen = self.items
        if number.removeprefix("-"):
            if len(number) > 4 or not -len(self.items) <= int(number) - (number[0] != "-") < len(self.items):
                return None
            chosen = (self.items[int(number) - (number[0] != "-")],)
        else:
            how = place
            for item, called in zip(self.items, self.names, strict=False):
                if called and place.startswith(called):
                    chosen, how = (item,), place.removeprefix(called)
        made = [_changed(item, how) for item in chosen]
        return " ".join([each for each in made if each is not None]) if None not in made else None


def _changed(item: str, how: str) -> str | None:
    """The item as ``how``, the sign in its place, wants it."""
    folder, _, base = item.rpartition("/")
    if how in ("", "/"):
        return base if how else item
    if how in ("//", "+/"):
        return folder or ("." if how == "//" else "")
    if how.strip(".") in ("", "/"):
        return (base if how[0] == "/" else item).rsplit(".", how.count("."))[0]
    sign, value = how[0], how[1:]
    old, parted, new = value.partition("/")
    if sign == "/" and parted:
        return item.replace(old, new) if old else None
    if sign == "+" and not value.strip("."):
        return ".".join(item.split(".")[-len(value) :])
    if sign == ":" and value.startswith("-"):
        return item or value[1:]
    return {"%": item.removesuffix(value), "#": item.removeprefix(value)}.get(sign)


def _usual(text: str, renamed: Mapping[str, str]) -> str:
    """``text`` with the replacement strings under their usual names."""
    for place, called in renamed.items():
        text = text.replace(called, place)
    return text


def _separators(words: Sequence[Word]) -> dict[str | None, bool]:
    """Returns what is in front of a list of items, and whether files hold these."""
    found: dict[str | None, bool] = {":::": False, ":::+": False, "::::": True, "::::+": True}
    for word, following in zip(words, (*words[1:], None), strict=True):
        name, glued, value = (word.literal or "").partition("=")
        called = value if glued else following.literal if following is not None else None
        if called and name in ("--arg-sep", "--arg-file-sep"):
            found |= {called: name == "--arg-file-sep", f"{called}+": name == "--arg-file-sep"}
    return found


def _sources(
    command: Command,
    facts: Facts,
    listed: Sequence[Word],
    separators: Mapping[str | None, bool],
    options: Sequence[GivenOption],
) -> list[list[str]]:
    """The items of each source: the input, files behind ``-a`` and ``::::``, and what is behind ``:::``."""
    ends = ["\n", "\0"]
    ends += [_BETWEEN.get(seen.value() or "", seen.value()) or "\n" for seen in options if seen.name in _ENDS][-1:]
    sources = [_parts(fed_texts(command, facts)[0], ends)]
    for seen in options:
        if seen.name in INPUT_FILES:
            sources.append(_parts(option_file_texts(seen, command, facts), ends))
    sources.append(_parts(glued_file_texts(command.words, INPUT_FILES, facts), ends))
    in_files = False
    for word in listed:
        if word.literal in separators:
            in_files = separators[word.literal]
            sources.append([])
        elif in_files:
            sources[-1] += _parts(shown_texts(word, command, facts), ends)
        elif word.literal is not None:
            sources[-1].append(word.literal)
    return [items for items in sources if items]


def _parts(texts: Sequence[str], ends: Sequence[str]) -> list[str]:
    """The items in ``texts``, each with one of ``ends`` behind it."""
    for end in ends:
        texts = [part for text in texts for part in text.split(end)]
    return [text for text in texts if text]


def _afforded(
    sources: list[list[str]], options: Sequence[GivenOption], text: str, facts: Facts
) -> tuple[list[_Job], list[_Job]]:
    """The jobs whose items there is work left to fill into ``text``, and further ones, there to be named."""
    jobs: list[_Job] = []
    for job in islice(_jobs(sources, options), MAX_JOBS):
        if not facts.budget.spend((READ if len(jobs) < MAX_ITEMS else 1) * job.cost(text)):
            break
        jobs.append(job)
    return jobs[:MAX_ITEMS], jobs[MAX_ITEMS:]


def _jobs(sources: list[list[str]], options: Sequence[GivenOption]) -> Iterator[_Job]:
    named = any(seen.name == "--header" for seen in options)
    for group in _groups(sources, options):
        names: tuple[str, ...] | None = None
        for items in group:
            names = names if names is not None else items if named else ()
            yield _Job(items, names)


def _groups(sources: list[list[str]], options: Sequence[GivenOption]) -> Iterator[Iterable[tuple[str, ...]]]:
    """Jobs that belong together: single items, those of several sources, columns of one, several of one source."""
    yield from [[(item,) for item in items] for items in sources]
    if len(sources) > 1:
        yield product(*sources)
    for seen in options:
        value = seen.value() or ""
        if seen.name in _COLUMNS:
            between = _BETWEEN.get(value, value) or None
            yield from [[tuple(item.split(between)) for item in items] for items in sources]
        elif seen.name in _SEVERAL or seen.name in _ALL:
            size = int(value) if value.isdecimal() and 0 < len(value) < 4 else MAX_ITEMS
            starts = range(0, MAX_ITEMS, max(size, 1))
            yield from [[tuple(items[at : at + size]) for at in starts if items[at:]] for items in sources]


def _by_names(name: str, command: Command, facts: Facts, texts: Iterable[str]) -> Iterator[Inner]:
    """The commands in ``texts``, which are too many to read, by their names alone; evidence for restricting."""
    text = "\n".join(texts).translate(_MARKING)
    if text.strip() and facts.budget.spend(COMMAND + READ * len(text)):
        nothing_read = ParseFacts(whole=False, rest=0)
        script = Script(text, "sh", "opaque", (), reason="it is too long to be read", seen=nothing_read)
        yield Inner(name, command.span, script=script, evidence=True)
