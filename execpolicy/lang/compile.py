"""Rule text to statements: evaluate, build, locate, check the examples. The façade of the language."""

from __future__ import annotations

import os

from execpolicy.core.hosts import normalise_path
from execpolicy.core.policy import HostResolution, Policy
from execpolicy.core.quoting import try_join
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.core.writes import WriteRule
from execpolicy.errors import InvalidRuleError, RuleFileError
from execpolicy.lang.evaluate import evaluate
from execpolicy.lang.file_limits import DEFAULT
from execpolicy.lang.statements import build
from execpolicy.source import Place, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.lang.file_limits import FileLimits
    from execpolicy.lang.statements import Built, Statement
    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand
    from execpolicy.safety.opinion import Opinion
    from execpolicy.source import Source


class Compiled:
    """What rule files say.

    Attributes:
        statements: rules and entries in the order written, each with its ``place``.
        warnings: what is legal and yet surely a mistake (a rebound builtin).
        hosts: the host executables in force behind the last file, by name.
        built: what each call defined, with its examples.
    """

    __slots__ = ("built", "hosts", "statements", "warnings")

    def __init__(
        self,
        statements: tuple[Statement, ...],
        warnings: tuple[Diagnostic, ...],
        hosts: Mapping[str, HostExecutable],
        built: tuple[Built, ...] = (),
    ) -> None:
        self.statements = statements
        self.warnings = warnings
        self.hosts = hosts
        self.built = built

    def policy(self) -> Policy:
        """The prefix rules, network rules and host executables among the statements."""
        kinds = (PrefixRule, NetworkRule, HostExecutable)
        return Policy.of([statement for statement in self.statements if isinstance(statement, kinds)])


