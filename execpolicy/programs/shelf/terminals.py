"""Terminals and what runs inside of them."""

from __future__ import annotations

from execpolicy.core.name_set import names
from execpolicy.programs.inner import run_command, run_text
from execpolicy.programs.options import option_table
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import (
    option_value,
    run_joined,
    run_stdin,
)
from execpolicy.programs.walk import every_option, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_MUX_RUNS = names(
    "new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw "
    "run-shell run if-shell if pipe-pane pipep popup display-popup"
)


def multiplexer(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``tmux new-session … 'cmd'``, ``run-shell``, ``send-keys 'cmd' Enter``; ``screen -dm cmd``."""
    words = command.words
    found: list[Inner] = []
    if name == "screen":
        starts = walk(
            option_table("-d -D -m -R -r -x -L -S: -s* -t: -c: -p: -T: -e: -h: -X -Q -ls -list -wipe -dm -dmS: -q"),
            words,
            1,
        ).starts
        for start in starts:
            rest = words[start:]
            if rest[0].literal in ("stuff", "exec", "screen"):
                found.extend(run_joined(name, command, facts, rest[1:]))
            found.append(run_command(name, command, rest))
        return found
    table = option_table("-2 -C -l -N -u -v -D -c! -f: -L: -S: -T:")
    at = 1
    way = walk(table, words, 1)
    for seen in way.seen:
        if seen.name == "-c" and seen.value():
            found.append(run_text(name, command, seen.value() or ""))
    starts = way.starts[:1]
    while starts:
        at = starts[0]
        end = next((i for i in range(at, len(words)) if words[i].literal in (";", "\\;")), len(words))
        verb = words[at].literal
        part = words[:end]
        if verb in _MUX_RUNS:
            table = option_table(
                "-A -d -D -E -P -X -b -f -h -v -l: -I -k -Z -B -C -c: -e: -F: -n: -s: -t: -x: -y: -p: -w: -T: -S:"
            )
            for start in walk(table, part, at + 1).starts:
                if verb in ("if-shell", "if"):
                    for word in part[start:]:
                        found.extend(run_joined(name, command, facts, (word,)))
                else:
                    found.extend(run_joined(name, command, facts, part[start:]))
        elif verb in ("send-keys", "send"):
            for start in walk(option_table("-F -H -K -l -M -R -X -N: -t: -c:"), part, at + 1).starts[:1]:
                typed = [word for word in part[start:] if word.literal not in ("Enter", "C-m", "KPEnter", "C-j")]
                found.extend(run_joined(name, command, facts, typed))
        starts = [end + 1] if end + 1 < len(words) else []
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


def terminal(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """Terminal emulators: the command behind ``-e``, ``-x`` or ``--``."""

    words = command.words
    for at in range(1, len(words) - 1):
        if words[at].literal in ("-e", "-x", "--", "--command", "start"):
            return run_joined(name, command, facts, words[at + 1 :])
    return []


# fmt: off
RECORDS = (
    Program("tmux byobu", carries=multiplexer, broad="-*", example="tmux new-session -d 'rm x'"),
    Program("screen", carries=multiplexer, broad="-*", example="screen -dm rm x"),
    Program("script", options="-a -e -f -q -h -V -t? -c! -E: -I: -O: -B: -T: -m: -o: --append --command! --echo: "
        "--return --flush --force --log-in: --log-out: --log-io: --log-timing: --logging-format: --output-limit: "
        "--quiet --timing? --help --version", carries=script, broad="-*", example="script -c 'rm x' log"),
    Program("xterm gnome-terminal konsole xfce4-terminal kitty alacritty urxvt rxvt st foot wezterm",
        carries=terminal, example="xterm -e rm x"),
    Program("xdg-open open", broad=""),
)
