"""The diagnostics of an invalid rule file; a file that loads does not need this module."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from execpolicy.diagnostics.model import Diagnostic, problem_in
from execpolicy.errors import InvalidRuleError
from execpolicy.lang.recording import Failure, RecordedCall
from execpolicy.lang.scan import BUILTINS
from execpolicy.source import Source

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
