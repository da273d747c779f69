"""The commands that a command would run itself: one level of wrappers, shells and other runners.

Used asymmetrically. To restrict, everything that may be run counts, on evidence too. To grant, only an
``Inner`` that is ``transparent`` counts: an exact reading of a wrapper that adds nothing.

Programs that are not named by a plain word: by a path, in capitals, by a variable, a glob or what a command prints.

Everything found here serves restriction, except where a path is proven to name the program of that name.
"""

from __future__ import annotations

from itertools import islice

from execpolicy.flow import filled as filled_module
from execpolicy.flow import streams
from execpolicy.flow.facts import Facts
from execpolicy.programs import carried, spellings
from execpolicy.programs.catalog import runners
from execpolicy.programs.inner import Inner, literal_words, run_argv, run_command, run_text, run_unknown
from execpolicy.programs.names import names_system_program, program_names
from execpolicy.shell.limits import MANY_WORDS, STEP
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word

MAX_INNER = 1_000
"""More than this from one command is not looked at; what is left out is reported as one opaque entry."""
MAX_WRAPPERS = 60
"""Wrappers inside wrappers that are opened one by one; a grant reaches no further."""
MAX_WORDS = 60_000
"""Words of the commands that are found below that, counted for each level."""
ALL_LEVELS = "wrapper:…"


def unwrap(command: Command, facts: Facts) -> tuple[Inner, ...]:
    """Returns what ``command`` would run itself, one level deep. Empty for most commands.

    Under very many wrappers it is all levels at once: the commands found so carry :data:`ALL_LEVELS` in their context,
    and of them only the scripts that they run are given.

    Args:
        facts: the script that holds ``command``; its text and its other commands are evidence.
    """
    found = _one_level(command, facts)
    if not found:
        return ()
    if ALL_LEVELS in command.context:
        return tuple([inner for inner in found if inner.command is None])
    if len(command.words) <= MANY_WORDS and len(command.context) <= MAX_WRAPPERS:
        return tuple(found)
    if len(command.words) > MANY_WORDS and sum([1 for inner in found if inner.command is not None]) > 1:
        return _all_levels(command, facts)
    if sum([1 for each in command.context if each.startswith("wrapper:")]) > MAX_WRAPPERS:
        return _all_levels(command, facts)
    return tuple(found)


def _one_level(command: Command, facts: Facts) -> list[Inner]:
    words = command.words
    found: list[Inner] = []
    if command.assignments:
        from execpolicy.programs.run_by_variables import assigned_command

        found += [inner for one in command.assignments for inner in assigned_command(one, command, facts)]
    if words:
        literal = words[0].literal
        if literal is not None and literal in runners() and "/" not in literal and "." not in literal:
            found += islice(carried.carried(command, facts, literal), MAX_INNER + 1)
        elif literal is None or not _is_plain(literal):
            found += unusual_program(command, facts)
            for shown in with_values(command, facts):
                found += [replace(inner, transparent=False) for inner in _one_level(shown, facts)]
        if command.plain_argv is None and (facts.mentions("read") or facts.mentions("mapfile")):
            with_read_words(command, facts, found)
        if literal is not None and literal in facts.script.functions:
            from execpolicy.flow.calls import called

            calls = called(command, facts, literal)
            found += [run_command(literal, body, filled, evidence=True) for body, filled in calls]
    if len(found) > MAX_INNER:
        found = [*found[:MAX_INNER], run_unknown("", command, "runs more commands than are looked at")]
    return found


def _is_plain(name: str) -> bool:
    """True if ``name`` is no path and, at a glance, no other spelling of a carrier: ``python3``, ``SUDO``, ``ld64``."""
    if "/" in name or "." in name or "\\" in name:
        return False
    if name == name.lower() and not name[-1:].isdigit():
        return True
    known = runners()
    return name.rstrip("0123456789-") not in known and name.lower() not in known and not name.startswith("ld")


def _all_levels(command: Command, facts: Facts) -> tuple[Inner, ...]:
    """Everything that ``command`` runs through wrappers, however many there are; and that nothing is proven by it."""
    found: list[Inner] = []
    pending = [command]
    seen: set[tuple[object, ...]] = set()
    words = 0
    while pending and words < MAX_WORDS and len(found) < MAX_INNER:
        here = pending.pop()
        levels = [inner for inner in _one_level(here, facts) if inner.command is not None or here is command]
        for inner in levels:
            if inner.command is None:
                found.append(inner)
                continue
            key = _suffix(inner.command)
            words += len(inner.command.words) // 8
            if key not in seen and words < MAX_WORDS:
                seen.add(key)
                words += len(inner.command.words)
                found.append(_levelled(inner.command, inner))
        # The most likely reading comes first.
        fresh = [inner.command for inner in levels if inner.command is not None]
        for inside in reversed(fresh):
            key = ("opened", *_suffix(inside))
            if key not in seen:
                seen.add(key)
                pending.append(inside)
    found.append(run_unknown("", command, "runs more wrappers inside wrappers than are opened one by one"))
    return tuple(found)


def _suffix(command: Command) -> tuple[object, ...]:
    """Returns what tells the inner commands of one command apart: they are ends of it mostly, made of the same
    words.
    """
    words = command.words
    given = tuple([(one.name, one.value.literal if one.value else None) for one in command.assignments])
    first, last = words[:1], words[-1:]
    text = tuple([word.literal if word.literal is not None else id(word) for word in (*first, *last)])
    return (len(words), text, first[0].span.start if first else 0, given)


