"""Lists and pipelines: the start of the grammar."""

from __future__ import annotations

from execpolicy.shell.grammar.compound import (
    CLOSING,
    COMPOUND,
    peek_reserved,
    read_compound,
    read_function,
    read_function_keyword,
    read_subshell,
)
from execpolicy.shell.grammar.elements import WORD_STOP
from execpolicy.shell.grammar.expansions import read_dollar
from execpolicy.shell.grammar.heredocs import read_bodies, read_newline, skip_lines
from execpolicy.shell.grammar.reader import META, GrammarHooks, Reader
from execpolicy.shell.grammar.simple import mark_uncertain, read_simple
from execpolicy.shell.grammar.state import State


def read_all(reader: Reader) -> None:
    """Reads the whole text or raises ``Unreadable``."""
    read_list(reader, (), empty=True)
    if reader.pos < reader.end:
        reader.fail(f"unexpected `{reader.text[reader.pos]}`")
    read_bodies(reader)


def _stops(reader: Reader, char: str, stop: tuple[str, ...]) -> bool:
    """True if the list ends at the position."""
    if not char:
        return True
    if char == ")":
        return True
    if char == ";":
        follower = reader.char(reader.after(reader.pos + 1))
        if follower in (";", "&"):
            if ";;" not in stop:
                reader.fail("unexpected `;;`")
            return True
        return False
    word, _ = peek_reserved(reader)
    if word in CLOSING:
        if word not in stop:
            reader.fail(f"unexpected `{word}`")
        return True
    return False


def read_list(reader: Reader, stop: tuple[str, ...], *, empty: bool = False) -> None:
    """Reads commands up to ``)``, the end, or one of ``stop``; the position is then at the end of the list."""
    outer = reader.blocks
    reader.blocks = outer + (reader.state.new_block(),)
    _read_commands(reader, stop, empty)
    reader.blocks = outer


def _read_commands(reader: Reader, stop: tuple[str, ...], empty: bool) -> None:
    state = reader.state
    some = False
    while True:
        while (char := reader.skip_blanks()) == "\n":
            read_newline(reader)
            state.next_line(len(reader.blocks) > 1)
        if _stops(reader, char, stop):
            if not some and not empty:
                reader.fail("a command is missing")
            return
        some = True
        first = len(state.commands)
        known = len(state.given)
        _read_and_or(reader)
        char = reader.skip_blanks()
        if char == "&":
            state.rich = True
            _mark(reader, first, "background")
            mark_uncertain(reader, known, reader.blocks)
            reader.pos += 1
            if state.shell == "zsh" and reader.char(reader.pos) in ("!", "|"):
                reader.fail("zsh reads &! and &| in its own way")
        elif char == ";":
            follower = reader.char(reader.after(reader.pos + 1))
            if follower == ";" or follower == "&":
                continue
            reader.pos += 1
        elif char == "\n":
            read_newline(reader)
            state.next_line(len(reader.blocks) > 1)
        elif char and char != ")":
            word, _ = peek_reserved(reader)
            if word not in CLOSING:
                reader.fail(f"unexpected `{char}`")
            reader.fail(f"unexpected `{word}`")


def _read_and_or(reader: Reader) -> None:
    second: int | None = None  # the first value that the second pipeline gives
    while True:
        _read_pipeline(reader)
        char = reader.skip_blanks()
        if char and char in "&|" and reader.char(end := reader.after(reader.pos + 1)) == char:
            reader.pos = end + 1
            skip_lines(reader)
            if second is None:
                second = len(reader.state.given)
            continue
        if second is not None:
            mark_uncertain(reader, second, reader.blocks)
        return


