"""Decides tool requests: shell tools by the rules and the shell parser, other tools by permission rules.

Permission rules also limit calls and commands that something else grants: they deny or ask, and nothing more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Protocol

from execpolicy.approvals.patch import PatchError, intercept_apply_patch, patched_paths
from execpolicy.approvals.requirement import ExecRequest, Forbidden, NeedsApproval
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_host
from execpolicy.core.network import rule_for
from execpolicy.core.quoting import join
from execpolicy.errors import InvalidRuleError
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.permissions.judged import ShellCommandReader, deciding_reason, is_not_understood, needs_person
from execpolicy.permissions.ruleset import Action, PermissionRule, applicable_rules, rules_only
from execpolicy.permissions.tool_names import EXTERNAL_DIRECTORY, SHELL_NAMES, ToolNames, folded, names_of
from execpolicy.permissions.tool_use import DoomLoops, wildcard_match, wildcard_may_match
from execpolicy.programs.written_files import WrittenFile
from execpolicy.protocol.decisions import Ruling, question, refusal, ruling_of, ruling_on_loop, stricter
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.shell_calls import (
    SHELL_TOOLS,
    NotAShellCall,
    ShellCall,
    Target,
    path_targets,
    shell_call,
    targets_of,
)
from execpolicy.validators import folder, function, instance, mapping, optional, port, texts

UNLIMITED = Ruling(decision=Decision.ALLOW, reason="")
"""The ruling where nothing limits a call."""


class ShellJudge(Protocol):
    """Judges the command of a shell tool."""

    def judge(self, call: ShellCall, /) -> Ruling:
        """The ruling on a command."""


class RulebookShellJudge:
    """Judges by the effective rules and the heuristics.

    Args:
        rulebook: returns the effective rulebook; called for each request.
        home: the directory that replaces ``~``.
        root: the project root, for write rules.
    """

    def __init__(self, rulebook: Callable[[], Rulebook], *, home: str | None = None, root: str | None = None) -> None:
        self._rulebook = function(rulebook, "RulebookShellJudge: `rulebook`")
        self._home = optional(folder)(home, "RulebookShellJudge: `home`")
        self._root = optional(folder)(root, "RulebookShellJudge: `root`")

    def judge(self, call: ShellCall, /) -> Ruling:
        """The ruling on everything that the command can run."""
        situation = Situation(call.cwd, home=self._home, root=self._root)
        verdict = judge_script(read_command(call.command, shell=call.shell), self._rulebook(), situation)
        reason, rule_id = deciding_reason(verdict)
        if verdict.decision is Decision.FORBIDDEN:
            return Ruling(decision=Decision.FORBIDDEN, reason=reason, rule_id=rule_id, grave=True)
        if verdict.decision is Decision.ALLOW and not call.doubts:
            grounds = tuple(dict.fromkeys(ground.code for ground in verdict.grounds))
            return Ruling(decision=verdict.decision, reason=reason, rule_id=rule_id, grounds=grounds)
        if verdict.decision is Decision.ALLOW:
            reason, rule_id = call.doubts[0], None
        once, dangerous = needs_person(verdict), verdict.dangerous
        grave = once or dangerous or bool(call.doubts) or is_not_understood(verdict)
        return Ruling(
            decision=Decision.PROMPT, reason=reason, rule_id=rule_id, grave=grave, dangerous=dangerous, once=once
        )


class PolicyDecider:
    """Decides by tool: shell tools go to the judge, all others to the permission rules.

    Args:
        shell: ``None`` limits no command.
        ruleset: the permission rules; the last match wins, and a call without a match needs a question. A permission is
            the name of a tool (any name that the tool has, see :mod:`execpolicy.permissions.tool_names`), or the
            name that ``names`` gives it. A pattern is a path (absolute, or relative to ``cwd``), a URL, or ``*``. With
            rules, a path outside of ``cwd`` also falls under ``external_directory``.
        network: network rules of the policy, for tools that fetch.
        names: tool name to permission name, for instance ``{"fs.read": "read"}``.
    """

    def __init__(
        self,
        shell: ShellJudge | None,
        *,
        cwd: str,
        ruleset: Sequence[PermissionRule] = (),
        rulebook: Callable[[], Rulebook] | None = None,
        shell_tools: Collection[str] = SHELL_TOOLS,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._shell: ShellJudge | None = optional(port("judge"))(shell, "PolicyDecider: `shell`")
        self._cwd = folder(cwd, "PolicyDecider: `cwd`")
        self._ruleset = rules_only(ruleset)
        self._folded = tuple([replace(rule, permission=folded(rule.permission)) for rule in self._ruleset])
        self._rulebook = optional(function)(rulebook, "PolicyDecider: `rulebook`")
        self._shell_tools = frozenset(map(folded, texts(shell_tools, "PolicyDecider: `shell_tools`")))
        self._names = dict(mapping({} if names is None else names, "PolicyDecider: `names`"))
        texts(self._names.values(), "PolicyDecider: `names`")

    def decide(self, request: ToolRequest, /) -> Ruling:
        """The ruling on any request."""
        instance(ToolRequest)(request, "what is to be decided")
        names = self.names_for(request.tool)
        is_shell = folded(request.tool) in self._shell_tools
        like_a_shell = not SHELL_NAMES.isdisjoint(names.all)
        try:
            call = shell_call(request.args, cwd=self._cwd)
        except NotAShellCall as problem:
            if is_shell:
                return refusal(f"the command cannot be judged: {problem}")
            return self._shell_like_ruling(request) if like_a_shell else self.permission_ruling(request)
        ruling = UNLIMITED if self._shell is None else self._shell.judge(call)
        # The argument may be an editor's `create`, not a shell command: only a deny or a danger counts.
        if not is_shell and not like_a_shell:
            said = self.permission_ruling(request)
            return stricter(said, ruling) if ruling.decision is Decision.FORBIDDEN or ruling.dangerous else said
        if not is_shell:
            ruling = stricter(ruling, self._shell_like_ruling(request))
        return self._restricted(ruling, names, call) if self._ruleset else ruling

    def permission_ruling(self, request: ToolRequest, /) -> Ruling:
        """The ruling of the permission rules on a tool other than a shell tool, without regard to commands in it."""
        names = self.names_for(request.tool)
        edits = "edit" in names.all
        targets = targets_of(request.args, cwd=self._cwd, diffs=edits)
        if edits and not targets and any(rule.action is not Action.ALLOW for rule in self._rules_for(names)):
            targets = (Target(("*",), doubt="it does not say which files it changes"),)
        ruling = reduce(stricter, [self._target(names, target) for target in targets or (Target(("*",)),)])
        paths = [target.spellings[0] for target in targets if target.host is None and target.spellings]
        urls = [target.spellings[0] for target in targets if target.host is not None]
        limits = {name: list(dict.fromkeys(found)) for name, found in (("paths", paths), ("urls", urls)) if found}
        return replace(ruling, constraints=limits) if limits else ruling

    def _shell_like_ruling(self, request: ToolRequest) -> Ruling:
        """The ruling on a tool with the name of some agent's shell tool: it may run commands that were not judged."""
        ruling = self.permission_ruling(request)
        reason = f"`{request.tool}` may run commands, which no permission grants"
        return stricter(question(reason, ruling.rule_id), ruling)

    def names_for(self, tool: str) -> ToolNames:
        """The names under which rules apply to ``tool``; the old name of a renamed tool can still restrict it."""
        own = names_of(tool, shell_tools=self._shell_tools)
        other = self._names.get(tool)
        return own if other is None else own.meaning(names_of(other, shell_tools=self._shell_tools))

    def _restricted(self, ruling: Ruling, names: ToolNames, call: ShellCall) -> Ruling:
        """``ruling`` limited by the permission rules that deny or ask; they never grant a command.

        They apply to the tool, to each command in the call, to each file that it writes or patches, and to paths
        outside the project.
        """
        reader = ShellCommandReader(shell=call.shell)
        commands, opened = reader.read(call.command).commands, reader.opened(call.command)
        shown = [call.command if isinstance(call.command, str) else " ".join(call.command)]
        shown += [" ".join([word if word is not None else "?" for word in argv]) for argv in commands]
        for line in dict.fromkeys(shown):
            ruling = self._under(ruling, names.all, (line,))
        granted = "rule-covers" in ruling.grounds  # a rule granted it, so it is not proven to be read-only
        for file in _written(call, reader):
            ruling = self._of_file(ruling, file, call.cwd)
        for file in reader.perhaps_written(call.command) if granted else ():
            ruling = self._of_file(ruling, file, call.cwd, named=True)
        words = [word for argv in commands for word in argv[1:] if word is not None]
        for path in dict.fromkeys(
            [*[place for word in words for place in _possible_paths(word)], *filter(None, opened)]
        ):
            for target in path_targets(path, cwd=call.cwd):
                ruling = self._outside(ruling, target)
        for target in path_targets(call.cwd, cwd=self._cwd):
            ruling = self._outside(ruling, target)
        unknown = None in opened or any(None in argv[1:] or _changes_to_unknown_folder(argv) for argv in commands)
        return self._limited_by_unknown_word(ruling) if unknown else ruling

    def _of_file(self, ruling: Ruling, file: WrittenFile, cwd: str, *, named: bool = False) -> Ruling:
        """``ruling`` limited by the rules for ``edit``.

        They apply to certain writes. For possible writes, a deny becomes a question. The caller tests all words for
        paths outside the project, so files that are only ``named`` are not tested here.
        """
        edits = names_of("edit").granting
        if file.path is None:
            if all(rule.action is Action.ALLOW for rule in self._rules_for(names_of("edit"))):
                return ruling
            return stricter(ruling, question("it may write a file that it does not name"))
        path = file.path if file.path.startswith("~") else os.path.join(cwd, file.path)
        inside = [os.path.join(path, name) for name in file.names]
        paths = [path]
        if inside and os.path.isdir(path):
            paths = inside
        elif path.endswith("/") or len(inside) > 1:
            paths += inside
        for path in paths:
            for target in path_targets(path, cwd=self._cwd):
                said = self._under(ruling, edits, target.spellings)
                if said.decision is Decision.FORBIDDEN and not file.sure:
                    said = stricter(ruling, question(f"it may write `{file.path}`", said.rule_id))
                ruling = said
                if file.below and file.sure:
                    ruling = self._under(ruling, edits, [os.path.join(each, _ANY[0]) for each in target.spellings])
                if file.below and self._may_deny_below(edits, target.spellings):
                    ruling = stricter(ruling, question(f"it may write what is below `{file.path}`"))
                ruling = ruling if named else self._outside(ruling, target)
        return ruling

    def _may_deny_below(self, names: Sequence[str], spellings: Sequence[str]) -> bool:
        """True if a rule for one of ``names`` denies or asks about a path below a directory."""
        folders = [spelling.rstrip("/") + "/" if spelling != "." else "" for spelling in spellings]
        for rule in reversed(self._ruleset):
            if applicable_rules((rule,), names, (rule.pattern,)):
                if rule.action is not Action.ALLOW:
                    if any(wildcard_may_match(folder, rule.pattern) for folder in folders):
                        return True
                elif any(all(wildcard_match(folder + sample, rule.pattern) for sample in _ANY) for folder in folders):
                    return False
        return False

    def _limited_by_unknown_word(self, ruling: Ruling) -> Ruling:
        """``ruling`` for a word that is only known at run time: a question, unless all paths outside are allowed."""
        rules = applicable_rules(self._ruleset, (EXTERNAL_DIRECTORY,), ("*",))
        if all(rule.action is Action.ALLOW for rule in rules):
            return ruling
        return stricter(ruling, question("a word that is only known at run time may lead out of the project"))

    def _rules_for(self, names: ToolNames) -> list[PermissionRule]:
        """The rules that apply to the tool, for any target."""
        return [rule for rule in self._folded if any(wildcard_match(name, rule.permission) for name in names.all)]

    def _target(self, names: ToolNames, target: Target) -> Ruling:
        rules = applicable_rules(self._ruleset, names.granting, target.spellings)
        ruling = ruling_of(rules[0] if rules else None, names.granting[0])
        ruling = _limited(ruling, rules[1:])
        ruling = self._under(ruling, names.all, target.spellings)
        network = self._host(target)
        if network is not None and (not rules or network.decision is not Decision.ALLOW):
            ruling = network if not rules and ruling.decision is Decision.PROMPT else stricter(ruling, network)
        if target.doubt is not None and ruling.decision is Decision.ALLOW:
            return question(target.doubt, ruling.rule_id)
        named = bool(rules) and rules[0].pattern.startswith("/")
        return self._outside(ruling, target, unless_named=named)

    def _under(self, ruling: Ruling, names: Sequence[str], spellings: Sequence[str]) -> Ruling:
        """``ruling``, or the stricter ruling of a rule for one of ``names``."""
        return _limited(ruling, applicable_rules(self._folded, names, spellings))

    def _outside(self, ruling: Ruling, target: Target, *, unless_named: bool | None = None) -> Ruling:
        """``ruling`` limited by ``external_directory``, for a path that is not below the working directory.

        Args:
            unless_named: for a tool that permission rules grant: true if a rule names the path itself. If none does,
                and no rule for ``external_directory`` matches either, the ruling is a question. ``None`` for commands.
        """
        path = target.spellings[0] if target.spellings else ""
        if target.host is not None or not path.startswith(("/", "~")) or path == self._cwd:
            return ruling
        if path.startswith(self._cwd.rstrip("/") + "/"):
            return ruling
        spellings = (*target.spellings, os.path.join(os.path.dirname(path), "*"))
        rules = applicable_rules(self._ruleset, (EXTERNAL_DIRECTORY,), spellings)
        if not rules and unless_named is False:
            return stricter(ruling, Ruling(decision=Decision.PROMPT, reason=f"`{path}` is outside of the project"))
        return _limited(ruling, rules)

    def _host(self, target: Target) -> Ruling | None:
        """The ruling of the network rules on the target's host: the strictest one for its host and protocol."""
        if target.host is None or self._rulebook is None:
            return None
        try:
            host = normalise_host(target.host[0])
        except InvalidRuleError:
            return None
        found = rule_for(self._rulebook().policy.network_rules, host, target.host[1])
        if found is None:
            return None
        reason = found.justification or f"a network rule for {host}"
        return Ruling(decision=found.decision, reason=reason, rule_id=str(found.place) if found.place else None)


