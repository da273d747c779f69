"""Programs that run a command on what they find, read or see change."""

from __future__ import annotations

import re
from _collections_abc import Iterator, Sequence

from execpolicy.core import quoting
from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.flow.streams import fed_texts
from execpolicy.programs.inner import Inner, literal_words, run_argv, run_command, run_unknown
from execpolicy.programs.names import names_system_program
from execpolicy.programs.options import GivenOption, option_table, walk
from execpolicy.programs.program_text import filled, unknown_word
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import glued_file_texts, option_file_texts, run_joined
from execpolicy.shell.script import Command, Redirect
from execpolicy.shell.words import Word
from execpolicy.source import Span

FIND_LEADING = word_set("-H -L -P -E -X -d -s -x -O0 -O1 -O2 -O3")
"""Options in front of where ``find`` starts; those of one small letter, -E and -X are for macOS alone."""
_FIND_RUNS = frozenset(["-exec", "-execdir", "-ok", "-okdir"])
_FD_PLACES = ("{}", "{/}", "{//}", "{.}", "{/.}")
_GROUPS = frozenset(["!", "-not", ",", "("])
MAX_CLAUSE_WORDS = 40_000
"""Words in the clauses of one ``find``; those of clauses inside of each other count for each."""
MAX_GUESSED = 16
"""How many words that may turn out as ``-exec`` are taken for it."""


