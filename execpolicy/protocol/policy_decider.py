"""Decides tool requests: shell tools by the rules and the shell reader, other tools by permission rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_host
from execpolicy.core.matches import HeuristicsMatch, PrefixMatch
from execpolicy.errors import InvalidRuleError
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.situation import Situation
from execpolicy.permissions.judged import ORDINARY_BLOCKS, ShellCommandReader
from execpolicy.permissions.ruleset import Action, PermissionRule
from execpolicy.permissions.wildcard import wildcard_match
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.rulings import Ruling, Say
from execpolicy.protocol.shell_calls import SHELL_TOOLS, NotAShellCall, ShellCall, shell_call
from execpolicy.protocol.targets import Target, targets_of

if TYPE_CHECKING:
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.verdict import CommandVerdict, Verdict


class ShellJudge(Protocol):
    """Decides what a shell tool would run."""

    def judge(self, call: ShellCall, /) -> Ruling:
        """The ruling on a command."""


class RulebookShellJudge:
    """Judges by the rules in force and the heuristics.

    Args:
        rulebook: the snapshot in force, asked for each request.
        home: what ``~`` stands for.
        root: the project root, for write rules.
    """

    def __init__(
        self,
        rulebook: Callable[[], Rulebook],
        *,
        home: str | None = None,
        root: str | None = None,
    ) -> None:
        self._rulebook = rulebook
        self._home = home
        self._root = root

    def judge(self, call: ShellCall, /) -> Ruling:
        """The ruling on everything that the command can run."""
        situation = Situation(call.cwd, home=self._home, root=self._root)
        verdict = judge_script(read_command(call.command, shell=call.shell), self._rulebook(), situation)
        reason, rule_id = _why(verdict)
        if verdict.decision is Decision.FORBIDDEN:
            return Ruling(say=Say.DENY, reason=reason, rule_id=rule_id, grave=True)
        if verdict.decision is Decision.ALLOW and not call.doubts:
            grounds = tuple(dict.fromkeys(ground.code for ground in verdict.grounds))
            return Ruling(say=Say.ALLOW, reason=reason, rule_id=rule_id, grounds=grounds)
        if verdict.decision is Decision.ALLOW:
            reason, rule_id = call.doubts[0], None
        once = _for_a_person(verdict)
        grave = once or bool(call.doubts) or _grave(verdict)
        return Ruling(say=Say.ASK, reason=reason, rule_id=rule_id, grave=grave, once=once)


def _every(verdicts: Sequence[CommandVerdict]) -> list[CommandVerdict]:
    found: list[CommandVerdict] = []
    for verdict in verdicts:
        found.append(verdict)
        found += _every(verdict.inner)
    return found


def _for_a_person(verdict: Verdict) -> bool:
    return any(isinstance(match, PrefixMatch) and match.rule.human_only for match in verdict.matches)


def _grave(verdict: Verdict) -> bool:
    """Dangerous, or not understood."""
    every = _every(verdict.commands)
    return (
        any(block.code not in ORDINARY_BLOCKS for block in verdict.blocks)
        or any(one.opinion is not None and one.opinion.verdict == "dangerous" for one in every)
        or any(block.code not in ORDINARY_BLOCKS for one in every for block in one.blocks)
        or not verdict.commands
    )


def _why(verdict: Verdict) -> tuple[str, str | None]:
    """What settled it: a line for people, and the place of the rule or the name of the entry."""
    deciding = [match for match in verdict.matches if match.decision is verdict.decision]
    for match in deciding:
        if isinstance(match, HeuristicsMatch):
            continue
        place = match.rule.place
        rule_id = str(place) if place is not None else None
        shown = " ".join(match.prefix) if hasattr(match, "prefix") else match.path
        verb = {Decision.ALLOW: "allowed", Decision.PROMPT: "to be asked about", Decision.FORBIDDEN: "forbidden"}
        return match.rule.justification or f"`{shown}` is {verb[verdict.decision]} by a rule", rule_id
    if verdict.decision is Decision.ALLOW:
        return "known to be safe", "heuristics"
    for one in _every(verdict.commands):
        if one.decision is verdict.decision and one.opinion is not None and one.opinion.verdict == "dangerous":
            name = getattr(one.opinion.entry, "name", None)
            return one.opinion.why, f"heuristics:{name}" if name else "heuristics"
    for block in (*verdict.blocks, *[block for one in _every(verdict.commands) for block in one.blocks]):
        return block.detail, "heuristics"
    return "no rule allows it", None


class PolicyDecider:
    """Decides by tool: shell tools go to the judge, all others to the permission rules.

    Args:
        ruleset: last match wins; what no rule matches is asked about. ``permission`` is the tool's name, or what
            ``names`` makes of it; ``pattern`` is a path (absolute, or relative to ``cwd``), a URL, or ``*``.
        network: network rules of the policy, for tools that fetch.
        names: tool name to permission name, for instance ``{"fs.read": "read"}``.
    """

    def __init__(
        self,
        shell: ShellJudge,
        *,
        cwd: str,
        ruleset: Sequence[PermissionRule] = (),
        rulebook: Callable[[], Rulebook] | None = None,
        shell_tools: Collection[str] = SHELL_TOOLS,
        names: dict[str, str] | None = None,
    ) -> None:
        self._shell = shell
        self._cwd = cwd
        self._ruleset = tuple(ruleset)
        self._rulebook = rulebook
        self._shell_tools = frozenset(_folded(name) for name in shell_tools)
        self._names = dict(names or {})

    def decide(self, request: ToolRequest, /) -> Ruling:
        """The ruling on any request."""
        permission = self._names.get(request.tool, request.tool)
        if _folded(request.tool) not in self._shell_tools:
            ruling = self._permission(permission, request)
            folded = _folded(permission)
            # A tool that is only spelled differently may be the same: its rules restrict, and never grant.
            return ruling if folded == permission else _stricter(ruling, self._permission(folded, request))
        try:
            call = shell_call(request.args, cwd=self._cwd)
        except NotAShellCall as problem:
            return Ruling(say=Say.DENY, reason=f"the command cannot be judged: {problem}")
        ruling = self._shell.judge(call)
        for rule in self._restricting(permission, call):
            ruling = _stricter(ruling, _ruling(rule, permission))
        return ruling

    def _restricting(self, permission: str, call: ShellCall) -> list[PermissionRule]:
        """Permission rules that deny or ask about the tool or a command in the call. They never grant one."""
        if not self._ruleset:
            return []
        texts = [call.command if isinstance(call.command, str) else " ".join(call.command)]
        for argv in ShellCommandReader(shell=call.shell).read(call.command).commands:
            texts.append(" ".join([word if word is not None else "?" for word in argv]))
        rules = [_last(self._ruleset, permission, (text,)) for text in dict.fromkeys(texts)]
        return [rule for rule in rules if rule is not None and rule.action is not Action.ALLOW]

    def _permission(self, permission: str, request: ToolRequest) -> Ruling:
        targets = targets_of(request.args, cwd=self._cwd)
        rulings = [self._target(permission, target) for target in targets or (Target(("*",)),)]
        strictest = rulings[0]
        for ruling in rulings[1:]:
            strictest = _stricter(strictest, ruling)
        paths = [target.spellings[0] for target in targets if target.host is None and target.spellings]
        urls = [target.spellings[0] for target in targets if target.host is not None]
        limits = {name: list(dict.fromkeys(found)) for name, found in (("paths", paths), ("urls", urls)) if found}
        return replace(strictest, constraints=limits) if limits else strictest

    def _target(self, permission: str, target: Target) -> Ruling:
        rule = _last(self._ruleset, permission, target.spellings)
        ruling = _ruling(rule, permission)
        network = self._host(target)
        if network is not None and (rule is None or network.say is not Say.ALLOW):
            ruling = network if rule is None else _stricter(ruling, network)
        if target.doubt is not None and ruling.say is Say.ALLOW:
            return Ruling(say=Say.ASK, reason=target.doubt, rule_id=ruling.rule_id, grave=True)
        return ruling

    def _host(self, target: Target) -> Ruling | None:
        """What the network rules say about the target's host: the last one of its host and protocol counts."""
        if target.host is None or self._rulebook is None:
            return None
        try:
            host = normalise_host(target.host[0])
        except InvalidRuleError:
            return None
        found = None
        for rule in self._rulebook().policy.network_rules:
            if rule.host == host and rule.protocol == target.host[1]:
                found = rule if found is None or rule.decision >= found.decision else found
        if found is None:
            return None
        say = {Decision.ALLOW: Say.ALLOW, Decision.PROMPT: Say.ASK, Decision.FORBIDDEN: Say.DENY}[found.decision]
        reason = found.justification or f"a network rule for {host}"
        return Ruling(say=say, reason=reason, rule_id=str(found.place) if found.place else None)


