"""Whether what a safe command reads is a secret by where it runs: ``cd ~ && grep -r x .``, ``cat ../../etc/shadow``.

What an entry says is about the words as they are written. Here each word that names a file is asked about once more,
as it is called from the root or from the home folder; where nobody knows the folder, as if all in it were secrets. That
restricts; it proves nothing.
"""

from __future__ import annotations

from execpolicy.core.text import glob_matches, names, option_values
from execpolicy.judge.folders.embedded_repository import of_git
from execpolicy.judge.folders.linked_names import from_home, linked_names, stands_behind_link, walked_links
from execpolicy.programs.names import base_name
from execpolicy.programs.standing import HERE, root_of, standing_of
from execpolicy.safety.heuristics import READING_NOTHING
from execpolicy.safety.secrets import exposing_root, secret_in, secret_matching
from execpolicy.safety.walked_folders import walked_folders
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.pieces import SOMEWHERE, Piece
from execpolicy.shell.script import changed
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.safety.heuristics import Heuristics
    from execpolicy.shell.script import Command

_MOST = 200
"""Words of one command that are looked at; whoever names more is asked about."""
_ANYWHERE = "~/.gnupg/any"
"""What a folder that nobody knows may be: every file in it is a secret."""
_SOME_HOME = "/root"
_HARMLESS = "/srv/any/x"
"""A file that is no secret: where this may not stand either, no path is read."""
_OF_PROCESSES = ("cwd", "root")
"""The links that a process has to its folder, which nobody knows here, and to its root."""
_WHOLE = ("helm",)
"""What takes any folder, and prints what lies there."""
_REFUSED = ("secret", "value")
_MOVING = names("cd pushd popd chdir")
_NEVER_READING = names("ls find gfind bfs fd fdfind locate type which stat df realpath readlink seq expr")
"""Of what prints no content, what has no long option that prints what stands in a file."""
_SUMMING = names("md5sum sha1sum sha256sum sha512sum b2sum cksum shasum")
_COUNTING = _SUMMING | names("wc sum md5 sha1 sha224sum sha256 sha384sum")
"""Of what prints no content, what reads it to the end: a link may lead to a device that has none."""
_DEVICES, _ENDLESS = "/dev/", "/dev/zero"
_FILTERS = names("grep egrep fgrep ggrep rg ag ack")
"""Programs that read their input where they are told of no file, unless ``-r`` and its like say otherwise."""
_UNKNOWN = "nobody knows which folder it runs in, and what it reads there may be a secret"


def secret_place(
    command: Command,
    facts: Facts,
    start: Standing | None,
    situation: Situation,
    heuristics: Heuristics,
    *,
    elsewhere: bool,
    walks: bool,
) -> str | None:
    """What is secret about the files that ``command``, which is safe by its words, reads where it may run.

    Args:
        start: where the script begins that it stands in, if that is not the folder of the judgement.
        elsewhere: it may run in another folder than the project's, or above secrets; otherwise only links lead there.
        walks: it follows the links in the folders that it walks.
    """
    words = command.words
    if not words or (_reads_nothing(command) and not _counts(command)):
        return None
    counts = _counts(command)
    standing = standing_of(command, facts, start)
    folders = _folders(of_git(command, facts, standing, "--work-tree").shapes, facts, situation)
    if (elsewhere and len(words) > _MOST) or not facts.budget.spend(COMMAND * len(words) * len(folders)):
        return "it names more words than are looked at where it does not run in the folder of the project"
    elsewhere = elsewhere or stands_behind_link(facts, standing, situation)
    if walks:
        any_secret = _Place("", _ANYWHERE, Word("", words[0].span))
        walks = _is_read(command, len(words), len(words), any_secret, facts, heuristics)
    for folder in folders:
        links = walked_links(command, facts, folder, situation) if walks and folder != _ANYWHERE else ()
        for at, behind, place in (
            *_walked_to(command, links, facts, situation),
            *_places(command, folder, standing, facts, situation, heuristics, elsewhere=elsewhere),
        ):
            problem = place.problem if not counts or place.path.startswith(_DEVICES) else None
            if problem is not None and _is_read(command, at, behind, place, facts, heuristics):
                return _UNKNOWN if folder == _ANYWHERE else problem
    if facts.exhausted:
        return "it names more files than are looked at, and one may be a link to a secret"
    if elsewhere and not counts and any(word.literal is None and not word.number for word in words):
        return facts.once(_walked, start, situation)
    return None


