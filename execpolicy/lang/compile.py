"""Converts rule text to statements: evaluate, build, locate, check the examples. The entry point of the language."""

from __future__ import annotations

import gc
import os

from execpolicy import validators
from execpolicy.core.hosts import HostResolution, home_of, normalise_path
from execpolicy.core.policy import Policy
from execpolicy.core.quoting import try_join
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.writes import PathRule
from execpolicy.diagnostics import rule_problems
from execpolicy.errors import InvalidRuleError, RuleFileError
from execpolicy.lang import refused, rust_debug
from execpolicy.lang.evaluate import evaluate
from execpolicy.lang.file_limits import DEFAULT
from execpolicy.lang.statements import build
from execpolicy.programs import catalog
from execpolicy.safety import entry_examples
from execpolicy.safety.heuristics import Heuristics
from execpolicy.shell import read
from execpolicy.source import Place, Source
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.lang.file_limits import FileLimits
    from execpolicy.lang.statements import Built, Statement
    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand
    from execpolicy.safety.opinion import Opinion

_RELATIVE = ("", ".", "..", "~")
"""Words without a slash that name a directory whose base name is another word."""


@value
class Compiled:
    """The content of rule files.

    Attributes:
        statements: rules and entries in the order written, each with its ``place``.
        warnings: legal code that is certainly a mistake (a rebound builtin).
        hosts: the host executables that are effective after the last file, by name.
        built: the statements that each call defined, with its examples.
    """

    statements: tuple[Statement, ...]
    warnings: tuple[Diagnostic, ...]
    hosts: Mapping[str, HostExecutable]
    built: tuple[Built, ...] = ()

    def policy(self) -> Policy:
        """The prefix rules, network rules and host executables among the statements."""
        kinds = (PrefixRule, NetworkRule, HostExecutable)
        return Policy.of([statement for statement in self.statements if isinstance(statement, kinds)])


def compile_sources(sources: Sequence[Source], *, limits: FileLimits = DEFAULT) -> Compiled:
    """The statements of all ``sources``, one file after the other, as Codex loads several rule files.

    Raises:
        RuleFileError: the first file that does not parse, fails to run or contradicts its own examples.
    """
    if type(sources) is not list and type(sources) is not tuple:
        sources = validators.listed(sources, "what is compiled", "sources")
    statements: list[Statement] = []
    warnings: list[Diagnostic] = []
    built: list[Built] = []
    hosts: Mapping[str, HostExecutable] = {}
    for source in sources:
        compiled = compile_source(source, hosts=hosts, limits=limits)
        statements += compiled.statements
        warnings += compiled.warnings
        built += compiled.built
        hosts = compiled.hosts
    return Compiled(tuple(statements), tuple(warnings), hosts, tuple(built))


def _refuse(source: object, hosts: object, trusted: object) -> None:
    """Checks arguments that do not have the usual types.

    Raises:
        UsageError: an argument has the wrong type.
    """
    validators.flag(trusted, "`trusted`")
    validators.text(validators.instance(Source)(source, "what is compiled").text, "the text of a source")
    if hosts is not None:
        validators.every(validators.instance(HostExecutable))(
            tuple(validators.mapping(hosts, "`hosts`").values()), "`hosts`"
        )


def compile_source(
    source: Source,
    *,
    hosts: Mapping[str, HostExecutable] | None = None,
    limits: FileLimits = DEFAULT,
    trusted: bool = False,
) -> Compiled:
    """The statements of one file.

    Args:
        hosts: host executables that earlier files defined; examples are resolved with them and this file's own.
        trusted: the file belongs to the package: Starlark may run in this process, and its examples were checked when
            the package was tested.

    Raises:
        RuleFileError: it does not parse, fails to run, exceeds a limit or contradicts its own examples.
    """
    kinds: tuple[object, ...] = (source.__class__, trusted.__class__)
    if kinds != (Source, bool) or source.text.__class__ is not str or (hosts is not None and hosts != {}):
        _refuse(source, hosts, trusted)
    collects = gc.isenabled()
    gc.disable()  # no rule is garbage, and a collection takes longer than their creation
    try:
        return _compiled(source, hosts, limits, trusted=trusted)
    finally:
        if collects:
            gc.enable()


