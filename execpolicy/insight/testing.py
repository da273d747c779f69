"""Runs the examples in rule files and case files, and counts the rules that fire.

Case files have two forms. Text: one case a line, ``decision: script``, with ``#`` comments and empty lines. JSON lines:
objects with ``decision`` and ``script`` or ``argv``, and optional ``shell`` and ``name``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import HostResolution
from execpolicy.core.policy import Policy
from execpolicy.core.quoting import join
from execpolicy.core.rules import HostExecutable, PrefixRule
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.diagnostics.render_formats import JUnitCase
from execpolicy.errors import RuleFileError
from execpolicy.insight.tally import rules_of
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.lang.compile import compile_source
from execpolicy.lang.parse import explained
from execpolicy.lang.statements import Built, Statement
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers, rulebook_of
from execpolicy.lint.sight import RuleSight, deciding_command
from execpolicy.lint.survey import codex_rules_folder, survey
from execpolicy.safety.dangers import DangerousCommand
from execpolicy.safety.entries import SafeCommand
from execpolicy.source import Source

SUFFIXES = (".cases", ".jsonl")
_KEYS = {"name", "script", "argv", "shell", "decision"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One command (a script or an argv) and its expected decision, in the line ``line`` (1-based) of a case file."""

    command: str | tuple[str, ...]
    expected: Decision
    path: str
    line: int
    shell: str = "bash"
    name: str | None = None

    @property
    def title(self) -> str:
        """Its name in reports."""
        return self.name or self.text

    @property
    def text(self) -> str:
        """The command as one line."""
        return self.command if isinstance(self.command, str) else " ".join(self.command)