def _limited(ruling: Ruling, rules: Sequence[PermissionRule]) -> Ruling:
    """The strictest of ``ruling`` and those of ``rules``."""
    return reduce(stricter, [ruling_of(rule, rule.permission) for rule in rules], ruling)


_LONGEST_PATH = 4096


def _possible_paths(word: str) -> list[str]:
    """The possible paths in a word: the word itself, and the parts after an option letter or an equals sign."""
    if len(word) > _LONGEST_PATH or "\0" in word:
        return []
    places = [word, word.partition("=")[2]]
    if word.startswith("-"):
        places += [word[at:] for at, char in enumerate(word) if at and char in "/~." and word[at - 1] not in "/~."]
    return [place for place in places if place]


def _changes_to_unknown_folder(argv: Sequence[str | None]) -> bool:
    """True if the command changes to a directory that it does not name."""
    return argv[0] in ("cd", "pushd", "popd") and all(word is None or word.startswith("-") for word in argv[1:])


def _written(call: ShellCall, reader: ShellCommandReader) -> tuple[WrittenFile, ...]:
    """The files that a command writes: those that it names, or those of the patch that it applies."""
    command = (call.shell, "-c", call.command) if isinstance(call.command, str) else call.command
    patch = intercept_apply_patch(command, cwd=call.cwd)
    if patch is None:
        return reader.written(call.command)
    try:
        paths = [os.path.join(patch.cwd, path) for path in patched_paths(patch.patch)]
    except PatchError:
        paths = ["*"]
    return tuple([WrittenFile(path, sure=True) for path in paths])


