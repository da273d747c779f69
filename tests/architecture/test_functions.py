"""Functions that fit on a screen: at most sixty lines, at most twenty ways through. What does not says why."""

import ast
from collections.abc import Iterator
from pathlib import Path

import execpolicy
from tests.support.modules import parsed

ROOT = Path(execpolicy.__file__).parent
LINES = 60
WAYS = 20
LOOP = "one loop over text with a branch for each kind of character, which share what they know"
COMMAND = "the options of one command, a line each, and what is done with them"
EXCEPTIONS = {
    "cli/commands/allow.py:command": COMMAND,
    "cli/commands/replay.py:command": COMMAND,
    "cli/commands/run.py:command": COMMAND,
    "cli/lsp/server.py:editing_server": "a list of small handlers, which are closures over one server",
    "safety/entries.py:_judge": "one pass over words, with a branch for each kind of word",
    "safety/secrets.py:secret_in": "a row of questions to one path, each of which ends it",
    "shell/grammar/arithmetic.py:scan_arithmetic": LOOP,
    "shell/grammar/elements.py:read_word": LOOP,
    "shell/grammar/expansions.py:read_braced": "one straight way through prefix, name, subscript and operator",
    "shell/grammar/word_building.py:build_word": "what is known of a word hangs together: each attribute needs others",
    "shell/read.py:read_plain": LOOP,
}
BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, list[str]]]:
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text("utf-8").splitlines()
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = text[node.lineno - 1 : node.end_lineno]
                yield f"{path.relative_to(ROOT).as_posix()}:{node.name}", node, lines


def ways(function: ast.AST) -> int:
    """The cyclomatic complexity, as McCabe counts it."""
    return 1 + sum(isinstance(node, BRANCHES) for node in ast.walk(function))


def test_functions_are_short_and_straight_or_say_why_not() -> None:
    over = {name: lines for name, node, lines in functions() if len(lines) > LINES or ways(node) > WAYS}
    assert sorted(over) == sorted(EXCEPTIONS), "split it, or say in the list and in the function why it is as it is"
    silent = [name for name, lines in over.items() if not any(line.lstrip().startswith("# ") for line in lines)]
    assert silent == [], "a comment in the function says why"