def _read_pipeline(reader: Reader) -> None:
    state = reader.state
    state.pipelines += 1
    first = len(state.commands)
    negated = timed = False
    while True:
        reader.skip_blanks()
        word, end = peek_reserved(reader)
        if word == "!":
            reader.pos = end
            negated = state.rich = True
            continue
        if word == "time" and state.shell not in ("sh", "dash"):
            reader.pos = end
            timed = state.rich = True
            _time_options(reader)
            if reader.skip_blanks() in ("", "\n", ";", "&", ")", "|"):
                if reader.char(reader.pos) == "|":
                    reader.fail("unusual `time`")
                return
            continue
        break
    if timed and word in COMPOUND and reader.reparsed():
        state.mark_ambiguous("`time` before a compound command inside a substitution")
    starts = [first]
    ends: list[int] = []
    known = len(state.given)
    outer, state.opened = state.opened, []
    while True:
        _read_command(reader)
        ends.append(len(state.commands))
        follower = reader.char(reader.after(reader.pos + 1)) if reader.skip_blanks() == "|" else "|"
        if follower != "|":
            state.opened += ("1", "2") if follower == "&" else ("1",)
        if state.shell == "zsh" and len(set(state.opened)) < len(state.opened):
            state.mark_ambiguous("zsh uses every redirection of a descriptor and its pipe, bash only the last one")
        if follower == "|":
            break
        state.opened = ["0"]
        reader.pos += 1
        if follower == "&":
            state.rich = True
            reader.bash_only("|&")
            _mark(reader, starts[-1], "errors-piped")
            reader.pos = reader.after(reader.pos) + 1
        skip_lines(reader)
        starts.append(len(state.commands))
    state.opened = outer
    if len(starts) > 1:
        _connect(reader, starts, ends)
        mark_uncertain(reader, known, reader.blocks)
    elif timed and state.shell == "zsh":  # zsh runs a timed command outside this shell
        mark_uncertain(reader, known, reader.blocks)
    if timed:
        _mark(reader, first, "timed")
    if negated:
        _mark(reader, first, "negated")


def _mark(reader: Reader, first: int, name: str) -> None:
    """Adds ``name`` to the context of the commands from index ``first``."""
    depth = len(reader.context)
    for draft in reader.state.commands[first:]:
        if draft is not None:
            draft.mark(depth, name)


def _connect(reader: Reader, starts: list[int], ends: list[int]) -> None:
    """Connects the commands of a pipeline: each one reads the output of the one before it."""
    _mark(reader, starts[0], "pipeline")
    commands = reader.state.commands
    depth = len(reader.context) + 1
    sources: tuple[int, ...] = ()
    for start, end in zip(starts, ends, strict=True):
        for index in range(start, end):
            draft = commands[index]
            if draft is not None and sources and not draft.piped_from:
                draft.read_from(sources)
        sources = tuple([
            index
            for index in range(start, end)
            if (found := commands[index]) is not None
            and "substitution" not in found.context[depth:]
            and "process" not in found.context[depth:]
        ])  # fmt: skip


def _time_options(reader: Reader) -> None:
    for option in ("-p", "--"):
        reader.skip_blanks()
        if reader.text.startswith(option, reader.pos):
            behind = reader.char(reader.pos + len(option))
            if behind == "\\":
                reader.fail("continuation behind an option of `time`")
            if not behind or behind in META:
                reader.pos += len(option)


def _read_command(reader: Reader) -> None:
    """Reads one command of a pipeline."""
    char = reader.skip_blanks()
    start = reader.pos
    if not char:
        reader.fail("a command is missing")
    if char == "(":
        read_subshell(reader)
        return
    word, end = peek_reserved(reader)
    if word:
        if word in CLOSING:
            reader.fail(f"unexpected `{word}`")
        if word == "!":
            reader.fail("unexpected `!`")
        if word == "function":
            reader.pos = end
            read_function_keyword(reader, start)
            return
        if word == "coproc":
            reader.fail("a coprocess")
        if word in COMPOUND:
            reader.pos = end
            read_compound(reader, word)
            return
    if _function_ahead(reader):
        return
    read_simple(reader)


def _function_ahead(reader: Reader) -> bool:
    """Reads a function definition if ``name ( )`` is at the position; true if it did."""
    text, start = reader.text, reader.pos
    pos = start
    while pos < reader.end and text[pos] not in WORD_STOP:
        pos = max(reader.plain_end(pos), pos + 1)
    name_end = pos
    while reader.char(pos) in (" ", "\t"):
        pos += 1
    if name_end == start or reader.char(pos) != "(":
        return False
    name = text[start:name_end]
    if name.endswith("="):
        return False
    reader.pos = pos + 1
    if reader.skip_blanks() != ")":
        reader.fail("unexpected `(`", pos)
    reader.pos += 1
    if any(char in name for char in "{}[]*?~=") or name in COMPOUND | CLOSING:
        reader.fail("unusual function name", start)
    read_function(reader, name, start)
    return True


HOOKS = GrammarHooks(read_list, read_dollar)


def reader_of(text: str, state: State, *, context: tuple[str, ...] = (), offsets: list[int] | None = None) -> Reader:
    """A reader of ``text`` whose context is only ``context``."""
    return Reader(text, state, HOOKS, context=context, offsets=offsets)
