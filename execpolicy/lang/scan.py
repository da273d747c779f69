"""Checks rule text before Starlark reads it: Starlark recurses on nesting and crashes when its stack is full."""

from __future__ import annotations

from execpolicy.lang.file_limits import FileLimits
from execpolicy.lang.recording import Failure
from execpolicy.value import value

BUILTINS = (
    *("prefix_rule", "network_rule", "host_executable"),
    *("safe_command", "dangerous_command", "write_rule", "read_rule"),
)
"""The builtins of a rule file; the first three are Codex's, the others are ours alone."""

_TOKEN = (
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<string>[rRbBfF]{0,2}(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'))"
    r"|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)"
    r"|(?P<open>[\[({])|(?P<close>[\])}])|(?P<comma>,)"
    r"|(?P<newline>\n)|(?P<indent>^[ ]+)|(?P<blank>[ \t\r]+)|(?P<operator>.)"
)
_OPERATOR_WORDS = frozenset(["and", "or", "not", "if", "else", "in", "lambda", "for"])


def exceeded_limit(text: str, limits: FileLimits) -> Failure | None:
    """The limit that ``text`` exceeds before it is even parsed, or ``None``. Linear in the size of the text."""
    if len(text) > limits.size:
        message = f"the file has {len(text):,} characters, more than the limit of {limits.size:,}"
        return Failure("EP006", message, help="split the file, or raise the limit `size` (EXECPOLICY_LIMITS)")
    nul = text.find("\0")
    if nul >= 0:
        line, column = text.count("\n", 0, nul) + 1, nul - text.rfind("\n", 0, nul)
        return Failure(
            "EP001", "Parse error: invalid input `\\x00`", line, column, column + 1, "remove the NUL character"
        )
    return None


@value
class Shape:
    """The nesting of the text, and its effect on the builtins' names.

    Attributes:
        failure: the limit that the text exceeds, or ``None``.
        rebound: ``(name, line)`` of every place that binds a builtin's name to another value.
    """

    failure: Failure | None
    rebound: tuple[tuple[str, int], ...]


def shape(text: str, limits: FileLimits) -> Shape:
    """Measures the nesting of ``text``. Never raises and does not recurse."""
    import re

    chains: list[int] = []  # for every open bracket: the operators in the enclosing expression
    chain = 0  # operators of the innermost expression so far
    total = 0
    indent = 0
    line = 1
    previous = ""
    rebound: list[tuple[str, int]] = []
    for match in re.finditer(_TOKEN, text, re.DOTALL | re.MULTILINE):
        kind, token = match.lastgroup, match.group()
        if kind == "newline":
            line += 1
            if not chains:
                chain = total = indent = 0
                previous = ""
            continue
        if kind in ("comment", "blank"):
            continue
        if kind == "indent":
            indent = len(token) if not chains else indent
            continue
        if kind == "string":
            line += token.count("\n")
        elif kind == "open":
            chains.append(chain)
            chain = 0
        elif kind == "close":
            total -= chain
            chain = chains.pop() if chains else 0
        elif kind == "comma":
            total -= chain
            chain = 0
        elif kind == "operator" or token in _OPERATOR_WORDS:
            chain += 1
            total += 1
            if token == "=" and previous in BUILTINS and not chains:
                rebound.append((previous, line))
        elif kind == "name" and token in BUILTINS and previous in ("def", "for"):
            rebound.append((token, line))
        if len(chains) + indent > limits.brackets:
            failure = _too_deep(line, f"brackets or blocks are nested deeper than {limits.brackets:,}")
            return Shape(failure, tuple(rebound))
        if total > limits.operators:
            return Shape(
                _too_deep(line, f"one expression has more than {limits.operators:,} operators"), tuple(rebound)
            )
        previous = token
    return Shape(None, tuple(rebound))


def _too_deep(line: int, message: str) -> Failure:
    return Failure("EP006", message, line, help="split the expression; a rule file has no use for this")
