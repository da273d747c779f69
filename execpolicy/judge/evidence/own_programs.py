"""Programs that a script writes itself and then runs by a name that no path says: ``npx q``, ``git p``, ``PATH=. e``.

Where a program is found depends on folders and variables that are not followed. A file that the script writes counts
as the program of its name, wherever it stands. It is evidence for restricting.
"""

from __future__ import annotations

from execpolicy.core.text import glob_matches, names
from execpolicy.flow.streams import written_texts
from execpolicy.programs.carried import carried
from execpolicy.programs.files.made_files import called_anywhere
from execpolicy.programs.inner import run_text
from execpolicy.programs.too_long import too_long
from execpolicy.shell.limits import COMMAND, READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_FINDING = names("wrapper:find wrapper:xargs wrapper:fd wrapper:fdfind wrapper:parallel")
"""What runs a command for each name that it finds or is given."""
_STARTING = names("npx pnpx bunx npm pnpm yarn yarnpkg bun")
"""What runs the programs that a project installs."""
_MOST = 32
"""Texts that are read whole."""


def own_programs(command: Command, facts: Facts) -> Iterator[Inner]:
    """What ``command`` runs of the files that the script writes, if something in the script may make them programs."""
    patterns = tuple(called_as(command, facts))
    name = command.words[0].literal or command.words[0].written
    found: dict[Facts, list[str]] = {}
    for each, (_, key) in called_anywhere(facts.outermost, carried, patterns):
        found.setdefault(each, []).append(key)
    for each, keys in found.items():
        texts = list(dict.fromkeys([text for key in keys for text in written_texts(key, each)]))
        yield from too_long(name, command, facts, texts[_MOST:])
        for text in texts[:_MOST]:
            if facts.budget.spend(COMMAND + READ * len(text)):
                yield run_text(name, command, text, shell="bash", evidence=True)


def called_as(command: Command, facts: Facts) -> dict[str, int]:
    """The patterns for the names of files that ``command`` may run, each with the index of the word that says it.

    Empty where a path says which file it is.
    """
    first = command.words[0]
    if first.literal is None:
        found = not _FINDING.isdisjoint(command.context) and (first.alone is None or first.alone.kind != "variable")
        found = found and (first.kind == "glob" or not _chooses_by_name(command, facts))
        return {_name_of(first.pattern or ""): 0} if found else {}
    if "/" in first.literal:
        return {}
    found_by = {first.literal: 0}
    if first.literal == "git" or first.literal in _STARTING:
        front = "git-" if first.literal == "git" else ""
        found_by |= {front + word.literal: at for at, word in enumerate(command.words[1:], 1) if word.literal}
    return found_by


def _chooses_by_name(command: Command, facts: Facts) -> bool:
    """Whether ``command`` is run by a ``find`` that says what is called how: then it stands there under that name."""
    around = (
        [each for each in facts.script.commands if each.span == command.span] if facts.budget.spend(COMMAND) else []
    )
    return any(word.literal in ("-name", "-iname") for each in around for word in each.words)


def _name_of(pattern: str) -> str:
    """The pattern for the names that a word may be; any where it says nothing."""
    name = pattern.rpartition("/")[2]
    return name if name and not glob_matches(name, "{}") else "*"
