"""Judges a script: restricts on everything that can be seen, grants only on what is proven.

The two directions are asymmetric on purpose. To *restrict*, wrappers, paths, global options and visible values are
looked through: a prompt or forbidden rule applies to whatever a command may be underneath. To *grant*, a command must
be covered as it is written, and nothing in the whole script may put the proof in doubt.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.ground import Ground
from execpolicy.core.matches import HeuristicsMatch
from execpolicy.judge import connections, objections
from execpolicy.judge.command_verdict import Block, CommandVerdict, EffectMatch
from execpolicy.judge.folders import restricted_writes
from execpolicy.judge.grants import Grants, named_words
from execpolicy.judge.inside import NOTHING_INSIDE, Inside, run_by
from execpolicy.judge.restrictions import once_each, stricter_matches
from execpolicy.judge.verdict import Verdict
from execpolicy.programs import carried
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.standing import files_named
from execpolicy.safety.opinion import Opinion
from execpolicy.shell.limits import COMMAND, JUDGED, MANY_WORDS, STEP
from execpolicy.shell.script import DYNAMIC_PROGRAM, NO_FACTS, SHELLS, replace
from execpolicy.shell.words import Word, literal_start

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
    from execpolicy.source import Span

    OpinionWord: TypeAlias = Literal["safe", "dangerous", "unknown"]
    Fallback: TypeAlias = Callable[[OpinionWord], Decision]
    _Source: TypeAlias = Literal["rule", "heuristics", "wrapper", "nothing-to-run"]
    _Settled: TypeAlias = tuple[
        Decision, tuple[RuleMatch | EffectMatch, ...], _Source, tuple[Block, ...], tuple[Ground, ...]
    ]
    """A decision, the rules that matched, what settled it, what stood in the way of a grant, what a grant rests on."""
    _Judged: TypeAlias = tuple[tuple[CommandVerdict, ...], tuple[Block, ...]]
    """The commands that something runs, and what is in the way of any grant inside."""

MAX_DEPTH = 64
"""Wrappers inside wrappers that are opened; deeper ones are never granted. Of very many words, ``STILL_OPENED``."""
_TOO_MUCH = "it would take too much work to follow all that it may run"
MAX_OPENED = 3_000
"""Wrapped commands that are looked at in one judgement: an unsure wrapper has several readings, each may wrap again."""
STILL_OPENED = 8
"""Wrappers inside wrappers that are opened in every command, by their first reading, when there were too many."""


def ask_unless_safe(opinion: OpinionWord) -> Decision:
    """The fallback where no approval policy is given: what is proven safe is allowed, all else prompts."""
    return Decision.ALLOW if opinion == "safe" else Decision.PROMPT


def judge_script(
    script: Script, rulebook: Rulebook, situation: Situation, *, fallback: Fallback = ask_unless_safe
) -> Verdict:
    """The verdict on everything that ``script`` can run.

    Args:
        fallback: what a command that no rule settles gets, by the heuristics' opinion of it.
    """
    situation.unlinked.clear()  # the disk may have changed since the last judgement
    judge = _Judge(rulebook, situation, fallback)
    try:
        facts = facts_of(_with_unread(script, rulebook))
        if any(effect.kind == DYNAMIC_PROGRAM for effect in script.effects):
            facts = _with_known_programs(facts, situation)
        facts.finds_within = _scripts_within
        facts.terminal = situation.terminal
        return judge.script(Grants(facts, rulebook, situation), 0)
    except Exception as error:
        failed = failure(error, *script.commands[:1])
        bare = facts_of(replace(script, seen=NO_FACTS))
        verdicts = tuple([still_seen(command, bare, rulebook, situation, failed) for command in script.commands])
        decision = max([Decision.PROMPT, *[verdict.decision for verdict in verdicts]])
        return Verdict(decision, verdicts, script, (failed,), (), rulebook, situation)


def _scripts_within(facts: Facts) -> Sequence[Facts]:
    return facts.once(carried.with_inner_scripts, carried.carried)


class _Judge:
    """One judgement; the same rules for the script and for every script inside it."""

    __slots__ = ("failed", "fallback", "opened", "rulebook", "situation")

    def __init__(self, rulebook: Rulebook, situation: Situation, fallback: Fallback) -> None:
        self.opened = 0
        self.failed: Block | None = None
        self.rulebook = rulebook
        self.situation = situation
        self.fallback = fallback

    def answer(self, opinion: OpinionWord) -> Decision:
        """The fallback's decision; never laxer than prompt while some rule file is broken."""
        decision = self.fallback(opinion)
        return max(decision, Decision.PROMPT) if self.rulebook.fail_closed else decision

    def script(self, grants: Grants, depth: int) -> Verdict:
        """The verdict on one script."""
        facts = grants.facts
        script = facts.script
        verdicts = [self.guarded(command, grants, depth) for command in script.commands]
        decision = max([verdict.decision for verdict in verdicts], default=Decision.ALLOW)
        blocks, grounds = grants.blocks, grants.grounds
        if self.failed is None and facts.exhausted:
            self.failed = Block("too-deep", _TOO_MUCH)
        if self.failed is not None:
            decision = max(decision, Decision.PROMPT)
            blocks += (self.failed,)
        else:
            if not script.commands:
                blocks += self.within(grounds)[1]
            if blocks or not (script.commands or script.seen.conditions):  # no agent asks for an empty script
                decision = max(decision, self.answer("unknown"))
                grounds = (_PERMITTED,)
        if decision is not Decision.ALLOW:
            grounds = ()
        return Verdict(decision, tuple(verdicts), script, blocks, grounds, self.rulebook, self.situation)

    def guarded(self, command: Command, grants: Grants, depth: int) -> CommandVerdict:
        """Returns what ``command`` gets; where judging it fails, what rules that restrict say, and no grant any
        more.
        """
        work = JUDGED + STEP * len(command.words) + COMMAND * len(command.redirects)
        if grants.facts.budget.spend(work):
            try:
                return self.command(command, grants, depth)
            except Exception as error:
                self.failed = failure(error, command)
        else:
            self.failed = Block("too-deep", _TOO_MUCH)
        try:
            inner = self.inner(command, grants, depth).verdicts
        except Exception:
            inner = ()
        return still_seen(command, grants.facts, self.rulebook, self.situation, self.failed, inner)

    def command(self, command: Command, grants: Grants, depth: int) -> CommandVerdict:
        """Returns what ``command`` gets; where all values of its words are proven, the worst that it gets with one
        of them.
        """
        verdict = self.as_written(command, grants, depth)
        if verdict.source == "rule" and not all(getattr(match, "possible", False) for match in verdict.restrictions):
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
            unknown = bool(found) and all(each.kind == "unknown" for each in found)
            return replace(worst, command=verdict.command, argv=verdict.argv) if unknown else verdict
        grounds: tuple[Ground, ...] = ()
        if worst.decision is Decision.ALLOW and found:
            code = "variable-proven" if known else "call-proven"
            own = tuple([Ground(code, word.span) for word in command.words if word.literal is None])
            grounds, _ = self.within(own + tuple([each for one in found for each in one.grounds]))
            if not grounds:
                return verdict
        return replace(worst, command=verdict.command, argv=verdict.argv, grounds=grounds or worst.grounds)

    def as_written(self, command: Command, grants: Grants, depth: int) -> CommandVerdict:
        """Returns what ``command`` gets: restrictions first, then a grant, then what it wraps, then the heuristics."""
        inner = self.inner(command, grants, depth)
        restricting: list[RuleMatch | EffectMatch] = []
        restricting += stricter_matches(command, grants.facts, self.rulebook, self.situation, grants.where)
        findings = []
        if command.redirects:
            from execpolicy.judge.opened_files import opened_for_writing

            findings = opened_for_writing(command, grants.where)
        own = self.rulebook.heuristics.opinion(command, grants.facts)
        if own.disasters:
            restricting += restricted_writes.disasters(own.disasters, command, grants.where)
        if self.rulebook.writes.restricting:
            restricting += restricted_writes.restricted_writes(command, grants.where)
        if self.rulebook.reads.restricting:
            restricting += restricted_writes.restricted_reads(command, grants.where)
        if self.rulebook.policy.network_rules:
            restricting += connections.restricted_connections(command, grants.facts, self.rulebook)
        for verdict in inner.verdicts:
            restricting += verdict.restrictions
        opinion = self.opinion(command, own, grants, inner.verdicts)
        argv = grants.shown(command)
        allowing = grants.allow_rules(command)
        if restricting:
            matches = tuple(once_each([*allowing, *restricting]))
            settled: _Settled = max([match.decision for match in matches]), matches, "rule", (), ()
        else:
            settled = self.unrestricted(command, grants, inner, opinion, allowing, findings)
        decision, matches, source, blocks, rests_on = settled
        if source == "heuristics":
            matches = (HeuristicsMatch(argv, decision),)
        asked = decision is Decision.PROMPT and not (restricting or allowing or self.rulebook.fail_closed)
        return CommandVerdict(
            command,
            argv,
            decision,
            matches,
            source,
            opinion=opinion,
            blocks=blocks,
            denied_grants=() if source == "rule" else allowing,
            inner=inner.verdicts,
            grounds=rests_on,
            unknown=asked and objections.is_unknown(command, grants, opinion, source, blocks, inner.verdicts),
        )

    def unrestricted(
        self,
        command: Command,
        grants: Grants,
        inner: Inside,
        opinion: Opinion,
        allowing: tuple[PrefixMatch, ...],
        findings: list[Ground | Block],
    ) -> _Settled:
        """Returns what a command gets that no rule restricts.

        Args:
            findings: what its writes rest on, and what is in their way.
        """
        if command.assignments:
            findings = grants.of_assignments(command, opinion) + findings
        if command.redirects:
            from execpolicy.judge.opened_files import opened_for_reading

            read = opened_for_reading(command, grants.where)
            findings += [each for each in read if not allowing or isinstance(each, Ground)]
        if inner.parts and not allowing:
            findings += inner.secrets()
        if inner.parts and (allowing or inner.transparent or opinion.verdict == "safe"):
            findings += inner.writes(grants.where, named_words(command, allowing))
        own, own_blocks = _divided(findings) if findings else ((), ())
        blocks = grants.blocks + own_blocks
        if allowing:
            by_rule, refused = _divided(grants.by_rule(command, allowing, opinion))
            blocks += refused + inner.blocks_for(allowing, named_words(command, allowing))
            if not blocks:
                grounds, blocks = self.within(grants.grounds + by_rule + own + inner.grounds)
                if grounds:
                    return Decision.ALLOW, allowing, "rule", (), grounds
        sets = grants.sets_variables(command) if grants.quiet or not command.words else None
        if sets is not None and not own_blocks and not inner.parts:
            grounds, _ = self.within((*grants.grounds, sets, *own))
            if grounds:
                return Decision.ALLOW, (), "nothing-to-run", (), grounds
        if inner.parts and inner.transparent and not own_blocks:
            decision = max([verdict.decision for verdict in inner.proven])
            matches = tuple([match for verdict in inner.proven for match in verdict.matches])
            grounds, _ = self.within(grants.grounds + own + inner.grounds)
            if grounds or decision is not Decision.ALLOW:
                return decision, matches, "wrapper", (), grounds if decision is Decision.ALLOW else ()
        if inner.parts or inner.blocks:
            blocks += inner.blocks_for(())
        # Where a folder is not the rule's, what is safe in every folder still is.
        elsewhere = tuple([block for block in blocks if block.code == "folder"])
        if not elsewhere:
            return self.by_opinion(command, grants, opinion, own, blocks)
        others = tuple([block for block in blocks if block.code != "folder"])
        settled = self.by_opinion(command, grants, opinion, own, others)
        return settled if settled[0] is Decision.ALLOW else (*settled[:3], elsewhere + settled[3], settled[4])

    def by_opinion(
        self, command: Command, grants: Grants, opinion: Opinion, own: tuple[Ground, ...], blocks: tuple[Block, ...]
    ) -> _Settled:
        """Returns what a command gets that no rule settles: by the heuristics' opinion, and what the caller makes
        of it.
        """
        word: OpinionWord = opinion.verdict
        grounds: tuple[Ground, ...] = ()
        if word == "safe":
            if not blocks:
                grounds, blocks = self.within(grants.by_entry(command, opinion) + own)
            if blocks:
                word = "unknown"
        decision = self.answer(word)
        if decision is not Decision.ALLOW:
            grounds = ()
            if self.rulebook.withheld is not None:
                silent = not blocks and opinion.verdict != "dangerous"  # nothing else is to be said about it
                blocks += self.rulebook.withheld.blocks(command, safe=word == "safe", silent=silent)
        elif not grounds:
            grounds = (_PERMITTED,)
        return decision, (), "heuristics", blocks, grounds

    def within(self, grounds: tuple[Ground, ...]) -> tuple[tuple[Ground, ...], tuple[Block, ...]]:
        """``grounds`` if the setting ``grants`` allows all of them to be used, otherwise the one that it leaves out."""
        reach = self.rulebook.grants
        if reach != "flow":
            from execpolicy.judge.grounds import beyond

            for ground in grounds:
                if beyond(ground.code, reach):
                    detail = f"it rests on `{ground.code}`, which the setting `grants = {reach}` leaves out"
                    return (), (Block("grants", detail, ground.span),)
        return grounds, ()

    def opinion(self, command: Command, own: Opinion, grants: Grants, inner: Sequence[CommandVerdict]) -> Opinion:
        """``own``, the heuristics' opinion of the command, with its folders, or that of the worst that it wraps."""
        if own.verdict == "unknown" and self.rulebook.reads.allowing:
            command, own = restricted_writes.with_allowed_reads(command, own, grants.where)
        if own.code == "dynamic":
            command, own = grants.where.with_found_names(command, own)
        if own.verdict == "safe":
            own = grants.where.opinion(command, own)
        elif own.verdict == "dangerous" and self.rulebook.writes.deletes_trees:
            own = grants.where.deletion(command, own)
        if own.verdict != "dangerous":
            for verdict in inner:
                if verdict.opinion is not None and verdict.opinion.verdict == "dangerous":
                    return verdict.opinion
        return own

    def inner(self, command: Command, grants: Grants, depth: int) -> Inside:
        """Returns what ``command`` would run itself, judged."""
        if not command.words and not command.assignments:
            return NOTHING_INSIDE
        found = run_by(command, grants.facts, self.rulebook)
        if not found:
            return NOTHING_INSIDE
        blocks: list[Block] = []
        verdicts: list[CommandVerdict] = []
        deepest = MAX_DEPTH if len(command.words) <= MANY_WORDS else STILL_OPENED
        if depth >= deepest or self.opened + len(found) > MAX_OPENED or grants.facts.exhausted:
            blocks.append(Block("too-deep", TOO_DEEP, command.span))
            most = int(depth < STILL_OPENED)
            verdicts += still_named(command, found[most:], grants.facts, self.rulebook, self.situation, blocks[0])
            found = found[:most]
        self.opened += len(found)
        parts: list[tuple[Inner, tuple[CommandVerdict, ...]]] = []
        for at, one in enumerate(found):
            if at and grants.facts.exhausted:  # by those before it; there may be thousands more, each as much again
                blocks.append(Block("too-deep", TOO_DEEP, command.span))
                verdicts += still_named(command, found[at:], grants.facts, self.rulebook, self.situation, blocks[-1])
                break
            judged, in_the_way = self.of_inner(command, one, grants, depth)
            blocks += () if one.evidence else in_the_way
            verdicts += judged
            parts.append((one, judged))
        return Inside(tuple(verdicts), tuple(parts), tuple(blocks))

    def of_inner(self, command: Command, one: Inner, grants: Grants, depth: int) -> _Judged:
        """Returns what ``one`` gets, which ``command`` at ``depth`` runs."""
        if one.command is not None:
            around = grants.around(command, one) if one.moved or one.bare else grants
            return (self.guarded(one.command, around, depth + 1),), ()
        if one.script is None or grants.facts.is_within(one.script):  # something unknown, or itself, without end
            return (), (Block("hidden-command", one.reason or TOO_DEEP, one.span),)
        verdict = self.script(grants.inside(command, one, _with_unread(one.script, self.rulebook)), depth + 1)
        return verdict.commands, verdict.blocks


