"""Shell text that a command is given as words, run: what it says, with the input that its shell passes on."""

from __future__ import annotations

from _collections_abc import Collection, Iterator, Sequence

from execpolicy.core import quoting
from execpolicy.flow.facts import Facts
from execpolicy.flow.filled import texts_of, with_variables, word_texts
from execpolicy.flow.streams import fed_texts, output_texts, texts_of_file
from execpolicy.programs.inner import UNKNOWN_INPUT, Inner, run_argv, run_text, run_unknown
from execpolicy.programs.options import GivenOption, every_option, option_table
from execpolicy.shell.limits import COMMAND, READ, STEP
from execpolicy.shell.script import Command, replace
from execpolicy.shell.words import Word
from execpolicy.shell.words import Word as Text

STDIN_PATHS = frozenset(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"])
UNKNOWN_TEXT = "runs shell text that is only known at run time"
_FEW = 32
"""Words that are joined whatever work is left."""


def run_joined(name: str, command: Command, facts: Facts, words: Sequence[Word], *, shell: str = "sh") -> list[Inner]:
    """Returns what running the words, joined with blanks, as shell text would run."""
    if not words:
        return []
    if len(words) > _FEW and not facts.budget.spend(STEP * len(words)):  # they may be read from each of them on
        return [run_unknown(name, command, UNKNOWN_INPUT)]
    exact, evidence = texts_of(words, facts)
    if exact is not None:
        found = [run_text(name, command, exact, shell=shell)]
        shown = with_variables(exact, facts)
        if shown is not None:
            found.append(run_text(name, command, shown, shell=shell, evidence=True))
        return with_input(found, command, facts)
    found = run_each(name, command, facts, evidence, shell, evidence=True)
    for text in evidence[:2]:
        shown = with_variables(text, facts)
        if shown is not None:
            found.append(run_text(name, command, shown, shell=shell, evidence=True))
    found.append(run_unknown(name, command, UNKNOWN_TEXT))
    return with_input(found, command, facts)


def run_each(
    name: str, command: Command, facts: Facts, texts: Sequence[str], shell: str, *, evidence: bool = False
) -> list[Inner]:
    """Returns what running each of ``texts`` would run, as far as there is work left for it."""
    return [
        run_text(name, command, text, shell=shell, evidence=evidence)
        for text in texts
        if text.strip() and facts.budget.spend(COMMAND + READ * len(text))
    ]


def run_word(name: str, command: Command, facts: Facts, word: Word, *, shell: str = "sh") -> list[Inner]:
    """Returns what running one word as shell text would run."""
    return run_joined(name, command, facts, (word,), shell=shell)


def with_input(found: list[Inner], command: Command, facts: Facts) -> list[Inner]:
    """Give the commands of an inner script the input that its shell passes on, when that is visible."""
    if command.body is None and not command.piped_from:
        return found

    texts, _ = fed_texts(command, facts)
    if not texts:
        return found
    body = Text(texts[0], command.span)
    result: list[Inner] = []
    for inner in found:
        if inner.script is not None:
            commands = [
                each if each.piped_from or each.body is not None else replace(each, body=body)
                for each in inner.script.commands
            ]
            inner = replace(inner, script=replace(inner.script, commands=tuple(commands)))
        result.append(inner)
    return result


def run_stdin(name: str, command: Command, facts: Facts, dialect: str) -> list[Inner]:
    """Returns what a shell that reads its script from standard input runs."""
    return _run_read(name, command, facts, fed_texts(command, facts), dialect)


def _run_read(name: str, command: Command, facts: Facts, read: tuple[list[str], bool], dialect: str) -> list[Inner]:
    """Returns what running a text that is read runs, as far as it can be seen."""
    texts, exact = read
    found = run_each(name, command, facts, texts, dialect)
    return found if exact else [*found, run_unknown(name, command, UNKNOWN_INPUT)]


def run_file(name: str, command: Command, facts: Facts, word: Word, dialect: str) -> list[Inner]:
    """Returns what ``bash FILE`` and ``source FILE`` run if the file is standard input or a substitution's output."""
    if word.literal in STDIN_PATHS:
        return run_stdin(name, command, facts, dialect)

    if word.kind == "process":
        return _run_read(name, command, facts, output_texts(word.inner, facts), dialect)
    return run_each(name, command, facts, texts_of_file(word, facts), dialect)


def option_value(
    name: str, seen: GivenOption, command: Command, facts: Facts, rest: Sequence[Word] = ()
) -> list[Inner]:
    """Returns what an option's value runs: shell text (``!``), or a command line that ``rest`` is appended to
    (``*``).
    """
    if seen.kind == "*":
        text = seen.value()
        if text is not None:
            return [run_argv(name, command, quoting.split(text) or [text], rest, stdin=False)]
    if seen.glued is not None:
        return [run_text(name, command, seen.glued)]
    return run_word(name, command, facts, seen.word) if seen.word is not None else []


def value_texts(seen: GivenOption, facts: Facts) -> list[str]:
    """The texts that an option's value may be, as far as they can be seen."""
    if seen.glued is not None:
        return [seen.glued]
    return word_texts(seen.word, facts) if seen.word is not None else []


def split_texts(name: str, seen: GivenOption, command: Command, facts: Facts, found: list[Inner]) -> list[str]:
    """The texts that an option's value may be; to ``found`` is added that there may be others."""
    if seen.value() is None:
        found.append(run_unknown(name, command, UNKNOWN_INPUT))
    return value_texts(seen, facts)


def shown_texts(word: Word, command: Command, facts: Facts) -> list[str]:
    """Returns what is visibly in the file that ``word`` names: standard input, a process's output, or what the
    script wrote.
    """
    if word.literal in STDIN_PATHS:
        return fed_texts(command, facts)[0]
    if word.kind == "process":
        return output_texts(word.inner, facts)[0]
    return texts_of_file(word, facts)


def option_file_texts(seen: GivenOption, command: Command, facts: Facts) -> list[str]:
    """The same for the file that an option's value names, ``-a f`` and ``-a <(…)``."""
    if seen.glued is not None:
        return shown_texts(Text(seen.glued, command.span), command, facts)
    return shown_texts(seen.word, command, facts) if seen.word is not None else []


def glued_file_texts(words: Sequence[Word], starts: tuple[str, ...], facts: Facts) -> list[str]:
    """Returns what is in the files of ``--file=<(…)``, words that begin with one of ``starts``."""
    made = [word.inner for word in words if word.literal is None and word.inner and word.prefix.startswith(starts)]
    return [text for inner in made for text in output_texts(inner, facts)[0]]


def commands_of(command: Command, facts: Facts, options: str, names: Collection[str], *, plus: bool) -> Iterator[str]:
    """Texts of command options, and of ``+cmd`` words."""
    words = command.words
    for seen in every_option(option_table(options), words, 1).seen:
        if seen.name in names:
            yield from value_texts(seen, facts)
    if plus:
        for word in words[1:]:
            text = word.prefix
            if text.startswith("+"):
                yield text.lstrip("+")


_LATER = frozenset(["au", "autocmd", "com", "command", "map", "nmap", "noremap", "nnoremap"])
"""Commands of ``ex`` that run the rest of the line when something happens."""


_PROGRAMS = ("prg=", "mp=", "gp=", "ep=", "fp=", "kp=", "shell=", " sh=")
"""How settings of vim end that name a program, ``makeprg`` and its kin, and their short forms."""


def bang(name: str, command: Command, text: str) -> list[Inner]:
    """``!cmd``, ``r !cmd``, ``%w !cmd``, ``silent! !cmd``, ``terminal cmd``."""
    stripped = text.strip().lstrip(":").strip()
    if text[:2] == "~|":  # mail pipes what is written so far
        return [run_text(name, command, text[2:])]
    first, _, rest = stripped.partition(" ")
    if first in ("terminal", "term", "te") and rest.strip():
        return [run_text(name, command, rest.strip())]
    for setting in _PROGRAMS:
        front, marked, value = text.partition(setting)
        if marked:  # a bar ends the value, unless it is escaped; in a line for vim of what is edited a colon, too
            if "vim:" in front or "vi:" in front or "ex:" in front:
                value = value.partition(":")[0]
            said = value.replace("\\|", "\0").partition("|")[0].replace("\0", "|").replace("\\", "").strip("\"' ")
            return [run_text(name, command, said, evidence=True)]
    at = text.find("!")
    while 0 <= at < len(text) - 1:
        before = text[:at].strip().replace('"', "").replace("'", "").lstrip(":0123456789.,$%'<>+-*~ ")
        later = before.partition(" ")[0] in _LATER
        if later or not before or before.replace("!", "").replace(" ", "").isalpha():
            after = text[at + 1 :].strip()
            if after and not after.startswith("="):
                return [run_text(name, command, after.lstrip("!").strip("\"'"))]
        at = text.find("!", at + 1)
    return []


def fed_lines(command: Command, facts: Facts) -> list[str]:
    return [line for text in fed_texts(command, facts)[0] for line in text.split("\n") if line.strip()]
