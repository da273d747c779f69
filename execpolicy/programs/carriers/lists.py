"""Programs that build commands out of a list: ``xargs``, ``parallel``, ``busybox``, ``su``, and ``env -S``."""

from __future__ import annotations

from execpolicy.core.name_set import names
from execpolicy.programs.inner import UNKNOWN_INPUT, Inner, literal_words, run_command, run_text, run_unknown
from execpolicy.programs.options import option_table
from execpolicy.programs.walk import walk
from execpolicy.programs.wrapped import wrapped
from execpolicy.shell.words import Word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.options import Given
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command

_XARGS_GRANT = names(
    "-0 -d -E -I -i -L -n -P -r -s -t -x --null --delimiter --replace --max-lines --max-args "
    "--max-procs --no-run-if-empty --max-chars --verbose --exit"
)
_BATCHES = frozenset(["-L", "-l", "-n", "--max-lines", "--max-args"])
_SEPARATORS = frozenset([":::", "::::", ":::+", "::::+"])
MAX_ITEMS = 256


def unknown_word(span: Span, *, many: bool = False, prefix: str = "", suffix: str = "") -> Word:
    """A word that the program fills in at run time. It stands nowhere in the script: its span is empty."""
    return Word(None, Span(span.end, span.end), many=many, kind="mixed", prefix=prefix, suffix=suffix)


def filled(word: Word, places: Sequence[str], span: Span, start: str = "") -> Word:
    """``word`` with the placeholders in it made unknown; ``start`` is what every filled-in value starts with."""
    text = word.literal
    if text is None:
        return word
    first = min([at for at in (text.find(place) for place in places) if at >= 0], default=-1)
    if first < 0:
        return word
    last, length = max([(text.rfind(place), len(place)) for place in places])
    made = unknown_word(span, prefix=text[:first] + start, suffix=text[last + length :])
    made.values = ((text,),)  # the text around the placeholder is evidence of what it runs
    return made


def xargs(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``xargs [OPTION]… COMMAND ARGUMENT…``; input that can be seen is filled in as evidence."""
    from execpolicy.flow.streams import fed_texts
    from execpolicy.programs.names import names_system_program

    words, span = command.words, command.span
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
        return []
    # The last of -I, -L and -n wins, so with several of them both readings count.
    mixed = bool(place) and any(seen.name in _BATCHES for seen in way.seen)
    plain = way.exact and not mixed and all(seen.full and seen.name in _XARGS_GRANT for seen in way.seen)
    texts, _ = fed_texts(command, facts)
    for seen in way.seen:
        if seen.name in ("-a", "--arg-file") and seen.word is not None and seen.word.kind == "process":
            from execpolicy.flow.streams import output_texts

            texts = output_texts(seen.word.inner, facts)[0]
    found: list[Inner] = []
    for start in way.starts:
        inner = words[start:]
        for text in texts:
            items = _items(text, separator, bool(place))
            if place:
                for item in items[:MAX_ITEMS]:
                    shown = [Word(w.literal.replace(place, item), span) if w.literal is not None else w for w in inner]
                    found.append(run_command(name, command, tuple(shown), stdin=False, evidence=True))
            for batch in _batches(text, items, separator, way.seen) if not place or mixed else ():
                more = literal_words(batch, span)
                found.append(run_command(name, command, (*inner, *more), stdin=False, evidence=True))
        program = inner[0].literal
        grants = plain and program is not None and (not place or place not in program)
        appended = (*inner, unknown_word(span, many=True))
        general = tuple([filled(word, (place,), span) for word in inner]) if place else appended
        if mixed:
            found.append(run_command(name, command, appended, stdin=False, appended=True))
        grants = grants and names_system_program(words[0].literal or "/x/")
        found.append(run_command(name, command, general, stdin=False, transparent=grants, appended=not place))
    return found


def _batches(text: str, items: list[str], separator: str, options: Sequence[Given]) -> list[list[str]]:
    """What ``xargs`` appends, each time that it runs its command."""
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
    from execpolicy.core.quoting import split

    found: list[str] = []
    for line in text.split("\n"):
        if line.strip():
            # xargs knows no comments; the splitter does.
            words = split(line.replace("#", "\\#"))
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


def parallel(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """GNU ``parallel``: the command is shell text; without one, every argument or input line is."""
    from execpolicy.flow.streams import fed_texts
    from execpolicy.programs.text_runs import run_joined

    words, span = command.words, command.span
    end = next((at for at, word in enumerate(words) if word.literal in _SEPARATORS or word.literal == "--"), len(words))
    listed = [word.literal for word in words[end + 1 :] if word.literal not in (None, *_SEPARATORS)]
    texts, _ = fed_texts(command, facts)
    items = [item for item in listed if item is not None]
    for text in texts:
        items.extend([line for line in text.split("\n") if line])
    items = items[:MAX_ITEMS]
    way = walk(option_table(record.options), words[:end], 1)
    found: list[Inner] = []
    if not way.starts:
        found.extend([run_text(name, command, item, evidence=True) for item in items])
        found.append(run_unknown(name, command, UNKNOWN_INPUT))
        return found
    for start in way.starts:
        inner = words[start:end]
        for item in items:
            shown = [
                Word(w.literal.replace("{}", item).replace("{1}", item), span) if w.literal is not None else w
                for w in inner
            ]
            if not any(w.literal is not None and "{" in w.literal for w in inner):
                shown.append(Word(item, span))
            found.extend(run_joined(name, command, facts, shown))
        found.extend(run_joined(name, command, facts, inner))
    return found


def switch_user(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``su USER SCRIPT WORD…``: what is not given with ``-c`` goes to the user's shell."""
    found: list[Inner] = []
    for inner in wrapped(name, record.wraps[0], "", command, facts):
        if inner.command is not None and inner.words[0].literal != "sh":
            found.append(run_command(name, command, (*literal_words(["sh"], command.span), *inner.words)))
    return found


def entr(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``entr COMMAND ARGUMENT… /_``, and ``entr -s TEXT``."""
    from execpolicy.programs.text_runs import run_joined

    words = command.words
    way = walk(option_table(record.options), words, 1)
    found: list[Inner] = []
    for start in way.starts:
        if any(seen.name == "-s" for seen in way.seen):
            found.extend(run_joined(name, command, facts, words[start : start + 1]))
        else:
            inner = tuple([filled(word, ("/_",), command.span, "/") for word in words[start:]])
            found.append(run_command(name, command, inner, stdin=False))
    return found
