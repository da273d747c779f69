"""Tools that run commands in ways of their own: ``cargo``, ``script``, ``socat``, terminals …"""

from __future__ import annotations

from execpolicy.programs.carriers.settings import settings
from execpolicy.programs.inner import literal_words, run_command, run_text
from execpolicy.programs.options import option_table
from execpolicy.programs.shelf import record_of
from execpolicy.programs.text_runs import option_value, run_joined, run_stdin
from execpolicy.programs.walk import every_option, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command


def cargo(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``cargo watch -x SUBCOMMAND -s TEXT``, and ``--config`` keys that name a program."""
    words = command.words
    texts = [word.literal for word in words[1:]]
    found: list[Inner] = []
    watch = record_of("cargo-watch") if "watch" in texts else None
    if watch is not None:
        found.extend(settings(command, facts, name, watch))
    for text in texts:
        if text is None:
            continue
        setting = text.removeprefix("--config=")
        key, equals, value = setting.partition("=")
        if equals and key.strip().rpartition(".")[2] in ("runner", "linker", "rustc", "rustc-wrapper", "rustdoc"):
            found.append(run_text(name, command, value.strip().strip("\"'[]")))
    return found


def script(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``script -c TEXT [FILE]``, ``script FILE -c TEXT``, ``script -- COMMAND`` and a shell on standard input."""
    table = option_table(record.options)
    words = command.words
    found: list[Inner] = []
    way = every_option(table, words, 1)
    for seen in way.seen:
        if seen.kind == "!":
            found.extend(option_value(name, seen, command, facts))
    if not found:
        dashes = next((at for at, word in enumerate(words) if word.literal == "--"), 0)
        rest = (
            words[dashes + 1 :]
            if dashes
            else words[walk(table, words, 1, operands=1).starts[0] :]
            if walk(table, words, 1, operands=1).starts
            else ()
        )
        if rest:
            # BSD: script FILE COMMAND ARGUMENT…
            return [run_command(name, command, rest)]
        found.extend(run_stdin(name, command, facts, "sh"))
    return found


def socat(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``socat - EXEC:'cmd'``, ``SYSTEM:`` and ``SHELL:`` addresses."""
    found: list[Inner] = []
    for word in command.words[1:]:
        text = word.literal if word.literal is not None else word.prefix
        kind, colon, rest = text.partition(":")
        if colon and kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
            found.append(run_text(name, command, rest.partition(",")[0].strip("\"'")))
    return found


def terminal(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """Terminal emulators: the command behind ``-e``, ``-x`` or ``--``."""

    words = command.words
    for at in range(1, len(words) - 1):
        if words[at].literal in ("-e", "-x", "--", "--command", "start"):
            return run_joined(name, command, facts, words[at + 1 :])
    return []


def windows(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``cmd /c COMMAND``; read like a shell line, to restrict."""

    words = command.words
    for at in range(1, len(words) - 1):
        if (words[at].literal or "").lower() in ("/c", "/k", "//c", "//k", "/r"):
            return run_joined(name, command, facts, words[at + 1 :])
    return []


def capability_shell(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``capsh … -- ARGUMENT…``: the arguments of a bash."""

    words = command.words
    for at in range(1, len(words)):
        if words[at].literal in ("--", "=="):
            return [run_command(name, command, (*literal_words(["bash"], command.span), *words[at + 1 :]))]
    return []


def nix(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``nix run FLAKE#PROGRAM -- ARGUMENT…``."""

    words = command.words
    found: list[Inner] = []
    dashes = next((at for at, word in enumerate(words) if word.literal == "--"), len(words))
    for word in words[2:dashes]:
        if word.literal is not None and "#" in word.literal:
            program = literal_words([word.literal.rpartition("#")[2]], command.span)
            found.append(run_command(name, command, (*program, *words[dashes + 1 :])))
    return found


def removal(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``unlink FILE`` and ``shred -u FILE``: the same as ``rm``."""

    words = command.words
    texts = [word.literal or "" for word in words[1:]]
    if name == "shred" and not any(
        text.startswith(("--remove", "--rem")) or (text[:1] == "-" and text[1:2] != "-" and "u" in text)
        for text in texts
    ):
        return []
    operands = tuple([word for word in words[1:] if word.literal is None or not word.literal.startswith("-")])
    return [run_command(name, command, (*literal_words(["rm"], command.span), *operands), stdin=False, evidence=True)]
