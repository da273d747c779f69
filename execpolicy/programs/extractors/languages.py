"""Programs with commands in a language of their own: sed, awk and editors."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.flow.filled import word_texts
from execpolicy.programs.inner import Inner, run_argv, run_text, run_unknown
from execpolicy.programs.interpreted import handed_on
from execpolicy.programs.options import every_option, option_table, walk
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.programs.sed_script import possible_commands
from execpolicy.programs.text_runs import bang, commands_of, fed_lines, shown_texts, value_texts
from execpolicy.programs.tokens import tokens
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word


def program_texts(command: Command, facts: Facts, record: Program) -> tuple[list[str], int, bool]:
    """The program texts: option values, or else the first operand; where the words begin that are none; and whether
    that is all of them as they are written.
    """
    words = command.words
    texts: list[str] = []
    behind = 1
    from_file = False
    whole = True
    # An option may follow the operands; GNU programs permute.
    way = every_option(option_table(record.options), words, 1)
    for seen in way.seen:
        if seen.kind == "!":
            whole = whole and seen.value() is not None
            texts += value_texts(seen, facts)
        elif seen.name in ("-f", "--file", "-E", "--exec", "-i", "--include") and seen.kind == ":":
            whole = whole and seen.value() == "inplace"
            from_file = from_file or seen.name not in ("-i", "--include")
            file = Word(seen.glued, words[seen.at].span) if seen.glued is not None else seen.word
            if file is not None:
                texts.extend(shown_texts(file, command, facts))
        elif seen.name == "-W" and seen.value() == "exec":  # mawk
            from_file, whole = True, False
            texts.extend([text for at in way.operands[:1] for text in shown_texts(words[at], command, facts)])
    if not texts and not from_file:
        for start in way.operands[: 4 if way.ambiguous else 1]:
            whole = whole and words[start].literal is not None
            texts.extend(word_texts(words[start], facts))
        if way.operands and not way.ambiguous:
            behind = way.operands[0] + 1
    return texts, behind, whole


def awk(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``system("…")``, ``"…" | getline``, ``print | "…"``; and ``-v x=…`` when the program runs a variable."""
    texts, behind, _ = program_texts(command, facts, record)
    for text in texts:
        if "system" not in text and "|" not in text and "@" not in text:
            continue
        yield from code_commands(name, command, text, "awk")
        yield from handed_on(name, command, facts, text, "awk", command.words[1:], lines=True)
        if "system" in text or "|" in text:
            for seen in walk(option_table(record.options), command.words, 1).seen:
                if seen.name in ("-v", "--assign") and "=" in (seen.value() or ""):
                    value = (seen.value() or "").partition("=")[2]
                    yield run_text(name, command, value)
            for word in command.words[behind:]:  # NAME=value among the files
                variable, equals, value = (word.literal or "").partition("=")
                if equals and variable.isidentifier():
                    yield run_text(name, command, value)


def sed(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """GNU sed's ``e COMMAND`` and ``s/…/…/e``."""
    for text in program_texts(command, facts, record)[0]:
        for kind, executed in possible_commands(text):
            if kind[-1] == "e":
                if executed.strip():
                    yield run_text(name, command, executed.strip())
                yield run_unknown(name, command, "sed runs a line of its input as a command")


def vim(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``vim -c ':!cmd'``, ``+'!cmd'``, ``--cmd``, and ``ex`` commands on standard input."""
    lines = [*commands_of(command, facts, record.options, ("-c", "--cmd"), plus=True)]
    texts = [word.literal or "" for word in command.words[1:]]
    if name == "ex" or any(text[:1] == "-" and text[1:2] != "-" and ("s" in text or "e" in text) for text in texts):
        lines += fed_lines(command, facts)
    lines += [line.replace("%", text) for line in lines if "%" in line for text in texts if text[:1] not in ("-", "+")]
    for line in lines:
        for part in [line, *line.split("|")]:
            yield from bang(name, command, part)
            yield from _vim_calls(name, command, part)


def _vim_calls(name: str, command: Command, text: str) -> Iterator[Inner]:
    yield from code_commands(name, command, text, "c")
    parts = tokens(text, "c")
    for at in range(len(parts) - 2):
        if parts[at].value == "delete" and parts[at + 1].kind == "(" and parts[at + 2].kind == "text":
            argv = ["rm", "-rf", parts[at + 2].value]
            yield run_argv(name, command, argv, stdin=False)


def line_editor(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Programs that read commands from standard input and take ``!cmd``: ``ed``, ``ftp``, ``sftp``, ``mail``."""
    for word in command.words[1:]:
        if word.literal is not None and word.literal.startswith("!"):
            yield run_text(name, command, word.literal[1:])  # `ed '!cmd'` edits what it prints
    for line in fed_lines(command, facts):
        yield from bang(name, command, line)
