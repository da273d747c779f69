"""The streams of a command that stays open, and the part of its input that affects the meaning of later input."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence

from execpolicy.approvals.orchestrator import Attempt
from execpolicy.approvals.tools.process import Streams
from execpolicy.flow.facts import Facts
from execpolicy.judge.reading import read_command
from execpolicy.programs.builtin_effects import builtin_effects
from execpolicy.programs.catalog import facts_of, record_of, runners
from execpolicy.programs.unwrap import unwrap
from execpolicy.shell.script import Command, Script

_HARMLESS = frozenset({"cd", "exported"})
"""Effects of builtins that do not change how the next lines are parsed, nor the programs of the shell itself."""
_DEEPEST = 4


def relevant_input(opened: Sequence[str], kept: str, typed: str) -> str:
    """The part of ``kept`` and ``typed`` that affects the meaning of the next input.

    A whole line is dropped if it only starts programs that remove or touch the files they name: a child process does
    not change its shell. All else is kept:

    - assignments and functions;
    - unfinished lines;
    - programs that may read the next input themselves;
    - programs that write text to a file, which may be executed.

    Args:
        opened: the argv of the started command, with ``kept`` and ``typed`` as its input.
    """
    whole = kept + typed
    start = max(kept.rfind("\n"), kept.rfind("\r")) + 1
    if not whole.endswith(("\n", "\r")) or whole[:-1].endswith("\\"):
        return whole
    text = whole.replace("\r", "\n")
    script = _read_by(opened, text)
    if script is None or script.status == "opaque" or script.functions:
        return whole
    # The earlier text must be whole by itself: the new lines could end its quote or here-document.
    first = read_command(text[:start], shell=script.shell)
    before, lines = script.commands[: len(first.commands)], script.commands[len(first.commands) :]
    if (text[:start].strip() and first.status == "opaque") or not lines or text[:start].endswith("\\\n"):
        return whole
    facts = facts_of(script)
    settled = not facts.effects and all(_keeps_the_shell(command, facts) for command in before)
    return whole[:start] if settled and all(_is_over(command, facts) for command in lines) else whole


def _keeps_the_shell(command: Command, facts: Facts) -> bool:
    """True if the shell itself reads the next input, in the same way as before."""
    if command.words and command.words[0].literal in (None, *runners()):
        return False
    return all(effect.kind in _HARMLESS for effect in builtin_effects(command, facts))


def _is_over(command: Command, facts: Facts) -> bool:
    """True if ``command`` is a child process that reads no input, starts no process and leaves no text."""
    argv = command.plain_argv
    if command.context or command.assignments or command.redirects or not argv or builtin_effects(command, facts):
        return False
    name = argv[0].rpartition("/")[2]
    record = record_of(name)
    if record is None or record.writes != "all" or record.prints or name in runners():
        return False
    return name != "rm" or _never_prompts(argv)


def _never_prompts(argv: Sequence[str]) -> bool:
    """True if ``rm`` runs without a prompt. Otherwise the next input would be its answer and not a line of the shell.

    Options after the first operand may be operands (POSIX). Of ``-f``, ``-i`` and ``-I`` the last one counts.
    """
    silent = False
    for word in argv[1:]:
        if word[:1] != "-" or word in ("-", "--"):
            break
        if word[:2] == "--":
            silent = "--force".startswith(word) or (silent and not "--interactive".startswith(word.partition("=")[0]))
        else:
            silent = next((letter == "f" for letter in reversed(word) if letter in "fiI"), silent)
    return silent


def _read_by(opened: Sequence[str], text: str) -> Script | None:
    """``text`` as parsed by the started shell that reads it as input; ``None`` if there is none."""
    facts = facts_of(read_command(tuple(opened)))
    for script in _inner(facts, facts.script.commands, 0):
        if script.text.rstrip("\n") == text.rstrip("\n"):
            return script
    return None


def _inner(facts: Facts, commands: Sequence[Command], depth: int) -> Iterator[Script]:
    for command in commands if depth < _DEEPEST else ():
        for inner in unwrap(command, facts):
            if inner.script is not None:
                yield inner.script
            elif inner.command is not None:
                yield from _inner(facts, (inner.command,), depth + 1)


MAX_INPUT = 4096
"""The limit in bytes for one input; a pipe takes this many bytes whole or not at all."""
_MAX_OUTPUT = 1 << 20


class LiveCommand:
    """The input and output of one open command. It must be used from one event loop.

    Attributes:
        streams: the streams that the command is started with.
        started: set when the command is about to run.
        attempt: how the command runs; ``None`` before it starts.
    """

    def __init__(self) -> None:
        read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self.streams = Streams(stdin=read, forward=self._take)
        self.started = asyncio.Event()
        self.attempt: Attempt | None = None
        self._said = bytearray()
        self._omitted = 0
        self._lock = threading.Lock()
        self._closed = False

    def begins(self, attempt: Attempt) -> None:
        """Note that the command is about to run as ``attempt``."""
        self.attempt = attempt
        self.started.set()

    def send(self, text: str) -> None:
        """Send ``text``, whole or not at all.

        Raises:
            OSError: the text is too long, the command has not read the earlier input, or it has ended.
        """
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_INPUT:
            raise OSError(f"more than {MAX_INPUT} bytes at once")
        if self._closed:
            raise BrokenPipeError("the command is over")
        os.write(self._write, data)

    def fetch(self) -> str:
        """The output since the last call; if it is very long, only its end."""
        with self._lock:
            said, omitted = bytes(self._said), self._omitted
            self._said.clear()
            self._omitted = 0
        text = said.decode("utf-8", "replace")
        return f"[… {omitted} bytes omitted …]\n{text}" if omitted else text

    def close(self) -> None:
        """Close the streams after the command has ended."""
        if not self._closed:
            self._closed = True
            os.close(self._write)
            os.close(self.streams.stdin)

    def _take(self, number: int, block: bytes) -> None:
        with self._lock:
            self._said += block
            surplus = len(self._said) - _MAX_OUTPUT
            if surplus > 0:
                del self._said[:surplus]
                self._omitted += surplus
