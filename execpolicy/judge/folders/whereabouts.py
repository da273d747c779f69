"""Where the commands of one script run, and what that makes of each: the one door to this package."""

from __future__ import annotations

from execpolicy.core.text import option_values, word_set
from execpolicy.judge import connections
from execpolicy.judge.folders import located, repository_around, secret_places
from execpolicy.programs.standing import NOWHERE_KNOWN, files_named, standing_of
from execpolicy.safety.heuristics import READING_NOTHING
from execpolicy.safety.opinion import Opinion
from execpolicy.shell.script import replace
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.standing import Standing
    from execpolicy.safety.locations import Location
    from execpolicy.shell.script import Command


_ELSEWHERE = ("..", "~", "HOME", "/home", "/root", "/Users", "OLDPWD", " -C", "--work-tree")
"""Words in every script that names another folder than the one it runs in, or one below."""


_WITHOUT_OBJECTS = word_set("--version --help version help config remote branch symbolic-ref ls-files check-ignore var")
"""Sub-commands of git that read no object, or commits alone, which every clone has."""
_FEW = 4
"""Folders that a command is looked for in without working out which it is in."""


class Whereabouts:
    """The folders in which the commands of a script run.

    Attributes:
        moves: something changes the folder, so that the meaning of a relative name in the script is unknown.
        far: that folder may be another than one below.
        start: where the script begins, if that is not the folder of the judgement.
    """

    __slots__ = ("_matters", "_near", "facts", "far", "moves", "rulebook", "situation", "start")

    def __init__(
        self,
        facts: Facts,
        rulebook: Rulebook,
        situation: Situation,
        start: Standing | None,
        *,
        moves: bool,
        moving: Sequence[Command],
        far: bool,
    ) -> None:
        self.facts = facts
        self.rulebook = rulebook
        self.situation = situation
        self.start = start
        if start is None and moving and all(map(_may_stay, moving)) and located.stays(facts, situation):
            moves, far, moving = False, False, ()
        self.moves = moves
        self.far = far
        self._matters: bool | None = None
        self._near = None if start is not None or (moves and not moving) else _near(moving)

    @property
    def matters(self) -> bool:
        """True if a secret may be one by where a command runs, and not by its words alone."""
        if self._matters is None:
            self._matters = self.far or self.situation.exposing or self.facts.once(_names_elsewhere)
        return self._matters

    def of(self, command: Command) -> Standing:
        """Where ``command`` may run."""
        return standing_of(command, self.facts, self.start)

    def of_inner(self, command: Command, inner: Inner) -> Standing | None:
        """Where ``inner``, which ``command`` runs, may start; not worked out where it makes no difference."""
        if not (self.moves or inner.moved):
            return None

        return NOWHERE_KNOWN if inner.moved else self.of(command)

    def opinion(self, command: Command, own: Opinion) -> Opinion:
        """``own``, which is safe by the words of ``command`` alone, unless the folder makes a difference."""
        found = self._by_folder(command, own)
        if found is not own and own.otherwise is not None:
            other = self.opinion(command, own.otherwise)
            return other if other.verdict == "safe" else found
        return found

    def _by_folder(self, command: Command, own: Opinion) -> Opinion:
        embedded = self.embedded_repository(command)
        if embedded is not None:
            return Opinion("unknown", "repository", embedded, entry=own.entry)
        fetching = self.fetching(command)
        if fetching is not None:
            return Opinion("unknown", "repository", fetching, entry=own.entry)
        obeyed = self.obeyed_file(own)
        if obeyed is not None:
            code = "runs" if own.obeys[0].endswith(".*") else "settings"  # a module there is only code to run
            return Opinion("unknown", code, obeyed, entry=own.entry)
        if own.locations or own.in_project:
            misplaced = self.misplaced(command, own)
            if misplaced is not None:
                return misplaced
        if self.matters or not self.is_plain(command.words[1:]):
            book, place = self.rulebook.heuristics, self.situation
            secret = secret_places.secret_place(command, self.facts, self.start, place, book, elsewhere=self.matters)
            if secret is not None:
                return Opinion("unknown", "secret", secret, entry=own.entry)
        return own

    def deletion(self, command: Command, danger: Opinion) -> Opinion:
        """``danger``, unless all that ``command`` does is to delete what a write rule lets be deleted with a tree."""
        named = [(word, [] if word.literal else self.files_named(word)) for word in command.words]
        words = [Word(names[0], word.span) if len(names) == 1 else word for word, names in named]
        command = replace(command, words=tuple(words))
        found = self.rulebook.heuristics.safety(command, self.facts)
        if found.verdict == "safe" and any(one.effect in ("delete", "tree") for one in found.locations):
            found = self.opinion(command, found)
            return found if found.verdict == "safe" else danger
        return danger

    def is_plain(self, words: Sequence[Word], *, whole: bool = False) -> bool:
        """True if ``words`` are written out and no link lies on the way to any, wherever the script moves by name.

        Args:
            whole: each is a name, also if it begins like an option.
        """
        if self._near is None or any(word.literal is None for word in words):
            return False
        texts = [word.literal for word in words if word.literal]
        found = texts if whole else [text[at:] for text in texts for at in option_values(text)] or [""]
        return not any(
            self.situation.passes_symlink(folder + name if name[:1] != "/" else name)
            for name in found
            for folder in self._near
        )

    def embedded_repository(self, command: Command, *, ruled: bool = False) -> str | None:
        """Returns why ``command`` may obey the settings of a repository that came with the project, or ``None``."""
        if not _is_git(command):
            return None
        if self._is_git_here(command):
            if "git" not in self.facts.outermost.script.text:  # g''it: a cached answer does not see it
                self.situation.looks += 1
            around = self.situation.repository_around
            if not around:
                return None

            return secret_places.within(around)

        if not ruled and any(one.below for one in self._written()):
            return "it runs git in another folder, where the script writes files of unknown names, perhaps settings"
        return secret_places.embedded_repository(command, self.facts, self.of(command), self.situation, ruled=ruled)

    def _is_git_here(self, command: Command) -> bool:
        """True if git surely looks for the repository in the folder of the judgement."""
        return not self.moves and not any(word.prefix.startswith(("-C", "--git-dir")) for word in command.words)

    def _written(self) -> Iterator[Location]:
        """Yields what entries say that the commands of the script write."""
        opinion = self.rulebook.heuristics.safety
        for facts in dict.fromkeys((self.facts, self.facts.outermost)):
            for each in facts.script.commands:
                yield from [one for one in opinion(each, facts).locations if one.effect]

    def fetching(self, command: Command) -> str | None:
        """Returns why ``command`` may fetch objects that a partial clone lacks, or ``None``."""
        if not _is_git(command):
            return None
        if self._is_git_here(command):
            places = [self.situation.partial_clone]
        else:
            standing = self.of(command)
            folders = secret_places.of_git(command, self.facts, standing).folders
            folders += tuple(
                [f"{each}/.." for each in secret_places.of_git(command, self.facts, standing, "--git-dir").folders]
            )
            places = [
                repository_around.partial_clone(path) for each in folders for path in self.situation.places_of(each)
            ]
        found = next(filter(None, places), "")
        if not found or _needs_no_objects(command.words[1:]):
            return None
        return f"`{found}` says that this is a partial clone: git fetches objects that are missing"

    def obeyed_file(self, opinion: Opinion) -> str | None:
        """Returns why the folder may tell the program what to do that the entry of ``opinion`` accepts, or ``None``."""
        names = opinion.obeys
        if not names:
            return None
        if self.moves:
            return f"it obeys `{names[0]}`, and the script changes the folder that it looks for that in"

        return located.obeyed_file(names, self.facts, self.rulebook, self.situation)

    def misplaced(self, command: Command, opinion: Opinion) -> Opinion | None:
        """Returns why ``command`` may start, name or write something where the entry of ``opinion`` does not accept
        it.
        """
        starts = self.of(command).folders if self.moves or self.start is not None else (".",)
        named = opinion.locations
        lying = [one for one in named if not one.effect]
        why = None
        if lying or opinion.in_project:
            why = located.misplaced(lying, starts, self.situation, in_project=opinion.in_project)
        if why is not None:
            return Opinion("unknown", "location", why, entry=opinion.entry)
        why = connections.unreachable([one for one in opinion.locations if one.connects], self.rulebook)
        if why is not None:
            return Opinion("unknown", "connection", why, entry=opinion.entry, locations=opinion.locations)
        opening = [one for one in opinion.locations if one.opens]
        if len(opening) > 1 or (opening and not self._is_last(command)):
            why = "it may create a link, through which later commands would write or read other files"
            return Opinion("unknown", "write-unsure", why, entry=opinion.entry, locations=named)
        written = [one for one in opinion.locations if one.effect and not one.connects]
        write = located.unwritable(written, starts, self.rulebook, self.situation) if written else None
        if write is None:
            return None
        if isinstance(write, str):
            return Opinion("unknown", "write-unsure", write, entry=opinion.entry, locations=named)
        code = "write" if write.plain else "write-outside" if write.outside else "write-unsure"
        return Opinion("unknown", code, write.problem or write.reason(), entry=opinion.entry, locations=named)

    def _is_last(self, command: Command) -> bool:
        """True if no command runs after ``command`` that opens a file by a name."""
        later = [each for each in self.facts.script.commands if each.span.start > command.span.start]
        return (
            self.facts is self.facts.outermost
            and not command.context
            and all(not each.redirects and each.words and each.words[0].literal in READING_NOTHING for each in later)
        )

    def with_found_names(self, command: Command, own: Opinion) -> tuple[Command, Opinion]:
        """``command`` with what its patterns find in their folders, if it only reads then, and the opinion on it."""
        facts, folders = self.facts, self.of(command).folders
        if facts is not facts.outermost or not facts.once(located.makes_no_files, self.rulebook):
            return command, own
        words = [located.found_names(word, folders, self.situation) for word in command.words]
        changed = replace(command, words=tuple(words))
        found = self.rulebook.heuristics.opinion(changed, facts)
        return (changed, found) if found.verdict == "safe" and not found.writes else (command, own)

    def files_named(self, word: Word) -> list[str]:
        """Every file that the one word ``word`` may name; none if one is only known at run time."""
        return files_named(word, self.facts, self.situation.home)

    def paths_of(self, command: Command, name: str) -> list[str]:
        """The absolute paths that ``name`` may be where ``command`` may start; none if one is not known.

        They keep their ``..``, because the system follows links first.
        """
        found = [self.situation.places_of(folder) for folder in self.of(command).folders]
        return [f"{folder}/{name}" for each in found for folder in each] if all(found) else []

    def secret_source(self, command: Command, target: Word) -> str | None:
        """Returns what is secret about the file that a redirection of ``command`` reads by the name ``target``."""
        if not self.matters and self.is_plain((target,), whole=True):
            return None

        return secret_places.secret_source(
            target, command, self.facts, self.start, self.situation, elsewhere=self.matters
        )

    def strays(self, command: Command) -> bool:
        """True if ``command`` may run outside of the project, for which allow rules are written."""
        if not self.moves:
            return False

        return located.strays(self.of(command).folders, self.situation)


