"""Checks that named files lie where an entry accepts them: in the project, below a folder, or where a
write rule allows it to be written.
"""

from __future__ import annotations

import os
from glob import iglob
from itertools import islice

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_path
from execpolicy.flow.must import SPLITTING
from execpolicy.judge.file_write import HARMLESS_TARGETS, FileWrite
from execpolicy.judge.folders.git_state import has_branch, remotes
from execpolicy.judge.folders.repository_around import project_around, upwards
from execpolicy.programs.standing import standings
from execpolicy.safety.locations import PROJECT, is_below, is_in, joined
from execpolicy.safety.outputs import Undashed
from execpolicy.safety.protected import holds_protected, protected
from execpolicy.shell.script import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.safety.locations import Location
    from execpolicy.safety.opinion import Opinion
    from execpolicy.shell.words import Word

_MOST = 1_000
"""Files that a pattern finds and that are looked at."""


def misplaced(
    locations: Sequence[Location], starts: Sequence[str], situation: Situation, *, in_project: bool
) -> str | None:
    """Returns why a command does not lie where its entry accepts it, or ``None``.

    Args:
        starts: the folders that the command may start in; none if that is not known.
        in_project: it must start in the project.
    """
    places = [situation.places_of(start) for start in starts]
    if not places or not all(places):
        return "the folder that it starts in is not known"
    project = project_around(situation.cwd, situation.home)
    situation.looks += 1
    if project is None:
        if in_project or any(PROJECT in one.folders for one in locations):
            return f"`{situation.cwd}` is no project: it is the home folder or the root"
    elif in_project:
        inside = situation.places_of(project)
        for path in [path for paths in places for path in paths]:
            if not any(is_in(path, each) for each in inside):
                return f"it starts in `{path}`, outside of the project `{project}`"
    for one in locations:
        for start in places:
            if not _holds(one, start, project or "", situation):
                return f"`{one.text}` {one.wanted}"
            guarded = _guarded(one, start, project or "", situation)
            if guarded is not None:
                return guarded
    return None


def unwritable(
    locations: Sequence[Location], starts: Sequence[str], rulebook: Rulebook, situation: Situation
) -> FileWrite | str | None:
    """The first file that a command writes or deletes and that no write rule allows, or why that is not known.

    Args:
        starts: the folders that the command may start in; none if that is not known.
    """
    known = [situation.places_of(start) for start in starts]
    if not known or not all(known):
        return "the folder that it starts in is not known"
    folders = [path for paths in known for path in paths]
    roots = (situation.root, situation.cwd, *filter(None, [situation.home]))
    copies = any(one.effect in ("link", "move") for one in locations)  # then what they hold says what lies below
    for one in locations:
        for folder in folders:
            names = _found(one.text, folder) if one.found else [one.text]
            if names is None:
                return f"`{one.text}` finds more files than are looked at"
            for name in names:
                path = os.path.join(folder, name)
                if one.effect == "link":
                    why = _surprise(path, name, rulebook, situation)
                    if why is not None:
                        return why
                    continue
                for each in _written(path, one, folder):
                    unknown = one.below and not copies
                    write = FileWrite(each, rulebook, situation, one.effect, below=unknown)
                    if each not in HARMLESS_TARGETS and (write.restricting or write.problem is not None):
                        write.target = each.removeprefix(f"{folder}/")
                        return write
                    below = one.below or one.effect == "tree"
                    if below and any(holds_protected(place, roots) for place in write.paths):
                        return f"it may write anything in `{name}`, which holds files that control agents"
                    deleted = one.effect == "tree"
                    why = _surprise(each, name, rulebook, situation, deleted=deleted) if below else None
                    if why is not None:
                        return why
    return None


def _surprise(path: str, name: str, rulebook: Rulebook, situation: Situation, *, deleted: bool = False) -> str | None:
    """Returns why not all is known that ``path``, a file or a folder with all below it, may be written or deleted by.

    A link in it leads elsewhere, or a file in it controls agents. Of what is deleted, links are not followed, and two
    levels are looked at.
    """
    if not deleted and os.path.islink(path.rstrip("/")):
        return f"`{name}` is a link, and by its new name other files can be written"
    seen = 0
    for folder, folders, files in os.walk(path):
        for each in (*folders, *files):
            seen += 1
            below = f"{folder}/{each}"[len(path) :]
            if not deleted and os.path.islink(f"{folder}/{each}"):
                return f"`{name}{below}` is a link, by which other files can be written"
            copied = f"{situation.root}/\0{below}"
            left_out = not deleted and rulebook.writes.leave_out(copied, root=situation.root, home=situation.home)
            if left_out or protected(below) is not None:
                return f"`{name}{below}` controls agents or tools"
        if deleted and folder != path:
            folders.clear()
        if seen > _MOST and not deleted:
            return f"`{name}` holds more files than are looked at"
    return None


