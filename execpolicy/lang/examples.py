"""Checks the examples of rules and entries when the file that contains them is compiled."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import HostResolution, home_of, normalise_path
from execpolicy.core.path_rules import PathRule
from execpolicy.core.policy import Policy
from execpolicy.core.quoting import debug_list, debug_match, debug_rule, try_join
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.diagnostics import model
from execpolicy.diagnostics.model import Diagnostic, problem_in
from execpolicy.errors import InvalidRuleError
from execpolicy.lang.recording import Failure, RecordedCall
from execpolicy.lang.scan import BUILTINS
from execpolicy.lang.statements import Built
from execpolicy.programs import catalog, spellings
from execpolicy.programs.meaning import rules_by_meaning
from execpolicy.programs.names import base_name
from execpolicy.safety.heuristics import Heuristics
from execpolicy.safety.opinion import Opinion
from execpolicy.shell import read
from execpolicy.shell.words import Word
from execpolicy.source import Place, Source, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.lang.file_limits import FileLimits
    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand

    Entry: TypeAlias = SafeCommand | DangerousCommand

_RELATIVE = ("", ".", "..", "~")
"""Words without a slash that name a directory whose base name is another word."""


def example_problems(
    built: Sequence[tuple[Built, Place]],
    hosts: Mapping[str, HostExecutable],
    source: Source,
    limits: FileLimits,
    *,
    literal: bool,
) -> Iterator[Diagnostic]:
    """Yields a diagnostic for each contradicted example; a call's examples are checked against its own rules, in order.

    The last diagnostic names the call at which the examples exceed their limit, if there is one.

    Args:
        literal: Codex reads the file, too: a `match` example begins with the words of its rule.
    """
    resolution = None
    room = limits.examples
    for one, place in built:
        first = one.statements[0]
        if one.match or one.not_match:
            room -= sum([len(word) + 1 for example in (*one.match, *one.not_match) for word in example])
        elif isinstance(first, (PrefixRule, PathRule, HostExecutable, NetworkRule)):
            continue
        else:  # an entry stores its own examples
            room -= sum(map(len, (*first.match, *first.not_match)))
        if room < 0:
            message = f"the examples have more than {limits.examples:,} characters"
            yield model.problem_in("EP006", message, source, place.line, help="leave some out")
            return
        if isinstance(first, PrefixRule):
            resolution = resolution or HostResolution.of_process()
            yield from _prefix_examples(one, hosts, resolution, source, place, literal=literal)
        elif isinstance(first, PathRule):
            yield from _path_examples(one, first, source, place)
        elif not isinstance(first, (HostExecutable, NetworkRule)):
            yield from _entry_examples(first, source, place)


def _prefix_examples(
    one: Built,
    hosts: Mapping[str, HostExecutable],
    resolution: HostResolution,
    source: Source,
    place: Place,
    *,
    literal: bool,
) -> Iterator[Diagnostic]:
    rules = [statement for statement in one.statements if isinstance(statement, PrefixRule)]

    def matches(argv: Sequence[str]) -> bool:
        if any(rule.matched_prefix(argv) for rule in rules):
            return True
        if "/" not in argv[0] and argv[0] not in _RELATIVE:
            return False  # the base name was just compared
        return bool(Policy(rules, (), hosts.values()).matches(argv, resolution=resolution))

    for argv in one.not_match:
        if matches(argv):
            match = Policy(rules, (), hosts.values()).matches(argv, resolution=resolution)[0]
            yield model.problem_in(
                "EP004",
                f"the `not_match` example `{_render(argv)}` is matched: it begins with `{_render(match.prefix)}`",
                source,
                place.line,
                help="narrow the pattern, or remove the example",
                codex=f"expected example to not match rule `{debug_match(match)}`: {_render(argv)}",
            )
    unmatched = [argv for argv in one.match if not (matches(argv) or (not literal and _means(rules, argv)))]
    if unmatched:
        yield model.problem_in(
            "EP003",
            f"{_listed([_render(argv) for argv in unmatched])} not matched by `{_pattern_of(rules)}`",
            source,
            place.line,
            help="widen the pattern, or remove the example",
            codex="expected every example to match at least one rule. "
            f"rules: {debug_list([debug_rule(rule) for rule in rules])}; "
            f"unmatched examples: {debug_list([_render(argv) for argv in unmatched])}",
        )


def _means(rules: Sequence[PrefixRule], argv: Sequence[str]) -> bool:
    """True if ``argv`` surely means one of ``rules``, in other words."""
    stricter = [rule for rule in rules if rule.decision is not Decision.ALLOW and not rule.exact]
    policy, firsts = Policy(stricter), rules_by_meaning.by_base_name([rule.pattern.first for rule in stricter])
    words = [Word(text, Span(0, 0)) for text in argv]
    for view in spellings.restrict_views(words, catalog.facts_of(read.read_script(""))):
        program, *more = rules_by_meaning.program_of(base_name(view[0].literal or ""))
        meant = rules_by_meaning.RulesByMeaning(program, rules_by_meaning.rules_about(program, policy, firsts, {}))
        behind = [*[Word(text, Span(0, 0)) for text in more], *view[1:]]
        if any(one.is_sure and "/" not in pattern.first for (_, pattern), one in meant.meant_by(behind)):
            return True
    return False


def _path_examples(one: Built, rule: PathRule, source: Source, place: Place) -> Iterator[Diagnostic]:
    home = home_of(os.environ)
    root = "/project"  # examples of project paths are relative, so any root works

    def covered(path: str) -> bool:
        if home is not None and path.startswith("~/"):
            path = home + path[1:]
        absolute = normalise_path(path if path.startswith("/") else root + "/" + path)
        return rule.matches(absolute, root=root, home=home)

    for (path,) in one.not_match:
        if covered(path):
            message = f"the `not_match` example `{path}` is matched by `paths`"
            yield model.problem_in("EP004", message, source, place.line, help="narrow `paths`")
    unmatched = [path for (path,) in one.match if not covered(path)]
    if unmatched:
        message = f"{_listed(unmatched)} not matched by `paths`"
        yield model.problem_in("EP003", message, source, place.line, help="widen `paths`")


def _entry_examples(entry: SafeCommand | DangerousCommand, source: Source, place: Place) -> Iterator[Diagnostic]:
    if not (entry.match or entry.not_match):
        return
    heuristics = Heuristics([entry])

    def opinions(text: str) -> list[Opinion]:
        script = read.read_script(text)
        facts = catalog.facts_of(script)
        return [heuristics.opinion(command, facts) for command in script.commands]

    for message in example_failures(entry, opinions):
        code = "EP003" if " to match " in message else "EP004"
        yield model.problem_in(code, message, source, place.line)


def _render(argv: Sequence[str]) -> str:
    rendered = try_join(tuple(argv))
    return "unable to render example" if rendered is None else rendered


def _listed(examples: Sequence[str]) -> str:
    """The `match` examples as the subject of a sentence."""
    shown = ", ".join([f"`{example}`" for example in examples])
    return f"the `match` example {shown} is" if len(examples) == 1 else f"the `match` examples {shown} are"


def _pattern_of(rules: Sequence[PrefixRule]) -> str:
    """The pattern of the rules of one call, which differ in their first token."""
    firsts = tuple([rule.pattern.first for rule in rules])
    positions = (firsts, *rules[0].pattern.rest)
    return " ".join([tokens[0] if len(tokens) == 1 else f"[{'|'.join(tokens)}]" for tokens in positions])


_UNKNOWN = re.compile(r"(Variable `(\w+)` not found)")


def refusal(error: InvalidRuleError, call: RecordedCall, source: Source) -> Diagnostic:
    """The diagnostic for a call that a builtin rejects."""
    return problem_in("EP002", error.message, source, call.line, help=error.help, codex=error.codex)


def failure_problem(failure: Failure, source: Source) -> Diagnostic:
    """The diagnostic for the error that stopped the evaluation."""
    message, help = failure.message.removeprefix("Parse error: "), failure.help
    if message.startswith("No imports"):  # Starlark's wording describes its own internals
        message = "`load` is reserved: a rule file loads nothing"
    elif help is None and (unknown := _UNKNOWN.match(message)):
        message, help = unknown[1], _about_unknown(unknown[2])
    return problem_in(
        failure.code,
        message,
        source,
        failure.line,
        column=failure.column,
        end=failure.end,
        help=help,
        codex=failure.message,
    )


def _about_unknown(name: str) -> str:
    """The suggested action for an unknown name. Starlark would suggest words that no rule file needs."""
    if name in ("allow", "prompt", "forbidden"):
        return f'write it in quotes: "{name}"'
    near = get_close_matches(name, BUILTINS, 1)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"words stand in quotes; a rule file may call {', '.join([f'`{each}`' for each in BUILTINS])}"


def rebindings(rebound: Sequence[tuple[str, int]], source: Source) -> tuple[Diagnostic, ...]:
    """A warning for each place that rebinds a builtin's name."""
    return tuple(
        problem_in(
            "EP007",
            f"`{name}` is bound to something else here: every later `{name}(…)` in this file defines no rule",
            source,
            line,
            help="choose another name",
            severity="warning",
        )
        for name, line in rebound
    )


def example_failures(entry: Entry, judge: Callable[[str], Sequence[Opinion]]) -> list[str]:
    """Returns what is wrong with the examples of ``entry``: one line each, empty if all hold.

    A ``match`` example holds if ``entry`` gave the opinion on at least one of its commands; a ``not_match`` example if
    it gave none. The project is the working folder, and holds every program that an entry wants installed. ``judge``
    reads a script and returns the opinions on its commands.
    """
    verdict = "safe" if entry.kind == "safe_command" else "dangerous"
    failures: list[str] = []

    def gave(opinion: Opinion) -> bool:
        return opinion.verdict == verdict and opinion.entry is entry and all(one.is_nearby for one in opinion.locations)

    for example in entry.match:
        opinions = judge(example)
        if not any(map(gave, opinions)):
            why = "; ".join([opinion.why for opinion in opinions]) or "it has no command"
            failures.append(f"expected `{example}` to match {entry.kind} `{entry.name}`: {why}")
    for example in entry.not_match:
        if any(map(gave, judge(example))):
            failures.append(f"expected `{example}` not to match {entry.kind} `{entry.name}`")
    return failures
