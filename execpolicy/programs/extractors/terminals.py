"""Terminals, multiplexers, debuggers and benchmarks: programs that start a command and show or watch it."""

from __future__ import annotations

from _collections_abc import Iterator, Sequence
from itertools import islice, product

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_argv, run_command, run_text
from execpolicy.programs.options import every_option, option_table, walk
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import commands_of, fed_lines, option_value, run_joined, run_stdin, shown_texts
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word

_RUNS = word_set(
    "new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw "
    "run-shell run if-shell if pipe-pane pipep popup display-popup copy-pipe copy-pipe-and-cancel copy-pipe-no-clear "
    "copy-pipe-end-of-line copy-pipe-line pipe pipe-and-cancel pipe-no-clear"
)
"""Commands of ``tmux`` with shell text behind their options."""
_SETS = word_set("set set-option setw set-window-option")
_RUN_SETTINGS = word_set("default-command default-shell copy-command editor lock-command")
_NESTS = word_set(
    "set-hook bind bind-key command-prompt confirm confirm-before if if-shell run run-shell display-menu menu "
    "choose-tree choose-client choose-buffer"
)
"""Commands of ``tmux`` with other commands of ``tmux`` behind their options."""
_OPTIONS = "-A -d -D -E -P -X -b -f -h -v -l: -I -k -Z -B -C -c: -e: -F: -n: -s: -t: -x: -y: -p: -w: -T: -S: -g -N: -r"

_OWN_OPTIONS = dict.fromkeys(("send-keys", "send"), "-F -H -K -l -M -R -X -N: -t: -c:") | dict.fromkeys(
    ("confirm-before", "confirm"), "-b -y -c: -p: -t:"
)