def _written(path: str, one: Location, start: str) -> list[str]:
    """The files that a command writes by the name ``path`` of ``one``, and those that its links would write later."""
    written = [path]
    if one.names and (os.path.isdir(path) or not os.path.lexists(path)):
        inside = [f"{path}/{name}" for name in one.names]
        written = inside if os.path.isdir(path) else [path, *inside]
    folders = dict.fromkeys([start, *[os.path.dirname(each) for each in written]])
    return written + [os.path.join(folder, link) for link in one.links for folder in folders]


def strays(folders: Sequence[str], situation: Situation) -> bool:
    """True if one of ``folders`` is outside the project, or none is known."""
    here = situation.cwd
    inside = {here, situation.root, project_around(here, situation.home) or here}
    known = [path for folder in inside for path in situation.places_of(folder)]
    found = [path for folder in folders for path in situation.places_of(folder)]
    return not found or not all(any(is_in(path, each) for each in known) for path in found)


def _guarded(one: Location, start: Sequence[str], project: str, situation: Situation) -> str | None:
    """Returns why a file of the project that ``one`` names needs a person: an agent or a tool obeys it."""
    names = (_found(one.text, start[0]) if one.found else () if one.installed or one.git else (one.text,)) or ()
    paths = [path for name in names for path in situation.places_of(joined(start[0], name))]
    return next(filter(None, [protected(path.removeprefix(project)) for path in paths]), None)


def _holds(one: Location, start: Sequence[str], project: str, situation: Situation) -> bool:
    """True if ``one`` is true of a command that starts in ``start``: a folder, and the same with its links followed."""
    if one.git:
        situation.looks += 1
        return has_branch(one.text, start[0]) if one.git == "branch" else one.text in remotes(start[0])
    if one.installed:
        return any(_is_installed(one.text, folder, start[0], project, situation) for folder in one.folders)
    if one.found:
        found = _found(one.text, start[0])
        return found is not None and all(_lies(name, one.folders, start, project, situation) for name in found)
    return _lies(one.text, one.folders, start, project, situation)


def _lies(name: str, folders: Sequence[str], start: Sequence[str], project: str, situation: Situation) -> bool:
    """True if ``name`` lies in one of ``folders`` as it is written and with its links followed.

    A link that means one of the folders leads out of it.
    """
    paths = situation.places_of(name if name[:1] == "/" else f"{start[0]}/{name}")
    inside = situation.places_of(project) if PROJECT in folders else ()
    below = [path for folder in folders if folder != PROJECT for path in _folder(folder, start, situation)]
    return bool(paths) and all(
        any(is_in(path, each) for each in inside) or any(is_below(path, each) for each in below) for path in paths
    )


def _folder(folder: str, start: Sequence[str], situation: Situation) -> Sequence[str]:
    return situation.places_of(folder) if folder[:1] == "/" else [joined(each, folder) for each in start]


def _found(pattern: str, start: str) -> list[str] | None:
    """The names that the shell may find by ``pattern``, hidden ones too; ``None`` if they are too many."""
    try:
        found = list(islice(iglob(pattern, root_dir=start, include_hidden=True), _MOST + 1))
    except OSError:
        return None
    return found + [pattern] if len(found) <= _MOST else None


def _is_installed(name: str, folder: str, start: str, project: str, situation: Situation) -> bool:
    """True if ``folder``, here or above up to the project, holds the program ``name``."""
    situation.looks += 1
    for here in upwards(start):
        if not is_in(here, project):
            return False
        if os.path.isfile(f"{here}/{folder}/{name}"):
            return True
    return False


