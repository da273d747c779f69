"""Docstrings and comments are plain English: a short list of tics that no editor would leave."""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.support.sentences import TICS, long_sentences
from tests.support.sentences import prose as plain

PACKAGE = Path(__file__).parents[2] / "execpolicy"
DOCUMENTED = sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.md")])
MESSAGE = re.compile(r"[a-z]{2},? (?:a|is|are|the|of) [a-z]{2}")
"""What sentences have, and lists of words do not."""
RIDDLES = re.compile(r"(?:What|Whether|Why|Who)\b")
"""How a docstring begins that says no subject."""


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The docstrings and comments of a module, each with its line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def documented(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings and comments of a module, or the text of a page."""
    text = path.read_text("utf-8")
    return prose(text) if path.suffix == ".py" else iter([(1, text)])


def messages(text: str) -> Iterator[tuple[int, str]]:
    """The texts of a module that are no docstrings, each with its line; what they put in is ``CODE``."""
    tree = ast.parse(text)
    apart = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            apart |= {id(piece) for piece in node.values}
            pieces = [str(piece.value) if isinstance(piece, ast.Constant) else "CODE" for piece in node.values]
            yield node.lineno, "".join(pieces)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            yield node.lineno, node.value


def tics(texts: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """The tics in docstrings and comments, each with its line."""
    found = [(line, TICS.search(plain(said)) or RIDDLES.match(said)) for line, said in texts]
    return [(line, match.group(0)) for line, match in found if match is not None]


def test_no_docstring_has_a_tic() -> None:
    assert len(DOCUMENTED) > 400
    found = {str(path.relative_to(PACKAGE)): tics(documented(path)) for path in DOCUMENTED}
    assert {path: each for path, each in found.items() if each} == {}


def test_no_docstring_has_a_long_sentence() -> None:
    found = {}
    for path in DOCUMENTED:
        for line, said in documented(path):
            if too_long := [sentence for sentence in long_sentences(said) if " * " not in sentence]:
                found[f"{path.relative_to(PACKAGE)}:{line}"] = too_long
    assert found == {}


def test_no_message_has_a_tic_or_a_long_sentence() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for line, said in messages(path.read_text("utf-8")):
            faults = [*TICS.findall(said), *long_sentences(said)] if MESSAGE.search(said) and "\n" not in said else []
            found += [f"{path.relative_to(PACKAGE)}:{line}: {fault}" for fault in faults]
    assert found == []


def test_a_tic_is_seen() -> None:
    assert tics(prose('"""Whether nobody minds."""')) == [(1, "nobody")]
    assert tics(prose('def f():\n    """What it is."""  # whoever asks')) == [(2, "What"), (2, "whoever")]
