"""Whether what a script did is what the reader said of it."""

from __future__ import annotations

from execpolicy.shell.script import Command, Script
from execpolicy.shell.words import Word
from tests.bash_judge.run import Run

SILENT = frozenset(
    (
        "true",
        ":",
        "false",
        "echo",
        "[",
        "export",
        "set",
        "read",
        "unset",
        "declare",
        "local",
        "printf",
        "test",
        ".",
        "source",
        "fg",
        "bg",
        "let",
    )
)
"""Builtins: they leave no record."""
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


def covers(words: tuple[Word, ...], argv: list[str]) -> bool:
    """Whether ``words`` may have become ``argv``."""
    reachable = {0}
    for word in words:
        following: set[int] = set()
        for at in reachable:
            if word.literal is None and word.many:
                following.add(at)
                while at < len(argv) and fits(word, argv[at]):
                    at += 1
                    following.add(at)
            elif at < len(argv) and fits(word, argv[at]):
                following.add(at + 1)
        reachable = following
    return len(argv) in reachable


def unreported(script: Script, argv: list[str]) -> bool:
    return not any(covers(command.words, argv) for command in script.commands if command.words)


def complaints(script: Script, run: Run) -> list[str]:
    """What the reader said wrongly; empty when it was right. An opaque script cannot be wrong, only blind."""
    found = [f"ran {argv!r}, which is not reported" for argv in run.argvs if unreported(script, argv)]
    for name in run.written:
        if not any(_writes(command, name) for command in script.commands):
            found.append(f"wrote {name!r}, which is not reported")
    if script.status == "plain" and run.finished:
        found += _plain(script, run)
    return found


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
    if found or jobs or run.written or programs & {"F", "false", "[", "test", "read", "local", "printf", "exit"}:
        return found
    if "|" not in script.text:
        if run.argvs != expected:
            found.append(f"plain: expected {expected!r}, ran {run.argvs!r}")
    elif "||" not in script.text and sorted(run.argvs) != sorted(expected):
        found.append(f"plain: expected {expected!r} in some order, ran {run.argvs!r}")
    return found
