"""Blocks a command from writing a file, wherever it may run and however it names the file: write rules that ask or
forbid, and that agents or tools obey it.
"""

from __future__ import annotations

import os

from execpolicy.core.decision import Decision
from execpolicy.core.path_rules import reaches_below
from execpolicy.core.text import option_values
from execpolicy.judge.command_verdict import DangerMatch, ReadMatch, WriteMatch
from execpolicy.judge.folders.repository_around import why_guarded
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
    from typing import Any

    from execpolicy.core.path_rules import ReadRule, WriteRule
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.folders.whereabouts import Whereabouts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.written_files import WrittenFile
    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.opinion import Opinion
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word


def restricted_writes(command: Command, where: Whereabouts) -> list[WriteMatch]:
    """The rules that ask about or forbid a file that ``command`` evidently writes, each once for a path.

    Its redirections, and what its program creates, changes or removes, in each folder where it may run.
    """
    found: dict[tuple[str, int], WriteMatch] = {}
    place = _roots(where.situation)
    for file in written_files(command, where.facts):
        for path in _paths(file, command, where):
            for rule in where.rulebook.writes.restricting:
                if rule.matches(path, **place):
                    found[(path, id(rule))] = WriteMatch(path, rule)
                elif file.below and rule.reaches_below(path, **place):
                    found[(path, id(rule))] = WriteMatch(f"{path.rstrip('/')}/**", rule)
    return list(found.values())


def disasters(entries: Sequence[DangerousCommand], command: Command, where: Whereabouts) -> list[DangerMatch]:
    """The dangerous ``entries`` that match ``command``: surely, or by the folder that a name begins with."""
    shown = " ".join([where.facts.script.shown(word) for word in command.words]) or "a redirection"
    found = [DangerMatch(shown, entry) for entry in entries if entry.files is None]
    naming = [(entry, entry.files) for entry in entries if entry.files is not None]
    files = [
        (file, path)
        for file in (written_files(command, where.facts) if naming else ())
        for path in _paths(replace(file, path=file.path or file.start.rpartition("/")[0] or file.start), command, where)
    ]
    for entry, globs in naming:
        for file, path in files:
            if globs.matches(path, **_roots(where.situation)):
                found.append(DangerMatch(shown, entry, possible=not file.sure or file.path is None))
                break
    return found


def unproven_write(command: Command, named: Sequence[Word], where: Whereabouts) -> str | None:
    """Returns why an allow rule, which contains the words ``named``, does not cover what ``command`` writes.

    The path is protected, lies outside the project, or is restricted by a write rule. ``None`` if it names no such
    path."""
    facts, situation = where.facts, where.situation
    known = list(written_files(command, facts))
    files = [*known, *perhaps_written(command, facts, named)]
    if not files:
        return None
    from execpolicy.safety.protected import holds_protected, may_be_protected

    for word in command.words:
        if word.kind in ("glob", "mixed") and may_be_protected(word.pattern or word.shape):
            return f"it may write what `{word.written}` finds, and files that control agents need a person"
    rules = where.rulebook.writes.restricting
    roots = (situation.root, situation.cwd, *filter(None, [situation.home]))
    in_rule = {word.literal for word in named[1:]}
    for at, file in enumerate(files):
        if file.path is None and rules:
            return "it may write a file that it does not name, which a write rule may restrict"
        if not facts.budget.spend(COMMAND):
            return "it names more files than are judged"
        for path in _paths(replace(file, path=file.path or file.start), command, where):
            why = why_guarded(path)
            if why is not None:
                return f"it may write a file: {why}"
            named_file = at < len(known) and file.start and file.path not in in_rule
            if named_file and not situation.is_inside(path):
                return f"it writes `{path}`, which is outside the project"
            if file.below and file.sure and file.path and holds_protected(path, roots):
                return f"it may write anything in `{path}`, which holds files that control agents"
            for rule in rules:
                place = _roots(situation)
                if rule.matches(path, **place) or (file.below and rule.reaches_below(path, **place)):
                    return f"it may write `{path}`, and a write rule says that this {_gets(rule)}"
    return None


