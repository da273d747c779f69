"""Judges a script: restricts on everything that can be seen, grants only on what is proven.

The two directions are asymmetric on purpose. To *restrict*, wrappers, paths, global options and visible values are
looked through: a prompt or forbidden rule applies to whatever a command may be underneath. To *grant*, a command must
be covered as it is written, and nothing in the whole script may put the proof in doubt.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch
from execpolicy.judge.grants import Grants
from execpolicy.judge.restrictions import restricting_matches
from execpolicy.judge.verdict import Block, CommandVerdict, Verdict, WriteMatch
from execpolicy.programs.knowledge import facts_of
from execpolicy.programs.unwrap import unwrap
from execpolicy.safety.opinion import Opinion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, TypeAlias

    from execpolicy.core.matches import PrefixMatch, RuleMatch
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command, Script

    OpinionWord: TypeAlias = Literal["safe", "dangerous", "unknown"]
    Fallback: TypeAlias = Callable[[OpinionWord], Decision]

MAX_DEPTH = 64
"""Wrappers inside wrappers that are opened; deeper ones are never granted."""
_TOO_DEEP = "commands are nested or chained too deep to be looked through"
MAX_OPENED = 2_000
"""Wrapped commands that are looked at in one judgement: an unsure wrapper has several readings, each may wrap again."""


def ask_unless_safe(opinion: OpinionWord) -> Decision:
    """The fallback where no approval policy is given: what is proven safe is allowed, all else is asked about."""
    return Decision.ALLOW if opinion == "safe" else Decision.PROMPT


def judge_script(
    script: Script, rulebook: Rulebook, situation: Situation, *, fallback: Fallback = ask_unless_safe
) -> Verdict:
    """The verdict on everything that ``script`` can run.

    Args:
        fallback: what a command that no rule settles gets, by the heuristics' opinion of it.
    """
    try:
        return _Judge(rulebook, situation, fallback).script(facts_of(script), 0)
    except RecursionError:
        # thousands of commands that feed or wrap each other: look at each as it stands, and grant nothing
        return _Judge(rulebook, situation, fallback, shallow=True).script(facts_of(script), 0)


class _Judge:
    """One judgement; the same rules for the script and for every script inside it."""

    __slots__ = ("fallback", "opened", "rulebook", "shallow", "situation")

    def __init__(self, rulebook: Rulebook, situation: Situation, fallback: Fallback, *, shallow: bool = False) -> None:
        self.opened = 0
        self.shallow = shallow
        self.rulebook = rulebook
        self.situation = situation
        self.fallback = fallback

    def answer(self, opinion: OpinionWord) -> Decision:
        """The fallback's decision; never laxer than prompt while some rule file is broken."""
        decision = self.fallback(opinion)
        return max(decision, Decision.PROMPT) if self.rulebook.fail_closed else decision

    def script(self, facts: Facts, depth: int) -> Verdict:
        grants = Grants(facts, self.rulebook, self.situation)
        verdicts = [self.command(command, grants, depth) for command in facts.script.commands]
        blocks = grants.unresolved([verdict.opinion for verdict in verdicts])
        if blocks != grants.blocks:  # some effects were proven harmless by what the commands inside them print
            grants = grants.with_blocks(blocks)
            verdicts = [self.command(command, grants, depth) for command in facts.script.commands]
        decision = max([verdict.decision for verdict in verdicts], default=Decision.ALLOW)
        if blocks or not (facts.script.commands or _only_tests(facts.script)):
            decision = max(decision, self.answer("unknown"))
        return Verdict(decision, tuple(verdicts), facts.script, blocks)

    def command(self, command: Command, grants: Grants, depth: int) -> CommandVerdict:
        """What ``command`` gets; where all values of its words are proven, the worst that it gets with one of them."""
        verdict = self.as_written(command, grants, depth)
        if verdict.source == "rule" or self.shallow:
            return verdict
        facts = grants.facts
        known = command.plain_argv is None and any(facts.cases(word) for word in command.words[1:])
        if known or (verdict.decision is not Decision.ALLOW and grants.facts.script.functions):
            from execpolicy.flow.calls import cases_in_calls
            from execpolicy.flow.must import cases_of

            cases = cases_of(command, facts) if known else cases_in_calls(command, facts)
        else:
            return verdict
        found = [self.as_written(case, grants, depth) for case in cases]
        worst = max(found, key=lambda each: each.decision, default=verdict)
        if worst.decision is verdict.decision and verdict.decision is not Decision.ALLOW:
            return verdict
        return worst.of(verdict.command, verdict.argv)

    def as_written(self, command: Command, grants: Grants, depth: int) -> CommandVerdict:
        """What ``command`` gets: restrictions first, then a grant, then what it wraps, then the heuristics."""
        facts = grants.facts
        inner = self.inner(command, grants, depth)
        restricting: list[RuleMatch | WriteMatch] = []
        restricting += restricting_matches(command, facts, self.rulebook, self.situation)
        own_blocks: tuple[Block, ...] = ()
        if command.redirects:
            writes, own_blocks = grants.writes(command)
            restricting += writes
        for verdict in inner.verdicts:
            restricting += [
                match
                for match in verdict.matches
                # what heuristics say of an inner command only counts through `opinion` below
                if match.decision is not Decision.ALLOW and not isinstance(match, HeuristicsMatch)
            ]
        opinion = self.opinion(command, grants, inner.verdicts)
        argv = grants.shown(command)
        allowing = grants.allow_rules(command)
        if command.assignments:
            own_blocks = grants.command_blocks(command, opinion) + own_blocks
        if not allowing and (command.redirects or inner.parts):
            own_blocks += grants.secrets_read(command) + inner.secrets()

        def settled(
            decision: Decision,
            matches: Sequence[RuleMatch | WriteMatch],
            source: Literal["rule", "heuristics", "wrapper", "nothing-to-run"],
            blocks: Sequence[Block] = (),
            denied: Sequence[PrefixMatch] = (),
        ) -> CommandVerdict:
            return CommandVerdict(
                command,
                argv,
                decision,
                tuple(matches),
                source,
                opinion=opinion,
                blocks=tuple(blocks),
                denied_grants=tuple(denied),
                inner=inner.verdicts,
            )

        if restricting:
            unique = _unique([*allowing, *restricting])
            return settled(max([match.decision for match in unique]), unique, "rule")
        blocks = (*grants.blocks, *own_blocks)
        if allowing:
            refused = (*blocks, *grants.rule_blocks(command, allowing), *inner.blocks_for(allowing))
            if not refused:
                return settled(Decision.ALLOW, allowing, "rule")
            blocks = refused
        if grants.only_sets_variables(command) and not own_blocks and not inner.parts:
            return settled(Decision.ALLOW, (), "nothing-to-run")
        if inner.transparent and not own_blocks:
            decision = max([verdict.decision for verdict in inner.proven])
            matches = [match for verdict in inner.proven for match in verdict.matches]
            return settled(decision, matches, "wrapper", denied=allowing)
        blocks = (*blocks, *inner.blocks_for(()))
        word: OpinionWord = opinion.verdict
        if word == "safe" and blocks:
            word = "unknown"
        decision = self.answer(word)
        return settled(decision, (HeuristicsMatch(argv, decision),), "heuristics", blocks, allowing)

    def opinion(self, command: Command, grants: Grants, inner: Sequence[CommandVerdict]) -> Opinion:
        """The heuristics' opinion of the command, or of the worst that it wraps."""
        if self.shallow:
            return Opinion("unknown", "too-deep", _TOO_DEEP)
        own = self.rulebook.heuristics.opinion(command, grants.facts)
        if own.verdict != "dangerous":
            for verdict in inner:
                if verdict.opinion is not None and verdict.opinion.verdict == "dangerous":
                    return verdict.opinion
        return own

    def inner(self, command: Command, grants: Grants, depth: int) -> _Inside:
        """What ``command`` would run itself, judged."""
        if self.shallow:
            return _Inside((), (), (Block("too-deep", _TOO_DEEP, command.span),))
        if not command.words and not command.assignments:
            return _NOTHING
        found = unwrap(command, grants.facts)
        if not found:
            return _NOTHING
        self.opened += len(found)
        if depth >= MAX_DEPTH or self.opened > MAX_OPENED:
            return _Inside((), (), (Block("too-deep", _TOO_DEEP, command.span),))
        verdicts: list[CommandVerdict] = []
        parts: list[tuple[Inner, tuple[CommandVerdict, ...]]] = []
        blocks: list[Block] = []
        for one in found:
            if one.command is not None:
                judged: tuple[CommandVerdict, ...] = (self.command(one.command, grants, depth + 1),)
            elif one.script is not None:
                verdict = self.script(grants.facts.within(one.script), depth + 1)
                judged = verdict.commands
                blocks += () if one.evidence else verdict.blocks
            else:
                judged = ()
                if not one.evidence:
                    blocks.append(Block("hidden-command", one.reason or "it runs something unknown", one.span))
            verdicts += judged
            parts.append((one, judged))
        return _Inside(tuple(verdicts), tuple(parts), tuple(blocks))