def _with_known_programs(facts: Facts, situation: Situation) -> Facts:
    """``facts`` with the path of each program that has one value: ``~/bin/tool``, ``D=tools; "$D/run"``.

    A name without a slash may be a builtin or a function, and remains unknown.
    """
    script = facts.script
    commands = list(script.commands)
    known: set[Span] = set()
    for at, command in enumerate(commands):
        first = command.words[0] if command.words else None
        paths = files_named(first, facts, situation.home) if first is not None and first.literal is None else []
        if first is not None and len(paths) == 1 and "/" in paths[0]:
            known.add(first.span)
            program = Word(paths[0], first.span, quoted=True, kind=first.kind)
            commands[at] = replace(command, words=(program, *command.words[1:]))
    left = [effect for effect in script.effects if effect.kind != DYNAMIC_PROGRAM or effect.span not in known]
    return facts_of(replace(script, commands=tuple(commands), effects=tuple(left))) if known else facts


def _with_unread(script: Script, rulebook: Rulebook) -> Script:
    """``script`` with what rules restrict in the text that was not read of it, if there is any."""
    if script.seen.rest is None and script.shell in SHELLS:
        return script

    return objections.with_named(script, rulebook)


_PERMITTED = Ground("policy-permits", None, "the approval policy lets run what no rule settles")