def _compiled(
    source: Source, hosts: Mapping[str, HostExecutable] | None, limits: FileLimits, *, trusted: bool
) -> Compiled:
    """The statements of a file that has to be evaluated."""
    recording, rebound = evaluate(source.text, limits, trusted=trusted)
    built: list[tuple[Built, Place]] = []
    waiting = recording.calls[::-1]
    recording.calls.clear()
    while waiting:  # frees each recorded call once its rule is built: halves the memory of a large file
        call = waiting.pop()
        place = Place(source.name, call.line)
        try:
            built.append((build(call, place), place))
        except InvalidRuleError as error:
            raise RuleFileError(refused.refusal(error, call, source)) from None
    if recording.failure is not None:
        raise RuleFileError(refused.failure_problem(recording.failure, source))
    statements = tuple([statement for one, _ in built for statement in one.statements])
    known = dict(hosts or {})
    known.update({s.name: s for s in statements if isinstance(s, HostExecutable)})
    if not trusted:
        for found in example_problems(built, known, source, limits):
            raise RuleFileError(found)
    warnings: tuple[Diagnostic, ...] = ()
    if rebound:
        warnings = refused.rebindings(rebound, source)
    return Compiled(statements, warnings, known, tuple([one for one, _ in built]))


def example_problems(
    built: Sequence[tuple[Built, Place]], hosts: Mapping[str, HostExecutable], source: Source, limits: FileLimits
) -> Iterator[Diagnostic]:
    """Yields a diagnostic for each contradicted example; a call's examples are checked against its own rules, in order.

    The last diagnostic names the call at which the examples exceed their limit, if there is one.
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
            yield _problem("EP006", message, source, place.line, help="leave some out")
            return
        if isinstance(first, PrefixRule):
            resolution = resolution or HostResolution.of_process()
            yield from _prefix_examples(one, hosts, resolution, source, place)
        elif isinstance(first, PathRule):
            yield from _path_examples(one, first, source, place)
        elif not isinstance(first, (HostExecutable, NetworkRule)):
            yield from _entry_examples(first, source, place)


def _prefix_examples(
    one: Built, hosts: Mapping[str, HostExecutable], resolution: HostResolution, source: Source, place: Place
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
            yield _problem(
                "EP004",
                f"the `not_match` example `{_render(argv)}` is matched: it begins with `{_render(match.prefix)}`",
                source,
                place.line,
                help="narrow the pattern, or remove the example",
                codex=f"expected example to not match rule `{rust_debug.debug_match(match)}`: {_render(argv)}",
            )
    unmatched = [argv for argv in one.match if not matches(argv)]
    if unmatched:
        yield _problem(
            "EP003",
            f"{refused.listed([_render(argv) for argv in unmatched])} not matched by `{refused.pattern_of(rules)}`",
            source,
            place.line,
            help="widen the pattern, or remove the example",
            codex="expected every example to match at least one rule. "
            f"rules: {rust_debug.debug_list([rust_debug.debug_rule(rule) for rule in rules])}; "
            f"unmatched examples: {rust_debug.debug_list([_render(argv) for argv in unmatched])}",
        )


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
            yield _problem("EP004", message, source, place.line, help="narrow `paths`")
    unmatched = [path for (path,) in one.match if not covered(path)]
    if unmatched:
        message = f"{refused.listed(unmatched)} not matched by `paths`"
        yield _problem("EP003", message, source, place.line, help="widen `paths`")


def _entry_examples(entry: SafeCommand | DangerousCommand, source: Source, place: Place) -> Iterator[Diagnostic]:
    if not (entry.match or entry.not_match):
        return
    heuristics = Heuristics([entry])

    def opinions(text: str) -> list[Opinion]:
        script = read.read_script(text)
        facts = catalog.facts_of(script)
        return [heuristics.opinion(command, facts) for command in script.commands]

    for message in entry_examples.example_failures(entry, opinions):
        code = "EP003" if " to match " in message else "EP004"
        yield _problem(code, message, source, place.line)


def _render(argv: Sequence[str]) -> str:
    rendered = try_join(tuple(argv))
    return "unable to render example" if rendered is None else rendered


def _problem(*what: Any, **more: Any) -> Diagnostic:
    """A deferred call of :func:`execpolicy.diagnostics.rule_problems.problem_in`."""
    return rule_problems.problem_in(*what, **more)
