"""``write_rule`` and ``read_rule``: the files that commands may write or read. Extensions of ours."""

from __future__ import annotations

import sys
from _collections_abc import Iterable, Iterator, Sequence

from execpolicy import validators
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_path, temporary_folder
from execpolicy.core.rules import justified
from execpolicy.errors import InvalidRuleError
from execpolicy.source import Place

IGNORES_CASE = sys.platform in ("darwin", "win32")
"""File names that differ only in case are usually one file."""
_EFFECTS = {
    "none": ("write",),
    "restorable": ("write", "move", "restorable"),
    "ignored": ("ignored",),
    "file": ("write", "move", "restorable", "delete"),
    "tree": ("write", "move", "restorable", "ignored", "delete", "tree"),
}
"""For each value of ``delete`` the effects that an allow rule covers.

A path is created or changed (``write``), moved elsewhere (``move``), deleted (``delete``), or deleted with everything
below it (``tree``). ``restorable``: a single file is deleted that git can restore. ``ignored``: a folder is deleted
that git ignores.
"""
DELETES = tuple(_EFFECTS)
"""The values of ``delete``."""
_TREES = ("ignored", "tree")
_TEMPORARY = "$TMPDIR/"
_LONGEST = 4096
_MOST_WILDCARDS = 100
_ANY = "/\0"
_ANYWHERE = (_ANY, _ANY * 30)
"""Names that no file has, at two depths: only ``**`` matches both."""


class PathRule:
    """A decision for the files that one of ``paths`` matches.

    Attributes:
        paths: globs over the normalised absolute path. ``*`` and ``?`` stay within one path component, ``**`` crosses
            them, ``[…]`` is a set. A glob that starts with ``./`` (or is ``.``) is relative to the project root.
            ``~/`` is the home directory, ``$TMPDIR/`` the private temporary folder, and any other must start with
            ``/``. A glob behind ``!`` takes files away; an allow rule compares it without regard to case. A rule that
            restricts ignores case on systems whose files do.

    Raises:
        InvalidRuleError: there is no path, a path is invalid, or the justification is empty.
        UsageError: the decision is invalid. A word is accepted for it, and a single path for a list of one.
    """

    __slots__ = ("decision", "justification", "paths", "place")
    kind = "path_rule"

    def __init__(
        self,
        paths: str | tuple[str, ...],
        decision: Decision | str = Decision.ALLOW,
        justification: str | None = None,
        *,
        place: Place | None = None,
    ) -> None:
        name = type(self).__name__
        if type(paths) is not tuple or not {str}.issuperset(map(type, paths)):
            paths = validators.texts(paths, f"{name}: `paths`")
        _check_paths(paths, self.kind)
        self.paths = paths
        self.decision = Decision(decision)
        self.justification = justified(justification, f"{name}: `justification`")
        self.place = place

    def matches(self, path: str, *, root: str, home: str | None) -> bool:
        """True if a rule path covers ``path`` (absolute, normalised, free of links that the caller could resolve)."""
        if not any(glob_matches(self._folded(glob), self._folded(path)) for glob in self.globs(root, home)):
            return False
        fold = str.lower if self.decision is Decision.ALLOW else str  # what an allow rule leaves out: in any case
        return not any(glob_matches(fold(glob), fold(path)) for glob in self.exclusions(root, home))

    def reaches_below(self, folder: str, *, root: str, home: str | None) -> bool:
        """True if a path below ``folder`` may be covered."""
        return any(reaches_below(self._folded(glob), self._folded(folder)) for glob in self.globs(root, home))

    def _folded(self, text: str) -> str:
        """Returns a path or glob as this rule compares it: a rule that restricts sees a file under all its names."""
        return text.lower() if IGNORES_CASE and self.decision is not Decision.ALLOW else text

    def globs(self, root: str, home: str | None) -> Iterator[str]:
        """The paths as absolute globs."""
        for glob in self.paths:
            if glob[0] != "!":
                yield from _absolute(glob, root, home)

    def exclusions(self, root: str, home: str | None) -> Iterator[str]:
        """The paths that the rule leaves out, as absolute globs."""
        for glob in self.paths:
            if glob[0] == "!":
                yield from _absolute(glob[1:], root, home)

    def leaves_out_below(self, folder: str, *, root: str, home: str | None) -> bool:
        """True if the rule may leave out a path below ``folder``."""
        return any(reaches_below(glob.lower(), folder.lower()) for glob in self.exclusions(root, home))

    def _identity(self) -> tuple[object, ...]:
        return (self.kind, self.paths, self.decision.strictness, self.justification)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PathRule) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.paths!r}, {self.decision.word})"