def obeyed_file(names: Sequence[str], facts: Facts, rulebook: Rulebook, situation: Situation) -> str | None:
    """Returns why a program that starts in the situation's folder may obey a file of ``names``, ``None`` if there
    is none.

    It lies in that folder or above it; what lies in the home folder itself is the user's own. A folder that is not
    there may be one of another machine, of which nothing is known.
    """
    around = facts.outermost
    direct = around is facts or facts.script.text in [
        word.literal for command in around.script.commands for word in command.words
    ]
    alone = any(name[-2:] == ".*" for name in names)
    if not (direct and all(each.once(_only_reads, rulebook, alone) for each in (facts, around))):
        return f"it obeys `{names[0]}`, which something else in the script may write"
    starts = situation.places_of(".")
    if not starts or not os.path.isdir(starts[0]):
        return f"`{situation.cwd}` cannot be searched for `{names[0]}`, which it obeys"
    for start in starts:
        for folder in upwards(start):
            for name in names if folder != situation.home else ():
                if name[-2:] != ".*" and os.path.lexists(f"{folder}/{name}"):
                    return f"it obeys `{folder}/{name}`, which can name servers, files and programs"
            stems = {name[:-2] for name in names if name[-2:] == ".*"} if folder == start.rstrip("/") else ()
            for name in situation.names_in(folder) if stems else ():
                if name.partition(".")[0] in stems:
                    return f"it obeys `{folder}/{name}`, which is imported instead of the library's"
    return None


def _only_reads(facts: Facts, rulebook: Rulebook, alone: bool) -> bool:
    """True if no command of the script can write a file before another one begins.

    Args:
        alone: nor is there code of the project or work of git: these may write modules.
    """
    commands = facts.script.commands
    opinions = [rulebook.heuristics.opinion(each, facts) for each in (commands if len(commands) > 1 else ())]
    return _writes_nothing(facts) and all(_reads(each) and not (alone and each.in_project) for each in opinions)


def makes_no_files(facts: Facts, rulebook: Rulebook) -> bool:
    """True if each command of the script only reads, or would if its words were no options, which no rule allows."""
    if not _writes_nothing(facts):
        return False
    for each in facts.script.commands:
        found = rulebook.heuristics.opinion(each, facts)
        program = each.words[0].literal if each.words else None
        allowed = program is None or any(rule.decision is Decision.ALLOW for rule in rulebook.policy.rules_for(program))
        if not _reads(found) and (found.code != "dynamic" or allowed):
            return False
    return True


def _reads(opinion: Opinion) -> bool:
    return opinion.verdict == "safe" and not opinion.writes


def _writes_nothing(facts: Facts) -> bool:
    """True if no redirection of the script writes a file."""
    return not any(
        each.writes and each.target.literal not in HARMLESS_TARGETS
        for one in facts.script.commands
        for each in one.redirects
    )


def stays(facts: Facts, situation: Situation) -> bool:
    """True if every folder that the script changes to is the one it begins in: ``cd PROJECT && make``."""
    here = normalise_path(situation.places_of(".")[-1])
    shapes = {shape for standing in standings(facts) for shape in standing.folders or ("*",)}
    found = [situation.places_of(shape) if shape != "*" else () for shape in shapes]
    return all(places and normalise_path(places[-1]) == here for places in found)


def found_names(word: Word, folders: Sequence[str], situation: Situation) -> Word:
    """``word`` marked as names that are no options, if its pattern finds no other names in each of ``folders``.

    An unquoted value (``for f in docs/*; do cat $f; done``) must find nothing that the shell splits, either.
    """
    pattern = next((piece for piece in word.pieces if piece.kind == "glob"), None)
    if pattern is None and (word.kind != "glob" or word.prefix):
        return word
    front = "" if pattern is None or word.pieces[0] is pattern else word.pieces[0].text or "-"
    splits = pattern is not None and word.many
    if front.startswith("-") or (pattern is not None and splits and "/" in pattern.source):
        return word
    below, slash, _ = front.rpartition("/")
    names = [situation.names_in(f"{folder or '.'}/{below}" if below[:1] != "/" else below) for folder in folders]
    bad = "" if slash else "-"
    for name in [name for each in names for name in each or ("-x ",)]:
        if name[0] == bad or (splits and not SPLITTING.isdisjoint(name)):
            return word
    return Undashed(replace(word, prefix=front, many=word.kind == "glob")) if names else word
