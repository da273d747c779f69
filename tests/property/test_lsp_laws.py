"""What the language server keeps from one key to the next changes no answer: it is that of a look from scratch."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.same_answers import rule_file, statement
from execpolicy.cli.lsp.analysis import Analysis
from execpolicy.cli.lsp.hover import hover
from execpolicy.lint.survey import Kept

KEYS = 8
PLAIN = (
    'prefix_rule(pattern=["tool", ["a", "b"]], decision="prompt")',
    'prefix_rule(pattern=["tool", "a", "-f"], decision="forbidden")',
    'prefix_rule(pattern=["tool", ["a", "b", "c"], ["x", "y"]], decision="forbidden", match=["tool a x"])',
    'prefix_rule(pattern=[["tool", "other"], "b"])',
    'prefix_rule(pattern=["other", "b", "c"], decision="prompt")',
    'prefix_rule(pattern=["tool"])',
    'prefix_rule(pattern=["sudo", "tool", "a"], decision="prompt")',
    'prefix_rule(pattern=["sudo", ["tool", "other"], ["a", "b"]])',
    'prefix_rule(pattern=["Tool", "A"], canonical_matching=True)',
    'host_executable(name="tool", paths=["/usr/bin/tool"])',
)


def typed(chance: random.Random, text: str) -> str:
    """``text`` after one edit: a key, a deletion, a line or a rule more or less."""
    at = chance.randrange(len(text) + 1)
    kind = chance.random()
    if kind < 0.3:
        return text[:at] + chance.choice('ab"],([#\n ') + text[at:]
    if kind < 0.4:
        return text[:at] + text[at + chance.choice([1, 1, 9]) :]
    lines = text.splitlines(keepends=True)
    line = chance.randrange(len(lines) + 1)
    if kind < 0.55:
        return "".join(lines[:line] + lines[line + 1 :])
    more = chance.choice(["\n", "# said\n", chance.choice(PLAIN) + "\n", chance.choice(PLAIN) + "\n"])
    return "".join([*lines[:line], more, *lines[line:]])


def answers(path: Path, text: str, at: int, kept: Kept | None) -> tuple[object, object]:
    analysis = Analysis(str(path), {str(path): text}, kept)
    found = [
        (each.line, each.column, each.code, each.severity, each.message, each.span, each.help, each.fix)
        for each in analysis.findings
    ]
    return found, hover(analysis, at, None)


@pytest.mark.parametrize("seed", range(30))
def test_an_answer_after_edits_is_that_from_scratch(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    (tmp_path / "other.rules").write_text(PLAIN[seed % len(PLAIN)] + "\n")
    if seed % 3:
        text = "\n".join([*chance.choices(PLAIN, k=12), ""])
    else:
        text = rule_file(chance, 6) + "\n".join([statement(chance), ""])
    kept = Kept()
    good = text
    for _ in range(KEYS):
        at = chance.randrange(len(text) + 1)
        path = tmp_path / "own.rules"
        assert answers(path, text, at, kept) == answers(path, text, at, None)
        if "EP0" not in "".join([each.code for each in Analysis(str(path), {str(path): text}, kept).findings]):
            good = text
        text = typed(chance, chance.choice([text, good]))
