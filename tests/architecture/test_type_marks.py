"""Each mark that silences the type checker says on its line why it is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("execpolicy", "tests", "benchmarks", ".ci")
MARK = re.compile(r"# type: " + r"ignore")
EXPLAINED = re.compile(r"# type: " + r"ignore\[[a-z, -]+\]  # \S")


def unexplained(text: str) -> list[str]:
    """The lines that hold a mark without an error's code or without a reason."""
    return [line for line in text.splitlines() if MARK.search(line) and not EXPLAINED.search(line)]


def test_every_mark_has_a_reason() -> None:
    found = {path: path.read_text("utf-8") for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    assert sum(bool(MARK.search(text)) for text in found.values()) > 20
    assert {str(path): lines for path, text in found.items() if (lines := unexplained(text))} == {}


@pytest.mark.parametrize(
    ("comment", "is_explained"),
    [("ignore[arg-type]  # a word", True), ("ignore[arg-type]", False), ("ignore", False), ("ignore  # why", False)],
)
def test_a_mark_without_a_reason_is_seen(comment: str, is_explained: bool) -> None:
    assert bool(unexplained(f"x = 1  # type: {comment}")) is not is_explained
