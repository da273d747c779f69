"""Programs that build, package managers and archives.

Source for make: the GNU make 4.3 manual ("Options Summary", "Overriding Variables", "The shell Function", "Choosing the
Shell").
"""

from __future__ import annotations

from _collections_abc import Iterator, Sequence

from execpolicy.core.text import word_set
from execpolicy.flow.facts import Facts
from execpolicy.programs.catalog import record_of
from execpolicy.programs.inner import Inner, literal_words, run_argv, run_command, run_text, run_unknown
from execpolicy.programs.interpreted import interpreter
from execpolicy.programs.marked_texts import marked_texts
from execpolicy.programs.options import every_option, option_table, walk
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Program
from execpolicy.programs.run_by_options import run_by_options
from execpolicy.programs.text_runs import STDIN_PATHS, option_file_texts, run_joined, shown_texts, value_texts
from execpolicy.programs.written_files import options_of
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word

_FILES = ("-f", "--file", "--makefile")
_HARMLESS = (
    *("-C", "-I", "-j", "-l", "-o", "-W", "-O", "--directory=", "--include-dir=", "--jobs=", "--load-average="),
    *("--old-file=", "--what-if="),
)
"""Beginnings of words whose rest is only known at run time: options with a value that runs nothing."""
_COMMANDS = word_set(
    "AR AS CC CPP CTANGLE CWEAVE CXX FC LD LEX LINT MAKE MAKEINFO M2C PC RM TANGLE TEX WEAVE YACC INSTALL"
)
"""Variables that recipes use as programs."""
_SHELL_FUNCTIONS = ("$(shell ", "${shell ", "$(call shell,", "${call shell,")
_EVAL = ("$(eval ", "${eval ")
_MEANING = frozenset(";&|`$(\n")
"""Characters of which one is in a value that a shell takes for more than words."""


