"""Programs that are not named by a plain word: by a path, in capitals, by a variable, a glob or what a command prints.

Everything found here serves restriction, except where a path is proven to name the program of that name.
"""

from __future__ import annotations

from execpolicy.flow.facts import Facts
from execpolicy.flow.filled import read_fields
from execpolicy.flow.streams import output_texts, written_texts
from execpolicy.programs import spellings
from execpolicy.programs.carried import carried
from execpolicy.programs.catalog import runners
from execpolicy.programs.inner import Inner, literal_words, run_argv, run_command, run_text
from execpolicy.programs.names import names_system_program, program_names
from execpolicy.shell.limits import STEP
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word

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
            inners = carried(command, facts, known)
            found.extend([inner if grants else replace(inner, transparent=False) for inner in inners])
    if literal is not None and "/" in literal:
        texts = [] if _runs_itself(command, facts) else written_texts(literal, facts)
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
        fields = read_fields(word, facts) if word.literal is None and word.kind == "variable" else []
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
    printed = [text.split() for text in output_texts(first.inner, facts)[0]]
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
