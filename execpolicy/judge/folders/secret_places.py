"""Finds secrets that a safe command reads in the folder where it runs: ``cd ~ && cat .netrc``,
``cat ../../etc/shadow``, ``cat notes`` where ``notes`` is a link to a key.

An entry judges words as they are written. Here each word is judged once more by its path from the root or from the home
folder, and by the path that a link leads to. In a folder that is only known at run time every file counts as a secret.

Recognises bare repositories that came with the project, whose settings git would obey.

A clone cannot hold ``.git``, but it can hold a folder with ``HEAD``, ``objects`` and ``refs``, and git obeys what it
finds first on the way up (``safe.bareRepository`` says otherwise, if it is set).
"""

from __future__ import annotations

from itertools import pairwise
from posixpath import normpath

from execpolicy.core.text import option_values
from execpolicy.judge.folders.repository_around import repository_above
from execpolicy.programs.builtin_effects import builtin_effects
from execpolicy.programs.names import base_name
from execpolicy.programs.standing import inside, root_of, standing_of
from execpolicy.safety.heuristics import READING_NOTHING
from execpolicy.safety.secrets import behind_process, exposing_root, secret_in, secret_matching
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.pieces import SOMEWHERE, Piece
from execpolicy.shell.script import replace
from execpolicy.shell.words import Word
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.safety.heuristics import Heuristics
    from execpolicy.shell.script import Command

_MOST = 200
"""Words of one command that are judged; a command with more words asks."""
_ANYWHERE = "~/.gnupg/any"
"""A folder that is only known at run time: every file in it is a secret."""
_WIDENING = frozenset(("!", "-not", "-o", "-or", ","))
_SOME_HOME = "/root"
_HARMLESS = "/srv/any/x"
"""A file that is no secret: an entry that refuses it, too, reads no path there."""
_UNKNOWN = "its working directory is only known at run time, and a file that it reads there may be a secret"


def secret_place(
    command: Command,
    facts: Facts,
    start: Standing | None,
    situation: Situation,
    heuristics: Heuristics,
    *,
    elsewhere: bool,
) -> str | None:
    """Returns why ``command``, which is safe by its words, reads a secret where it runs; ``None`` if no word names one.

    Args:
        start: the working directory at the start of the script, if that is not the one of the judgement.
        elsewhere: it may run outside the project, or above secrets; otherwise only links lead to secrets.
    """
    words = command.words
    if not words or base_name(words[0].literal or "") in READING_NOTHING:
        return None
    if any(effect.kind == "cd" for effect in builtin_effects(command, facts)):
        return None
    standing = standing_of(command, facts, start)
    folders = _folders(of_git(command, facts, standing, "--work-tree").shapes, facts, situation)
    if len(words) > _MOST or not facts.budget.spend(COMMAND * len(words) * len(folders)):
        return "it has more words than are judged where it runs outside the project"
    for folder in folders:
        places: list[tuple[int, _Place]] = []
        for at, word in enumerate(words[1:], 1):
            found = [*_linked(word, folder, facts, situation), *_added(word, command, folder, facts, situation)]
            found += _named(word, folder, standing, facts, situation) if elsewhere else ()
            places += [(at, place) for place in found]
        for at, place in places:
            problem = place.problem
            if problem is not None and _reads(command, at, at + 1, place, facts, heuristics):
                return _UNKNOWN if folder == _ANYWHERE else problem
        root = "~" if folder == _ANYWHERE else folder
        exposed = exposing_root(root) if elsewhere and not command.piped_from else None
        if exposed is not None:  # a program that reads the working directory by itself
            place = _Place("", root, Word("", words[0].span))
            if any(_reads(command, at, at, place, facts, heuristics) for at in (len(words), 1)):
                return _UNKNOWN if folder == _ANYWHERE else exposed
    return None


def secret_source(
    target: Word, command: Command, facts: Facts, start: Standing | None, situation: Situation, *, elsewhere: bool
) -> str | None:
    """The same for the file that a redirection of ``command`` reads."""
    standing = standing_of(command, facts, start)
    for folder in _folders(standing.shapes, facts, situation):
        places = [*_linked(target, folder, facts, situation, whole=True)]
        places += _named(target, folder, standing, facts, situation) if elsewhere else ()
        for place in places:
            if place.problem is not None:
                return _UNKNOWN if folder == _ANYWHERE else place.problem
    return None


