"""Files that a script writes and a program then takes its orders from, unasked or because it is told to.

``printf 'x:\\n    git push\\n' > justfile; just x`` runs ``git push``. What such a file says is evidence for
restricting: program text is read as that; of other text, each part of a line that may be a command counts as one.
"""

from __future__ import annotations

from execpolicy.flow.look_ups import path_key
from execpolicy.flow.streams import written_texts
from execpolicy.flow.tokens import tokens
from execpolicy.programs.files.made_files import called_anywhere, is_called
from execpolicy.programs.files.recipes import beyond, in_windows, included, orders
from execpolicy.programs.files.source_files import SHELL, language_of, source_patterns
from execpolicy.programs.inner import run_text
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.text_runs import shown_texts
from execpolicy.programs.too_long import too_long
from execpolicy.shell.limits import COMMAND, READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.inner_scripts import Carried
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_MOST_TEXTS = 32
"""Texts that are read part by part."""


def obeyed_files(command: Command, facts: Facts, name: str, record: Program, carried: Carried) -> Iterator[Inner]:
    """What the files say that ``command`` obeys, as far as the script itself shows them.

    Args:
        carried: says what a program runs, for the shells that write such files.
    """
    patterns = record.obeys.split()
    shown: list[tuple[str, str]] = []
    if "named" in patterns:
        assigned = [one.value for one in command.assignments if one.value is not None]
        for word in (*command.words[1:], *assigned):
            shown += [(path_key(word), text) for text in shown_texts(word, command, facts)]
            # a script that moves writes it by another path than it names it by
            patterns += [path.rpartition("/")[2] for path in _paths(word, facts)]
    patterns += [base for pattern in patterns for base in _within_folder(pattern, facts.outermost)]
    own_patterns = tuple(dict.fromkeys(patterns))
    for called in (own_patterns, source_patterns(record.sources)):
        shown += facts.outermost.once(_written, called, carried)
    texts_read = "\n".join([text for _, text in shown])
    if not facts.budget.spend(len(shown) + len(texts_read)):
        return
    shown += facts.outermost.once(_written, included(texts_read), carried)
    texts = list(dict.fromkeys(shown))
    yield from too_long(name, command, facts, [text for _, text in texts[_MOST_TEXTS:]])
    said: set[str] = set()
    for path, text in texts[:_MOST_TEXTS]:
        language = language_of(path)
        told = any(is_called(path, pattern) for pattern in own_patterns)
        if language == SHELL:
            if not facts.budget.spend(COMMAND + READ * len(text)):
                return
            yield run_text(name, command, text, shell="bash", evidence=True)
            text = text if told else ""
        elif language is not None:
            if not facts.budget.spend(COMMAND + 4 * READ * len(text)):
                return
            yield from code_commands(name, command, text, language)
            said_there = [part.partition("\n")[0] for part in text.split("//go:generate ")[1:]]
            if told:  # its recipes, in a language of programs
                said_there += in_windows([token.value for token in tokens(text, language) if token.kind == "text"])
            text = "\n".join(said_there)
        if text:
            if not facts.budget.spend(READ * len(text)):
                return
            yield from too_long(name, command, facts, [beyond(text)])
            for order in facts.outermost.once(_orders, text):
                if order in said:
                    continue
                said.add(order)
                if not facts.budget.spend(COMMAND + READ * len(order)):
                    return
                yield run_text(name, command, order, evidence=True)


def _written(outermost: Facts, patterns: tuple[str, ...], carried: Carried) -> list[tuple[str, str]]:
    """The files that any script writes which are called like one of ``patterns``, each with what it writes there."""
    found = called_anywhere(outermost, carried, patterns)
    return [(path, text) for each, (path, key) in found for text in written_texts(key, each)]


def _orders(facts: Facts, text: str) -> list[str]:
    return orders(text)


def _within_folder(pattern: str, facts: Facts) -> list[str]:
    """``rules`` for ``debian/rules``, where the script may go there first: ``cd debian && echo x > rules``."""
    folder, _, base = pattern.rpartition("/")
    return [base] if folder and facts.mentions("cd") and facts.mentions(folder.rpartition("/")[2]) else []


def _paths(word: Word, facts: Facts) -> Iterator[str]:
    """The files that a word may name: itself, or in an option."""
    for text in [word.literal] if word.literal is not None else [" ".join(value) for value in facts.values(word)]:
        yield text
        yield from _values(text)


def _values(text: str) -> Iterator[str]:
    """The file in ``--file=FILE``, ``-fFILE``, ``@FILE`` and ``.read FILE``."""
    if text[:2] == "--":
        yield text.partition("=")[2]
    elif text[:1] in ("-", "@"):
        yield text[2 if text[:1] == "-" else 1 :]
    elif " " in text:
        yield text.rpartition(" ")[2]