def _check_paths(paths: Sequence[str], kind: str) -> None:
    if all(path[:1] == "!" for path in paths):
        raise InvalidRuleError(f"invalid rule: {kind} paths cannot be empty")
    for path in paths:
        bare = path.removeprefix("!")
        if bare != "." and not bare.startswith(("/", "./", "~/", _TEMPORARY)):
            raise InvalidRuleError(
                f"invalid rule: {kind} path `{path}` must start with `/`, `./`, `~/` or `$TMPDIR/`",
                help="`./build/**` is below the project root, `/tmp/**` is absolute",
            )
        if len(path) > _LONGEST or sum(map(path.count, "*?[")) > _MOST_WILDCARDS:
            raise InvalidRuleError(
                f"invalid rule: a {kind} path has at most {_LONGEST:,} characters and {_MOST_WILDCARDS} wildcards",
                help="write the folder, and `**` for all that is below",
            )
        if ".." in path.split("/"):
            raise InvalidRuleError(f"invalid rule: {kind} path `{path}` must not contain `..`")


class ReadRule(PathRule):
    """The decision for reading a file that one of ``paths`` matches; see :class:`PathRule`."""

    __slots__ = ()
    kind = "read_rule"


class WriteRule(PathRule):
    """The decision for writing to a file that one of ``paths`` matches; see :class:`PathRule`.

    Attributes:
        delete: what an allow rule lets be deleted, one of :data:`DELETES`. A prompt or forbidden rule counts for every
            write and deletion.

    Raises:
        InvalidRuleError: ``delete`` is invalid.
    """

    __slots__ = ("delete",)
    kind = "write_rule"

    def __init__(
        self,
        paths: str | tuple[str, ...],
        decision: Decision | str = Decision.ALLOW,
        justification: str | None = None,
        *,
        delete: str = "file",
        place: Place | None = None,
    ) -> None:
        super().__init__(paths, decision, justification, place=place)
        self.delete = delete if type(delete) is str else validators.text(delete, "WriteRule: `delete`")
        if delete not in DELETES:
            raise InvalidRuleError(
                f"invalid rule: write_rule delete must be one of {', '.join(DELETES)} (got {delete!r})",
                help='"file" lets single files be deleted, "tree" also folders with all that is in them',
            )

    def covers(self, path: str, effect: str, *, root: str, home: str | None, below: bool = False) -> bool:
        """True if the rule covers ``effect`` on ``path``; with ``below`` also on all files below it."""
        if self.decision is Decision.ALLOW:
            if effect not in _EFFECTS[self.delete]:
                return False
            if (below or effect in _TREES) and self.leaves_out_below(path, root=root, home=home):
                return False
        paths = (path, *[path + name for name in _ANYWHERE]) if effect in _TREES else (path,)
        return all(self.matches(each, root=root, home=home) for each in paths)

    def rooted(self, folder: str) -> WriteRule:
        """The same rule, in which ``./`` is the absolute ``folder``."""
        folder = "".join([f"[{char}]" if char in "*?[" else char for char in folder])
        paths = [f"!{folder}{path[2:]}" if path[:2] == "!." else path for path in self.paths]
        paths = [f"{folder}{path[1:]}" if path[:1] == "." else path for path in paths]
        return WriteRule(tuple(paths), self.decision, self.justification, delete=self.delete, place=self.place)

    def _identity(self) -> tuple[object, ...]:
        return (*super()._identity(), self.delete)