@value
class _Place:
    """A file that a word names, from the root or from ``~``.

    Attributes:
        front: the option in front of its path.
        path: the part of its path that is known.
        rest: what is only known at run time behind that; a literal word if nothing is.
    """

    front: str
    path: str
    rest: Word

    @property
    def problem(self) -> str | None:
        """Returns why it is a secret."""
        if self.rest.literal is not None:
            return secret_in(self.path) or exposing_root(self.path)
        shape = self.rest.shape
        return secret_matching(f"{self.path}/{shape}") or (None if shape.strip("*?/") else exposing_root(self.path))

    @property
    def word(self) -> Word:
        """A word that names this secret."""
        path = self.path if self.rest.literal is not None else f"{_ANYWHERE}/x"
        if self.front and path[:1] == "~":  # the shell expands no tilde behind `-f`
            path = _SOME_HOME + path[1:]
        return Word(self.front + path, self.rest.span)


def _reads(command: Command, at: int, behind: int, place: _Place, facts: Facts, heuristics: Heuristics) -> bool:
    """True if ``command`` prints the file ``place`` when that replaces its words from ``at`` up to ``behind``."""
    words = command.words
    there, other = (
        heuristics.opinion(replace(command, words=(*words[:at], word, *words[behind:])), facts)
        for word in (place.word, Word(place.front + _HARMLESS, place.rest.span))
    )
    refused = there.code in ("secret", "value") if at == behind else there.verdict != "safe"
    return refused and other.verdict == "safe"


def _linked(word: Word, folder: str, facts: Facts, situation: Situation, *, whole: bool = False) -> Iterator[_Place]:
    """The files behind a link that ``word``, or a value that it is known to have, names in ``folder``."""
    if folder == _ANYWHERE:
        return
    for case in facts.cases(word) or ((word,),):
        for each in case:
            text = each.literal or ""
            for start in (0,) if whole else option_values(text):
                name = text[start:]
                if name and "*" not in folder:
                    around = situation.places_of("/" if name[:1] == "/" else folder or ".")
                    places = situation.places_of(name if name[:1] in ("/", "~") else f"{folder or '.'}/{name}")
                    if around and places and normpath(places[-1]) != normpath(f"{around[-1]}/{name}"):
                        yield _Place(text[:start], _from_home(places[-1], situation), Word("", word.span))


def _added(word: Word, command: Command, folder: str, facts: Facts, situation: Situation) -> Iterator[_Place]:
    """The folders above usual secrets where another program finds ``word``: ``find ~ -exec cat {} +``."""
    if word.literal is not None or word.span.start != word.span.end:
        return
    for around in facts.script.commands:
        if around.span.start <= command.span.start and command.span.end <= around.span.end:
            names = [each.literal or each.written for each in around.words[1:]]
            if not _leaves_out_secrets(names):
                for path in [path for name in names for path in (name, *_paths(name, folder, facts, situation))]:
                    if exposing_root(path) is not None:
                        yield _Place("", path, replace(word, pieces=(SOMEWHERE,)))


def _leaves_out_secrets(names: Sequence[str]) -> bool:
    """True if a pattern among the arguments matches no usual secret, and no operator of ``find`` widens it."""
    patterns = [each for each in names if "*" in each and each.strip("*?")]
    return _WIDENING.isdisjoint(names) and any(secret_matching(each) is None for each in patterns)


def _named(word: Word, folder: str, standing: Standing, facts: Facts, situation: Situation) -> Iterator[_Place]:
    """The files that ``word`` may name in ``folder``: itself, or the value of ``--option=path`` or ``-opath``."""
    text = word.literal
    if text is not None:
        for start in option_values(text):
            value = text[start:]
            if (start or text[:1] != "-") and value and (value[:1] not in ("/", "~") or ".." in value):
                for path in _paths(value, folder, facts, situation):
                    yield _Place(text[:start], path, Word("", word.span))
        return
    if not word.pieces:  # an argument that another program adds: `find -exec cat {} +`
        word = replace(word, pieces=(Piece("literal", word.prefix, True), SOMEWHERE))
    root = root_of(word.pieces[0], standing, facts)
    rest = word if root is None else replace(word, pieces=word.pieces[1:], prefix="")
    known = (root or "") + rest.beginning
    if root is not None and rest.beginning[:1] not in ("", "/"):
        yield _Place("", f"{_ANYWHERE}/x", Word("", word.span))  # `$PWD-old`: a sibling of the folder
        return
    judged = word.absolute and known[:1] != "~" and ".." not in known and word.kind == "glob"  # by the entry itself
    if root is None and (known[:1] == "-" or judged):
        return
    if all(piece.kind == "literal" for piece in rest.pieces) and rest.kind not in ("glob", "mixed"):
        for path in _paths(known, folder, facts, situation):
            yield _Place("", path, Word("", word.span))
        return
    front, slash, _ = known.rpartition("/")
    count = len(front + slash) - len(root or "")
    for path in _paths(front or slash, folder, facts, situation, below=True):
        yield _Place("", path, replace(rest.behind(count), many=word.many))