def read_cases(source: Source) -> tuple[Case, ...]:
    """The cases of one file, in order.

    Raises:
        RuleFileError: some lines are not cases; lists each of them.
    """
    cases: list[Case] = []
    problems: list[Diagnostic] = []
    for number, raw in enumerate(source.text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        found = _json_case(line, source.name, number) if line.startswith("{") else _text_case(line, source.name, number)
        if isinstance(found, Case):
            cases.append(found)
        else:
            problems.append(
                Diagnostic(code="EP005", message=found, path=source.name, line=number, column=1, source=source)
            )
    if problems:
        raise RuleFileError(problems[0], *problems[1:])
    return tuple(cases)


def _text_case(line: str, path: str, number: int) -> Case | str:
    word, colon, script = line.partition(":")
    expected = Decision.parse(word.strip())
    if expected is None or not colon or not script.strip():
        return "not a case: write `allow: SCRIPT`, `prompt: SCRIPT` or `forbidden: SCRIPT`"
    return Case(command=script.strip(), expected=expected, path=path, line=number)


def _json_case(line: str, path: str, number: int) -> Case | str:
    try:
        body = json.loads(line)
    except ValueError as error:
        return f"not JSON: {error}"
    unknown = sorted(set(body) - _KEYS)
    if unknown:
        return f"unknown field `{unknown[0]}`: known are {', '.join(sorted(_KEYS))}"
    expected = Decision.parse(body.get("decision")) if isinstance(body.get("decision"), str) else None
    if expected is None:
        return "`decision` must be `allow`, `prompt` or `forbidden`"
    script, argv = body.get("script"), body.get("argv")
    if isinstance(script, str) and argv is None:
        command: str | tuple[str, ...] = script
    elif script is None and isinstance(argv, list) and argv and all(isinstance(word, str) for word in argv):
        command = tuple(argv)
    else:
        return "a case needs `script` (text) or `argv` (a list of strings)"
    shell, name = body.get("shell", "bash"), body.get("name")
    if not isinstance(shell, str) or not (name is None or isinstance(name, str)):
        return "`shell` and `name` must be text"
    return Case(command=command, expected=expected, path=path, line=number, shell=shell, name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One example or case that was run.

    Attributes:
        group: the file that contains it.
        title: the tested command or file.
        line: 1-based, 0 for the whole file.
        failure: the reason of the failure, and the remedy where it is known; ``None`` if it passed.
        column: 1-based, 0 for the whole line.
    """

    group: str
    title: str
    line: int
    failure: str | None = None
    column: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCoverage:
    """How often one rule fired, by source.

    Attributes:
        deciding: for a rule that did not fire, a shortest command that it decides and no other as strict does.
    """

    rule: PrefixRule
    examples: int
    cases: int
    history: int
    deciding: tuple[str, ...] | None = None

    @property
    def fired(self) -> bool:
        """True if any source shows that it can fire."""
        return bool(self.examples or self.cases or self.history)


class RuleTests:
    """The examples and cases of a set of files.

    Attributes:
        trials: in the order in which they ran.
        statements: the statements of the rule files that load.
    """

    def __init__(self) -> None:
        self.trials: list[Trial] = []
        self.statements: list[Statement] = []
        self._built: list[Built] = []
        self._in_cases: Counter[int] = Counter()
        self._in_history: Counter[int] = Counter()

    def load(self, sources: Iterable[Source]) -> None:
        """Compiles rule files, which checks their examples; each example is one test, each fault a failed one."""
        hosts: dict[str, HostExecutable] = {}
        for source in sources:
            try:
                compiled = compile_source(source, hosts=hosts, literal=codex_rules_folder(source.name) is not None)
            except RuleFileError as error:
                self._broken(source, hosts, error)
                continue
            hosts = dict(compiled.hosts)
            self.statements += compiled.statements
            self._built += compiled.built
            examples = 0
            for built in compiled.built:
                first = built.statements[0]
                line = first.place.line if first.place is not None else 0
                for wanted, shown in _examples(built):
                    examples += 1
                    self.trials.append(Trial(group=source.name, title=f"{wanted} {shown}", line=line))
            if not examples:
                self.trials.append(Trial(group=source.name, title="loads", line=0))

    def _broken(self, source: Source, hosts: Mapping[str, HostExecutable], error: RuleFileError) -> None:
        problems = [each for each in survey(source, hosts).problems if each.severity == "error"]
        for each in sorted(problems, key=attrgetter("line")) or explained(error.diagnostics)[:1]:
            failure = f"{each.message}; {each.help}" if each.help else each.message
            trial = Trial(group=source.name, title="loads", line=each.line, column=each.column, failure=failure)
            self.trials.append(trial)

    def run_cases(
        self,
        cases: Sequence[Case],
        rulebook: Rulebook,
        situation: Situation,
        progress: Callable[[], None] | None = None,
    ) -> None:
        """Judges every case."""
        for case in cases:
            verdict = check(case.command, rulebook, shell=case.shell, situation=situation)
            failure = None
            if verdict.decision is not case.expected:
                failure = f"expected {case.expected.word}, got {verdict.decision.word}"
                if verdict.decision.word != "allow":
                    failure += f": {verdict.reason}"
            self.trials.append(Trial(group=case.path, title=case.title, line=case.line, failure=failure))
            _count(verdict, self._in_cases)
            if progress is not None:
                progress()

    def run_history(self, commands: Iterable[tuple[str, int]], rulebook: Rulebook, situation: Situation) -> None:
        """Counts the rules that fire on recorded commands: ``(script, how often)``."""
        for script, times in commands:
            _count(check(script, rulebook, situation=situation), self._in_history, times)

    def coverage(self) -> tuple[RuleCoverage, ...]:
        """Every prefix rule and the sources that made it fire: its own examples, cases, history."""
        resolution = HostResolution.of_process()
        found: list[RuleCoverage] = []
        hosts = [s for s in self.statements if isinstance(s, HostExecutable)]
        everything = [s for s in self.statements if isinstance(s, PrefixRule)]
        sight = RuleSight(everything, hosts)
        for built in self._built:
            rules = [statement for statement in built.statements if isinstance(statement, PrefixRule)]
            for rule in rules:
                policy = Policy([rule], (), hosts)
                examples = sum(1 for argv in built.match if policy.matches(argv, resolution=resolution))
                cases, history = self._in_cases[id(rule)], self._in_history[id(rule)]
                fired = examples or cases or history
                deciding = None if fired else deciding_command(rule, everything, sight)
                found.append(
                    RuleCoverage(rule=rule, examples=examples, cases=cases, history=history, deciding=deciding)
                )
        return tuple(found)


def _count(verdict: Verdict, hits: Counter[int], times: int = 1) -> None:
    """Adds the rules that fired to ``hits``, by identity."""
    for command in verdict.commands:
        for rule in rules_of((*command.matches, *command.denied_grants)):
            hits[id(rule)] += times


def junit_suites(trials: Sequence[Trial]) -> dict[str, list[JUnitCase]]:
    """``trials`` as suites of a JUnit report, one a file."""
    suites: dict[str, list[JUnitCase]] = {}
    for trial in trials:
        case = JUnitCase(trial.title, trial.failure, details=trial.failure or "", line=trial.line)
        suites.setdefault(trial.group, []).append(case)
    return suites


def report_as_json(trials: Sequence[Trial], coverage: Sequence[RuleCoverage] | None = None) -> dict[str, Any]:
    """The trials and their results as JSON values; with ``coverage``, also the rules that fired."""
    failed = sum(trial.failure is not None for trial in trials)
    body: dict[str, Any] = {
        "passed": len(trials) - failed,
        "failed": failed,
        "tests": [
            {
                "path": trial.group,
                "line": trial.line,
                "column": trial.column,
                "title": trial.title,
                "passed": trial.failure is None,
                **({} if trial.failure is None else {"failure": trial.failure}),
            }
            for trial in trials
        ],
    }
    if coverage is not None:
        body["coverage"] = [_coverage_as_json(one) for one in coverage]
    return body


def _coverage_as_json(one: RuleCoverage) -> dict[str, Any]:
    place = one.rule.place
    return {
        "path": place.path if place is not None else "",
        "line": place.line if place is not None else 0,
        "pattern": str(one.rule.pattern),
        "decision": one.rule.decision.word,
        "examples": one.examples,
        "cases": one.cases,
        "history": one.history,
        "fired": one.fired,
        **({} if one.deciding is None else {"deciding": list(one.deciding)}),
    }


def _examples(built: Built) -> Iterator[tuple[str, str]]:
    """The examples that were checked when the file was loaded: ``(wanted, example)``."""
    first = built.statements[0]
    if isinstance(first, (SafeCommand, DangerousCommand)):
        match, not_match = first.match, first.not_match
    else:
        match, not_match = tuple(map(join, built.match)), tuple(map(join, built.not_match))
    yield from (("matches", text) for text in match)
    yield from (("does not match", text) for text in not_match)


def trials_of(path: str, text: str) -> list[Trial]:
    """The examples of a rule file, or the cases of a case file with the rule files in its folder and below."""
    tests, source = RuleTests(), Source(path, text)
    if not path.endswith(SUFFIXES):
        tests.load([source])
        return tests.trials
    situation = Situation.of_process()
    try:
        cases = read_cases(source)
        texts = [Source(str(each), each.read_text("utf-8")) for each in sorted(Path(path).parent.rglob("*.rules"))]
        loaded = load_layers(LayerOptions.of_process(cwd=situation.cwd, texts=texts, mode="strict"))
    except RuleFileError as error:
        first = error.diagnostics[0]
        failure = f"{first.path}:{first.line}: {first.message}"
        return [Trial(group=path, title="loads", line=first.line, failure=failure)]
    tests.run_cases(cases, rulebook_of(loaded), situation)
    return tests.trials
