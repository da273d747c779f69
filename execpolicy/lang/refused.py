"""Why a rule file is refused, as diagnostics: of no use to a file that loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from execpolicy.diagnostics.rule_problems import problem_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.rules import PrefixRule
    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.errors import InvalidRuleError
    from execpolicy.lang.recording import Failure, RecordedCall
    from execpolicy.source import Source


def refusal(error: InvalidRuleError, call: RecordedCall, source: Source) -> Diagnostic:
    """That a builtin refuses a call."""
    return problem_in("EP002", error.message, source, call.line, help=error.help, codex=error.codex)


def failure_problem(failure: Failure, source: Source) -> Diagnostic:
    """Why evaluation stopped."""
    return problem_in(
        failure.code,
        # in Starlark's words this is about its own insides
        "`load` is reserved: a rule file loads nothing"
        if failure.message.startswith("No imports")
        else failure.message.removeprefix("Parse error: "),
        source,
        failure.line,
        column=failure.column,
        end=failure.end,
        help=failure.help,
        codex=failure.message,
    )


def rebindings(rebound: Sequence[tuple[str, int]], source: Source) -> tuple[Diagnostic, ...]:
    """A warning for each place that gives a builtin's name to something else."""
    return tuple(
        [
            problem_in(
                "EP007",
                f"`{name}` is bound to something else here: every later `{name}(…)` in this file defines no rule",
                source,
                line,
                help="choose another name",
                severity="warning",
            )
            for name, line in rebound
        ]
    )


def listed(examples: Sequence[str]) -> str:
    """The `match` examples as the subject of a sentence."""
    shown = ", ".join([f"`{example}`" for example in examples])
    return f"the `match` example {shown} is" if len(examples) == 1 else f"the `match` examples {shown} are"


def pattern_of(rules: Sequence[PrefixRule]) -> str:
    """The pattern of the rules of one call, which differ in their first token."""
    firsts = tuple([rule.pattern.first for rule in rules])
    positions = (firsts, *rules[0].pattern.rest)
    return " ".join([tokens[0] if len(tokens) == 1 else f"[{'|'.join(tokens)}]" for tokens in positions])
