"""Which rules would have saved the most prompts: prefixes that name what is done, each proven by judging again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.insight.missing_rules import is_dangerous
from execpolicy.insight.suggestible import why_not
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.lang.render import render_prefix_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from execpolicy.insight.missing_rules import Needs, Prefix
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation

_MOST_GROUPS = 300
"""Kinds of prompted scripts that are looked at, most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """An allow rule that the history asks for.

    Attributes:
        prefix: what the rule would cover.
        saved: prompts that it would have saved, given the suggestions before it.
        commands: distinct commands among them.
        example: the most frequent of them.
    """

    prefix: Prefix
    saved: int
    commands: int
    example: str

    @property
    def line(self) -> str:
        """The rule as it is saved."""
        return render_prefix_rule(list(self.prefix))

    def to_json(self) -> dict[str, Any]:
        """``{rule, prefix, saved, commands, example}``."""
        return {
            "rule": self.line,
            "prefix": list(self.prefix),
            "saved": self.saved,
            "commands": self.commands,
            "example": self.example,
        }


@dataclass(slots=True, kw_only=True)
class Suggestions:
    """What is suggested, and what was looked at and is not.

    Attributes:
        rules: in order of the prompts that they would have saved.
        refused: prefixes that stood between frequent commands and their being allowed, with prompts and reason.
    """

    rules: list[Suggestion] = field(default_factory=list)
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
        needs: what :func:`execpolicy.insight.missing_rules.needs_of` says of each prompted command.
        dangers: dangerous commands of the history by their first words; nothing that covers one is suggested.
    """
    search = _Search(prompted, needs, rulebook, situation, shell)
    search.dangers = set(dangers)
    return search.run(most)


class _Search:
    def __init__(
        self,
        prompted: Mapping[str | Prefix, int],
        needs: Mapping[str | Prefix, Needs],
        rulebook: Rulebook,
        situation: Situation,
        shell: str,
    ) -> None:
        self.prompted = prompted
        self.rulebook = rulebook
        self.situation = situation
        self.shell = shell
        self.dangers: set[Prefix] = set()
        self.reasons: dict[Prefix, str | None] = {}
        groups: dict[frozenset[Prefix], list[str | Prefix]] = {}
        for command in prompted:
            wanted = needs.get(command)
            if wanted:
                groups.setdefault(frozenset(wanted), []).append(command)
        weights = {group: sum([prompted[command] for command in commands]) for group, commands in groups.items()}
        ranked = sorted(groups, key=lambda group: (-weights[group], sorted(group)))[:_MOST_GROUPS]
        self.groups = {group: groups[group] for group in ranked}
        self.weights = {group: weights[group] for group in ranked}
        self.with_prefix: dict[Prefix, list[frozenset[Prefix]]] = {}
        for group in ranked:
            for prefix in group:
                self.with_prefix.setdefault(prefix, []).append(group)

    def run(self, most: int) -> Suggestions:
        found = Suggestions()
        chosen: set[Prefix] = set()
        saved: set[str | Prefix] = set()
        given_up: set[frozenset[Prefix]] = set()
        while len(found.rules) < most:
            best = self._best(chosen, given_up)
            if best is None:
                break
            given_up.add(best)
            refused = [prefix for prefix in sorted(best) if self._why_not(prefix) is not None]
            for prefix in refused:
                given_up.update(self.with_prefix[prefix])
            added = sorted(best - chosen)
            if refused or len(found.rules) + len(added) > most:
                continue
            proven = self._proven(chosen, added, saved)
            if not any(commands for _, commands in proven):
                continue
            chosen.update(added)
            for prefix, commands in proven:
                saved.update(commands)
                found.rules.append(self._suggestion(prefix, commands))
        found.refused = self._refused(most)
        return found

    def _refused(self, most: int) -> list[tuple[Prefix, int, str]]:
        """The prefixes that were wanted most and are not suggested."""
        refused = [
            (prefix, sum([self.weights[group] for group in self.with_prefix[prefix]]), why)
            for prefix, why in self.reasons.items()
            if why is not None
        ]
        return sorted(refused, key=lambda one: (-one[1], one[0]))[:most]

    def _why_not(self, prefix: Prefix) -> str | None:
        if prefix not in self.reasons:
            used = next((one for one in sorted(self.dangers) if one[: len(prefix)] == prefix), None)
            if used is not None:
                self.reasons[prefix] = f"it would also allow `{join(used)}` of this history, which is dangerous"
            else:
                self.reasons[prefix] = why_not(prefix, self.rulebook, self.situation)
        return self.reasons[prefix]

    def _best(self, chosen: set[Prefix], given_up: set[frozenset[Prefix]]) -> frozenset[Prefix] | None:
        """The group that saves the most prompts for each rule that it adds."""
        best: tuple[float, list[Prefix]] | None = None
        for group in self.groups:
            added = group - chosen
            if group in given_up or not added:
                continue
            together = chosen | group
            helped = {other for prefix in added for other in self.with_prefix[prefix] if other <= together}
            rank = (-sum([self.weights[other] for other in helped]) / len(added), sorted(group))
            if best is None or rank < best:
                best = rank
        return None if best is None else frozenset(best[1])

    def _proven(
        self, chosen: set[Prefix], added: Sequence[Prefix], saved: set[str | Prefix]
    ) -> list[tuple[Prefix, list[str | Prefix]]]:
        """For each added prefix the commands that it makes allowed, given those before it: judged."""
        have = set(chosen)
        found: list[tuple[Prefix, list[str | Prefix]]] = []
        for prefix in added:
            have.add(prefix)
            rules = [PrefixRule(PrefixPattern.of(one)) for one in sorted(have)]
            rulebook = self.rulebook.with_statements(*rules)
            affected = [
                command
                for group in self.with_prefix[prefix]
                if group <= have
                for command in self.groups[group]
                if command not in saved
            ]
            now = [command for command in affected if self._is_harmlessly_allowed(command, rulebook)]
            found.append((prefix, now))
        return found

    def _is_harmlessly_allowed(self, command: str | Prefix, rulebook: Rulebook) -> bool:
        verdict = judge_script(read_command(command, shell=self.shell), rulebook, self.situation)
        return verdict.decision is Decision.ALLOW and not any(is_dangerous(one) for one in verdict.commands)

    def _suggestion(self, prefix: Prefix, commands: Sequence[str | Prefix]) -> Suggestion:
        top = max(commands, key=lambda command: (self.prompted[command], str(command)), default="")
        return Suggestion(
            prefix=prefix,
            saved=sum([self.prompted[command] for command in commands]),
            commands=len(commands),
            example=top if isinstance(top, str) else join(top),
        )
