"""Programs that run program text: where the text comes from, and what it does with its arguments and its input."""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.flow.facts import Facts
from execpolicy.flow.filled import texts_of, word_texts
from execpolicy.flow.streams import fed_texts
from execpolicy.programs.inner import Inner, run_command, run_text, run_unknown
from execpolicy.programs.options import option_table, walk
from execpolicy.programs.program_text import code_commands, running_calls
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import shown_texts, value_texts
from execpolicy.programs.tokens import Token, tokens
from execpolicy.shell.limits import COMMAND, READ
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word

_MODULES_OF_CODE = ("asyncio", "cProfile", "code", "IPython", "pdb", "profile", "timeit", "trace")
"""Modules that ``python -m`` hands program text to, in arguments or on standard input."""
_ARGUMENTS = ("argv", "ARGV", "arg[", "arg,", "shift", "@_", "$@", "commandArgs", "ARGS", "command-line")
"""How the languages name their arguments, as written in the text."""
_INPUT = (
    *("stdin", "STDIN", "$_", "gets", "input(", "readline", "<>", "$<", "ARGF", "getline", "readLines", "while"),
    "open(0)",
)
"""How they name their input, or a line of it."""
_EVALUATING = ("eval(", "exec(", "interact(", "run_path(", "runInThisContext(", "load(")
"""Functions that evaluate other text, which may be the input."""
_SHELLS = ("sh", "bash", "/bin/sh", "/bin/bash", "-c", "dash", "zsh", "env")
_WITH_EVAL = frozenset(("deno", "crystal", "dotnet", "dotnet-script", "csharprepl", "csi"))
"""Programs of which a sub-command ``eval`` takes the text."""
MAX_LINES = 64
MAX_CODES = 16
"""Texts of code that are read whatever work is left."""
MAX_FIRST = 4
"""Places among arguments and fields where what is run may start."""


def interpreter(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Yields what the code given to an interpreter runs, as far as its string constants, arguments and input tell."""
    words = command.words
    way = walk(option_table(record.options), words, 1)
    codes: list[str] = []
    module = ""
    for seen in way.seen:
        if seen.kind == "!":
            codes += value_texts(seen, facts) or [""]
        elif record.language == "perl" and seen.name in ("-M", "-m", "-F") and ";" in (seen.value() or ""):
            codes.append(seen.value() or "")  # `use …;` is written around it
        elif seen.name == "-m" and seen.value() in _MODULES_OF_CODE:
            module = seen.value() or ""
            behind = words[seen.at + (1 if seen.glued is not None else 2) :]
            codes += [text for word in behind for text in word_texts(word, facts) if not text.startswith("-")]
    if name in _WITH_EVAL and any(word.literal == "eval" for word in words[1:3]):
        codes += [text for word in words[2:] for text in word_texts(word, facts)]
    if record.language == "lisp":  # bb '(shell "cmd")'
        codes += [text for word in words[1:] for text in word_texts(word, facts) if text.lstrip()[:1] == "("]
    start = way.starts[0] if way.starts else len(words)
    operands = words[start:]
    if not codes:
        first = operands[0] if operands else None
        dynamic = first is not None and first.literal is None and first.kind != "process"
        if first is None or first.literal == "-" or dynamic or name == "osascript" or module:
            codes += fed_texts(command, facts)[0]
        operands = operands[1:]
    # A text that the script itself wrote into a file, or hands over as one, is code wherever its name is.
    codes += [text for word in words[1:] for text in shown_texts(word, command, facts) if text not in codes]
    # `perl -ne 'exec'`: each line of the input is the argument that is not there
    lines = record.language in ("perl", "ruby") and any(seen.name in ("-n", "-p") for seen in way.seen)
    if any(mark in code for code in codes for mark in _EVALUATING):
        codes += [text for text in fed_texts(command, facts)[0] if text not in codes]
    for at, code in enumerate(dict.fromkeys(codes)):
        if at >= MAX_CODES and not facts.budget.spend(COMMAND + READ * len(code)):
            break
        if module == "IPython" or name.startswith("ipython"):
            lines_of_shell = [line.lstrip()[1:] for line in code.split("\n") if line.lstrip()[:1] == "!"]
            yield from [run_text(name, command, line) for line in lines_of_shell]
        if name.startswith("lua"):
            code = code.replace("[[", "'").replace("]]", "'")
        yield from code_commands(name, command, code, record.language)
        yield from handed_on(name, command, facts, code, record.language, operands, lines=lines)


def handed_on(
    name: str, command: Command, facts: Facts, code: str, language: str, operands: Sequence[Word], *, lines: bool
) -> Iterator[Inner]:
    """Yields what ``code`` runs that is in its arguments or its input: ``exec @ARGV``, ``os.system(sys.argv[1])``.

    Args:
        lines: it is run for each line of its input.
    """
    arguments = any(mark in code for mark in _ARGUMENTS)
    lines = lines or any(mark in code for mark in _INPUT)
    if not (arguments or lines) or not _runs_unknown(tokens(code, language), language):
        return
    if arguments:
        if any(word.literal is None and not facts.cases(word) for word in operands):
            yield run_unknown(name, command, "its program text runs an argument that is only known at run time")
        for start in range(min(len(operands), MAX_FIRST)):
            rest = tuple(operands[start:])
            yield run_command(name, command, rest, stdin=False, evidence=True)
            for some in (rest, rest[:1]):
                exact, others = texts_of(some, facts)
                yield from [run_text(name, command, text, evidence=True) for text in others or [exact or ""]]
    if lines:
        texts, whole = fed_texts(command, facts)
        if not whole and (command.piped_from or command.redirects):
            yield run_unknown(name, command, "its program text runs what it reads")
        given = [line for text in texts for line in [text, *text.split("\n")]]
        for line in dict.fromkeys(given[:MAX_LINES]):
            fields = line.split(None, MAX_FIRST)
            for start in range(len(fields[:MAX_FIRST])):
                text = line.split(None, start)[-1] if start else line
                yield run_text(name, command, text, evidence=True)


def _runs_unknown(parts: list[Token], language: str) -> bool:
    """True if some call runs a command that no string constant names."""
    for at in running_calls(parts):
        if _is_unknown(parts[at + 1 : at + 12], language):
            return True
    for at, token in enumerate(parts):
        if token.kind == "run" and any(mark in token.value for mark in ("$", "#{", "@")):
            return True
        if language == "awk" and token.kind == "|" and at:
            behind = parts[at + 1] if at + 1 < len(parts) else None
            if behind is not None and (behind.kind == "text" or behind.value == "getline"):
                return True
    return False


def _is_unknown(behind: Sequence[Token], language: str) -> bool:
    """True if the first argument of a call that runs a command is something else than a string constant."""
    opened = False
    for token in behind:
        if token.kind == "text":
            inserted = language in ("perl", "ruby", "php") and any(mark in token.value for mark in ("$", "@", "#{"))
            if inserted or token.value == " ":
                return True
            if token.value not in _SHELLS:
                return False
            opened = True
        elif token.kind in ";)}\n" and len(token.kind) == 1:
            return opened or token.kind != ")" or language == "perl"
        elif token.kind in ("name", "run"):
            return True
    return True
