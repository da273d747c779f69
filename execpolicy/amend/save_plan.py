"""Plans the rules that allow a script next time: one proposal for each command in it, each to be confirmed.

A proposal is an allow rule: the words of a command, with an exclusion of the words that may not follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

from execpolicy.amend.preview import reusable_prefix, why_not_savable, why_too_broad
from execpolicy.core.decision import Decision
from execpolicy.core.exclusion import NOTHING_MORE
from execpolicy.core.hosts import normalise_path
from execpolicy.core.matches import HeuristicsMatch, PrefixMatch, RuleMatch
from execpolicy.core.path_rules import WriteRule
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.command_verdict import CommandVerdict, EffectMatch
from execpolicy.judge.file_write import HARMLESS_TARGETS, FileWrite
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reasons import shown_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.lang.render import render_prefix_rule
from execpolicy.shell.script import Script


class Grant(NamedTuple):
    """An allow rule: a pattern and its exclusions."""

    pattern: tuple[str, ...]
    unless: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """True if the rule covers the words of the pattern and no further word."""
        return self.unless == NOTHING_MORE

    @property
    def why_not(self) -> str | None:
        """The reason that it should not be saved; ``None`` if it may be."""
        return why_not_savable(self.pattern) or why_too_broad(self.pattern, exact=self.is_exact)

    def rule(self) -> PrefixRule:
        """The rule."""
        return PrefixRule(PrefixPattern.of(self.pattern), unless=self.unless)

    def line(self) -> str:
        """The line of a rule file for it."""
        return render_prefix_rule(self.pattern, unless=self.unless)


def exactly(words: tuple[str, ...]) -> Grant:
    """The rule that covers exactly ``words``, without a further word."""
    return Grant(words, NOTHING_MORE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The rules that could be saved for one command.

    Attributes:
        known: the words that a rule can contain: all words before the first that is only known at run time. Empty if
            nothing can be saved.
        complete: true if ``known`` is the whole command, so that a rule can cover exactly this command.
        reusable: the words that name the action without its object, if they are a shorter prefix worth saving.
        refused: the reason that nothing can be saved; ``None`` if something can.
    """

    shown: str
    known: tuple[str, ...] = ()
    complete: bool = True
    reusable: tuple[str, ...] | None = None
    refused: str | None = None

    @property
    def exact(self) -> Grant | None:
        """The rule for exactly this command; ``None`` if none is possible."""
        return exactly(self.known) if self.known and self.complete else None

    @property
    def narrowest(self) -> Grant | None:
        """The narrowest rule that can allow the command; ``None`` if there is none."""
        return self.exact or (Grant(self.known) if self.known else None)

    @property
    def why_not_exact(self) -> str | None:
        """The reason that no rule can cover exactly this command; ``None`` if one can."""
        if self.refused is not None or self.complete:
            return self.refused
        return (
            "a word of it is only known when it runs, so no rule can cover exactly this command; "
            f"`--prefix {len(self.known)}` allows every command that starts with `{join(self.known)}`"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The proposals and obstacles on the way to allowing a script.

    Attributes:
        proposals: one for each command that a new rule could allow, in order and without repetitions.
        obstacles: the reasons that the script would still not be allowed with the narrowest rule of every proposal
            and ``writes`` saved: a forbid or prompt rule, a side effect, a command for which nothing can be saved.
        settles: true if the script is allowed with ``writes`` and those rules.
        writes: a rule for each file that a redirection writes; empty if they do not settle it with those rules.
    """

    verdict: Verdict
    proposals: tuple[Proposal, ...]
    obstacles: tuple[str, ...]
    settles: bool
    writes: tuple[WriteRule, ...] = ()


def plan(script: Script, rulebook: Rulebook, situation: Situation, *, insist: bool = False) -> Plan:
    """The rules to save so that ``script`` is allowed under ``rulebook``, and the remaining obstacles.

    Args:
        insist: true to propose a rule for a single command even if it is allowed, because a stricter approval policy
            may prompt for a command that only heuristics allow.
    """
    plain = _plan_for_commands(script, rulebook, situation, insist=insist)
    if plain.verdict.decision is Decision.ALLOW:
        return plain
    redirects = [redirect for command in script.commands for redirect in command.redirects if redirect.writes]
    writes = write_rules([redirect.target.literal for redirect in redirects], rulebook, situation)
    if not writes:
        return plain
    found = _plan_for_commands(script, rulebook.with_statements(*writes), situation)
    if not found.settles:
        return plain
    return Plan(verdict=plain.verdict, proposals=found.proposals, obstacles=(), settles=True, writes=writes)


def _plan_for_commands(script: Script, rulebook: Rulebook, situation: Situation, *, insist: bool = False) -> Plan:
    verdict = judge_script(script, rulebook, situation)
    proposals: dict[tuple[str, ...], Proposal] = {}
    if verdict.decision is not Decision.ALLOW and script.status != "opaque":
        for command in _undecided(verdict.commands):
            proposals.setdefault(command.argv, _proposal(command))
    elif insist and len(verdict.commands) == 1 and verdict.commands[0].command.words:
        (command,) = verdict.commands
        proposals[command.argv] = _proposal(command)
    left = outcome(script, _narrowest(proposals.values()), rulebook, situation)
    if proposals and left.decision is not Decision.ALLOW:  # `watch foo` also needs a rule for its nested command
        wider = dict(proposals)
        for inner in [each for command in left.commands for each in _undecided(command.inner)]:
            if None not in inner.command.argv():
                wider.setdefault(inner.argv, _proposal(inner))
        with_inner = outcome(script, _narrowest(wider.values()), rulebook, situation)
        if with_inner.decision is Decision.ALLOW:
            proposals, left = wider, with_inner
    settles = left.decision is Decision.ALLOW
    return Plan(verdict=verdict, proposals=tuple(proposals.values()), obstacles=obstacles(left), settles=settles)


def write_rules(targets: Iterable[str | None], rulebook: Rulebook, situation: Situation) -> tuple[WriteRule, ...]:
    """A rule for each of the files ``targets`` that only lacks a rule."""
    found: dict[str, WriteRule] = {}
    for target in targets:
        if target is None or target in HARMLESS_TARGETS or target in found:
            continue
        write = FileWrite(target, rulebook, situation)
        if not write.covered and not write.restricting and write.guarded is None:
            start = situation.root.rstrip("/") + "/"
            places = dict.fromkeys(map(normalise_path, write.paths))
            paths = ["./" + path.removeprefix(start) if path.startswith(start) else path for path in places]
            if not any(set("*?[") & set(path) for path in paths):
                found[target] = WriteRule(tuple(paths))
    return tuple(found.values())


def _narrowest(proposals: Iterable[Proposal]) -> list[Grant]:
    return [proposal.narrowest for proposal in proposals if proposal.narrowest is not None]


def outcome(script: Script, grants: Sequence[Grant], rulebook: Rulebook, situation: Situation) -> Verdict:
    """The verdict on ``script`` if ``grants`` were saved."""
    return judge_script(script, rulebook.with_statements(*[grant.rule() for grant in grants]), situation)


def restricts(match: RuleMatch | EffectMatch) -> TypeGuard[PrefixMatch | EffectMatch]:
    """True if a prompt or forbid rule matched."""
    return match.decision is not Decision.ALLOW and not isinstance(match, HeuristicsMatch)


def obstacles(verdict: Verdict) -> tuple[str, ...]:
    """The reasons that ``verdict`` is not *allow*."""
    found: dict[str, None] = {}
    if verdict.decision is Decision.ALLOW:
        return ()
    if verdict.script.status == "opaque":
        found[f"the script is not understood: {verdict.script.reason}"] = None
    else:
        found.update({block.detail: None for block in verdict.blocks})
    for command in verdict.commands:
        for match in command.matches:
            if not restricts(match):
                continue
            place = match.rule.place
            where = "" if place is None else f" ({place})"
            verb = "forbids" if match.decision is Decision.FORBIDDEN else "asks about"
            found[f"a rule{where} {verb} `{shown_command(command)}`"] = None
        for block in command.blocks:
            if block.detail not in found and block.detail != verdict.script.reason:
                found[f"`{shown_command(command)}`: {block.detail}"] = None
    return tuple(found)


def _undecided(commands: Sequence[CommandVerdict]) -> list[CommandVerdict]:
    """The commands that a rule could allow; for a transparent wrapper its nested command, if every word is known."""
    found: list[CommandVerdict] = []
    for command in commands:
        if command.decision is Decision.ALLOW or any(map(restricts, command.matches)):
            continue
        inner = _undecided(command.inner) if command.source == "wrapper" else []
        if inner and all(None not in each.command.argv() for each in inner):
            found.extend(inner)
        elif command.command.words:
            found.append(command)
    return found


def _proposal(command: CommandVerdict) -> Proposal:
    shown = shown_command(command)
    known = known_words(command)
    refused = why_not_savable(known)
    if command.command.body is not None or any(r.operator.startswith("<<") for r in command.command.redirects):
        refused = (
            "it reads a here-document, which a rule does not look at: saving it would allow any other text as well"
        )
    if refused is None and len(known) < len(command.argv) and len(known) < 2:
        refused = f"only `{join(known)}` is known before it runs, and a rule for that alone is too broad"
    if refused is not None:
        return Proposal(shown=shown, refused=refused)
    reusable = reusable_prefix(known)
    return Proposal(
        shown=shown,
        known=known,
        complete=len(known) == len(command.argv),
        reusable=reusable if reusable != known else None,
    )


def known_words(command: CommandVerdict) -> tuple[str, ...]:
    """The words of ``command``, up to the first that is only known at run time."""
    known: list[str] = []
    for word in command.command.argv():
        if word is None:
            break
        known.append(word)
    return tuple(known)
