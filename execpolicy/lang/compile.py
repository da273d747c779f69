"""Converts rule text to statements: evaluate, build, locate, check the examples. The entry point of the language."""

from __future__ import annotations

import gc
from _collections_abc import Mapping, Sequence

from execpolicy import validators
from execpolicy.core.path_rules import PathRule
from execpolicy.core.policy import Policy
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.errors import InvalidRuleError, RuleFileError
from execpolicy.lang import examples
from execpolicy.lang.evaluate import evaluate
from execpolicy.lang.file_limits import DEFAULT
from execpolicy.lang.statements import Built, Statement, build
from execpolicy.source import Place, Source
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.lang.file_limits import FileLimits

_RULES = (PrefixRule, NetworkRule, HostExecutable, PathRule)
"""The statements whose examples are those of their call; the others store their own."""


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


def compile_sources(sources: Sequence[Source], *, limits: FileLimits = DEFAULT, literal: bool = False) -> Compiled:
    """The statements of all ``sources``, one file after the other, as Codex loads several rule files.

    Args:
        literal: a `match` example begins with the words of its rule, as in files that Codex reads.

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
        compiled = compile_source(source, hosts=hosts, limits=limits, literal=literal)
        statements += compiled.statements
        warnings += compiled.warnings
        built += compiled.built
        hosts = compiled.hosts
    return Compiled(tuple(statements), tuple(warnings), hosts, tuple(built))


def _refuse(source: object, hosts: object, trusted: object, literal: object) -> None:
    """Raises for an argument with a wrong type."""
    validators.flag(trusted, "`trusted`")
    validators.flag(literal, "`literal`")
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
    literal: bool = False,
) -> Compiled:
    """The statements of one file.

    Args:
        hosts: host executables that earlier files defined; examples are resolved with them and this file's own.
        trusted: the file belongs to the package: Starlark may run in this process, and its examples were checked when
            the package was tested.
        literal: a `match` example begins with the words of its rule, as in files that Codex reads.

    Raises:
        RuleFileError: it does not parse, fails to run, exceeds a limit or contradicts its own examples.
    """
    kinds: tuple[object, ...] = (source.__class__, trusted.__class__, literal.__class__)
    if kinds != (Source, bool, bool) or source.text.__class__ is not str or (hosts is not None and hosts != {}):
        _refuse(source, hosts, trusted, literal)
    collects = gc.isenabled()
    gc.disable()  # no rule is garbage, and a collection takes longer than their creation
    try:
        return _compiled(source, hosts, limits, trusted=trusted, literal=literal)
    finally:
        if collects:
            gc.enable()


def _compiled(
    source: Source, hosts: Mapping[str, HostExecutable] | None, limits: FileLimits, *, trusted: bool, literal: bool
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
            raise RuleFileError(examples.refusal(error, call, source)) from None
    if recording.failure is not None:
        raise RuleFileError(examples.failure_problem(recording.failure, source))
    statements = tuple([statement for one, _ in built for statement in one.statements])
    known = dict(hosts or {})
    known.update({s.name: s for s in statements if isinstance(s, HostExecutable)})
    if not trusted and [one for one, _ in built if one.match or one.not_match or type(one.statements[0]) not in _RULES]:
        for found in examples.example_problems(built, known, source, limits, literal=literal):
            raise RuleFileError(found)
    warnings: tuple[Diagnostic, ...] = ()
    if rebound:
        warnings = examples.rebindings(rebound, source)
    return Compiled(statements, warnings, known, tuple([one for one, _ in built]))
