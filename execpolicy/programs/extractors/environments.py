"""Programs that run a command in the environment of a project, a language or a set of secrets."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.flow.texts import word_texts
from execpolicy.programs.inner import Inner, literal_words, run_argv, run_command, run_text
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.shell.script import Command, replace


def hatch(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``hatch run ENVIRONMENT:PROGRAM ARGUMENT…``."""
    for at, word in enumerate(command.words[2:6], 2):
        _, colon, program = (word.literal or "").partition(":")
        if colon and program:
            yield run_argv(name, command, [program], command.words[at + 1 :], evidence=True)


def nix(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``nix run FLAKE#PROGRAM -- ARGUMENT…``, and what an expression has run: ``nix build --expr TEXT``."""
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word.literal in ("--expr", "-E"):
            for text in word_texts(words[at + 1], facts):
                for inner in code_commands(name, command, text, "c"):
                    yield replace(inner, transparent=False, evidence=True)
    dashes = next((at for at, word in enumerate(words) if word.literal == "--"), len(words))
    for word in words[2:dashes]:
        if word.literal is not None and "#" in word.literal:
            yield run_argv(name, command, [word.literal.rpartition("#")[2]], words[dashes + 1 :])


def set_script(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``npm pkg set scripts.NAME=TEXT``, ``composer config scripts.NAME TEXT``, and ``npm run env PROGRAM``."""
    words = command.words
    for at, word in enumerate(words[1:], 1):
        key, equals, text = (word.literal or "").partition("=")
        if key.startswith("scripts.") and (equals or at + 1 < len(words)):
            yield run_text(name, command, text if equals else words[at + 1].literal or "", evidence=True)
        elif word.literal == "env" and words[at - 1].literal in ("run", "run-script"):
            yield run_command(name, command, words[at:], evidence=True)


def by_name(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``yarn SCRIPT`` and ``pnpm PROGRAM``: what is no command of their own is one of the project, or a program."""
    yield from set_script(command, facts, name, record)
    words = command.words
    if len(words) > 2 and words[1].literal == "node":
        yield run_command(name, command, words[1:], evidence=True)
    if len(words) > 1 and words[1].literal is not None and words[1].literal not in _OWN_COMMANDS:
        yield run_command(name, command, words[1:], evidence=True)


def shell_mode(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pnpm exec -c TEXT``: with that option what follows is shell text; a setting may say so, too."""
    yield from by_name(command, facts, name, record)
    said = [word.literal for word in command.words]
    at = said.index("exec") + 1 if "exec" in said else 1 if None in said else len(said)
    if any(word is None or _is_shell_mode(word) for word in said[1:]):
        from execpolicy.programs.text_runs import run_word

        for word in command.words[at:]:
            yield from run_word(name, command, facts, word)
    else:
        for text in said[at:]:
            if text is not None and len(text.split()) > 1:
                yield run_text(name, command, text, evidence=True)


def _is_shell_mode(word: str) -> bool:
    """Whether ``word`` is ``-c``, in a cluster too, or ``--shell-mode``, cut short or not."""
    name = word.partition("=")[0]
    if name[:2] == "--":
        return "--shell-mode".startswith(name) and len(name) > 3
    return name[:1] == "-" and "c" in name


def pip(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pip --python PROGRAM …`` starts itself again with that program."""
    for at, word in enumerate(command.words[1:], 1):
        option, _, value = (word.literal or "").partition("=")
        if option == "--python":
            program = literal_words([value], command.span) if value else command.words[at + 1 :]
            yield run_command(name, command, program, evidence=True)


_OWN_COMMANDS = word_set(
    "add audit autoclean bin cache check config constraints create dedupe deploy dlx doctor env exec explain fetch "
    "generate-lock-entry global help i import info init install install-test it licenses link list login logout ls "
    "node node-gyp npm outdated owner pack patch patch-commit plugin policies prune publish rb rebuild recursive "
    "remove restart rm root run search self-update server set setup start stop store tag team test t unlink "
    "unplug un uninstall up update upgrade upgrade-interactive version versions why workspace workspaces"
)
