"""Programs that run a command elsewhere: in an environment, a container, on another machine, as another user, later."""

from __future__ import annotations

import json
from _collections_abc import Iterator
from itertools import islice, pairwise

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.flow.filled import word_texts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.inner import Inner, run_argv, run_command, run_text, run_unknown
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.meaning.command_readings import command_readings
from execpolicy.programs.meaning.operand_kinds import names_of
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.programs.text_runs import fed_lines, run_file, run_stdin, run_word, shown_texts
from execpolicy.programs.wrapped import wrapped
from execpolicy.shell.script import Command, replace


def nix(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Yields what an expression has run: ``nix build --expr TEXT``."""
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word.literal in ("--expr", "-E"):
            for text in word_texts(words[at + 1], facts):
                for inner in code_commands(name, command, text, "c"):
                    yield replace(inner, transparent=False, evidence=True)


def by_name(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``yarn SCRIPT`` and ``pnpm PROGRAM``: what is no command of their own is one of the project, or a program."""
    words = command.words
    if len(words) > 2 and words[1].literal == "node":
        yield run_command(name, command, words[1:], evidence=True)
    if len(words) > 1 and words[1].literal is not None and words[1].literal not in _OWN_COMMANDS:
        yield run_command(name, command, words[1:], evidence=True)


def shell_mode(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pnpm exec -c TEXT``: with that option what follows is shell text; a setting may say so, too."""
    yield from by_name(command, facts, name, record)
    said = [word.literal for word in command.words]
    at = said.index("exec") + 1 if "exec" in said else 1 if None in said else len(said)
    if any(word is None or _is_shell_mode(word) for word in said[1:]):
        for word in command.words[at:]:
            yield from run_word(name, command, facts, word)
    else:
        for text in said[at:]:
            if text is not None and len(text.split()) > 1:
                yield run_text(name, command, text, evidence=True)


def _is_shell_mode(word: str) -> bool:
    """True if ``word`` is ``-c``, in a cluster too, or ``--shell-mode``, cut short or not."""
    name = word.partition("=")[0]
    if name[:2] == "--":
        return "--shell-mode".startswith(name) and len(name) > 3
    return name[:1] == "-" and "c" in name


_OWN_COMMANDS = word_set(
    "add audit autoclean bin cache check config constraints create dedupe deploy dlx doctor env exec explain fetch "
    "generate-lock-entry global help i import info init install install-test it licenses link list login logout ls "
    "node node-gyp npm outdated owner pack patch patch-commit plugin policies prune publish rb rebuild recursive "
    "remove restart rm root run search self-update server set setup start stop store tag team test t unlink "
    "unplug un uninstall up update upgrade upgrade-interactive version versions why workspace workspaces"
)


def gh(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``gh alias set NAME TEXT``, where ``TEXT`` is for a shell, or a command line of gh without its name; and what git
    gets of ``gh repo clone NAME -- OPTION…``.
    """
    texts = [word.literal or "" for word in command.words[1:]]
    if texts[:2] == ["config", "set"] and len(texts) > 3 and texts[2] in ("pager", "editor", "browser"):
        return [run_text(name, command, texts[3], evidence=True)]
    if texts[:1] == ["repo"] and "--" in texts and not {"clone", "fork"}.isdisjoint(texts[:3]):
        return [run_argv(name, command, ["git", "clone", *texts[texts.index("--") + 1 :]], evidence=True)]
    if "alias" not in texts or "set" not in texts:
        return []
    shell = "-s" in texts or "--shell" in texts
    return [
        run_text(name, command, text.removeprefix("!"))
        if shell or text.startswith("!")
        else run_text(name, command, f"gh {text}", evidence=True)
        for text in texts[2:]
        if shell or text[:1] != "-"
    ]


def post_rendered(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``helm … --post-renderer PROGRAM --post-renderer-args ARGUMENT``, once for each argument."""
    given: dict[str, list[str]] = {"--post-renderer": [], "--post-renderer-args": []}
    words = command.words
    for at, word in enumerate(words[1:], 1):
        option, equals, value = (word.literal or "").partition("=")
        if option in given:
            given[option].append(value if equals else words[at + 1].literal or "" if at + 1 < len(words) else "")
    for program in given["--post-renderer"]:
        yield run_argv(name, command, [*program.split(), *given["--post-renderer-args"]], evidence=True)


def image(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``terraform destroy`` of ``docker run hashicorp/terraform destroy``: an image may run the program of its name."""
    grammar, words = grammar_of(name), command.words
    texts = [word if word.literal is None else word.literal for word in words[1:]]
    for reading in islice(command_readings(grammar, texts), 1) if grammar is not None else ():
        line = grammar.line(reading.path) if grammar is not None else None
        operands = [each for each in reading.given if not each.is_option][len(reading.path) :]
        if line is not None and line.fixed[:1] == ["image"] and operands and isinstance(operands[0].name, str):
            program = names_of("image", operands[0].name)[-1].rpartition("/")[2].partition(":")[0]
            if record_of(program) is not None:
                yield run_argv(name, command, [program], words[operands[0].at + 2 :], evidence=True)


def pod(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``kubectl run --overrides JSON``, and ``config set-credentials --exec-command PROGRAM --exec-arg ARGUMENT``."""
    program: list[str] = []
    arguments: list[str] = []
    for before, word in pairwise(command.words):
        option, equals, value = (word.literal or "").partition("=")
        if not equals or option[:1] != "-":
            option, value = before.literal or "", word.literal or ""
        if option == "--exec-command":
            program = [value]
        elif option == "--exec-arg":
            arguments += value.split(",")
        elif option in ("--overrides", "--patch", "-p"):
            yield from [run_argv(name, command, argv, evidence=True) for argv in _argvs_in(value)]
    if program:
        yield run_argv(name, command, [*program, *arguments], evidence=True)


def _argvs_in(text: str) -> Iterator[list[str]]:
    """Yields what containers run by the JSON ``text``: the lists of words in it, and a ``command`` with its
    ``args``.
    """
    try:
        waiting: list[object] = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
            value = [word for key in ("command", "args") for word in value.get(key) or ()]
        elif isinstance(value, list):
            waiting += value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            yield value


def switch_user(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``su USER SCRIPT WORD…``: what is not given with ``-c`` goes to the user's shell."""
    for inner in wrapped(name, record.wraps[0], "", command, facts):
        if inner.command is not None and inner.words[0].literal != "sh":
            yield run_argv(name, command, ["sh"], inner.words)


def capability_shell(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``capsh … -- ARGUMENT…``: the arguments of a bash, or of the program that ``--shell`` names."""
    words = command.words
    shell = "bash"
    for at in range(1, len(words)):
        text = words[at].literal or ""
        if text.startswith("--shell="):
            shell = text[8:]
        elif text in ("--", "=="):
            return [run_argv(name, command, [shell], words[at + 1 :])]
    return []


_FIELDS = {"crontab": 5, "incrontab": 2}
"""Fields in front of the command, in a table of jobs."""


def at_job(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``at`` and ``batch``: a shell script on standard input, run later; ``crontab -`` likewise, behind five fields.

    Of ``incrontab`` they are two, a path and what happens to it.
    """
    texts = [word.literal or "" for word in command.words[1:]]
    if name in _FIELDS:
        shown = [text for word in command.words[1:] for text in shown_texts(word, command, facts)]
        if texts and not shown and not any(text in ("-", "/dev/stdin") for text in texts):
            return []
        lines = [line for text in shown for line in text.split("\n")] or fed_lines(command, facts)
        lines = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
        found = []
        for line in lines:
            fields = line.split(None, 1 if line.lstrip().startswith("@") else _FIELDS[name])
            found.append(run_text(name, command, fields[-1]))
        return found or [run_unknown(name, command, "installs jobs that are only known at run time")]
    if "-f" in texts[:-1]:
        return run_file(name, command, facts, command.words[texts.index("-f") + 2], "sh")
    if any(text in ("-l", "-r", "-d", "-c", "-V") for text in texts):
        return []
    return run_stdin(name, command, facts, "sh")


def removal(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``unlink FILE`` and ``shred -u FILE``: the same as ``rm``."""
    words = command.words
    texts = [word.literal or "" for word in words[1:]]
    if name == "shred" and not any(
        text.startswith(("--remove", "--rem")) or (text[:1] == "-" and text[1:2] != "-" and "u" in text)
        for text in texts
    ):
        return []
    operands = [word for word in words[1:] if word.literal is None or not word.literal.startswith("-")]
    return [run_argv(name, command, ["rm"], operands, stdin=False, evidence=True)]