_ANY = ("\0", "\0/\0\0")
"""Sample names that no pattern contains literally: a pattern that matches both matches every name."""


SHELL = "shell"
"""The name of the tool for a command without one."""
_REST = PermissionRule("*", "*", Action.ALLOW)
"""The rule in front of every ruleset: calls that no other rule mentions are not limited."""


class PermissionLimits:
    """A decider whose *allow* only means that no permission rule limits the call.

    Args:
        ruleset: the rules; the last match wins.
        cwd: the base directory of relative paths; paths outside it fall under ``external_directory``.
        shell_tools, names: see :class:`PolicyDecider`.
    """

    def __init__(
        self,
        ruleset: Sequence[PermissionRule],
        *,
        cwd: str,
        shell_tools: Collection[str] = SHELL_TOOLS,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._ruleset = rules_only(ruleset)
        self._decider = PolicyDecider(
            None, cwd=cwd, ruleset=(_REST, *self._ruleset), shell_tools=shell_tools, names=names
        )
        self._shell_tools = frozenset(map(folded, shell_tools))

    def decide(self, request: ToolRequest, /) -> Ruling:
        """The ruling of the rules on any request."""
        if folded(request.tool) in self._shell_tools:
            return self._decider.decide(request)
        return self._decider.permission_ruling(request) if self._may_limit(request.tool) else UNLIMITED

    def _may_limit(self, tool: str) -> bool:
        """True if any rule could deny or ask about a call of ``tool``."""
        names = (*self._decider.names_for(tool).all, EXTERNAL_DIRECTORY)
        minding = [folded(rule.permission) for rule in self._ruleset if rule.action is not Action.ALLOW]
        return any(wildcard_match(name, permission) for permission in minding for name in names)

    def of_command(self, command: str | Sequence[str], *, cwd: str, shell: str = "bash", tool: str = SHELL) -> Ruling:
        """The ruling on a script, or an argv, that one of the shell tools runs in ``cwd``."""
        args = {"command": command if isinstance(command, str) else list(command), "cwd": cwd, "shell": shell}
        return self.decide(ToolRequest(id=SHELL, ts=0, tool=tool, args=args, requires_policy=True))


class CommandPermissions:
    """Applies permission rules to commands: they deny or ask, but never grant a command.

    Each session needs its own instance, because the third equal call in a row falls under ``doom_loop``.

    Args:
        ruleset: the rules; the last match wins.
        cwd: the base directory of relative paths; paths outside it fall under ``external_directory``.
        loops: the previous calls of the session.
    """

    def __init__(self, ruleset: Sequence[PermissionRule], *, cwd: str, loops: DoomLoops | None = None) -> None:
        self._limits = PermissionLimits(ruleset, cwd=cwd)
        self._ruleset = ruleset
        self._loops = instance(DoomLoops)(DoomLoops() if loops is None else loops, "CommandPermissions: `loops`")
        self._last: tuple[ExecRequest, Forbidden | NeedsApproval | None] | None = None

    def requirement(self, request: ExecRequest, /) -> Forbidden | NeedsApproval | None:
        """The requirement for ``request``; ``None`` if there is none. The same request object is the same call."""
        if self._last is None or self._last[0] is not request:
            self._last = (request, self._require(request))
        return self._last[1]

    def _require(self, request: ExecRequest) -> Forbidden | NeedsApproval | None:
        ruling = self._limits.of_command(request.command, cwd=request.cwd)
        loop = self._loops.record("", SHELL, {"command": list(request.command), "cwd": request.cwd})
        if loop is not None:
            ruling = stricter(ruling, ruling_on_loop(loop, self._ruleset))
        if ruling.decision is Decision.FORBIDDEN:
            return Forbidden(reason=f"`{join(request.command)}` rejected: {ruling.reason}")
        return NeedsApproval(reason=ruling.reason) if ruling.decision is Decision.PROMPT else None