def _is_git(command: Command) -> bool:
    return bool(command.words) and (command.words[0].literal or "").endswith("git")


def _may_stay(moving: Command) -> bool:
    """False if ``moving`` goes to a name below, which is plain to see."""
    target = moving.words[-1].literal
    return target is None or target[:1] in ("", "/", "~", ".")


def _needs_no_objects(words: Sequence[Word]) -> bool:
    """True if git with ``words`` behind it reads no object, or commits alone, which every clone has."""
    name = words[0].literal if words else None
    named = not any(char in word.written for word in words for char in ":^{")
    return name in _WITHOUT_OBJECTS or (name == "rev-parse" and named)


def _near(moving: Sequence[Command]) -> tuple[str, ...] | None:
    """Where a script may be that changes the folder by ``moving``: with a slash behind each, and ``None`` where that is
    not plain to see."""
    folders = [""]
    for command in moving:
        words = command.words
        name = words[1].literal if len(words) == 2 and words[0].literal == "cd" else None
        if not name or name[:1] in ("-", "~", "+") or ".." in name or len(folders) > _FEW:
            return None
        folders += [f"{name}/"] if name[:1] == "/" else [f"{folder}{name}/" for folder in folders]
    return tuple(folders)


def _names_elsewhere(facts: Facts) -> bool:
    text = facts.script.text
    return any(name in text for name in _ELSEWHERE)