def _paths(name: str, folder: str, facts: Facts, situation: Situation, *, below: bool = False) -> Sequence[str]:
    """``name`` in ``folder``, from the root or from ``~``: as written, and with its links followed."""
    if name[:2] in ("~+", "~-"):
        name = f"./{name[2:]}"
    if name[:1] not in ("/", "~"):
        if folder == _ANYWHERE:
            kept = [part for part in name.split("/") if part not in ("", ".", "..")]
            return ["/".join([folder, *kept]) if kept or below else "~"]
        name = f"{folder}/{name}"
    return facts.outermost.once(_from_root, name, situation)


def _from_root(facts: Facts, name: str, situation: Situation) -> tuple[str, ...]:
    """``name`` from the root or from ``~``; memoised, since the disk is asked."""
    places = () if "*" in name or name.startswith("/proc/") else situation.places_of(name)
    return tuple([_from_home(place, situation) for place in places or (name,)])


def _from_home(path: str, situation: Situation) -> str:
    """``path`` from the root, or from ``~`` where it lies in the home folder."""
    if path.startswith("~"):
        return normpath(path)
    whole = normpath(behind_process(f"{situation.cwd}/{path}" if path[:1] != "/" else path))
    for home in situation.places_of("~"):
        if f"{whole}/".startswith(f"{home}/"):
            return "~" + whole[len(home) :]
    return whole


def _folders(shapes: Sequence[str], facts: Facts, situation: Situation) -> list[str]:
    """The folders of those ``shapes``; without a shape any folder is possible."""
    found = [path for shape in shapes for path in _paths(shape, ".", facts, situation)]
    return list(dict.fromkeys(found)) or [_ANYWHERE]


_VALUED = frozenset(("-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source"))
"""Other options in front of git's sub-command whose value is a word of its own."""


def embedded_repository(
    command: Command, facts: Facts, standing: Standing, situation: Situation, *, ruled: bool
) -> str | None:
    """Returns why ``command``, which is git, may find such a repository; ``None`` if none is seen.

    Where it is ``ruled``, an allow rule covers what it says of folders itself, even of unknown ones.
    """
    folders = of_git(command, facts, standing).folders
    holding = of_git(command, facts, standing, "--git-dir").folders
    if not standing.folders or not (ruled or (folders and holding)):
        return "it runs git in a folder that is not known, whose settings can name programs"
    trusting = holding != folders or any((word.literal or "").startswith("safe.directory=") for word in command.words)
    for folder in dict.fromkeys(folders + holding):
        for path in situation.places_of(folder):
            if trusting and not f"{path}/".startswith((f"{situation.cwd}/", f"{situation.root}/")):
                return within(path)  # even if another user owns it
            found = repository_above(path) if folder in folders else ""
            if found:
                return within(found)
    return None


def within(place: str) -> str:
    """Returns why git needs a person if it may find the repository ``place``."""
    return f"`{place}` is a repository inside another, and git obeys its settings, which can name programs"


def of_git(command: Command, facts: Facts, standing: Standing, also: str = "-C") -> Standing:
    """Where ``command`` looks that is there: git where ``-C`` and ``also`` say, each relative to the one before."""
    if (command.words[0].literal or "").endswith("git"):
        for option, word in pairwise(command.words):
            if option.literal in ("-C", also):
                standing = inside(word, standing, facts)
            elif word.prefix.startswith(also + "="):
                standing = inside(word.behind(len(also) + 1), standing, facts)
            elif (word.literal or "-")[0] != "-" and option.literal not in _VALUED:
                break  # the sub-command
    return standing
