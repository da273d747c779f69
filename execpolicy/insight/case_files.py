"""Case files: commands and their expected decisions.

Two forms. Text: one case a line, ``decision: script``, with ``#`` comments and empty lines. JSON lines: objects with
``decision`` and ``script`` or ``argv``, and optional ``shell`` and ``name``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from execpolicy.core.decision import Decision
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import RuleFileError
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
        return self.name or (self.command if isinstance(self.command, str) else " ".join(self.command))


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
