"""Data base shells."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.inner import Inner, run_text
from execpolicy.programs.input_text import fed_lines
from execpolicy.programs.record import Program
from execpolicy.shell.script import Command


def database(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``psql -c '\\! cmd'``, ``mysql -e 'system cmd'``, ``sqlite3 f '.shell cmd'`` and the same on standard input."""
    texts = [word.literal for word in command.words[1:] if word.literal is not None]
    lines = [line for text in texts for line in text.split("\n")]
    piped = False
    for line in [*lines, *fed_lines(command, facts)]:
        for lead in ("\\!", "system ", "!", "\\o |", "\\g |", "\\copy "):
            at = line.find(lead)
            if at >= 0 and (at == 0 or lead.startswith("\\") or not line[:at].strip(" -ce;")):
                yield run_text(name, command, line[at + len(lead) :].strip())
                break
        if piped:
            yield from [run_text(name, command, said, evidence=True) for said in _constants(line)]
        piped = piped or _is_piped(line)
        if line.lstrip().startswith("."):
            yield from _dot_command(name, command, line.lstrip()[1:])
        at = line.find("edit(")  # of sqlite: edit(value, editor)
        if at >= 0:
            parts = line[at:].split("'")
            yield from [run_text(name, command, part) for part in parts[1::2]]
        at = line.upper().find("PROGRAM '")
        if at >= 0:
            yield run_text(name, command, line[at + 9 :].partition("'")[0])


_SHELLS = word_set("sh bash dash ksh zsh mksh ash xargs")


def _is_piped(line: str) -> bool:
    """Whether a shell reads what comes out behind ``line``: ``.once |sh``, ``\\o | sh``."""
    to = line.partition("|")[2].strip(" \"'").split()
    return line.lstrip()[:1] in (".", "\\") and any(word.rpartition("/")[2] in _SHELLS for word in to)


def _constants(line: str) -> list[str]:
    """The constants of a query, whole and put together."""
    quote = "'" if "'" in line else '"'
    parts = line.split(quote)[1::2]
    return [*parts, "".join(parts)] if len(parts) > 1 else parts


def _dot_command(name: str, command: Command, line: str) -> list[Inner]:
    """``.shell cmd`` and ``.system cmd``, which may be abbreviated, and files that are pipes: ``.once '|cmd'``."""
    verb, _, rest = line.partition(" ")
    if len(verb) > 1 and ("shell".startswith(verb) or "system".startswith(verb)):
        return [run_text(name, command, rest)]
    _, pipe, text = rest.partition("|")
    quote = rest.strip()[:1]
    return [run_text(name, command, text.partition(quote)[0] if quote in "'\"" else text)] if pipe else []


_CLIENT_MARKS = ("!system ", "!sh ", ":!!", "!!", "\\!", "!", "host ", "ho ", "shell ", "sys ")
"""How other clients say so, alone in a line or in an option."""


def client(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``sqlplus <<< 'host cmd'``, ``sqlcmd -Q ':!!cmd'``, ``snowsql -q '!system cmd'``, ``executable('cmd')``."""
    yield from database(command, facts, name, record)
    words = [word.literal for word in command.words[1:] if word.literal is not None]
    lines = [line.strip() for text in words for line in text.split("\n")] + fed_lines(command, facts)
    if words[:1] == ["shell"]:  # iredis
        yield run_text(name, command, " ".join(words[1:]))
    for line in lines:
        mark = next((each for each in _CLIENT_MARKS if line.lower().startswith(each)), None)
        if mark is not None:
            yield run_text(name, command, line[len(mark) :].strip())
        if "executable(" in line:
            yield run_text(name, command, line.partition("executable(")[2].strip("'\"").partition("'")[0])