def _only_tests(script: Script) -> bool:
    """Whether a script without commands still does something: ``[[ -f x ]]``, ``(( 1 + 1 ))``.

    An empty one is no request that anybody would mean to make.
    """
    lines = [line.strip() for line in script.text.split("\n")]
    return script.status == "structured" and any(line.startswith(("[[ ", "((", "! [[ ")) for line in lines)


class _Inside:
    """What a command would run itself.

    Attributes:
        verdicts: on every command inside, one level down.
        parts: each thing that it runs, with the verdicts on it.
        blocks: what stands in the way of any grant inside.
    """

    __slots__ = ("blocks", "parts", "verdicts")

    def __init__(
        self,
        verdicts: tuple[CommandVerdict, ...],
        parts: tuple[tuple[Inner, tuple[CommandVerdict, ...]], ...],
        blocks: tuple[Block, ...],
    ) -> None:
        self.verdicts = verdicts
        self.parts = parts
        self.blocks = blocks

    @property
    def transparent(self) -> bool:
        """The command only schedules what it runs: the inner commands decide."""
        return bool(self.proven) and not self.blocks and all(one.transparent or one.evidence for one, _ in self.parts)

    @property
    def proven(self) -> tuple[CommandVerdict, ...]:
        """The verdicts that grants depend on; evidence can only restrict."""
        return tuple([verdict for one, judged in self.parts if not one.evidence for verdict in judged])

    def secrets(self) -> tuple[Block, ...]:
        """Well-known secrets that it visibly hands to a program: ``ls .env | xargs cat``."""
        return tuple(
            [
                Block("secret", f"it runs `{' '.join(verdict.argv)}`: {verdict.opinion.why}", one.span)
                for one, judged in self.parts
                if one.evidence
                for verdict in judged
                if verdict.opinion is not None and verdict.opinion.code == "secret"
            ]
        )

    def blocks_for(self, allowing: Sequence[PrefixMatch]) -> tuple[Block, ...]:
        """What stands in the way of a grant by ``allowing`` rules (or by a safe entry, if there are none).

        A rule that names the inner program grants it too (``["npx", "tsc"]``); one that names the wrapper does not.
        """
        found = list(self.blocks)
        for one, judged in self.parts:
            if one.evidence:
                continue
            named = any(_names_inner(match, one) for match in allowing)
            for verdict in judged:
                if verdict.decision is not Decision.ALLOW and not (named and _reaches(allowing, verdict)):
                    shown = " ".join(verdict.argv)
                    found.append(Block("hidden-command", f"it runs `{shown}`, which nothing allows", one.span))
        return tuple(found)


