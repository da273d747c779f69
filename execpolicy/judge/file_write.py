"""Decides about writing one file: by a redirection, by a program, or by a tool of an agent."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.path_rules import WriteRule
from execpolicy.judge.command_verdict import WriteMatch
from execpolicy.judge.folders.git_state import is_ignored, is_restorable
from execpolicy.judge.folders.repository_around import why_guarded, why_new_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation

HARMLESS_TARGETS = frozenset(["/dev/null", "/dev/stdout", "/dev/stderr"])
"""On Linux writing to ``/dev/stdout`` opens the file behind descriptor 1 anew, even if that was opened for reading:
they are harmless only because ``opened_files`` keeps descriptors 1 and 2 where they are."""


_VERBS = {"write": "writes", "move": "moves", "delete": "deletes", "tree": "deletes everything in"}
_LESSER = {"delete": {"restorable": is_restorable, "ignored": is_ignored}, "tree": {"ignored": is_ignored}}
"""Deletions that lose little, and the checks of the path that say so."""


class FileWrite:
    """The rules on one file, under its name as written and with its links followed.

    Attributes:
        paths: the absolute paths that it may be; none where the system cannot find out.
        restricting: the write rules that ask or forbid.
        covered: a write rule matches every path.
        left_out: a write rule leaves one out.
        allowing: the last write rule that allows one of the paths, or ``None``.
        grounds: the codes of what an allow by :meth:`decision` rests on.
    """

    __slots__ = (
        *("_effect", "_situation", "allowing", "covered", "grantable", "left_out", "paths", "restricting", "target"),
    )
    grounds = ("write-covered",)

    def __init__(
        self, target: str, rulebook: Rulebook, situation: Situation, effect: str = "write", *, below: bool = False
    ) -> None:
        """Decide about ``effect`` (see :meth:`WriteRule.covers`) on ``target``, relative to the folder of
        ``situation``; with ``below`` also on all files below it.
        """
        self.target = target
        self._effect = effect
        self._situation = situation
        self.restricting: list[WriteMatch] = []
        self.allowing: WriteRule | None = None
        self.covered = True
        self.left_out = False
        self.grantable = rulebook.grants != "none"
        try:
            self.paths = situation.paths_of(target)
        except ValueError:
            self.paths = ()
        for path in self.paths:
            rules = rulebook.writes.matches(path, root=situation.root, home=situation.home, effect=effect, below=below)
            for lesser, holds in _LESSER.get(effect, {}).items() if not rules else ():
                found = rulebook.writes.matches(path, root=situation.root, home=situation.home, effect=lesser)
                rules = rules or (found if found and holds(path) else ())
            self.restricting += [WriteMatch(path, rule) for rule in rules if rule.decision is not Decision.ALLOW]
            self.allowing = next((rule for rule in rules if rule.decision is Decision.ALLOW), self.allowing)
            self.covered = self.covered and bool(rules)
            self.left_out = self.left_out or rulebook.writes.leave_out(path, root=situation.root, home=situation.home)

    @property
    def guarded(self) -> str | None:
        """Returns why it needs a person whatever a write rule allows; ``None`` if it does not."""
        if not self.paths:
            return "it writes a file that cannot be found out"

        return next(filter(None, [why_guarded(path) or why_new_repository(path) for path in self.paths]), None)

    @property
    def outside(self) -> bool:
        """True if it lies outside the project, or may."""
        root = self._situation.root.rstrip("/") + "/"
        return not all(f"{path}/".startswith(root) for path in self.paths or ("",))

    @property
    def plain(self) -> bool:
        """True if only a write rule is missing.

        It lies in the project or a temporary folder, and is neither protected nor left out by a rule.
        """
        inside = bool(self.paths) and all(map(self._situation.is_inside, self.paths))
        return inside and not (self.restricting or self.left_out) and self.guarded is None

    @property
    def problem(self) -> str | None:
        """Returns why it may not be written unasked; ``None`` if write rules allow it."""
        missing = f"it {_VERBS[self._effect]} `{self.target}`, which no write rule allows"
        return self.guarded or (None if self.covered else missing)

    def decision(self) -> Decision | None:
        """Returns what a tool that writes the file gets; ``None`` where no rule says anything, which is left to the
        agent.
        """
        found = [match.decision for match in self.restricting]
        if self.guarded is not None:
            found.append(Decision.PROMPT)
        if found:
            return max(found)
        return Decision.ALLOW if self.covered and self.grantable else None

    def reason(self) -> str:
        """Returns why it gets what it gets, in one line."""
        for match in self.restricting:
            if match.decision is self.decision():
                verb = "is forbidden" if match.decision is Decision.FORBIDDEN else "needs approval"
                return f"writing `{match.path}` {verb}: {match.rule.justification or 'a write rule covers it'}"
        problem = self.problem
        return (
            f"`{self.target}` may be written"
            if problem is None
            else f"writing `{self.target}` needs approval: {problem}"
        )