def compile_sources(sources: Sequence[Source], *, limits: FileLimits = DEFAULT) -> Compiled:
    """The statements of all ``sources``, one file after the other, as Codex loads several rule files.

    Raises:
        RuleFileError: the first file that does not parse, does not run or contradicts its own examples.
    """
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
        trusted: the file is the package's own: Starlark may run in this process, and its examples were checked when
            the package was tested.

    Raises:
        RuleFileError: it does not parse, does not run, exceeds a limit or contradicts its own examples.
    """
    # One straight way from a text to statements: every step needs those before it.
    if trusted:
        from execpolicy.lang.precompiled import precompiled

        entries = precompiled(source)
        if entries is not None:
            return Compiled(entries, (), dict(hosts or {}))
    recording, rebound = evaluate(source.text, limits, trusted=trusted)
    built: list[tuple[Built, Place]] = []
    for call in recording.calls:
        place = Place(source.name, call.line)
        try:
            built.append((build(call, place), place))
        except InvalidRuleError as error:
            raise RuleFileError(_problem("EP002", error.message, source, call.line, help=error.help)) from None
    failure = recording.failure
    if failure is not None:
        raise RuleFileError(
            _problem(
                failure.code,
                failure.message,
                source,
                failure.line,
                column=failure.column,
                end=failure.end,
                help=failure.help,
            )
        )
    statements = tuple([statement for one, _ in built for statement in one.statements])
    known = dict(hosts or {})
    known.update({s.name: s for s in statements if isinstance(s, HostExecutable)})
    if not trusted:
        _check_examples(built, known, source, limits)
    warnings = [
        _problem(
            "EP007",
            f"`{name}` is bound to something else here: every later `{name}(…)` in this file defines no rule",
            source,
            line,
            help="choose another name",
            severity="warning",
        )
        for name, line in rebound
    ]
    return Compiled(statements, tuple(warnings), known, tuple([one for one, _ in built]))


def _check_examples(
    built: Sequence[tuple[Built, Place]], hosts: Mapping[str, HostExecutable], source: Source, limits: FileLimits
) -> None:
    """Check every call's examples against the rules of that call alone, in order of definition.

    Raises:
        RuleFileError: for the first call that an example contradicts, or with which the examples get too long.
    """
    resolution = None
    room = limits.examples
    for one, place in built:
        first = one.statements[0]
        if one.match or one.not_match:
            room -= sum([len(word) + 1 for example in (*one.match, *one.not_match) for word in example])
        elif isinstance(first, (PrefixRule, WriteRule, HostExecutable, NetworkRule)):
            continue
        else:  # an entry keeps its examples itself
            room -= sum(map(len, (*first.match, *first.not_match)))
        if room < 0:
            message = f"the examples have more than {limits.examples:,} characters"
            raise RuleFileError(_problem("EP006", message, source, place.line, help="leave some out"))
        if isinstance(first, PrefixRule):
            resolution = resolution or HostResolution.of_process()
            _check_prefix_examples(one, hosts, resolution, source, place)
        elif isinstance(first, WriteRule):
            _check_write_examples(one, first, source, place)
        elif not isinstance(first, (HostExecutable, NetworkRule)):
            _check_entry_examples(first, source, place)


def _check_prefix_examples(
    one: Built, hosts: Mapping[str, HostExecutable], resolution: HostResolution, source: Source, place: Place
) -> None:
    rules = [statement for statement in one.statements if isinstance(statement, PrefixRule)]
    policy = Policy(rules, (), hosts.values())
    for argv in one.not_match:
        matches = policy.matches(argv, resolution=resolution)
        if matches:
            from execpolicy.lang.rust_debug import debug_match

            message = f"expected example to not match rule `{debug_match(matches[0])}`: {_render(argv)}"
            raise RuleFileError(
                _problem("EP004", message, source, place.line, help="narrow the pattern, or remove the example")
            )
    unmatched = [argv for argv in one.match if not policy.matches(argv, resolution=resolution)]
    if unmatched:
        from execpolicy.lang.rust_debug import debug_list, debug_rule

        message = (
            "expected every example to match at least one rule. "
            f"rules: {debug_list([debug_rule(rule) for rule in rules])}; "
            f"unmatched examples: {debug_list([_render(argv) for argv in unmatched])}"
        )
        raise RuleFileError(
            _problem("EP003", message, source, place.line, help="widen the pattern, or remove the example")
        )


def _check_write_examples(one: Built, rule: WriteRule, source: Source, place: Place) -> None:
    home = os.environ.get("HOME")
    root = "/project"  # examples of project paths are written relative, so any root serves

    def covered(path: str) -> bool:
        if home is not None and path.startswith("~/"):
            path = home + path[1:]
        absolute = normalise_path(path if path.startswith("/") else root + "/" + path)
        return rule.matches(absolute, root=root, home=home)

    for (path,) in one.not_match:
        if covered(path):
            message = f"expected example to not match `write_rule`: {path}"
            raise RuleFileError(_problem("EP004", message, source, place.line, help="narrow `paths`"))
    unmatched = [path for (path,) in one.match if not covered(path)]
    if unmatched:
        message = f"expected every example to match `write_rule`; unmatched examples: {', '.join(unmatched)}"
        raise RuleFileError(_problem("EP003", message, source, place.line, help="widen `paths`"))


def _check_entry_examples(entry: SafeCommand | DangerousCommand, source: Source, place: Place) -> None:
    if not (entry.match or entry.not_match):
        return
    from execpolicy.programs.shelf import facts_of
    from execpolicy.safety.heuristics import Heuristics, example_failures
    from execpolicy.shell.read import read_script

    heuristics = Heuristics([entry])

    def opinions(text: str) -> list[Opinion]:
        script = read_script(text)
        facts = facts_of(script)
        return [heuristics.opinion(command, facts) for command in script.commands]

    for message in example_failures(entry, opinions):
        code = "EP003" if " to match " in message else "EP004"
        raise RuleFileError(_problem(code, message, source, place.line))


def _render(argv: Sequence[str]) -> str:
    rendered = try_join(tuple(argv))
    return "unable to render example" if rendered is None else rendered


def _problem(
    code: str,
    message: str,
    source: Source,
    line: int,
    *,
    column: int = 0,
    end: int = 0,
    help: str | None = None,
    severity: str = "error",
) -> Diagnostic:
    from execpolicy.diagnostics.model import Diagnostic

    span = None
    if line:
        start = _offset(source.text, line)
        text = source.line(line)
        if not column:
            column = len(text) - len(text.lstrip(" ")) + 1
            end = len(text.rstrip()) + 1
        first = min(start + column - 1, len(source.text))
        span = Span(first, max(first, min(start + (end or column + 1) - 1, len(source.text))))
    return Diagnostic(
        code=code,
        message=message,
        path=source.name,
        line=line,
        column=column,
        severity="warning" if severity == "warning" else "error",
        span=span,
        source=source,
        help=help,
    )


def _offset(text: str, line: int) -> int:
    """The offset of the first character of ``line`` (1-based)."""
    at = 0
    for _ in range(line - 1):
        newline = text.find("\n", at)
        if newline < 0:
            return len(text)
        at = newline + 1
    return at
