"""The pages that people read are short, plain, and few; every one of them is in the table below."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.each import each
from tests.support.settings_page import PAGE, settings_page

ROOT = Path(__file__).parents[2]
LIMITS = {
    "README.md": 660,
    "docs/answers.md": 350,
    "docs/approvals.md": 900,
    "docs/architecture.md": 750,
    "docs/codes.md": 1900,
    "docs/codex-differences.md": 500,
    "docs/commands.md": 2300,
    "docs/compatibility.md": 400,
    "docs/contributing.md": 760,
    "docs/decisions/README.md": 1450,
    "docs/fewer-prompts.md": 800,
    "docs/files.md": 800,
    "docs/first-rules.md": 500,
    "docs/guarantees.md": 900,
    "docs/heuristics.md": 1500,
    "docs/hooks.md": 1100,
    "docs/import.md": 700,
    "docs/index.md": 300,
    "docs/install.md": 800,
    "docs/language.md": 1200,
    "docs/layers.md": 700,
    "docs/lint.md": 600,
    "docs/packs.md": 550,
    "docs/permissions.md": 900,
    "docs/protocol/README.md": 1300,
    "docs/records.md": 1000,
    "docs/replay.md": 700,
    "docs/settings.md": 500,
    "docs/shell.md": 700,
    "docs/start.md": 750,
    "docs/team.md": 800,
    "docs/ui.md": 500,
    "docs/when-you-are-asked.md": 750,
}
"""Page to its largest number of words."""
REFERENCE = ("docs/api/", "docs/evidence/")
"""Made from docstrings; made by the programs that measure."""
ALL = 25_500
LONGEST = 35
WORD = re.compile(r"\S*\w\S*")
FENCE = re.compile(r"^(`{3,}).*?^\1$", re.DOTALL | re.MULTILINE)
TICS = re.compile(
    r"\b(?:whoever|nobody|somebody|anybody|stands(?! for)|(?:is|are) told|(?:is|are) asked about|is no \w+ that)\b",
    re.IGNORECASE,
)


def words(text: str) -> int:
    """The number of words, those of examples included; the lines of a table are none."""
    return len(WORD.findall(text))


def sentences(text: str) -> list[str]:
    """The sentences of a page outside its examples; an item of a list and a cell of a table end one."""
    text = re.sub(r"^(?:#.*|\|[-| :]*)$", "", FENCE.sub("", text), flags=re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "CODE", re.sub(r"\]\([^)]*\)", "]", text))
    blocks = re.split(r"\n{2,}|\n\s*(?:[*-]|\d+\.) |\||\n(?=\|)", text)
    return [sentence for block in blocks for sentence in re.split(r"(?<=[.!?])\s+", " ".join(block.split()))]


def read(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text("utf-8")


@each("page, most", LIMITS.items())
def test_the_page_is_short(page: str, most: int) -> None:
    assert words(read(page)) <= most


@each("page", LIMITS)
def test_sentences_are_short(page: str) -> None:
    assert [sentence for sentence in sentences(read(page)) if words(sentence) > LONGEST] == []


@each("page", LIMITS)
def test_no_page_has_a_tic(page: str) -> None:
    assert TICS.findall(FENCE.sub("", read(page))) == []


def test_every_page_has_a_limit_and_all_together_too() -> None:
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(["README.md", *(page for page in pages if not page.startswith(REFERENCE))]) == sorted(LIMITS)
    assert sum(words(read(page)) for page in LIMITS) <= ALL


def test_the_settings_are_those_of_the_schema() -> None:
    text = PAGE.read_text("utf-8")
    assert text == settings_page(text), "run `python -m tests.support.settings_page`"


def test_pictures_are_shown_and_all_are_used() -> None:
    shown = {name for page in LIMITS for name in re.findall(r"\(pictures/([\w.]+)\)", read(page))}
    assert shown == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}


def test_a_long_sentence_and_a_tic_are_seen() -> None:
    found = sentences("One two `a b c`.\nThree four: five.\n\n```sh\na b\n```\n* six")
    assert [words(sentence) for sentence in found] == [3, 3, 1]
    assert TICS.findall("Nobody is told.") == ["Nobody", "is told"]
