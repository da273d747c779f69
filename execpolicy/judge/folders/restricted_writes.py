"""Blocks a command from writing a file, wherever it may run and however it names the file: write rules that ask or
forbid, and that agents or tools obey it.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.judge.folders.repository_around import why_guarded
from execpolicy.judge.verdict import DangerMatch, WriteMatch
from execpolicy.programs.perhaps_written import perhaps_written
from execpolicy.programs.written_files import written_files
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.script import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.core.path_rules import WriteRule
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
                    return f"it writes `{path}`, which lies outside the project"
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
