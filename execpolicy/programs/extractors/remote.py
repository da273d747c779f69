"""Programs that run commands on other machines, or reach them."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.programs.extractors.editors import line_editor
from execpolicy.programs.inner import Inner, run_argv, run_text
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import shown_texts
from execpolicy.shell.script import Command


def socat(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``socat - EXEC:'cmd'``, ``SYSTEM:`` and ``SHELL:`` addresses."""
    for word in command.words[1:]:
        text = word.prefix
        kind, colon, rest = text.partition(":")
        if colon and kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
            yield run_text(name, command, rest.partition(",")[0].strip("\"'"))


def ssh_settings(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """What the settings run that the script itself shows: ``ssh -F <(echo 'ProxyCommand …')``."""
    from execpolicy.programs.run_by_options import ssh_texts

    for word in command.words[1:]:
        for text in shown_texts(word, command, facts):
            for line in text.split("\n"):
                yield from [run_text(name, command, run) for run in ssh_texts(line)]


def sftp(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``!cmd`` on standard input, and settings."""
    yield from line_editor(command, facts, name, record)
    yield from ssh_settings(command, facts, name, record)


_ADDRESSES = ("cmd:", "sh-c:", "exec:")


def websocat(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``cmd:TEXT``, ``sh-c:TEXT`` and ``exec:PROGRAM`` with ``--exec-args`` behind it."""
    words = command.words
    behind = next((at + 1 for at, word in enumerate(words) if word.literal == "--exec-args"), len(words))
    for word in words[1:]:
        text = word.literal or ""
        start = next((each for each in _ADDRESSES if text.startswith(each)), None)
        if start is not None:
            yield run_argv(name, command, text[len(start) :].split(), words[behind:], evidence=True)
            yield run_text(name, command, text[len(start) :])


def media_player(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``mpv --input-commands='run cmd argument'``."""
    for word in command.words[1:]:
        option, _, value = (word.literal or "").partition("=")
        if option in ("--input-commands", "--input-command"):
            for text in value.split(";"):
                verb, _, rest = text.strip().partition(" ")
                yield from [run_text(name, command, rest)] if verb in ("run", "subprocess") else []
