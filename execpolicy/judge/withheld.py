"""Rules that are not in force, such as those of an untrusted project: a reason names them if they would matter."""

from __future__ import annotations

from execpolicy.core.policy import Policy
from execpolicy.judge.verdict import Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.core.rules import PrefixRule
    from execpolicy.shell.script import Command


class Withheld:
    """Rules that would decide if they were in force.

    Attributes:
        fault: the first rule file that could not be read, and why: ``path:line: message``; ``None`` if there is none.
    """

    __slots__ = ("_find", "_policy", "_remedies", "fault")

    def __init__(
        self, fault: str | None = None, find: Callable[[], Sequence[tuple[PrefixRule, str]]] | None = None
    ) -> None:
        """``find`` gives the allow rules that do not count, each with what makes it count; asked once, when needed."""
        self.fault = fault
        self._find = find
        self._policy: Policy | None = None
        self._remedies: dict[int, str] = {}

    def blocks(self, command: Command, *, safe: bool, silent: bool) -> tuple[Block, ...]:
        """Returns what is in the way of ``command``, which is not allowed.

        Args:
            safe: it would be allowed, but for the fault.
            silent: nothing in force says anything about it.
        """
        found: list[Block] = []
        if self.fault is not None and (safe or silent):
            known = "it is known to be safe" if safe else "no rule that could be read mentions it"
            detail = f"{known}, and a rule file is broken; until that is repaired only rules allow: {self.fault}"
            found.append(Block("fail-closed", detail, command.span))
        rule = self._rule_for(command)
        if rule is not None:
            where = f" ({rule.place})" if rule.place is not None else ""
            detail = f"the rule that allows it{where} does not count: {self._remedies[id(rule)]}"
            found.append(Block("untrusted", detail, command.span))
        return tuple(found)

    def _rule_for(self, command: Command) -> PrefixRule | None:
        if self._find is None:
            return None
        if self._policy is None:
            rules = self._find()
            self._remedies = {id(rule): remedy for rule, remedy in rules}
            self._policy = Policy([rule for rule, _ in rules])
        words: list[str] = []
        for word in command.argv():
            if word is None:
                break
            words.append(word)
        matches = self._policy.matches(tuple(words)) if words else ()
        return matches[0].rule if matches else None