def make(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """Returns what the arguments of ``make`` make it run; what makefiles run is covered by the rule that allows
    ``make``.
    """
    words = command.words
    texts: list[str] = []
    unknown = False
    for seen in every_option(option_table(record.options), words, 1).seen:
        if seen.name in ("-E", "--eval"):
            texts += value_texts(seen, facts)
            unknown = unknown or seen.value() is None
        elif seen.name in _FILES:
            unknown = unknown or seen.value() in (None, *STDIN_PATHS)
    for word in words[1:]:
        if word.literal is None:
            harmless = word.prefix.startswith(_HARMLESS) or _is_job_count(word, facts)
            unknown = unknown or (word.may_start_with_dash() and not harmless)
    found = [run_text(name, command, line) for text in texts for line in recipes(text)]
    found += [run_text(name, command, text) for text in _variables(words[1:])]
    found += [run_text(name, command, text, evidence=True) for text in _values(words[1:])]
    if unknown:
        found.append(run_unknown(name, command, "it may get recipes, which are shell text, at run time"))
    return found


def _is_job_count(word: Word, facts: Facts) -> bool:
    """``-j$(nproc)``: a number, whatever is not quoted."""
    programs = [facts.script.commands[index].argv()[:1] for index in word.inner if index < len(facts.script.commands)]
    return word.beginning.startswith("-j") and bool(programs) and all(program == ("nproc",) for program in programs)


def _variables(words: Sequence[Word]) -> Iterator[str]:
    """Shell text in ``NAME=value`` arguments."""
    shell = flags = ""
    for word in words:
        text = word.literal
        if text is None or text.startswith("-") or "=" not in text:
            continue
        name, _, value = text.partition("=")
        if "!=" in text:  # also `A:=$(eval B!=cmd)`
            yield text.partition("!=")[2].rstrip(")}")
        elif name.rstrip(":?+") == "SHELL":
            shell = value
        elif name.rstrip(":?+") in _COMMANDS:
            yield value
        elif name.rstrip(":?+") == ".SHELLFLAGS":
            flags = value
        yield from _calls(text)
    if shell:
        yield shell
    if shell or flags:
        yield f"{shell or 'sh'} {flags}"


def _values(words: Sequence[Word]) -> Iterator[str]:
    """Yields what recipes hand to the shell, or evaluate, where they use the values of ``NAME=value`` arguments."""
    for word in words:
        value = (word.literal or "").partition("=")[2]
        if not _MEANING.isdisjoint(value):
            yield from [value.replace("$$", "$"), *recipes(value)]


def recipes(text: str) -> list[str]:
    """The shell text in a makefile: recipe lines, ``target: ; recipe``, ``$(shell …)`` and ``!=``."""
    found: list[str] = []
    prefix = "\t"
    shell = flags = ""
    for line in text.replace("\\\n", " ").split("\n"):
        name, _, value = line.partition("=")
        name, value = name.strip(" :?+"), value.strip()
        if name == ".RECIPEPREFIX":
            prefix = value[:1] or "\t"
        elif name == "SHELL":
            shell = value
        elif name == ".SHELLFLAGS":
            flags = value
        recipe = ""
        if line.startswith(prefix):
            recipe = line[len(prefix) :]
        elif ":" in line and ";" in line:
            recipe = line.partition(";")[2]
        elif "!=" in line:
            recipe = line.partition("!=")[2]
        recipe = recipe.strip().lstrip("@+-").strip()
        if recipe:
            found.append(recipe.replace("$$", "$"))
        found += _calls(line)
    return [*found, f"{shell or 'sh'} {flags}"] if shell or flags else found


def _calls(line: str) -> Iterator[str]:
    """Yields what ``$(shell …)`` in its spellings runs, and the makefile that ``$(eval …)`` is."""
    for opening in (*_SHELL_FUNCTIONS, *_EVAL):
        at = line.find(opening)
        while at >= 0:
            if opening[1] == "(":
                end = _closing(line, at + 1) - 1
            else:
                end = line.find("}", at)
                end = len(line) if end < 0 else end
            inside = line[at + len(opening) : end]
            yield from recipes(inside) if opening in _EVAL else (inside,)
            at = line.find(opening, end)


def _closing(raw: str, at: int) -> int:
    """The offset behind the parenthesis that closes the one at ``at``; quotes are not looked into."""
    depth = 0
    for here in range(at, len(raw)):
        depth += (raw[here] == "(") - (raw[here] == ")")
        if depth == 0:
            return here + 1
    return len(raw)


def cmake(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``cmake -E rm FILE`` and its like, the same as ``rm``."""
    words = command.words
    found: list[Inner] = []
    for word in words[1:]:
        for text in shown_texts(word, command, facts):
            called = [part.partition(")")[0] for part in text.split("COMMAND")[1:]]
            found += [run_text(name, command, part, evidence=True) for part in called]
    dashes = next((at for at, word in enumerate(words) if word.literal == "--"), 0)
    if dashes and any(word.literal == "--build" for word in words):
        behind = (*literal_words(["make"], command.span), *words[dashes + 1 :])
        found.append(run_command(name, command, behind, stdin=False, evidence=True))
    if len(words) > 3 and words[1].literal == "-E" and words[2].literal in ("rm", "remove", "remove_directory"):
        found.append(run_argv(name, command, ["rm"], words[3:], stdin=False))
    return found


def cargo(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``cargo watch -x SUBCOMMAND -s TEXT``."""
    words = command.words
    texts = [word.literal for word in words[1:]]
    watch = record_of("cargo-watch") if "watch" in texts else None
    if watch is not None:
        yield from run_by_options(command, facts, name, watch)
        dashes = next((at for at, text in enumerate(texts) if text == "--"), len(texts))
        yield from run_joined(name, command, facts, words[dashes + 2 :])


def maven(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``mvn exec:exec -Dexec.executable=PROGRAM -Dexec.args=TEXT``."""
    given = dict([(word.literal or "").removeprefix("-D").partition("=")[::2] for word in command.words[1:]])
    if "exec.executable" in given:
        yield run_text(name, command, f"{given['exec.executable']} {given.get('exec.args', '')}")


def behind_subcommand(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``mix run -e CODE`` and ``rails runner CODE``."""
    words = command.words
    if len(words) > 2 and words[1].literal in ("run", "eval", "runner", "r"):
        option = () if words[2].literal == "-e" else literal_words(["-e"], command.span)
        again = replace(command, words=(words[0], *option, *words[2:]))
        language = record_of("elixir" if name == "mix" else "ruby")
        if language is not None:
            yield from interpreter(again, facts, name, language)


def rpm(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Yields what the definitions of macros in its arguments may run."""
    yield from run_by_options(command, facts, name, record)
    for word in command.words[1:]:
        text = word.literal or ""
        macro, _, body = text.removeprefix("--define=").removeprefix("-D").partition(" ")
        if body and (macro.isidentifier() or macro.endswith("()")):  # -D '__spec_build_pre rm x'
            yield run_text(name, command, body, evidence=True)
        if "%{lua:" in text:
            yield from code_commands(name, command, text.partition("%{lua:")[2], "c")


def homebrew(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``brew sh -c TEXT`` and ``brew ruby -e CODE``."""
    if len(command.words) > 1 and command.words[1].literal in ("sh", "ruby", "irb"):
        yield run_command(name, command, command.words[1:])


def password_store(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``pass git ARGUMENT…``: git, in the folder of the passwords."""
    if len(command.words) > 1 and command.words[1].literal == "git":
        yield run_command(name, command, command.words[1:])


def flatpak(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``flatpak run --command=PROGRAM APP ARGUMENT…``: the arguments stand behind the app."""
    words = command.words
    run = next((at for at, word in enumerate(words) if word.literal == "run"), len(words))
    way = walk(option_table(record.options), words, run + 1)
    for seen in way.seen:
        for start in way.starts if seen.name == "--command" else ():
            for text in value_texts(seen, facts):
                yield run_argv(name, command, [text], words[start + 1 :])


_MOST_LINES = 400


def tar(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``tar cIf COMMAND FILE``: letters without a dash, whose values are the next words in their order.

    A list of files may hold options, too (``-T``).
    """
    for seen in every_option(options_of(record), command.words, 1).seen:
        if seen.name in ("-T", "--files-from"):
            yield from _listed(option_file_texts(seen, command, facts), command, facts, name, record)
        elif seen.at == 1 and seen.name in ("-F", "-I") and seen.value():
            yield run_text(name, command, seen.value() or "")


def _listed(texts: Sequence[str], command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Yields what the options run that stand in a list of files, one in a line."""
    for text in texts:
        said = literal_words([line.strip() for line in text.split("\n")[:_MOST_LINES]], command.span)
        told = replace(command, words=(*command.words[:1], *said), redirects=(), piped_from=(), body=None)
        yield from (*run_by_options(told, facts, name, record), *marked_texts(told, facts, name, record))