def _folded(name: str) -> str:
    return name.strip().casefold()


def _last(ruleset: Sequence[PermissionRule], permission: str, spellings: Sequence[str]) -> PermissionRule | None:
    """The last rule that matches one of the spellings."""
    for rule in reversed(ruleset):
        if wildcard_match(permission, rule.permission) and any(wildcard_match(s, rule.pattern) for s in spellings):
            return rule
    return None


def _ruling(rule: PermissionRule | None, permission: str) -> Ruling:
    if rule is None:
        return Ruling(say=Say.ASK, reason=f"no permission rule for {permission} matches")
    say = {Action.ALLOW: Say.ALLOW, Action.ASK: Say.ASK, Action.DENY: Say.DENY}[rule.action]
    rule_id = f"permission:{rule.permission}:{rule.pattern}"
    return Ruling(
        say=say, reason=f"permission {rule.permission} `{rule.pattern}`", rule_id=rule_id, grave=say is Say.ASK
    )


_ORDER = {Say.ALLOW: 0, Say.ASK: 1, Say.DENY: 2}


def _stricter(one: Ruling, other: Ruling | None) -> Ruling:
    if other is None or _ORDER[other.say] < _ORDER[one.say]:
        return one
    if _ORDER[other.say] == _ORDER[one.say]:
        return one if one.grave >= other.grave else other
    return other
