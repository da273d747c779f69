"""Checks of programs given by path, ``host_executable`` and ``network_rule``."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_path
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.text import canonical
from execpolicy.lint.project import Findings, Project, RuleFile
from execpolicy.programs.breadth import runs_shell

_NO_PATH = ("./", "~", "$")
"""Prefixes of a program that are common in this form, or that EP102 reports."""


def ep105(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule for a path that no host executable knows."""
    hosts = project.policy.host_executables
    for entry in project.entries_of(file):
        program = entry.rule.pattern.first
        if "/" not in program or program.endswith("/") or program.startswith(_NO_PATH):
            continue
        if entry.rule.decision is Decision.ALLOW and (program[0] != "/" or runs_shell((program,))):
            continue  # commands use this path; EP402 reports a shell
        name = program.rsplit("/", 1)[1]
        host = hosts.get(name)
        if host is not None and program.startswith("/") and normalise_path(program) in host.paths:
            continue
        allows = entry.rule.decision is Decision.ALLOW
        if not allows and _has_twin(entry.rule, name, project):
            continue
        host_line = f' and `host_executable(name="{name}", paths=["{program}"])`' if program.startswith("/") else ""
        yield file.finding(
            "EP105",
            f"{'this rule' if allows else 'for Codex this rule'} only matches commands that spell it `{program}`",
            file.token_span(entry.group, 0, program),
            help=f"write `{name}`{host_line}" if allows else f"add the same rule for `{name}`",
        )


def _has_twin(rule: PrefixRule, name: str, project: Project) -> bool:
    """True if there is the same rule for the program ``name``."""
    behind = rule.pattern.positions()[1:]
    others = project.policy.rules_for(name)
    return any(other.decision is rule.decision and other.pattern.positions()[1:] == behind for other in others)


def ep107(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per network rule that a later one cancels."""
    last: dict[str, NetworkRule] = {}
    for each in project.policy.network_rules:
        if each.decision is not Decision.PROMPT:
            last[each.host] = each
    for group in file.groups:
        rule = group.statements[0]
        if not isinstance(rule, NetworkRule) or rule.decision is Decision.PROMPT:
            continue
        winner = last[rule.host]
        if winner is rule or winner.decision == rule.decision:
            continue
        yield file.finding(
            "EP107",
            f"`{rule.host}` is {rule.decision.word} here, but the later rule at {winner.place} "
            f"makes it {winner.decision.word}",
            file.span_of(group),
            help="the last rule for a host wins; keep one",
            fix=file.deletion_fix(group),
        )


def ep205(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per host executable that no rule needs."""
    groups = [group for group in file.groups if isinstance(group.statements[0], HostExecutable)]
    if not groups:
        return
    programs = {entry.rule.pattern.first for entry in project.entries}
    folded = {canonical(entry.rule.pattern.first) for entry in project.entries if entry.rule.pattern.canonical_matching}
    for group in groups:
        host = group.statements[0]
        if not isinstance(host, HostExecutable) or host.name in programs or canonical(host.name) in folded:
            continue
        yield file.finding(
            "EP205",
            f"no rule is about `{host.name}`",
            file.span_of(group),
            help="delete it, or correct the name",
            fix=file.deletion_fix(group, "delete it"),
        )


def ep206(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per host executable that is not the last of its name."""
    last = project.policy.host_executables
    for group in file.groups:
        host = group.statements[0]
        if not isinstance(host, HostExecutable):
            continue
        winner = last[host.name]
        if any(winner is each for each in group.statements):
            continue
        lost = [path for path in host.paths if path not in winner.paths]
        message = f"the later `host_executable` for `{host.name}` at {winner.place} replaces this one"
        if lost:
            message += f", and `{lost[0]}` is lost"
        yield file.finding(
            "EP206",
            message,
            file.span_of(group),
            help="write all paths into one list",
            fix=file.deletion_fix(group, "delete it"),
        )
