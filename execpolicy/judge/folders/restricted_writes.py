"""Blocks a command from writing a file, wherever it may run and however it names the file: write rules that ask or
forbid, and that agents or tools obey it.
"""

from __future__ import annotations

import os

from execpolicy.core.decision import Decision
from execpolicy.core.path_rules import reaches_below
from execpolicy.core.text import option_values
from execpolicy.judge.folders.repository_around import why_guarded
from execpolicy.judge.verdict import DangerMatch, ReadMatch, WriteMatch
from execpolicy.programs.builtin_effects import builtin_effects
from execpolicy.programs.names import base_name
from execpolicy.programs.written_files import files_of, perhaps_written, written_files
from execpolicy.safety.heuristics import READING_NOTHING
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.script import replace
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.core.path_rules import ReadRule, WriteRule
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.programs.written_files import WrittenFile
    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word


def restricted_writes(
    command: Command, facts: Facts, standing: Standing, rulebook: Rulebook, situation: Situation
) -> list[WriteMatch]:
    """The rules that ask about or forbid a file that ``command`` evidently writes, each once for a path.

    Its redirections, and what its program creates, changes or removes, in each folder where it may run.
    """
    rules = rulebook.writes.restricting
    found: dict[tuple[str, int], WriteMatch] = {}
    for file in written_files(command, facts):
        for name in names_of(file, standing):
            for path in situation.places_of(name):
                for rule in rules:
                    if rule.matches(path, root=situation.root, home=situation.home):
                        found[(path, id(rule))] = WriteMatch(path, rule)
                    elif file.below and rule.reaches_below(path, root=situation.root, home=situation.home):
                        found[(path, id(rule))] = WriteMatch(f"{path.rstrip('/')}/**", rule)
    return list(found.values())


def disasters(
    entries: Sequence[DangerousCommand], command: Command, facts: Facts, standing: Standing, situation: Situation
) -> list[DangerMatch]:
    """The ``entries`` that surely match ``command``, and those that match by the folder that a name begins with."""
    shown = " ".join([facts.script.shown(word) for word in command.words]) or "a redirection"
    found: list[DangerMatch] = []
    files = [
        (file, path)
        for file in (written_files(command, facts) if any(entry.files for entry in entries) else ())
        for name in names_of(replace(file, path=file.path or file.start.rpartition("/")[0] or file.start), standing)
        for path in situation.places_of(name)
    ]
    for entry in entries:
        if entry.files is None:
            found.append(DangerMatch(shown, entry))
            continue
        for file, path in files:
            if entry.files.matches(path, root=situation.root, home=situation.home):
                found.append(DangerMatch(shown, entry, possible=not file.sure or file.path is None))
                break
    return found


def unproven_write(
    command: Command, named: Sequence[Word], facts: Facts, standing: Standing, rulebook: Rulebook, situation: Situation
) -> str | None:
    """Returns why an allow rule, which contains the words ``named``, does not cover what ``command`` writes.

    The path is protected, lies outside the project, or is restricted by a write rule. ``None`` if it names no such
    path."""
    known = list(written_files(command, facts))
    files = [*known, *perhaps_written(command, facts, named)]
    if not files:
        return None
    from execpolicy.safety.protected import holds_protected, may_be_protected

    for word in command.words:
        if word.kind in ("glob", "mixed") and may_be_protected(word.pattern or word.shape):
            return f"it may write what `{word.written}` finds, and files that control agents need a person"
    rules = rulebook.writes.restricting
    roots = (situation.root, situation.cwd, *filter(None, [situation.home]))
    in_rule = {word.literal for word in named[1:]}
    for at, file in enumerate(files):
        if file.path is None and rules:
            return "it may write a file that it does not name, which a write rule may restrict"
        if not facts.budget.spend(COMMAND):
            return "it names more files than are judged"
        for name in names_of(replace(file, path=file.path or file.start), standing):
            for path in situation.places_of(name):
                why = why_guarded(path)
                if why is not None:
                    return f"it may write a file: {why}"
                named_file = at < len(known) and file.start and file.path not in in_rule
                if named_file and not situation.is_inside(path):
                    return f"it writes `{path}`, which is outside the project"
                if file.below and file.sure and file.path and holds_protected(path, roots):
                    return f"it may write anything in `{path}`, which holds files that control agents"
                for rule in rules:
                    exact = rule.matches(path, root=situation.root, home=situation.home)
                    if exact or (file.below and rule.reaches_below(path, root=situation.root, home=situation.home)):
                        return f"it may write `{path}`, and a write rule says that this {_gets(rule)}"
    return None


def _gets(rule: WriteRule) -> str:
    return "is forbidden" if rule.decision is Decision.FORBIDDEN else "needs approval"


def names_of(file: WrittenFile, standing: Standing) -> Iterator[str]:
    """Yields what the file may be called: itself or, if it is a folder, what is put there."""
    if not file.path:  # not known, or no file at all: `rm "$unset"`
        return
    for place in standing.joined(file.path) or (file.path,):
        yield place
        yield from [f"{place}/{name}" for name in file.names]


_SECRET = ".env"
"""A name that entries refuse where the program reads the file of that name."""
_HARMLESS = "x"


