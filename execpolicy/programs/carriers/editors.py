"""Editors, pagers, debuggers, data base shells, terminal multiplexers: commands that reach a shell from inside."""

from __future__ import annotations

from execpolicy.core.name_set import names
from execpolicy.programs.inner import literal_words, run_command, run_text, run_unknown
from execpolicy.programs.options import option_table
from execpolicy.programs.walk import every_option, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command

_MUX_RUNS = names(
    "new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw "
    "run-shell run if-shell if pipe-pane pipep popup display-popup"
)


def vim(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``vim -c ':!cmd'``, ``+'!cmd'``, ``--cmd``, and ``ex`` commands on standard input."""
    lines = _commands_of(command, facts, record.options, ("-c", "--cmd"), plus=True)
    texts = [word.literal or "" for word in command.words[1:]]
    if name == "ex" or any(text[:1] == "-" and text[1:2] != "-" and ("s" in text or "e" in text) for text in texts):
        lines.extend(_fed_lines(command, facts))
    found: list[Inner] = []
    for line in lines:
        for part in [line, *line.split("|")]:
            found.extend(_bang(name, command, part))
            found.extend(_vim_calls(name, command, part))
    return found


def _vim_calls(name: str, command: Command, text: str) -> list[Inner]:
    from execpolicy.flow.tokens import tokens
    from execpolicy.programs.carriers.interpreters import code_commands

    found = code_commands(name, command, text, "c")
    parts = tokens(text, "c")
    for at in range(len(parts) - 2):
        if parts[at].value == "delete" and parts[at + 1].kind == "(" and parts[at + 2].kind == "text":
            argv = ["rm", "-rf", parts[at + 2].value]
            found.append(run_command(name, command, literal_words(argv, command.span), stdin=False))
    return found


def _bang(name: str, command: Command, text: str) -> list[Inner]:
    """``!cmd``, ``r !cmd``, ``%w !cmd``, ``silent! !cmd``, ``terminal cmd``."""
    stripped = text.strip().lstrip(":").strip()
    first, _, rest = stripped.partition(" ")
    if first in ("terminal", "term", "te") and rest.strip():
        return [run_text(name, command, rest.strip())]
    at = text.find("!")
    while 0 <= at < len(text) - 1:
        before = text[:at].strip().replace('"', "").replace("'", "").lstrip(":0123456789.,$%'<>+-* ")
        if not before or before.replace("!", "").replace(" ", "").isalpha():
            after = text[at + 1 :].strip()
            if after and not after.startswith("="):
                return [run_text(name, command, after.lstrip("!").strip("\"'"))]
        at = text.find("!", at + 1)
    return []


def _commands_of(command: Command, facts: Facts, options: str, names: tuple[str, ...], *, plus: bool) -> list[str]:
    """Texts of command options, and of ``+cmd`` words."""
    from execpolicy.flow.texts import word_texts

    found: list[str] = []
    words = command.words
    for seen in every_option(option_table(options), words, 1).seen:
        if seen.name in names:
            if seen.glued is not None:
                found.append(seen.glued)
            elif seen.word is not None:
                found.extend(word_texts(seen.word, facts))
    if plus:
        for word in words[1:]:
            text = word.literal if word.literal is not None else word.prefix
            if text.startswith("+"):
                found.append(text.lstrip("+"))
    return found


def _fed_lines(command: Command, facts: Facts) -> list[str]:
    from execpolicy.flow.streams import fed_texts

    return [line for text in fed_texts(command, facts)[0] for line in text.split("\n") if line.strip()]


def line_editor(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """Programs that read commands from standard input and take ``!cmd``: ``ed``, ``ftp``, ``sftp``, ``mail``."""
    found: list[Inner] = []
    for line in _fed_lines(command, facts):
        found.extend(_bang(name, command, line))
    return found


def pager(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``less '+!cmd'`` and ``more '+!cmd'``."""
    found: list[Inner] = []
    for word in command.words[1:]:
        text = word.literal
        if text is not None and text.startswith("+") and "!" in text:
            found.append(run_text(name, command, text.partition("!")[2]))
    return found


def gdb(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``gdb -ex '!cmd'``, ``-ex 'shell cmd'``, ``--args PROGRAM ARGUMENT…``."""
    from execpolicy.programs.carriers.interpreters import code_commands

    found: list[Inner] = []
    names = (
        "-ex",
        "-iex",
        "-eval-command",
        "--eval-command",
        "-init-eval-command",
        "--init-eval-command",
        "--ex",
        "--iex",
    )
    for line in [*_commands_of(command, facts, record.options, names, plus=False), *_fed_lines(command, facts)]:
        text = line.strip()
        first, _, rest = text.partition(" ")
        if text.startswith("!"):
            found.append(run_text(name, command, text[1:]))
        elif first and rest and "shell".startswith(first) and len(first) >= 3:
            found.append(run_text(name, command, rest))
        elif first in ("pipe", "|", "make"):
            found.append(run_text(name, command, rest.rpartition("|")[2] if first != "make" else text))
        elif first in ("python", "py", "python-interactive", "pi", "call", "print", "p", "compile"):
            found.extend(code_commands(name, command, rest, "python"))
    for start in walk(option_table(record.options), command.words, 1).starts:
        found.append(run_command(name, command, command.words[start:]))
    return found


def lldb(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``lldb -o 'platform shell cmd'`` and ``lldb -- PROGRAM ARGUMENT…``."""
    found: list[Inner] = []
    for line in _commands_of(command, facts, record.options, ("-o", "-O", "--one-line"), plus=False):
        for lead in ("platform shell ", "shell ", "pl shell "):
            if line.strip().startswith(lead):
                found.append(run_text(name, command, line.strip()[len(lead) :]))
    for start in walk(option_table(record.options), command.words, 1).starts[:1]:
        found.append(run_command(name, command, command.words[start:]))
    return found


def database(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``psql -c '\\! cmd'``, ``mysql -e 'system cmd'``, ``sqlite3 f '.shell cmd'`` and the same on standard input."""
    lines = [word.literal for word in command.words[1:] if word.literal is not None]
    lines.extend(_fed_lines(command, facts))
    found: list[Inner] = []
    for text in lines:
        for line in text.split("\n"):
            for lead in ("\\!", ".shell ", ".system ", "system ", "!", "\\o |", "\\g |", "\\copy "):
                at = line.find(lead)
                if at >= 0 and (at == 0 or lead.startswith("\\") or not line[:at].strip(" -ce;")):
                    found.append(run_text(name, command, line[at + len(lead) :].strip()))
                    break
            upper = line.upper()
            at = upper.find("PROGRAM '")
            if at >= 0:
                found.append(run_text(name, command, line[at + 9 :].partition("'")[0]))
    return found


def multiplexer(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``tmux new-session … 'cmd'``, ``run-shell``, ``send-keys 'cmd' Enter``; ``screen -dm cmd``."""
    from execpolicy.programs.text_runs import run_joined

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


def at_job(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``at`` and ``batch``: a shell script on standard input, run later; ``crontab -`` likewise, behind five fields."""
    from execpolicy.programs.text_runs import run_stdin

    texts = [word.literal or "" for word in command.words[1:]]
    if name == "crontab":
        if texts and not any(text in ("-", "/dev/stdin") for text in texts):
            return []
        lines = [line for line in _fed_lines(command, facts) if not line.lstrip().startswith("#")]
        found = []
        for line in lines:
            fields = line.split(None, 1 if line.lstrip().startswith("@") else 5)
            found.append(run_text(name, command, fields[-1]))
        return found or [run_unknown(name, command, "installs jobs that are only known at run time")]
    if any(text in ("-l", "-r", "-d", "-c", "-V", "-f") for text in texts):
        return []
    return run_stdin(name, command, facts, "sh")