def tmux(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``tmux new-session … 'cmd'``, ``run-shell``, ``send-keys 'cmd' Enter``, ``set-hook … 'run cmd'``."""
    words = command.words
    way = walk(option_table(record.options), words, 1)
    for seen in way.seen:
        if seen.name == "-c" and seen.value():
            yield run_text(name, command, seen.value() or "")
        elif seen.name == "-f" and seen.word is not None:
            yield from _configured(seen.word, command, facts, name)
    if any(seen.name == "-C" for seen in way.seen):  # it takes its orders from standard input
        yield from [run_text(name, command, f"tmux {line}", evidence=True) for line in fed_lines(command, facts)]
    starts = way.starts[:1]
    while starts:
        at = starts[0]
        end = next((i for i in range(at, len(words)) if words[i].literal in (";", "\\;")), len(words))
        yield from _tmux_command(words[at:end], command, facts, name)
        starts = [end + 1] if end + 1 < len(words) else []


def _tmux_command(words: Sequence[Word], command: Command, facts: Facts, name: str) -> Iterator[Inner]:
    """One command of ``tmux``: its name and what it is given."""
    verb = words[0].literal or ""
    table = option_table(_OWN_OPTIONS.get(verb, _OPTIONS))
    for start in walk(table, words, 1).starts:
        rest = words[start:]
        if verb in ("if-shell", "if"):
            for word in rest:
                yield from run_joined(name, command, facts, (word,))
        elif verb in _RUNS:
            yield from run_joined(name, command, facts, rest)
        elif verb in _SETS and len(rest) > 1 and rest[0].literal in _RUN_SETTINGS:
            yield from run_joined(name, command, facts, rest[1:2])
        elif verb in ("source", "source-file"):
            for word in rest:
                yield from _configured(word, command, facts, name)
        if verb in _NESTS:
            for each in (0, 1) if len(rest) > 1 else (0,):
                yield run_argv(name, command, ["tmux"], rest[each:], evidence=True)
            yield from [run_text(name, command, "tmux " + each.literal, evidence=True) for each in rest if each.literal]
    if verb in ("send-keys", "send"):
        for start in walk(table, words, 1).starts[:1]:
            if words[start].literal in _RUNS:  # send -X copy-pipe TEXT
                yield from run_joined(name, command, facts, words[start + 1 :])
            typed = [word for word in words[start:] if word.literal not in ("Enter", "C-m", "KPEnter", "C-j")]
            yield from run_joined(name, command, facts, typed)


def _configured(word: Word, command: Command, facts: Facts, name: str) -> list[Inner]:
    """Returns what the lines of a configuration file run, as far as it can be seen."""
    lines = [line for text in shown_texts(word, command, facts) for line in text.split("\n") if line.strip()]
    return [run_text(name, command, "tmux " + line, evidence=True) for line in lines]


def screen(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``screen -dm cmd``, ``screen -X stuff 'cmd'``."""
    way = walk(option_table(record.options), command.words, 1)
    if any(seen.name in ("-ls", "-list", "-wipe") for seen in way.seen):
        return
    for start in way.starts:
        rest = command.words[start:]
        if rest[0].literal in ("stuff", "exec", "screen", "eval"):
            yield from run_joined(name, command, facts, rest[1:])
        if rest[0].literal == "stuff":  # `^M` is the key that ends a line
            typed = " ".join([word.literal or "" for word in rest[1:]])
            yield run_text(name, command, typed.replace("^M", "\n").replace("\\n", "\n"), evidence=True)
        yield run_command(name, command, rest)


def script(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``script -c TEXT [FILE]``, ``script FILE -c TEXT``, ``script -- COMMAND`` and a shell on standard input."""
    table = option_table(record.options)
    words = command.words
    found: list[Inner] = []
    way = every_option(table, words, 1)
    for seen in way.seen:
        if seen.kind == "!":
            found.extend(option_value(name, seen, command, facts))
    front = walk(table, words, 1)
    if not front.ambiguous and any(seen.full and seen.name == "-p" for seen in front.seen):
        return found  # of the BSDs: plays a recording back; no other has it
    if not found:
        dashes = next((at for at, word in enumerate(words) if word.literal == "--"), 0)
        behind_file = walk(table, words, 1, operands=1).starts[:1]  # BSD: script FILE COMMAND ARGUMENT…
        for start in [dashes + 1] if dashes else behind_file:
            if words[start:]:
                return [run_command(name, command, words[start:])]
        found.extend(run_stdin(name, command, facts, "sh"))
    return found


_GDB_COMMANDS = word_set("-ex -iex -eval-command --eval-command -init-eval-command --init-eval-command --ex --iex")
_MOST_RUNS = 8
"""Programs, and arguments of them, that are put together."""


def gdb(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``gdb -ex '!cmd'``, ``-ex 'shell cmd'``, ``--args PROGRAM ARGUMENT…``."""
    for line in [*commands_of(command, facts, record.options, _GDB_COMMANDS, plus=False), *fed_lines(command, facts)]:
        text = line.strip()
        first, _, rest = text.partition(" ")
        if text.startswith("!"):
            yield run_text(name, command, text[1:])
        elif first and rest and "shell".startswith(first) and len(first) >= 3:
            yield run_text(name, command, rest)
        elif first in ("pipe", "|", "make") or (first == "target" and "|" in rest):
            yield run_text(name, command, rest.rpartition("|")[2] if first != "make" else text)
        elif first in ("python", "py", "python-interactive", "pi", "call", "print", "p", "compile"):
            yield from code_commands(name, command, rest, "python")
    for start in walk(option_table(record.options), command.words, 1).starts:
        yield run_command(name, command, command.words[start:])


def lldb(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``lldb -o 'platform shell cmd'``, ``lldb -- PROGRAM ARGUMENT…``."""
    options = ("-o", "-O", "--one-line", "--one-line-before-file")
    for line in [*commands_of(command, facts, record.options, options, plus=False), *fed_lines(command, facts)]:
        for lead in ("platform shell ", "shell ", "pl shell "):
            if line.strip().startswith(lead):
                yield run_text(name, command, line.strip()[len(lead) :])
        if line.strip().startswith(("script ", "sc ")):
            yield from code_commands(name, command, line.strip().partition(" ")[2], "python")
    for start in walk(option_table(record.options), command.words, 1).starts[:1]:
        yield run_command(name, command, command.words[start:])


def hyperfine(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``hyperfine -L NAME a,b 'cmd {NAME}'``: each text with the values of its parameters in their places."""
    texts = [word.literal or "" for word in command.words]
    values: dict[str, list[str]] = {}
    for at, text in enumerate(texts[:-2]):
        if text in ("-L", "--parameter-list"):
            values["{" + texts[at + 1] + "}"] = texts[at + 2].split(",")
    for row in islice(product(*values.values()), _MOST_RUNS):
        filled = texts
        for place, value in zip(values, row, strict=True):
            filled = [text.replace(place, value) for text in filled]
        for text, before in zip(filled, texts, strict=True):
            if text != before and facts.budget.spend(COMMAND):
                yield run_text(name, command, text.partition("=")[2] if text[:2] == "--" else text, evidence=True)