def _gets(rule: WriteRule) -> str:
    return "is forbidden" if rule.decision is Decision.FORBIDDEN else "needs approval"


def _paths(file: WrittenFile, command: Command, where: Whereabouts) -> Iterator[str]:
    """Yields the absolute paths that ``file`` may have where ``command`` may run, and those of what is put there."""
    if not file.path:  # not known, or no file at all: `rm "$unset"`
        return
    for place in where.of(command).joined(file.path) or (file.path,):
        for name in (place, *[f"{place}/{name}" for name in file.names]):
            yield from where.situation.places_of(name)


def _roots(situation: Situation) -> dict[str, Any]:
    """The folders that the globs of a rule begin at."""
    return {"root": situation.root, "home": situation.home}


_SECRET = ".env"
"""A name that entries refuse where the program reads the file of that name."""
_HARMLESS = "x"


def restricted_reads(command: Command, where: Whereabouts) -> list[ReadMatch]:
    """The read rules that ask about or forbid a file that ``command`` reads, or may read, each once for a path."""
    facts, rulebook = where.facts, where.rulebook
    found: dict[tuple[str, int], ReadMatch] = {}
    for redirect in command.redirects:
        if redirect.operator in ("<", "<>"):
            for match in _matches(redirect.target, 0, command, where):
                found[match.path, id(match.rule)] = match
    words = command.words
    if not words or base_name(words[0].literal or "") in READING_NOTHING or _moves(command, facts):
        return list(found.values())
    if _reads_here(command, facts, rulebook):
        for place in [place for folder in where.of(command).folders for place in where.situation.places_of(folder)]:
            for rule in [rule for rule in rulebook.reads.restricting if _holds(place, rule, where.situation)]:
                found[place, id(rule)] = ReadMatch(f"{place}/**", rule, possible=True)
    for at, word in enumerate(words[1:], 1):
        for start in option_values(word.literal) if word.literal is not None else (0,):
            for match in _matches(word, start, command, where):
                reads = reads_file(command, at, start, facts, rulebook)
                if reads is not False:
                    match.possible = match.possible or reads is None
                    found.setdefault((match.path, id(match.rule)), match)
    return list(found.values())


def _matches(word: Word, start: int, command: Command, where: Whereabouts) -> Iterator[ReadMatch]:
    """The matches of the files that ``word`` names from the character ``start`` on."""
    situation, rules = where.situation, where.rulebook.reads.restricting
    named = word if word.literal is None else Word(word.literal[start:], word.span)
    known = bool(where.facts.cases(named))  # it is each of several names in turn
    for file in files_of(named, where.facts):
        if file.path is None:  # only the run knows: it may be any file
            yield from [ReadMatch(rule.paths[0], rule, possible=True) for rule in rules]
        for path in _paths(file, command, where):
            for rule in rules:
                if rule.matches(path, **_roots(situation)):
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


def with_allowed_reads(command: Command, own: Opinion, where: Whereabouts) -> tuple[Command, Opinion]:
    """``command`` with a harmless name for each file that a read rule lets it read, if it is safe then, and the opinion
    on it.
    """
    words = list(command.words)
    for at, word in enumerate(command.words[1:], 1):
        for start in option_values(word.literal or ""):
            if word.literal is not None and may_read(command, word.literal[start:], where):
                words[at] = Word(word.literal[:start] + _HARMLESS, word.span)
    if words == list(command.words):
        return command, own
    changed = replace(command, words=tuple(words))
    found = where.rulebook.heuristics.opinion(changed, where.facts)
    return (changed, found) if found.verdict == "safe" else (command, own)


def may_read(command: Command, name: str, where: Whereabouts) -> bool:
    """True if a read rule lets ``command`` read the file ``name``, with its links followed, wherever it starts."""
    allowing, situation = where.rulebook.reads.allowing, where.situation
    paths = [path for each in where.of(command).joined(name) if name for path in situation.places_of(each)]
    return bool(paths) and all(any(rule.matches(path, **_roots(situation)) for rule in allowing) for path in paths)


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
