"""Whether what a script did is what the reader said of it."""

from __future__ import annotations

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.unwrap import unwrap
from execpolicy.shell.script import Command, Script
from execpolicy.shell.words import Word
from tests.bash_judge.run import Run

SILENT = word_set(
    ". : [ alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs "
    "disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout "
    "mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times "
    "trap true type typeset ulimit umask unalias unset wait"
)
"""Builtins: they leave no record."""
_RUNNING = frozenset(["eval", "trap", "command", "builtin", "exec", ".", "source", "mapfile", "readarray", "enable"])
"""Builtins whose arguments are commands."""
_CHANGING = SILENT - {":", "echo", "true"} | {"F"}
"""Programs after which a plain script may go another way, so that only part of it runs."""
STUBS = frozenset("ABCDEF")
"""The only programs that exist for dash; bash records every unknown name."""


def fits(word: Word, text: str) -> bool:
    """Whether ``text`` is a value that ``word`` may have."""
    if word.literal is not None:
        return word.literal == text
    if not (text.startswith(word.prefix) and text.endswith(word.suffix)):
        return False
    if word.number and not text.removeprefix("-").isdigit():
        return False
    return not word.absolute or text.startswith("/")


def covers(words: tuple[Word, ...], argv: list[str], facts: Facts) -> bool:
    """Whether ``words`` may have become ``argv``."""
    return len(argv) in _reachable(words, argv, {0}, facts)


def _reachable(words: tuple[Word, ...], argv: list[str], reachable: set[int], facts: Facts) -> set[int]:
    """How many of ``argv`` may be used up behind ``words``."""
    for word in words:
        following: set[int] = set()
        cases = facts.cases(word)
        if cases:
            # What is claimed to be proven has to hold, not only what is claimed of any value.
            for case in cases:
                following |= _reachable(case, argv, reachable, facts)
            reachable = following
            continue
        for at in reachable:
            if word.literal is None and word.many:
                following.add(at)
                while at < len(argv) and fits(word, argv[at]):
                    at += 1
                    following.add(at)
            elif at < len(argv) and fits(word, argv[at]):
                following.add(at + 1)
        reachable = following
    return reachable


def reported(script: Script, depth: int = 0) -> tuple[list[tuple[Command, Facts]], bool]:
    """The commands of ``script`` and those that its ``eval``, ``trap`` and their like run; and whether it is admitted
    that text runs which only the run will tell."""
    facts = facts_of(script)
    found = [(command, facts) for command in facts.script.commands]
    open_ended = script.status == "opaque" and depth > 0
    for command in facts.script.commands:
        if depth < 4 and any(word.literal is None or word.literal in _RUNNING for word in command.words[:2]):
            waiting = [command]
            while waiting:
                for inner in unwrap(waiting.pop(), facts):
                    open_ended = open_ended or inner.opaque
                    if inner.command is not None:
                        found.append((inner.command, facts))
                        if len(found) < 500:
                            waiting.append(inner.command)
                    if inner.script is not None:
                        more, unknown = reported(inner.script, depth + 1)
                        found += more
                        open_ended = open_ended or unknown
    return found, open_ended


def unreported(facts: Facts, argv: list[str]) -> bool:
    """Whether no command of the script may have become ``argv``."""
    return not any(covers(command.words, argv, facts) for command in facts.script.commands if command.words)


def complaints(script: Script, run: Run) -> list[str]:
    """What the reader said wrongly; empty when it was right. An opaque script cannot be wrong, only blind."""
    facts = facts_of(script)
    strange = [argv for argv in _distinct(run.argvs) if unreported(facts, argv)]
    unwritten = [name for name in run.written if not any(_writes(command, name) for command in script.commands)]
    if strange or unwritten:
        commands, open_ended = reported(script)
        if open_ended:
            strange = unwritten = []
        strange = [
            argv
            for argv in strange
            if not any(covers(one.words, argv, around) for one, around in commands if one.words)
        ]
        unwritten = [name for name in unwritten if not any(_writes(command, name) for command, _ in commands)]
    found = [f"ran {argv!r}, which is not reported" for argv in strange]
    found += [f"wrote {name!r}, which is not reported" for name in unwritten]
    if script.status == "plain" and run.finished:
        found += _plain(script, run)
    return found


def _distinct(argvs: list[list[str]]) -> list[list[str]]:
    return [list(argv) for argv in dict.fromkeys(map(tuple, argvs))]


def _writes(command: Command, name: str) -> bool:
    return any(redirect.writes and fits(redirect.target, name) for redirect in command.redirects)


def _plain(script: Script, run: Run) -> list[str]:
    found = []
    expected: list[list[str]] = []
    for command in script.commands:
        if command.assignments or command.redirects or not command.words:
            found.append("a plain script has an assignment, a redirection or an empty command")
        argv = [word.literal for word in command.words if word.literal is not None]
        if len(argv) != len(command.words):
            found.append("a plain script has a dynamic word")
        recorded = argv and argv[0] not in SILENT and "/" not in argv[0]
        if recorded and (script.shell == "bash" or argv[0] in STUBS):
            expected.append(argv)
    programs = {command.words[0].literal for command in script.commands if command.words}
    jobs = any((name or "").startswith("%") for name in programs)
    missing = script.shell != "bash" and programs - STUBS - SILENT
    ends = "&&" in script.text and any("/" in (name or "") for name in programs)  # nothing of that name is there
    if found or jobs or missing or ends or run.written or programs & _CHANGING:
        return found
    if "|" not in script.text:
        if run.argvs != expected:
            found.append(f"plain: expected {expected!r}, ran {run.argvs!r}")
    elif "||" not in script.text and sorted(run.argvs) != sorted(expected):
        found.append(f"plain: expected {expected!r} in some order, ran {run.argvs!r}")
    return found
