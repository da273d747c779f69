"""Programs with commands in a language of their own: sed, awk and editors."""

from __future__ import annotations

from _collections_abc import Iterator

from execpolicy.flow.facts import Facts
from execpolicy.flow.filled import word_texts
from execpolicy.flow.tokens import tokens
from execpolicy.programs.inner import Inner, run_argv, run_text, run_unknown
from execpolicy.programs.interpreted import handed_on
from execpolicy.programs.options import every_option, option_table, walk
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import bang, commands_of, fed_lines, shown_texts, value_texts
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
        for letter, executed in sed_commands(text):
            if letter == "w":
                continue
            if executed:
                yield run_text(name, command, executed)
            yield run_unknown(name, command, "sed runs a line of its input as a command")


def sed_commands(text: str) -> Iterator[tuple[str, str]]:
    """Yields what a sed script runs, behind ``e`` (empty: a line of the input), and the files that it writes,
    behind ``w``.
    """
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if char in " \t\n;{}!,$+~" or char.isdigit():
            at += 1
        elif char in "/\\":
            # An address: /re/ or \cREc.
            if char == "\\":
                at += 1
            at = _delimited_end(text, at, text[at : at + 1])
            while at < end and text[at] in "IM":
                at += 1
        elif char in "sy":
            at, found = _substitution(text, at)
            yield from found
        elif char == "e":
            line = text.find("\n", at)
            line = end if line < 0 else line
            yield "e", text[at + 1 : line].strip()
            at = line
        elif char in "wW":
            line = text.find("\n", at)
            line = end if line < 0 else line
            yield "w", text[at + 1 : line].lstrip()
            at = line
        elif char in "aicrR":
            at = _text_end(text, at)
        elif char in "btT:":
            while at < end and text[at] not in ";\n}":
                at += 1
        elif char == "#":
            line = text.find("\n", at)
            at = end if line < 0 else line
        else:
            at += 1


def _text_end(text: str, at: int) -> int:
    """The offset behind ``a``, ``i``, ``c`` text (lines joined by backslashes) or a file name."""
    while True:
        line = text.find("\n", at)
        if line < 0:
            return len(text)
        if text[line - 1] != "\\":
            return line
        at = line + 1


def _delimited_end(text: str, at: int, delimiter: str) -> int:
    """The offset behind the part that starts with ``delimiter`` at ``at``."""
    here, bracket = at + 1, False
    while here < len(text):
        char = text[here]
        if char == "\\":
            here += 1
        elif char == "[" and not bracket:
            bracket = True
            if text[here + 1 : here + 2] in ("]", "^"):
                here += 1
        elif char == "]":
            bracket = False
        elif char == delimiter and not bracket:
            return here + 1
        here += 1
    return len(text)


def _substitution(text: str, at: int) -> tuple[int, list[tuple[str, str]]]:
    """The offset behind ``s/…/…/flags`` (or ``y``), the replacement if ``e`` runs it, the file that ``w`` writes."""
    delimiter = text[at + 1 : at + 2]
    if not delimiter or delimiter in "\n\\":
        return at + 1, []
    middle = _delimited_end(text, at + 1, delimiter)
    last = middle
    while last < len(text) and text[last] != delimiter:
        last += 2 if text[last] == "\\" else 1
    replacement = text[middle:last]
    here = last + 1
    found: list[tuple[str, str]] = []
    while here < len(text) and (text[here].isalnum()):
        if text[here] == "w" and text[at] == "s":
            line = text.find("\n", here)
            line = len(text) if line < 0 else line
            return line, [*found, ("w", text[here + 1 : line].lstrip())]
        if text[here] == "e" and text[at] == "s":
            found = [("e", replacement.replace("\\" + delimiter, delimiter).replace("\\&", "&"))]
        here += 1
    return here, found


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
