"""A file whose name is only known at run time, as one of those that the script itself writes: ``for f in *; do . $f``.

A loop, a pattern or a list that is read chooses it. It is evidence for restricting.
"""

from __future__ import annotations

from itertools import pairwise

from execpolicy.core.text import glob_matches
from execpolicy.flow.look_ups import plain_path
from execpolicy.flow.streams import fillers, output_texts, written_texts
from execpolicy.programs.files.made_files import files_made
from execpolicy.shell.limits import COMMAND, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word


def texts_of_some_file(word: Word, command: Command, facts: Facts) -> list[str]:
    """What the script writes to the files that ``word`` of ``command`` may name, if the script itself chooses one."""
    if word.literal is not None or not _is_chosen(word, facts) or not facts.budget.spend(COMMAND):
        return []
    # what `find .` finds; whatever folder a variable stands for
    prefix = "" if word.prefix == "." or "/" in word.ending else word.prefix
    pattern = word.pattern if word.kind == "glob" and word.pattern else _escaped(prefix) + "*" + word.ending
    found = tuple(_found_by_name(command, facts))
    texts: list[str] = []
    for path, key in facts.once(files_made):
        if not facts.budget.spend(STEP):
            break
        if not glob_matches("*" + pattern.removeprefix("./"), "/" + plain_path(path)):
            continue
        if not found or any(glob_matches("*/" + one, "/" + plain_path(path)) for one in found):
            texts += written_texts(key, facts)
    return list(dict.fromkeys(texts + _texts_of_outputs(word, facts)))


def _found_by_name(command: Command, facts: Facts) -> Iterator[str]:
    """The patterns by which the ``find`` chooses that runs ``command`` for each file."""
    for around in facts.script.commands if facts.budget.spend(COMMAND) else ():
        if around.span == command.span:
            for before, word in pairwise(around.words):
                if before.literal in ("-name", "-iname") and word.literal:
                    yield word.literal


def _texts_of_outputs(word: Word, facts: Facts) -> list[str]:
    """The same for ``x==(print rm); . $x`` of zsh, and for ``x=<(…)``."""
    names = {piece.name for piece in word.pieces if piece.kind == "variable"}
    given = [one for command in facts.script.commands for one in command.assignments if one.name in names]
    printing = [one.value.inner for one in given if one.value is not None and one.value.inner]
    return [text for inner in printing for text in output_texts(inner, facts)[0]]


def _is_chosen(word: Word, facts: Facts) -> bool:
    """Whether a pattern, a substitution, a loop or something that is read says which file it is."""
    if word.kind == "glob" or word.inner or "/" in word.ending.rstrip("/"):
        return True
    names = [piece.name for piece in word.pieces if piece.kind == "variable"]
    return not names or any(facts.mentions(f"for {name} ") or fillers(facts, name) for name in names)


def _escaped(prefix: str) -> str:
    return "".join([f"[{letter}]" if letter in "*?[" else letter for letter in prefix])
