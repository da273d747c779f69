"""The pages that people read are short, plain, and few; every one of them is in the table below."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.machine import MADE_BY
from tests.support.each import each
from tests.support.sentences import TICS, long_sentences, prose, words
from tests.support.settings_page import PAGE, settings_page

ROOT = Path(__file__).parents[2]
LIMITS = {
    "README.md": 610,
    "docs/approvals.md": 800,
    "docs/architecture.md": 700,
    "docs/codes.md": 1500,
    "docs/commands.md": 2200,
    "docs/compatibility.md": 400,
    "docs/contributing.md": 750,
    "docs/decisions/README.md": 1150,
    "docs/embed.md": 700,
    "docs/evidence.md": 400,
    "docs/fewer-prompts.md": 600,
    "docs/files.md": 600,
    "docs/guarantees.md": 900,
    "docs/heuristics.md": 1400,
    "docs/hooks.md": 1100,
    "docs/index.md": 270,
    "docs/install.md": 650,
    "docs/language.md": 1200,
    "docs/layers.md": 600,
    "docs/lint.md": 550,
    "docs/other-agents.md": 930,
    "docs/packs.md": 520,
    "docs/permissions.md": 800,
    "docs/protocol/README.md": 1100,
    "docs/records.md": 1080,
    "docs/replay.md": 640,
    "docs/settings.md": 430,
    "docs/shell.md": 620,
    "docs/start.md": 700,
    "docs/team.md": 600,
    "docs/ui.md": 450,
    "docs/when-you-are-asked.md": 650,
}
"""Page to its largest number of words."""
OUTSIDE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
"""Pages that are not part of the site, whose links Sphinx does not follow."""
REFERENCE = ("docs/api/", "docs/evidence/")
"""Made from docstrings; made by the programs that measure."""
ALL = 24_000


def read(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text("utf-8")


@each("page, most", LIMITS.items())
def test_the_page_is_short(page: str, most: int) -> None:
    assert words(read(page)) <= most


@each("page", {*LIMITS, *OUTSIDE})
def test_sentences_are_short(page: str) -> None:
    assert long_sentences(read(page)) == []


@each("page", {*LIMITS, *OUTSIDE})
def test_no_page_has_a_tic(page: str) -> None:
    assert TICS.findall(prose(read(page))) == []


def test_every_page_has_a_limit_and_all_together_too() -> None:
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(["README.md", *(page for page in pages if not page.startswith(REFERENCE))]) == sorted(LIMITS)
    assert sum(words(read(page)) for page in LIMITS) <= ALL


def test_every_page_of_evidence_says_how_and_when_it_was_made() -> None:
    pages = sorted((ROOT / "docs" / "evidence").glob("*.md"))
    linked = re.findall(r"\]\(evidence/([\w-]+\.md)\)", read("docs/evidence.md"))
    assert sorted(linked) == [page.name for page in pages]
    assert [page.name for page in pages if not MADE_BY.search(page.read_text("utf-8"))] == []


def test_links_of_pages_outside_the_site_lead_to_sections() -> None:
    broken = []
    for page in OUTSIDE:
        for target, section in re.findall(r"\]\(([\w/.-]+)(?:#([\w-]+))?\)", read(page)):
            headings = re.findall(r"^#+ (.*)$", read(target), re.MULTILINE) if (ROOT / target).exists() else []
            anchors = ["", *(re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings)]
            broken += [f"{page}: {target}#{section}"] if not headings or section not in anchors else []
    assert broken == []


def test_pages_that_the_code_names_exist() -> None:
    named = {
        name
        for folder in ("execpolicy", "grammar", "rules", "benchmarks", ".ci")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".txt", ".rules", ".json", "") and path.is_file()
        for name in re.findall(r"``(docs/[\w/-]+\.md)``", path.read_text("utf-8"))
    }
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
    assert len(named) > 10


def test_the_settings_are_those_of_the_schema() -> None:
    text = PAGE.read_text("utf-8")
    assert text == settings_page(text), "run `python -m tests.support.settings_page`"


def test_pictures_are_shown_and_all_are_used() -> None:
    shown = {name for page in LIMITS for name in re.findall(r"\(pictures/([\w.]+)\)", read(page))}
    assert shown == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}


def test_a_long_sentence_and_a_tic_are_seen() -> None:
    many = "six " * 35
    assert long_sentences(f"One two.\n\n```sh\n{many}a\n```\n\nThree\n* {many}seven.") == [f"{many}seven."]
    assert TICS.findall(prose("Nobody is told.")) == ["Nobody", "is told"]