def _divided(findings: Sequence[Ground | Block]) -> tuple[tuple[Ground, ...], tuple[Block, ...]]:
    return (
        tuple([each for each in findings if isinstance(each, Ground)]),
        tuple([each for each in findings if isinstance(each, Block)]),
    )


_MOST_NAMED = 100_000
"""Characters of inner ones that are not opened, all together, that are searched for names of what rules restrict."""
_LEAST_NAMED = 60
"""Characters of each of these; what is forbidden has its name in front."""
_MOST_INNER = 5_000
"""Inner ones of which as much is looked at; the words of the command itself are, however many there are."""
TOO_DEEP = "commands are nested or chained too deep to be looked through"


def failure(error: Exception, *commands: Command) -> Block:
    """Returns why judging stopped. Whatever it was, a mistake of ours included, it grants nothing and hides no
    restriction.
    """
    kind = "too-deep" if isinstance(error, RecursionError) else "internal-error"
    detail = TOO_DEEP if kind == "too-deep" else f"judging it failed ({type(error).__name__}: {error})"
    return Block(kind, detail, commands[0].span if commands else None)


def still_seen(
    command: Command,
    facts: Facts,
    rulebook: Rulebook,
    situation: Situation,
    failed: Block,
    inner: Sequence[CommandVerdict] = (),
) -> CommandVerdict:
    """Returns what rules that restrict say of a command that could not be judged; it is a prompt at least."""
    found: list[RuleMatch | EffectMatch] = [match for verdict in inner for match in verdict.restrictions]
    try:
        found += stricter_matches(command, facts, rulebook, situation)
    except Exception:
        matches = rulebook.policy.matches(literal_start(command.words) or ("",))
        found += [match for match in matches if match.decision is not Decision.ALLOW]
    decision = max([Decision.PROMPT, *[match.decision for match in found]])
    argv = tuple([word.literal if word.literal is not None else "…" for word in command.words])
    if found:
        return CommandVerdict(command, argv, decision, tuple(found), "rule", blocks=(failed,))
    match = HeuristicsMatch(argv, decision)
    return CommandVerdict(command, argv, decision, (match,), "heuristics", blocks=(failed,))


def still_named(
    command: Command, inner: Sequence[Inner], facts: Facts, rulebook: Rulebook, situation: Situation, failed: Block
) -> list[CommandVerdict]:
    """Returns what rules restrict among the words of a command, and in the ``inner`` that is not opened any more.

    Padding hides nothing: of each of many inner ones the beginning is looked at.
    """
    if not rulebook.restricting:
        return []

    share = max(_LEAST_NAMED, _MOST_NAMED // (len(inner) + 1))
    texts = [" ".join([word.literal or "" for word in command.words[1:]])]
    for one in inner[:_MOST_INNER]:
        if one.script is not None:
            texts.append(one.script.text[:share])
        elif one.command is not None:
            texts.append(_words_of(one.command, share))
    found = objections.named_in("\n".join(texts), command.span, rulebook)
    return [still_seen(each, facts, rulebook, situation, failed) for each in found]


def _words_of(command: Command, most: int) -> str:
    """The first words of ``command``, about ``most`` characters."""
    words: list[str] = []
    for word in command.words:
        if most <= 0:
            break
        text = (word.literal or "")[:most]
        words.append(text)
        most -= len(text) + 1
    return " ".join(words)
