"""Files that a script writes and a program then takes its orders from, unasked or because it is told to.

``printf 'x:\\n    git push\\n' > justfile; just x`` runs ``git push``. What such a file says is evidence for
restricting: program text is read as that; of other text, each part of a line that may be a command counts as one.
"""

from __future__ import annotations

from execpolicy.core.text import glob_matches
from execpolicy.flow.look_ups import LookUps, path_key, plain_path
from execpolicy.flow.streams import written_texts
from execpolicy.programs.inner import run_text
from execpolicy.programs.inner_scripts import with_inner_scripts
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.source_files import SHELL, language_of, source_patterns
from execpolicy.programs.text_runs import shown_texts
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

COMMENTS = ("# ", "// ", "-- ", "; ", "<!--")
_FRONT = "@+-!*%^:=,$&.;> \t"
"""What may stand in front of a command in a line."""
_BREAKING = str.maketrans(dict.fromkeys("<>{}[]()`\"'|", "\n"))
_MOST_FILES = 16
_LONGEST_NAME = 256
_MOST_LINES = 400
_MOST_SUFFIXES = 6
"""Words of a part of a line at which a command may begin: ``run git push``."""


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
    patterns += source_patterns(record.sources)
    for each in facts.outermost.once(with_inner_scripts, carried):
        written = files_called(each, tuple(dict.fromkeys(patterns)))
        shown += [(path, text) for path, key in written[:_MOST_FILES] for text in written_texts(key, each)]
    said: set[str] = set()
    own = tuple({path for path, _ in shown})
    for path, text in dict.fromkeys(shown):
        language = language_of(path)
        if language == SHELL:
            if not facts.budget.spend(COMMAND + READ * len(text)):
                return
            yield run_text(name, command, text, shell="bash", evidence=True)
        elif language is not None:
            if not facts.budget.spend(COMMAND + 4 * READ * len(text)):
                return
            yield from code_commands(name, command, text, language)
            text = "\n".join([part.partition("\n")[0] for part in text.split("//go:generate ")[1:]])
        if text:
            for order in orders(text):
                if order in said or order.startswith(own):  # it would run itself without end
                    continue
                said.add(order)
                if not facts.budget.spend(COMMAND + READ * len(order)):
                    return
                yield run_text(name, command, order, evidence=True)


def _within_folder(pattern: str, facts: Facts) -> list[str]:
    """``rules`` for ``debian/rules``, where the script may go there first: ``cd debian && echo x > rules``."""
    folder, _, base = pattern.rpartition("/")
    return [base] if folder and facts.mentions("cd") and facts.mentions(folder.rpartition("/")[2]) else []


def files_made(facts: Facts) -> tuple[tuple[str, str], ...]:
    """The paths of the files that a script writes, each with what it is known by (``$f``)."""
    look_ups = facts.once(LookUps)
    found = [(path, path) for path in (*look_ups.writers, *look_ups.copies, *look_ups.shown_copies, *look_ups.edited)]
    found += [(path, path) for text, _ in look_ups.texts[:_MOST_FILES] for path in _named_in(text)]
    for key, writers in look_ups.writers.items():
        if key.startswith("\0"):
            targets = [redirect.target for _, redirect in writers if redirect is not None]
            found += [(path, key) for target in targets[:_MOST_FILES] for path in _values_of(target, facts)]
    return tuple(dict.fromkeys(found))


def files_called(facts: Facts, patterns: tuple[str, ...]) -> list[tuple[str, str]]:
    """Those of the files that a script writes which are called like one of ``patterns``: the path, and its key."""
    return facts.once(_called, patterns)


def _called(facts: Facts, patterns: tuple[str, ...]) -> list[tuple[str, str]]:
    return [file for file in facts.once(files_made) if any(_is_called(file[0], pattern) for pattern in patterns)]


def _named_in(text: str) -> list[str]:
    """The constants of a program text that may be names: ``open("justfile", "w")``."""
    quoted = [part for quote in ('"', "'") for part in text.split(quote)[1::2]]
    return [part for part in quoted if 0 < len(part) < _LONGEST_NAME and not any(map(str.isspace, part))]


def _values_of(word: Word, facts: Facts) -> list[str]:
    return [" ".join(value) for value in facts.values(word)]


def _is_called(path: str, pattern: str) -> bool:
    if pattern[:2] == "*." and "*" not in pattern[1:]:
        return path.endswith(pattern[1:])
    return bool(pattern) and glob_matches("*/" + pattern, "/" + plain_path(path))


def _paths(word: Word, facts: Facts) -> Iterator[str]:
    """The files that a word may name: itself, or in an option."""
    for text in [word.literal] if word.literal is not None else _values_of(word, facts):
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


def orders(text: str) -> list[str]:
    """What may be commands in the text of a file of settings or recipes."""
    found: dict[str, None] = {}
    listed: list[str] = []
    for line in text.replace("\\\n", " ").split("\n")[:_MOST_LINES]:
        stripped = line.strip()
        if stripped.startswith(COMMENTS):
            continue
        listed = [*listed, stripped[2:].strip("\"'")] if stripped.startswith("- ") else []
        found.update(dict.fromkeys([stripped.lstrip(_FRONT), " ".join(listed)]))
        quoted = [part for quote in ('"', "'") for part in stripped.split(quote)[1::2]]
        found.update(dict.fromkeys([" ".join(quoted), *quoted]))
        for part in stripped.translate(_BREAKING).split("\n"):
            words = part.split()
            starts = range(min(len(words), _MOST_SUFFIXES))
            found.update(dict.fromkeys([" ".join(words[at:]).lstrip(_FRONT) for at in starts]))
            if "," in part:  # [git, push]
                found[" ".join(part.replace(",", " ").split())] = None
            found.update(dict.fromkeys([behind.strip() for mark in "=:" for behind in part.partition(mark)[2:]]))
    return [order for order in found if order.strip()]