def find(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``find … -exec COMMAND ;`` in its four forms, and ``-delete`` as the ``rm`` that it is."""
    words, span = command.words, command.span
    count = len(words)
    points = starting_points(words)
    start = _common_start(points)
    ends = _clause_ends(words)
    # From the first unknown word on, a `find` around this one has looked at the same words itself.
    last = next((at for at in range(1, count) if _may_end(words[at])), count)
    last = last if "wrapper:find" in command.context else count
    inside = guessed = bare = spent = 0
    names = _named(words, span)
    for at in range(1, last):
        text = words[at].literal
        if at < inside:
            continue  # what `find -exec find …` runs is the inner one's to tell
        if text == "-delete":
            target = unknown_word(span, prefix=start)
            yield run_command(name, command, (Word("rm", words[at].span), target), stdin=False)
        uncertain = text is None and words[at].may_start_with_dash()
        if text not in _FIND_RUNS and not uncertain:
            continue
        end = ends[at + 1]
        if uncertain:
            guessed += 1
            if end == count or guessed > MAX_GUESSED:
                continue
        elif at + 1 < end and _is_program(words[at + 1]):
            # A word that is only known at run time may be the `;` that ends it.
            inside = next((each for each in range(at + 1, end) if _may_end(words[each])), end)
        else:
            bare += 1
            if bare > MAX_GUESSED:
                continue
        spent += end - at
        if spent > MAX_CLAUSE_WORDS:
            continue
        prefix = "" if text in ("-execdir", "-okdir") else start  # BSD hands on bare names, which may be options
        batch = end < count and words[end].literal == "+"
        glob = _common_name(words, at, ends)
        for point in points if not uncertain and (len(points) > 1 or prefix != start) else ():
            inner = [filled(word, ("{}",), span, f"{point.prefix}/", pattern=glob) for word in words[at + 1 : end]]
            yield run_command(name, command, tuple(inner), evidence=True)
        ending = _common_end(points, glob).removeprefix("" if prefix else "/")
        inner = [filled(word, ("{}",), span, prefix, ending, pattern=glob) for word in words[at + 1 : end]]
        for word in inner if points and all(point.absolute for point in points) and prefix == start else ():
            word.absolute |= word.pieces[:1] != () and word.pieces[0].kind == "mixed"
        if batch and inner:
            kind = "names" if prefix and prefix[0] != "-" else "mixed"  # each of them starts so
            inner[-1] = unknown_word(span, many=True, prefix=prefix, suffix=ending, kind=kind, pattern=glob)
        if inner:
            yield run_command(name, command, tuple(inner), evidence=uncertain, moved=text == "-execdir")
            if words[at + 1].literal == "{}":
                yield from [run_command(name, command, (each, *inner[1:]), evidence=True) for each in names]
                names = []
    if max(guessed, bare) > MAX_GUESSED or spent > MAX_CLAUSE_WORDS:
        yield run_unknown(name, command, "may run more commands than are looked at")


def _named(words: Sequence[Word], span: Span) -> list[Word]:
    """Returns what ``find`` may find, by ``-name``: the program that ``-exec {}`` runs."""
    globs = [words[at + 1].literal for at in range(1, len(words) - 1) if words[at].literal in ("-name", "-iname")]
    return [Word(None, Span(span.end, span.end), kind="glob", pattern=glob) for glob in globs[:MAX_GUESSED] if glob]


def _clause_ends(words: Sequence[Word]) -> list[int]:
    """For each place the next ``;`` or ``{} +``, or the end."""
    count = len(words)
    ends = [count] * (count + 1)
    for at in range(count - 1, 0, -1):
        ends[at] = at if words[at].literal == ";" or _ends_batch(words, at) else ends[at + 1]
    return ends


def _may_end(word: Word) -> bool:
    """True if a word that is only known at run time may be ``;``. A path that ``find`` fills in begins with others."""
    return word.literal is None and (word.span.start < word.span.end or word.prefix.startswith(";"))


def _is_program(word: Word) -> bool:
    """True if ``find`` cannot go on with ``word`` if ``-exec`` in front of it is the value of another option."""
    text = word.literal
    return text is not None and not text.startswith("-") and text not in ("(", ")", "!", ",")


def _ends_batch(words: Sequence[Word], at: int) -> bool:
    return words[at].literal == "+" and words[at - 1].literal == "{}"


def starting_points(words: Sequence[Word]) -> list[Word]:
    """The words that name where ``find`` starts; a word that is only known at run time may be none."""
    found: list[Word] = []
    for word in words[1:]:
        text = word.literal or ""
        if text.startswith(("-", "(", "!", ")", ",")) and text not in FIND_LEADING:
            break
        if text not in FIND_LEADING:
            found.append(word)
    return found


def _common_start(points: Sequence[Word]) -> str:
    """Returns what every path that ``find`` hands on starts with."""
    if any(word.literal is None and word.may_start_with_dash() for word in points):
        return ""
    starts = [word.prefix for word in points] or ["."]
    low, high = min(starts), max(starts)
    same = 0
    while same < len(low) and low[same] == high[same]:
        same += 1
    return low[:same]


def _common_name(words: Sequence[Word], at: int, ends: Sequence[int]) -> str | None:
    """The pattern of the last ``-name`` that holds for every path that ``find`` hands on at ``at``."""
    glob, place = None, 1
    while place < at:
        text = words[place].literal
        if text in _FIND_RUNS:
            clause = [word.literal for word in words[place + 1 : ends[place + 1]]]
            if not {"-name", "-o", "-or", *_GROUPS}.isdisjoint(clause):
                return None
            place = ends[place + 1]
        elif text in _GROUPS or (text is None and (words[place].may_start_with_dash() or words[place].may_be_any)):
            return None
        elif text in ("-o", "-or"):
            glob = None
        elif text in ("-name", "-iname"):
            place += 1
            glob = words[place].literal or words[place].pattern
            if text == "-iname" and glob and "[" not in glob:
                glob = "".join([f"[{char.lower()}{char.upper()}]" if char.isalpha() else char for char in glob])
        place += 1
    return glob if place == at else None


def _common_end(points: Sequence[Word], glob: str | None) -> str:
    """Returns what every path ends with whose name fits ``glob``."""
    if not glob:
        return ""
    last = re.split(r"[]*?[\\]", glob)[-1]
    ending = last if last != glob else f"/{glob}"
    return "" if any(f"/{point.written.rstrip('/')}".endswith(ending) for point in points) else ending


def fd(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``fd … -x COMMAND`` and ``-X COMMAND``: up to ``;`` or the end; a path is appended if no place is named.

    ``-l`` has ``ls`` print what is found.
    """
    words, span = command.words, command.span
    table = option_table(record.options)
    inside = 0
    for at in range(1, len(words)):
        text = words[at].literal
        if at < inside or text is None or not text.startswith("-"):
            continue  # what `fd -x fd …` runs is the inner one's to tell
        for seen in walk(table, words[: at + 2], at).seen:
            if seen.at == at and seen.name in ("-l", "--list-details"):
                yield run_argv(name, command, ["ls", "-lhd"], [unknown_word(span, many=True, prefix="./")])
            if seen.at != at or seen.kind != "*":
                continue
            rest = words[at + 1 :]
            if seen.glued is not None:
                rest = (Word(seen.glued, span), *rest)
            end = next((i for i, word in enumerate(rest) if word.literal == ";"), len(rest))
            inside = at + 1 + end
            inner = [filled(word, _FD_PLACES, span) for word in rest[:end]]
            if all(made is word for made, word in zip(inner, rest, strict=False)):
                inner.append(unknown_word(span, many=True))
            if inner:
                yield run_command(name, command, tuple(inner))


_XARGS_GRANT = word_set(
    "-0 -a -d -E -e -I -i -L -n -P -R -r -S -s -t -x --null --arg-file --delimiter --eof --replace --max-lines "
    "--max-args --max-procs --no-run-if-empty --max-chars --verbose --exit"
)
INPUT_FILES = ("-a", "--arg-file")
"""Options of ``xargs`` and ``parallel`` that name a file of items."""
_BATCHES = frozenset(["-L", "-l", "-n", "--max-lines", "--max-args"])
MAX_ITEMS = 256


def xargs(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``xargs [OPTION]… [COMMAND ARGUMENT…]``, without one ``echo``; input that can be seen is filled in."""
    words, span = command.words, command.span
    found = _found_by_find(command, facts)
    way = walk(option_table(record.options), words, 1)
    place, separator, stop = "", "", False
    for seen in way.seen:
        if seen.name in ("-I", "-J", "-i", "--replace"):
            place = seen.value() or "{}"
        elif seen.name in ("-0", "--null"):
            separator = "\0"
        elif seen.name in ("-d", "--delimiter"):
            separator = {"\\n": "\n", "\\0": "\0", "\\t": "\t"}.get(seen.value() or "", seen.value() or "")
        stop = stop or (seen.name in ("--help", "--version") and seen.full and not way.ambiguous)
    if stop:
        return
    # The last of -I, -L and -n wins, so with several of them both readings count.
    mixed = bool(place) and any(seen.name in _BATCHES for seen in way.seen)
    plain = way.exact and all(seen.full and seen.name in _XARGS_GRANT for seen in way.seen)
    texts = fed_texts(command, facts)[0] + glued_file_texts(words, INPUT_FILES, facts)
    files: list[Redirect] = []
    for seen in way.seen:
        if seen.name in INPUT_FILES:
            texts = [*texts, *option_file_texts(seen, command, facts)]
            named = seen.value()
            if named is not None:  # a file that it opens to read
                files.append(Redirect("<", None, Word(named, span), span, writes=False))
            plain = plain and named is not None
    for inner in [words[start:] for start in way.starts]:
        for text in texts:
            items = _items(text, separator, bool(place))
            if place:
                for item in items[:MAX_ITEMS]:
                    shown = [Word(w.literal.replace(place, item), span) if w.literal is not None else w for w in inner]
                    yield run_command(name, command, tuple(shown), stdin=False, evidence=True)
            for batch in _batches(text, items, separator, way.seen) if not place or mixed else ():
                more = literal_words(batch, span)
                yield run_command(name, command, (*inner, *more), stdin=False, evidence=True)
        for point in found:
            names = unknown_word(span, many=True, prefix=f"{point.prefix or point.written}/")
            below = [filled(word, (place,), span, names.prefix) for word in inner] if place else [*inner, names]
            yield run_command(name, command, tuple(below), stdin=False, evidence=True, only_writes=True)
        program = inner[0].literal
        grants = plain and program is not None and (not place or place not in program)
        appended = (*inner, unknown_word(span, many=True))
        general = tuple([filled(word, (place,), span) for word in inner]) if place else appended
        grants = grants and names_system_program(words[0].literal or "/x/")
        readings = [(general, not place), (appended, True)] if mixed else [(general, not place)]
        for reading, more_follow in readings:
            yield run_command(
                name, command, reading, stdin=False, opens=tuple(files), transparent=grants, appended=more_follow
            )


def _found_by_find(command: Command, facts: Facts) -> list[Word]:
    """Where a ``find`` starts whose output ``command`` reads, maybe through filters."""
    feeding = command.piped_from
    for _ in range(MAX_GUESSED):
        if len(feeding) != 1 or feeding[0] >= len(facts.script.commands):
            break
        source = facts.script.commands[feeding[0]]
        if source.words and source.words[0].literal == "find":
            points = starting_points(source.words)[:MAX_GUESSED]
            return [point for point in points if point.prefix or point.kind == "tilde"]
        feeding = source.piped_from
    return []


def _batches(text: str, items: list[str], separator: str, options: Sequence[GivenOption]) -> list[list[str]]:
    """Returns what ``xargs`` appends, each time that it runs its command."""
    sizes = [seen for seen in options if seen.name in _BATCHES]
    if not items or not sizes:
        return [items[:MAX_ITEMS]] if items else []
    found: list[list[str]] = []
    for seen in sizes[-2:]:
        value = seen.value() or "1"
        size = max(1, int(value)) if value.isdecimal() and len(value) < 8 else 1
        if seen.name in ("-n", "--max-args") or separator:
            found += [items[at : at + size][:MAX_ITEMS] for at in range(0, min(len(items), MAX_ITEMS * size), size)]
        else:
            lines = [line for line in text.split("\n") if line.strip()]
            starts = range(0, min(len(lines), MAX_ITEMS * size), size)
            found += [_items("\n".join(lines[at : at + size]), "", False)[:MAX_ITEMS] for at in starts]
    return found[:MAX_ITEMS]


def _items(text: str, separator: str, lines: bool) -> list[str]:
    """The items that ``xargs`` makes of its input."""
    if separator:
        return [item for item in text.split(separator) if item]
    if lines:
        return [_unquoted(line.lstrip(" \t")) for line in text.split("\n") if line.strip()]

    found: list[str] = []
    for line in text.split("\n"):
        if line.strip():
            # xargs knows no comments; the splitter does.
            words = quoting.split(line.replace("#", "\\#"))
            found.extend(words if words is not None else line.split())
    return found


def _unquoted(line: str) -> str:
    out: list[str] = []
    quote = ""
    at = 0
    while at < len(line):
        char = line[at]
        if quote:
            if char == quote:
                quote = ""
            else:
                out.append(char)
        elif char in "'\"":
            quote = char
        elif char == "\\" and at + 1 < len(line):
            at += 1
            out.append(line[at])
        else:
            out.append(char)
        at += 1
    return "".join(out)


def entr(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``entr COMMAND ARGUMENT… /_``, and ``entr -s TEXT``."""
    words = command.words
    way = walk(option_table(record.options), words, 1)
    for start in way.starts:
        if any(seen.name == "-s" for seen in way.seen):
            yield from run_joined(name, command, facts, words[start : start + 1])
        else:
            inner = tuple([filled(word, ("/_",), command.span, "/") for word in words[start:]])
            yield run_command(name, command, inner, stdin=False)
