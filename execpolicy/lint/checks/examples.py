"""Checks of examples and justifications."""

from __future__ import annotations

import re
from collections.abc import Iterator

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join, split
from execpolicy.core.rules import PrefixRule
from execpolicy.lang.builtin_calls import Value
from execpolicy.lint.coverage import idle_rules
from execpolicy.lint.project import Findings, Project, RuleFile, StatementGroup


def ep104(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per example that another rule decides."""
    entries = project.entries_of(file)
    idle = {id(entry.group) for entry in entries if entry.index in idle_rules(project)}
    for group in file.groups:
        if group.call is None or "match" not in group.call.text or not isinstance(group.statements[0], PrefixRule):
            continue
        for example, argv in _argvs(file, group, "not_match"):
            own = [rule for rule in project.sight.seeing(argv) if any(rule is each for each in group.statements)]
            if own and not own[0].matched_prefix(argv):
                message = f"the `not_match` example `{join(argv)}` means `{own[0].pattern}`"
                yield file.finding("EP104", message, example.span, help="narrow the pattern, or remove the example")
        for example, argv in _argvs(file, group, "match") if id(group) not in idle else ():
            yield from _look(file, project, group, example, argv)  # else another check reports the rule


def _argvs(file: RuleFile, group: StatementGroup, argument: str) -> Iterator[tuple[Value, tuple[str, ...]]]:
    """Yields the examples that are literals, with their words."""
    examples = file.argument(group, argument)
    for example in examples.items if examples is not None else ():
        argv = _argv(example)
        if argv:
            yield example, argv


def _argv(example: Value) -> tuple[str, ...] | None:
    if example.kind == "string" and example.value is not None:
        words = split(example.value)
        return tuple(words) if words else None
    return example.strings()


def _look(file: RuleFile, project: Project, group: StatementGroup, example: Value, argv: tuple[str, ...]) -> Findings:
    matching = [match.rule for match in project.policy.matches(argv)]
    own = [rule for rule in matching if any(rule is statement for statement in group.statements)]
    strictest = max([rule.decision for rule in own], default=None)
    if strictest is not None and project.sight.nothing_stricter(argv, strictest):
        seeing: list[PrefixRule] = []
    else:
        seeing = project.sight.seeing(argv)
    deciding = matching + [rule for rule in seeing if all(rule is not other for other in matching)]
    own = [rule for rule in deciding if any(rule is statement for statement in group.statements)]
    strictest = max([rule.decision for rule in own], default=None)
    winner = max(deciding, key=lambda rule: rule.decision, default=None)
    if winner is None or (strictest is not None and winner.decision <= strictest):
        return
    shown = join(argv)
    if own:
        message = f"`{shown}` gets {winner.decision.word} from `{winner.pattern}` at {winner.place}"
    else:
        message = f"`{shown}` is only matched by `{winner.pattern}` at {winner.place}"
    yield file.finding(
        "EP104", message, example.span, help="choose an example that this rule decides, or change one of the rules"
    )


_AGAINST = re.compile(r"(?:never|do not|don't|not allowed|forbidden|must not|no )\b", re.IGNORECASE)
_PROPOSED = re.compile(r"\b(?:use|run|try|call|prefer) `([^`]+)`", re.IGNORECASE)


def ep113(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per justification that says the opposite of its rule."""
    here = {each.rule for each in project.entries_of(file)}
    for entry in project.entries_of(file):
        why, call = entry.rule.justification or "", entry.group.call
        if entry.rule.decision is Decision.ALLOW:
            if call is not None and call.argument("decision") is None and _AGAINST.match(why.lstrip()):
                yield file.finding(
                    "EP113",
                    "the rule allows, since it has no `decision`, but its justification speaks against it",
                    file.span_of_rule(entry),
                    help='add `decision="forbidden"` or `decision="prompt"`',
                )
            continue
        for proposed in _PROPOSED.findall(why):
            argv = tuple(split(proposed) or ())
            if argv and any(
                rule.decision is Decision.FORBIDDEN and rule in here for rule in project.sight.seeing(argv)
            ):
                yield file.finding(
                    "EP113",
                    f"the justification proposes `{proposed}`, which is forbidden",
                    file.span_of_rule(entry),
                    help="propose a command that is not forbidden, or narrow the rule",
                )
