"""``docs/checks`` holds the docstrings of the checks; ``python -m tests.unit.lint.test_pages`` writes them."""

import re
from pathlib import Path

import pytest

from execpolicy.diagnostics.codes import CODES
from execpolicy.lint.config import Settings
from execpolicy.lint.lint_run import CHECKS, explain_code, lint, pages
from execpolicy.lint.load_project import load_project
from execpolicy.lint.project import Check
from execpolicy.source import Source
from tests.support.each import each

FOLDER = Path(__file__).parents[3] / "docs/checks"
SECTIONS = ["What it does", "Why it matters", "Example", "Instead", "Limits"]
EACH = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)


@each("name", sorted(pages()))
def test_the_page_on_disk_is_current(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == pages()[name]


def test_no_page_is_left_over() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(pages())


@EACH
def test_pages_have_the_same_sections(check: Check) -> None:
    assert re.findall(r"^## (.*)$", check.page, re.MULTILINE) == SECTIONS
    assert check.page.startswith(f"{check.code} `{CODES[check.code].name}`\n")


def example(check: Check, section: str) -> str:
    found = re.search(rf"## {section}\n```starlark\n(.*?)```", check.page, re.DOTALL)
    return found[1] if found else ""


def codes(text: str, check: Check) -> set[str]:
    if check.code == "EP108":
        text = text.replace("\\u0456", "\u0456")
    path = "/x/.codex/rules/a.rules"
    project = load_project([(path, Source(path, text))])
    return {found.code for found in lint(project, Settings(select=(check.code,)))}


@EACH
def test_the_example_is_found_and_the_way_out_is_not(check: Check) -> None:
    assert codes(example(check, "Example"), check) == {check.code}
    assert codes(example(check, "Instead"), check) == set()


def test_every_code_can_be_explained() -> None:
    for code in CODES:
        assert explain_code(code.lower()).startswith(f"# {code} `{CODES[code].name}`\n")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
