"""Package managers of whole systems."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.flow.texts import closing
from execpolicy.programs.inner import Inner, run_argv, run_command, run_text
from execpolicy.programs.options import option_table, walk
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.programs.run_by_options import run_by_options
from execpolicy.programs.text_runs import value_texts
from execpolicy.shell.script import Command


def rpm(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """What macros in its arguments run: ``%(…)``, also in the name of a file, and what a definition may put there."""
    yield from run_by_options(command, facts, name, record)
    for word in command.words[1:]:
        text = word.literal or ""
        at = text.find("%(")
        while at >= 0:
            end = closing(text, at + 1)
            yield run_text(name, command, text[at + 2 : end - 1])
            at = text.find("%(", max(end, at + 2))
        macro, _, body = text.removeprefix("--define=").removeprefix("-D").partition(" ")
        if body and (macro.isidentifier() or macro.endswith("()")):  # -D '__spec_build_pre rm x'
            yield run_text(name, command, body, evidence=True)
        if "%{lua:" in text:
            yield from code_commands(name, command, text.partition("%{lua:")[2], "c")


def homebrew(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``brew sh -c TEXT`` and ``brew ruby -e CODE``."""
    if len(command.words) > 1 and command.words[1].literal in ("sh", "ruby", "irb"):
        yield run_command(name, command, command.words[1:])


def password_store(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pass git ARGUMENT…``: git, in the folder of the passwords."""
    if len(command.words) > 1 and command.words[1].literal == "git":
        yield run_command(name, command, command.words[1:])


_FLATPAK_RUN = (
    "--command: --branch: --arch: --cwd: --env: --unset-env: --share: --unshare: --socket: --nosocket: --device: "
    "--nodevice: --filesystem: --nofilesystem: --talk-name: --own-name: --persist: --runtime: --runtime-version: "
    "--commit: --runtime-commit: --usr-path: --app-path: --parent-pid: --instance-id-fd: --add-policy: "
    "--remove-policy: -d -p --devel --sandbox --verbose"
)


def flatpak(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``flatpak run --command=PROGRAM APP ARGUMENT…``: the arguments stand behind the app."""
    words = command.words
    run = next((at for at, word in enumerate(words) if word.literal == "run"), len(words))
    way = walk(option_table(_FLATPAK_RUN), words, run + 1)
    for seen in way.seen:
        for start in way.starts if seen.name == "--command" else ():
            for text in value_texts(seen, facts):
                yield run_argv(name, command, [text], words[start + 1 :])
