"""``docs/codes.md`` holds the pages of the checks; ``python -m tests.unit.lint.test_pages`` writes them."""

import re
from pathlib import Path

import pytest

from execpolicy.diagnostics.codes import CODES
from execpolicy.lint.config import Settings
from execpolicy.lint.lint_run import CHECKS, explain_code, lint, load_project
from execpolicy.lint.project import Check
from execpolicy.source import Source

PAGE = Path(__file__).parents[3] / "docs/codes.md"
SECTIONS = ["What it does", "Why it matters", "Example", "Instead", "Limits"]
EACH = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)


_LONG = re.compile(r"^## (?:Why it matters|Instead|Limits)\n(?:(?!## ).*\n?)*", re.MULTILINE)


def codes_page() -> str:
    """The content of ``docs/codes.md``: what each check finds, with an example, and a table of the other codes."""
    checked = {check.code: _section(check) for check in CHECKS}
    lines = [
        "# Codes of lint",
        "",
        "EP0xx language · EP1xx wrong · EP2xx pointless · EP3xx style · EP4xx risky · EP9xx a bug of execpolicy.",
        "`execpolicy lint --explain CODE` also says why it matters, what to write instead, and what is not seen.",
        "",
        "| Code | Name | Severity | |",
        "|---|---|---|---|",
    ]
    rows = [row for row in CODES.values() if row.code not in checked]
    lines += [f"| {row.code} | `{row.name}` | {row.severity} | {row.summary} |" for row in rows]
    return "\n".join(lines) + "\n\n" + "\n\n".join(checked.values()) + "\n"


def _section(check: Check) -> str:
    """The page of a check without its longer parts, one level down, with the severity."""
    text = re.sub(r"^## (.*)\n", r"**\1.** ", _LONG.sub("", check.page).rstrip(), flags=re.MULTILINE)
    text = text.replace("** ```", "**\n```").replace("**What it does.** ", f"*{CODES[check.code].severity}* · ")
    return f"#{text}"


def test_the_page_on_disk_is_current() -> None:
    assert PAGE.read_text("utf-8") == codes_page()


@EACH
def test_pages_have_the_same_sections(check: Check) -> None:
    assert re.findall(r"^## (.*)$", check.page, re.MULTILINE) == SECTIONS
    assert check.page.startswith(f"# {check.code} `{CODES[check.code].name}`\n")


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
    PAGE.write_text(codes_page(), "utf-8")