_NOTHING = _Inside((), (), ())


def _names_inner(match: PrefixMatch, inner: Inner) -> bool:
    """Whether the rule's pattern reaches the inner program: it then speaks about that program."""
    words = inner.words
    return bool(words) and words[0].literal is not None and words[0].literal in match.prefix[1:]


def _reaches(allowing: Sequence[PrefixMatch], verdict: CommandVerdict) -> bool:
    """Whether nothing that a named inner command would run itself is left out by the rules' patterns.

    ``["sudo", "bash"]`` says as little about what bash runs as ``["bash"]`` does.
    """
    if verdict.source != "wrapper" and not any(block.code == "hidden-command" for block in verdict.blocks):
        return True
    if any(match.prefix[-len(verdict.argv) :] == verdict.argv for match in allowing):
        return True  # word for word
    named = {word for match in allowing for word in match.prefix[1:]}
    return bool(verdict.inner) and all(
        inner.decision is Decision.ALLOW or inner.argv[:1] == () or inner.argv[0] in named for inner in verdict.inner
    )


def _unique(matches: Sequence[RuleMatch | WriteMatch]) -> list[RuleMatch | WriteMatch]:
    """Without rules that a second view of the same command matched again."""
    seen: set[tuple[int, object]] = set()
    found: list[RuleMatch | WriteMatch] = []
    for match in matches:
        prefix = getattr(match, "prefix", None)
        key = (id(getattr(match, "rule", match)), prefix)
        if key not in seen:
            seen.add(key)
            found.append(match)
    return found