class WriteRules:
    """All effective write rules; the strictest that matches wins.

    Attributes:
        restricting: those that ask or forbid.
        deletes_trees: one of them lets folders be deleted with all that is in them.
    """

    __slots__ = ("deletes_trees", "restricting", "rules")

    def __init__(self, rules: Iterable[WriteRule] = ()) -> None:
        self.rules = tuple(rules)
        self.deletes_trees = any(not set(_TREES).isdisjoint(_EFFECTS[rule.delete]) for rule in self.rules)
        self.restricting = tuple([rule for rule in self.rules if rule.decision is not Decision.ALLOW])

    def matches(
        self, path: str, *, root: str, home: str | None, effect: str = "write", below: bool = False
    ) -> tuple[WriteRule, ...]:
        """Every rule that covers ``effect`` on ``path``, see :meth:`WriteRule.covers`."""
        return tuple([rule for rule in self.rules if rule.covers(path, effect, root=root, home=home, below=below)])

    def leave_out(self, path: str, *, root: str, home: str | None) -> bool:
        """True if an allow rule leaves ``path`` out."""
        return any(
            glob_matches(glob.lower(), path.lower()) for rule in self.rules for glob in rule.exclusions(root, home)
        )


class ReadRules:
    """All effective read rules; the strictest that matches wins.

    Attributes:
        restricting: those that ask or forbid.
        allowing: those that allow.
    """

    __slots__ = ("allowing", "restricting", "rules")

    def __init__(self, rules: Iterable[ReadRule] = ()) -> None:
        self.rules = tuple(rules)
        self.allowing = tuple([rule for rule in self.rules if rule.decision is Decision.ALLOW])
        self.restricting = tuple([rule for rule in self.rules if rule.decision is not Decision.ALLOW])


def _absolute(glob: str, root: str, home: str | None) -> Iterator[str]:
    """``glob`` as an absolute one: none where its folder does not exist, two where that is a link."""
    if glob == "." or glob.startswith("./"):
        yield normalise_path(root + "/" + glob[2:])
    elif glob.startswith(_TEMPORARY):
        yield from [f"{folder}/{glob[len(_TEMPORARY) :]}" for folder in temporary_folder()]
    elif not glob.startswith("~/"):
        yield normalise_path(glob)
    elif home is not None:
        yield normalise_path(home + "/" + glob[2:])


def glob_matches(glob: str, path: str) -> bool:
    """True if ``path`` matches ``glob`` as a whole, component by component; ``**`` matches any number of components.

    The match takes one step for each component of ``glob``. The positions in ``path`` at which the components so far
    can end are the bits of one number.
    """
    names = path.split("/")
    everywhere = (1 << len(names) + 1) - 1
    reachable = 1
    fits: dict[str, int] = {}
    for component in glob.split("/"):
        if component == "**":
            reachable = everywhere & -(reachable & -reachable)
            continue
        if component not in fits:
            fits[component] = sum([component_matches(component, name) << at for at, name in enumerate(names)])
        reachable = (reachable & fits[component]) << 1
        if not reachable:
            return False
    return bool(reachable >> len(names) & 1)


def reaches_below(glob: str, folder: str) -> bool:
    """True if a path below ``folder`` can match: the first components match the folder, and more follow."""
    names = folder.rstrip("/").split("/")
    reachable = 1
    for component in glob.split("/"):
        if component == "**" or reachable >> len(names) & 1:
            return True
        fits = [at for at, name in enumerate(names) if reachable >> at & 1 and component_matches(component, name)]
        reachable = sum([1 << at + 1 for at in fits])
        if not reachable:
            return False
    return False


def component_matches(glob: str, name: str) -> bool:
    """True if one path component matches a glob of ``*``, ``?`` and ``[…]``; case-sensitive, no escapes."""
    reachable = {0}
    at, end = 0, len(glob)
    while at < end:
        char = glob[at]
        at += 1
        if char == "*":
            reachable = set(range(min(reachable), len(name) + 1))
            continue
        if char == "[":
            close = glob.find("]", at + 2 if glob[at : at + 1] in ("!", "^") else at + 1)
            if close > 0:
                members = glob[at:close]
                at = close + 1
                reachable = {p + 1 for p in reachable if p < len(name) and _in_set(members, name[p])}
                if not reachable:
                    return False
                continue
        reachable = {p + 1 for p in reachable if p < len(name) and (char == "?" or name[p] == char)}
        if not reachable:
            return False
    return len(name) in reachable


def _in_set(members: str, char: str) -> bool:
    negated = members[:1] in ("!", "^")
    if negated:
        members = members[1:]
    at, found = 0, False
    while at < len(members):
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            found = found or members[at] <= char <= members[at + 2]
            at += 3
        else:
            found = found or members[at] == char
            at += 1
    return found != negated