def _is_read(command: Command, at: int, behind: int, place: _Place, facts: Facts, heuristics: Heuristics) -> bool:
    """Whether ``command`` prints what is in a file that stands for its words from ``at`` up to ``behind``."""
    words = command.words
    if base_name(words[0].literal or "") in _WHOLE:
        return True
    there, other = (
        heuristics.opinion(changed(command, words=(*words[:at], word, *words[behind:])), facts)
        for word in (place.word, Word(place.front + _HARMLESS, place.rest.span))
    )
    added = at == behind  # an entry may not take one word more, whatever it is
    refused = there.code in _REFUSED if added else there.verdict != "safe"
    return refused and other.verdict == "safe"


def secret_source(
    target: Word, command: Command, facts: Facts, start: Standing | None, situation: Situation, *, elsewhere: bool
) -> str | None:
    """The same for a file that a redirection of ``command`` reads."""
    standing = standing_of(command, facts, start)
    elsewhere = elsewhere or stands_behind_link(facts, standing, situation)
    for folder in _folders(standing.shapes, facts, situation):
        for place in (
            *_behind_links(target, folder, standing, facts, situation, whole=True),
            *(_named(target, folder, standing, facts, situation) if elsewhere else ()),
        ):
            if place.problem is not None:
                return _UNKNOWN if folder == _ANYWHERE else place.problem
    return None


class _Place:
    """A file that a word names, from the root or from ``~``: what stands in front of its path, the path, and what only
    the run knows behind that."""

    __slots__ = ("front", "path", "rest")

    def __init__(self, front: str, path: str, rest: Word) -> None:
        self.front = front
        self.path = path
        self.rest = rest

    @property
    def problem(self) -> str | None:
        """What is secret about it."""
        if self.rest.literal is not None:
            return secret_in(self.path) or exposing_root(self.path)
        shape = self.rest.shape
        return secret_matching(f"{self.path}/{shape}") or (None if shape.strip("*?/") else exposing_root(self.path))

    @property
    def word(self) -> Word:
        """A word that is such a secret, for the place where this one stands."""
        path = self.path if self.rest.literal is not None else f"{_ANYWHERE}/x"
        if self.front and path[:1] == "~":  # behind `-f` nobody makes a home of it
            path = _SOME_HOME + path[1:]
        return Word(self.front + path, self.rest.span)


def _walked_to(
    command: Command, links: Sequence[str], facts: Facts, situation: Situation
) -> Iterator[tuple[int, int, _Place]]:
    """What ``links`` lead to, as if it stood behind the words."""
    words = command.words
    for link in links:
        yield len(words), len(words), _Place("", from_home(link, facts, situation), Word("", words[0].span))


def _places(
    command: Command,
    folder: str,
    standing: Standing,
    facts: Facts,
    situation: Situation,
    heuristics: Heuristics,
    *,
    elsewhere: bool,
) -> Iterator[tuple[int, int, _Place]]:
    """What each word may name in ``folder``, and the folder itself, which some programs read unasked: each with the
    words that it stands for."""
    words = command.words
    counts = _counts(command)
    any_secret = _Place("", _ENDLESS if counts else _ANYWHERE, Word("", words[0].span))
    for at, word in enumerate(words[1:], 1):
        if word.literal is None and not _is_read(command, at, at + 1, any_secret, facts, heuristics):
            continue  # no folder is walked for it
        for place in _behind_links(word, folder, standing, facts, situation):
            yield at, at + 1, place
    if not elsewhere or counts:
        return
    for at, word in enumerate(words[1:], 1):
        for place in _named(word, folder, standing, facts, situation):
            yield at, at + 1, place
    root = "~" if folder == _ANYWHERE else folder
    if exposing_root(root) is not None and not _filters(command):
        for at in (len(words), 1):
            yield at, at, _Place("", root, Word("", words[0].span))


def _reads_nothing(command: Command) -> bool:
    """Whether it prints nothing of a file that its words name; an option may read one: ``wc --files0-from=x``."""
    name = base_name(command.words[0].literal or "")
    if name in _MOVING:
        return True
    if name not in READING_NOTHING:
        return False
    return not any(_reads_by_option(name, word.prefix) for word in command.words[1:])


def _counts(command: Command) -> bool:
    """Whether it reads to the end what its words name, and prints nothing of it."""
    return base_name(command.words[0].literal or "") in _COUNTING and _reads_nothing(command)


def _reads_by_option(name: str, option: str) -> bool:
    """Whether ``option`` may be one with which the program ``name``, which prints no content, prints what stands in a
    file: ``wc --files0-from=x``, ``md5sum -c x``, ``date -f x``."""
    if option[:2] == "--":
        return name not in _NEVER_READING and option[2:3] in ("c", "f")
    return option[:1] == "-" and (("f" in option and name in ("file", "date")) or ("c" in option and name in _SUMMING))


