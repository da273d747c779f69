"""Suggests the rules that would have saved the most prompts: prefixes that name the task, each proven by judging."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from execpolicy.amend.save_plan import Grant, obstacles
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.insight.missing_rules import Needs, Prefix, is_dangerous
from execpolicy.insight.suggestion_policy import grant_for, why_not
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.render import render_prefix_rule
from execpolicy.programs.breadth import worst_of

_MOST_GROUPS = 300
"""The maximum number of kinds of prompted scripts that are examined, most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """An allow rule that the history suggests.

    Attributes:
        worst: the most dangerous command that its prefix alone would allow and that it excludes; ``None`` if none is
            known.
        saved: prompts that it would have saved, given the suggestions before it.
        commands: distinct commands among them.
        example: the most frequent of them.
    """

    prefix: Prefix
    unless: Prefix
    worst: str | None
    saved: int
    commands: int
    example: str

    @property
    def line(self) -> str:
        """The rule as it is saved."""
        return render_prefix_rule(list(self.prefix), unless=self.unless)

    def to_json(self) -> dict[str, Any]:
        """``{rule, prefix, unless, worst, saved, commands, example}``."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {"rule": self.line, **fields, "prefix": list(self.prefix), "unless": list(self.unless)}


@dataclass(slots=True, kw_only=True)
class Suggestions:
    """The suggested rules, and the candidates that were refused.

    Attributes:
        rules: in order of the prompts that they would have saved.
        refused: commands that kept prompts from being allowed, with prompts and reason.
        once: commands that caused one prompt, and that a rule of their own could allow.
    """

    rules: list[Suggestion] = field(default_factory=list)
    once: list[str] = field(default_factory=list)
    refused: list[tuple[Prefix, int, str]] = field(default_factory=list)


def suggest(
    prompted: Mapping[str | Prefix, int],
    needs: Mapping[str | Prefix, Needs],
    rulebook: Rulebook,
    situation: Situation,
    *,
    dangers: Iterable[Prefix] = (),
    shell: str = "bash",
    most: int = 10,
) -> Suggestions:
    """The rules that would have saved the most of ``prompted`` (command to how often), at most ``most`` of them.

    Args:
        needs: the result of :func:`execpolicy.insight.missing_rules.needs_of` for each prompted command.
        dangers: dangerous commands of the history by their first words; no rule that covers one is suggested.
    """
    return _Search(prompted, needs, rulebook, situation, shell, set(dangers)).run(most)


@dataclass(slots=True)
class _Search:
    prompted: Mapping[str | Prefix, int]
    needs: Mapping[str | Prefix, Needs]
    rulebook: Rulebook
    situation: Situation
    shell: str
    dangers: set[Prefix]
    reasons: dict[Prefix, str | None] = field(default_factory=dict)
    refused: dict[Prefix, tuple[int, str]] = field(default_factory=dict)
    groups: dict[frozenset[Grant], list[str | Prefix]] = field(default_factory=dict)
    weights: dict[frozenset[Grant], int] = field(default_factory=dict)
    with_grant: dict[Grant, list[frozenset[Grant]]] = field(default_factory=dict)

    def run(self, most: int) -> Suggestions:
        self._sort()
        found = Suggestions()
        chosen: set[Grant] = set()
        saved: set[str | Prefix] = set()
        given_up: set[frozenset[Grant]] = set()
        while len(found.rules) < most:
            best = self._best(chosen, given_up)
            if best is None:
                break
            given_up.add(best)
            added = sorted(best - chosen)
            if len(found.rules) + len(added) > most:
                continue
            proven = self._proven(chosen, added, saved)
            if not any(commands for _, commands in proven):
                continue
            chosen.update(added)
            for grant, commands in proven:
                saved.update(commands)
                found.rules.append(self._suggestion(grant, commands))
        self._leave(saved, most, found)
        found.refused = sorted(
            [(words, times, why) for words, (times, why) in self.refused.items()], key=lambda one: (-one[1], one[0])
        )
        return found

    def _sort(self) -> None:
        """Groups the commands that the same rules would allow, and separates those that no rule should allow."""
        groups: dict[frozenset[Grant], list[str | Prefix]] = {}
        for command in self.prompted:
            wanted = self.needs.get(command)
            if not wanted:
                self._refuse(command, command, self._why_no_rule(command))
                continue
            grants: set[Grant] = set()
            for words in wanted:
                why = self._why_not(words)
                if why is not None:
                    self._refuse(command, words, why)
                    break
                grants.add(grant_for(words))
            else:
                groups.setdefault(frozenset(grants), []).append(command)
        weights = {group: sum([self.prompted[command] for command in commands]) for group, commands in groups.items()}
        for group in sorted(groups, key=lambda group: (-weights[group], sorted(group)))[:_MOST_GROUPS]:
            self.groups[group] = groups.pop(group)
            self.weights[group] = weights[group]
            for grant in group:
                self.with_grant.setdefault(grant, []).append(group)
        for commands in groups.values():
            for command in commands:
                self._refuse(command, command, "too many other commands were asked about more often")

    def _refuse(self, command: str | Prefix, words: str | Prefix, why: str) -> None:
        shown = words if isinstance(words, tuple) else (words,)
        times = self.refused.get(shown, (0, ""))[0]
        self.refused[shown] = times + self.prompted[command], why

    def _leave(self, saved: set[str | Prefix], most: int, found: Suggestions) -> None:
        """Records the reason for every command that no suggestion saves."""
        for commands in self.groups.values():
            for command in commands:
                if command in saved:
                    continue
                if self.prompted[command] == 1 and len(found.rules) >= most:
                    found.once.append(command if isinstance(command, str) else join(command))
                elif len(found.rules) >= most:
                    self._refuse(command, command, f"{most} other rules save more; ask for more with `--suggest`")
                else:
                    self._refuse(command, command, self._why_no_rule(command))

    def _why_no_rule(self, command: str | Prefix) -> str:
        verdict = judge_script(read_command(command, shell=self.shell), self.rulebook, self.situation)
        why = obstacles(verdict)
        if why:
            return why[0]
        worst = next((one for one in verdict.commands if is_dangerous(one)), None)
        if worst is not None:
            return f"`{join(worst.argv)}` is dangerous"
        return "a word of it is only known at run time, and a rule would allow any other in its place"

    def _why_not(self, words: Prefix) -> str | None:
        if words not in self.reasons:
            grant = grant_for(words)
            rule = grant.rule()
            used = next((one for one in sorted(self.dangers) if rule.matched_prefix(one) is not None), None)
            if used is not None:
                self.reasons[words] = f"it would also allow `{join(used)}` of this history, which is dangerous"
            else:
                self.reasons[words] = why_not(words, self.rulebook, self.situation)
        return self.reasons[words]

    def _best(self, chosen: set[Grant], given_up: set[frozenset[Grant]]) -> frozenset[Grant] | None:
        """The group that saves the most prompts for each rule that it adds."""
        best: tuple[float, list[Grant]] | None = None
        for group in self.groups:
            added = group - chosen
            if group in given_up or not added:
                continue
            together = chosen | group
            helped = {other for grant in added for other in self.with_grant[grant] if other <= together}
            rank = (-sum([self.weights[other] for other in helped]) / len(added), sorted(group))
            if best is None or rank < best:
                best = rank
        return None if best is None else frozenset(best[1])

    def _proven(
        self, chosen: set[Grant], added: Sequence[Grant], saved: set[str | Prefix]
    ) -> list[tuple[Grant, list[str | Prefix]]]:
        """For each added grant the commands that judging shows to be newly allowed, given the grants before it."""
        have = set(chosen)
        found: list[tuple[Grant, list[str | Prefix]]] = []
        for grant in added:
            have.add(grant)
            rulebook = self.rulebook.with_statements(*[one.rule() for one in sorted(have)])
            affected = [
                command
                for group in self.with_grant[grant]
                if group <= have
                for command in self.groups[group]
                if command not in saved
            ]
            now = [command for command in affected if self._is_harmlessly_allowed(command, rulebook)]
            found.append((grant, now))
        return found

    def _is_harmlessly_allowed(self, command: str | Prefix, rulebook: Rulebook) -> bool:
        verdict = judge_script(read_command(command, shell=self.shell), rulebook, self.situation)
        return verdict.decision is Decision.ALLOW and not any(is_dangerous(one) for one in verdict.commands)

    def _suggestion(self, grant: Grant, commands: Sequence[str | Prefix]) -> Suggestion:
        top = max(commands, key=lambda command: (self.prompted[command], str(command)), default="")
        worst = worst_of(grant.pattern)
        return Suggestion(
            prefix=grant.pattern,
            unless=grant.unless,
            worst=None if worst is None else join(worst.words),
            saved=sum([self.prompted[command] for command in commands]),
            commands=len(commands),
            example=top if isinstance(top, str) else join(top),
        )
