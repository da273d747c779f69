"""The commands that a command would run itself: one level of wrappers, shells and other runners.

Used asymmetrically. To restrict, everything that may be run counts, on evidence too. To grant, only an
``Inner`` that is ``transparent`` counts: an exact reading of a wrapper that adds nothing.

Programs that are not named by a plain word: by a path, in capitals, by a variable, a glob or what a command prints.

Everything found here serves restriction, except where a path is proven to name the program of that name.
"""

from __future__ import annotations

from itertools import islice

from execpolicy.flow import streams
from execpolicy.flow.facts import Facts
from execpolicy.programs import carried, spellings
from execpolicy.programs.catalog import runners
from execpolicy.programs.inner import Inner, run_argv, run_command, run_text, run_unknown
from execpolicy.programs.names import names_system_program, program_names
from execpolicy.shell.limits import STEP
from execpolicy.shell.script import Command, replace

MAX_INNER = 1_000
"""More than this from one command is not looked at; what is left out is reported as one opaque entry."""


def unwrap(command: Command, facts: Facts) -> tuple[Inner, ...]:
    """Returns what ``command`` would run itself, one level deep. Empty for most commands.

    Args:
        facts: the script that holds ``command``; its text and its other commands are evidence.
    """
    return tuple(_one_level(command, facts))


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
    if first.literal is None and first.many and len(command.words) > 1 and not facts.values(first):
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