def _filters(command: Command) -> bool:
    """Whether it reads what is piped to it, and no folder that it is not told of."""
    return (
        bool(command.piped_from)
        and base_name(command.words[0].literal or "") in _FILTERS
        and not any(
            word.may_start_with_dash() and (word.literal is None or not {"r", "R"}.isdisjoint(word.literal))
            for word in command.words[1:]
        )
    )


def _named(word: Word, folder: str, standing: Standing, facts: Facts, situation: Situation) -> Iterator[_Place]:
    """The files that ``word`` may name in ``folder``: itself, or the value of ``--option=path`` or ``-opath``."""
    text = word.literal
    if standing.shapes == HERE.shapes and _was(word):
        folder = _ANYWHERE  # where whoever started the shell was before
    if text is not None:
        for start in option_values(text):
            value = text[start:]
            if (start or text[:1] != "-") and value and (value[:1] not in ("/", "~") or ".." in value):
                for path in _paths(value, folder, facts, situation):
                    yield _Place(text[:start], path, Word("", word.span))
        return
    if not word.pieces:  # what another program puts there: `find -exec cat {} +`
        word = changed(word, pieces=(Piece("literal", word.prefix, True), SOMEWHERE))
    root = root_of(word.pieces[0], standing, facts)
    if word.pieces[0].plain and _was(word):
        root = "."  # where it was is where it may be
    rest = word if root is None else changed(word, pieces=word.pieces[1:], prefix="")
    known = (root or "") + rest.beginning
    if root is not None and rest.beginning[:1] not in ("", "/"):
        yield _Place("", f"{_ANYWHERE}/x", Word("", word.span))  # `$PWD-old`: a folder beside it
        return
    seen = word.absolute and known[:1] != "~" and ".." not in known and word.kind == "glob"  # by the entry itself
    if root is None and (known[:1] == "-" or seen):
        return
    if all(piece.kind == "literal" for piece in rest.pieces) and rest.kind not in ("glob", "mixed"):
        for path in _paths(known, folder, facts, situation):
            yield _Place("", path, Word("", word.span))
        return
    front, slash, _ = known.rpartition("/")
    count = len(front + slash) - len(root or "")
    for path in _paths(front or slash, folder, facts, situation, below=True):
        yield _Place("", path, changed(rest.behind(count), many=word.many))


def _behind_links(
    word: Word, folder: str, standing: Standing, facts: Facts, situation: Situation, *, whole: bool = False
) -> Iterator[_Place]:
    """The files behind links that ``word`` may name in ``folder``."""
    parts = (word.shape if word.literal is None else word.literal).split("/")
    if parts[1:2] == ["proc"] and any(glob_matches(part, link) for part in parts[3:-1] for link in _OF_PROCESSES):
        yield _Place("", f"{_ANYWHERE}/x", Word("", word.span))
    elif folder != _ANYWHERE:
        for each in [one for case in facts.cases(word) for one in case] or [word]:
            for front, place in linked_names(each, folder, standing, facts, situation, whole=whole):
                yield _Place(front, from_home(place, facts, situation), Word("", word.span))


def _was(word: Word) -> bool:
    """Whether it begins with the folder that the shell was in before: ``$OLDPWD`` or ``~-``."""
    if not word.pieces:
        return False
    first = word.pieces[0]
    return (first.plain and first.name == "OLDPWD") or (word.literal is None and (first.text or "").startswith("~-"))


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
    """``name`` from the root or from ``~``; asked of the disk once in a judgement, since each word stands in a few."""
    places = () if "*" in name or name.startswith("/proc/") else situation.places_of(name)  # whose process that is
    return tuple([from_home(place, facts, situation) for place in places or (name,)])


def _walked(facts: Facts, start: Standing | None, situation: Situation) -> str | None:
    """The folder above usual secrets of which the script has all names printed: ``find .. -type f``."""
    for script, begun in ((facts, start), (facts.outermost, None)):
        for command, folder in walked_folders(script):
            for place in standing_of(command, script, begun).joined(folder):
                for path in _paths(place, ".", facts, situation):
                    if exposing_root(path) is not None:
                        return f"a word that is only known at run time could be any file below `{path}`"
    return None


def _folders(shapes: Sequence[str], facts: Facts, situation: Situation) -> list[str]:
    """The folders of those ``shapes``, of which none says that it may be any."""
    found = [path for shape in shapes for path in _paths(shape, ".", facts, situation)]
    return list(dict.fromkeys(found)) or [_ANYWHERE]