def restricted_reads(
    command: Command, facts: Facts, standing: Standing, rulebook: Rulebook, situation: Situation
) -> list[ReadMatch]:
    """The read rules that ask about or forbid a file that ``command`` reads, or may read, each once for a path."""
    rules = rulebook.reads.restricting
    found: dict[tuple[str, int], ReadMatch] = {}
    for redirect in command.redirects:
        if redirect.operator in ("<", "<>"):
            for match in _matches(redirect.target, 0, facts, standing, rules, situation):
                found[match.path, id(match.rule)] = match
    words = command.words
    if not words or base_name(words[0].literal or "") in READING_NOTHING or _moves(command, facts):
        return list(found.values())
    if _reads_here(command, facts, rulebook):
        for place in [place for folder in standing.folders for place in situation.places_of(folder)]:
            for rule in [rule for rule in rules if _holds(place, rule, situation)]:
                found[place, id(rule)] = ReadMatch(f"{place}/**", rule, possible=True)
    for at, word in enumerate(words[1:], 1):
        for start in option_values(word.literal) if word.literal is not None else (0,):
            for match in _matches(word, start, facts, standing, rules, situation):
                reads = reads_file(command, at, start, facts, rulebook)
                if reads is not False:
                    match.possible = match.possible or reads is None
                    found.setdefault((match.path, id(match.rule)), match)
    return list(found.values())


def _matches(
    word: Word, start: int, facts: Facts, standing: Standing, rules: Sequence[ReadRule], situation: Situation
) -> Iterator[ReadMatch]:
    """The matches of the files that ``word`` names from the character ``start`` on."""
    named = word if word.literal is None else Word(word.literal[start:], word.span)
    known = bool(facts.cases(named))  # it is each of several names in turn
    for file in files_of(named, facts):
        if file.path is None:  # only the run knows: it may be any file
            yield from [ReadMatch(rule.paths[0], rule, possible=True) for rule in rules]
            continue
        for path in [path for name in names_of(file, standing) for path in situation.places_of(name)]:
            for rule in rules:
                if rule.matches(path, root=situation.root, home=situation.home):
                    yield ReadMatch(path, rule, possible=not (file.sure or known))
                elif (file.below or os.path.isdir(path)) and _holds(path, rule, situation):
                    yield ReadMatch(f"{path.rstrip('/')}/**", rule, possible=True)


def _holds(folder: str, rule: ReadRule, situation: Situation) -> bool:
    """True if a file of ``rule`` may lie below ``folder``; one that a path without wildcards names must be there."""
    below = f"{folder.rstrip('/')}/"
    for glob in rule.globs(situation.root, situation.home):
        if set("*?[").isdisjoint(glob):
            if glob.startswith(below) and os.path.lexists(glob):
                return True
        elif reaches_below(glob, folder):
            return True
    return False


def without_allowed(command: Command, standing: Standing, rulebook: Rulebook, situation: Situation) -> Command:
    """``command`` with a harmless name for every file that an allow read rule covers and a literal word names."""
    words = list(command.words)
    for at, word in enumerate(command.words[1:], 1):
        for start in option_values(word.literal or ""):
            if word.literal is not None and may_read(word.literal[start:], standing, rulebook, situation):
                words[at] = Word(word.literal[:start] + _HARMLESS, word.span)
    return replace(command, words=tuple(words)) if words != list(command.words) else command


def may_read(name: str, standing: Standing, rulebook: Rulebook, situation: Situation) -> bool:
    """True if an allow read rule covers the file that ``name`` names, with its links followed, wherever it starts."""
    paths = [path for each in standing.joined(name) if name for path in situation.places_of(each)]
    return bool(paths) and all(
        any(rule.matches(path, root=situation.root, home=situation.home) for rule in rulebook.reads.allowing)
        for path in paths
    )


def _moves(command: Command, facts: Facts) -> bool:
    """True if the command changes the folder, whose name it does not read."""
    return any(effect.kind == "cd" for effect in builtin_effects(command, facts))


def _reads_here(command: Command, facts: Facts, rulebook: Rulebook) -> bool:
    """True if the program reads what lies below its working directory: it takes a folder to search, and none is given.

    Such a program accepts a harmless name as a further word, and refuses the home folder.
    """

    def accepts(name: str) -> bool:
        words = (*command.words, Word(name, command.span))
        return rulebook.heuristics.safety(replace(command, words=words), facts).verdict == "safe"

    given = any(reads_file(command, at, 0, facts, rulebook) for at in range(1, len(command.words)))
    return not given and not command.piped_from and accepts(_HARMLESS) and not accepts("~")


def reads_file(command: Command, at: int, start: int, facts: Facts, rulebook: Rulebook) -> bool | None:
    """True if the program reads the file that its word ``at`` names from ``start`` on; ``None`` if that is not known.

    An entry knows: it accepts a harmless name there, and refuses the name of a secret.
    """
    front = (command.words[at].literal or "")[:start]

    def accepts(name: str) -> bool:
        words = (*command.words[:at], Word(front + name, command.words[at].span), *command.words[at + 1 :])
        return rulebook.heuristics.safety(replace(command, words=words), facts).verdict == "safe"

    return not accepts(_SECRET) if accepts(_HARMLESS) else None