def _levelled(command: Command, inner: Inner) -> Inner:
    context = (*command.context[: MAX_WRAPPERS + 1], ALL_LEVELS)
    return replace(inner, command=replace(command, context=context), transparent=False, appended=False, evidence=True)


MAX_SHOWN = 256
"""Combinations of values that are looked at for one command."""


def unusual_program(command: Command, facts: Facts) -> list[Inner]:
    """A program given by a path, a glob or a variable: look at every program that it may be."""
    found: list[Inner] = []
    first = command.words[0]
    literal = first.literal
    known_names = runners()
    compared = first.kind != "glob" or facts.budget.spend(STEP + len(known_names))
    for name, certain in program_names(first, known_names if compared else ()):
        # python3.11, SUDO where names are caseless, ld-linux-x86-64.so.2
        names = [name, name.rstrip("0123456789.-"), name.lower()]
        if name.startswith(("ld-linux", "ld-musl", "ld.so", "ld64")):
            names.insert(0, "ld.so")
        known = next((each for each in names if each in known_names), None)
        if known is not None:
            exact = certain and literal is not None and literal.rpartition("/")[2] == known
            grants = exact and names_system_program(literal or "")

            inners = carried.carried(command, facts, known)
            found.extend([inner if grants else replace(inner, transparent=False) for inner in inners])
    if literal is not None and "/" in literal:
        texts = [] if _runs_itself(command, facts) else streams.written_texts(literal, facts)
        found.extend([run_text("", command, text, shell="bash") for text in texts])
        for text in texts:
            interpreter = text[2:].partition("\n")[0].split() if text.startswith("#!") else []
            if interpreter:  # it runs, with the file
                found.append(run_argv("", command, [*interpreter, literal], command.words[1:], evidence=True))
    if first.literal is None:
        _named_at_end(command, facts, found)
        evident = any(value and value[0] for value in facts.values(first))
        if first.inner and not evident:
            _printed_program(command, facts, found)
        if first.many and len(command.words) > 1 and not facts.values(first):
            # An unset variable leaves the next word as the program; `$SUDO rm x` is the usual case.
            found.append(run_command("", command, command.words[1:]))
    return found


def _runs_itself(command: Command, facts: Facts) -> bool:
    """True if the script of ``facts`` is run by a call like ``command``, word for word: it shows nothing new."""
    argv = command.plain_argv
    given = command.redirects or command.piped_from or command.body
    around = facts.around if argv is not None and not given else None
    while around is not None:
        if around[1].plain_argv == argv:
            return True
        around = around[0].around
    return False


def with_values(command: Command, facts: Facts) -> list[Command]:
    """The command with the programs that the script visibly names: ``x=sudo; $x rm``."""
    if command.words[0].literal is not None:
        return []

    shown = [words for words in spellings.substituted(command.words, facts) if words[0].literal is not None]
    return [replace(command, words=words, assignments=()) for words in shown]


def with_read_words(command: Command, facts: Facts, found: list[Inner]) -> None:
    """The command with what the script visibly reads into its variables: ``while read c; do git $c; done <<< push``."""
    if not any(word.literal is None and word.kind == "variable" for word in command.words):
        return

    shown: list[tuple[Word, ...]] = [()]
    changed = False
    for word in command.words:
        if not facts.budget.spend(STEP + len(shown) * len(shown[0])):
            return

        fields = filled_module.read_fields(word, facts) if word.literal is None and word.kind == "variable" else []
        choices: dict[tuple[str, ...], None] = {}
        for each in fields:
            choices[each if word.quoted else tuple(" ".join(each).split())] = None
        if not choices or len(shown) * len(choices) > MAX_SHOWN:
            shown = [(*before, word) for before in shown]
        else:
            changed = True
            shown = [(*before, *literal_words(each, word.span)) for before in shown for each in choices]
    if changed:
        found.extend([run_command("", command, words, evidence=True, only="reads") for words in shown if words])


def _printed_program(command: Command, facts: Facts, found: list[Inner]) -> None:
    """``$(which rm) x`` and ``$(base64 -d <<< cm0=) x``: a program whose name another command prints."""
    first = command.words[0]
    if first.alone is None or first.alone.kind != "substitution":
        return
    printed = [text.split() for text in streams.output_texts(first.inner, facts)[0]]
    for index in first.inner:
        argv = facts.script.commands[index].argv() if index < len(facts.script.commands) else ()
        if len(argv) > 1 and argv[0] in ("which", "type", "whence", "command", "realpath", "readlink"):
            printed.append([argv[-1] or ""])
    for argv_start in printed:
        if argv_start and argv_start[0]:
            found.append(run_argv("", command, argv_start, command.words[1:], evidence=True))


def _named_at_end(command: Command, facts: Facts, found: list[Inner]) -> None:
    """``$HOME/bin/rm x``: whatever the folder is, the program is called ``rm``."""
    first = command.words[0]
    _, slash, name = first.ending.rpartition("/")
    if slash and "/" not in first.suffix and name and not set(name) & set("$`*?[{(\\"):
        found.append(run_argv("", command, [name], command.words[1:], evidence=True))
