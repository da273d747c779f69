"""The pages about checks: the docstrings of the checks, as files under ``docs/checks`` and for ``lint --explain``.

All lint checks, in code order: the files of ``execpolicy.lint.checks``.
"""

from __future__ import annotations

import os
from importlib import import_module

from execpolicy.diagnostics.codes import CODES, RETIRED
from execpolicy.errors import UsageError
from execpolicy.lint import checks
from execpolicy.lint.project import Check

_FILES = sorted([name for name in os.listdir(os.path.dirname(checks.__file__)) if name.startswith("ep")])

CHECKS: tuple[Check, ...] = tuple(
    [import_module(f"{checks.__name__}.{name.removesuffix('.py')}").CHECK for name in _FILES]
)


def pages() -> dict[str, str]:
    """The content of ``docs/checks`` by file name."""
    written = {f"{check.code}.md": page(check.page) for check in CHECKS}
    return {"README.md": _index(written), **written}


def page(docstring: str) -> str:
    """A check's docstring as Markdown."""
    return f"# {docstring.strip()}\n"


def explain_code(code: str) -> str:
    """The page of ``code``, or what is known about a code without a page.

    Raises:
        UsageError: there is no such code.
    """
    wanted = code.strip().upper()
    wanted = RETIRED.get(wanted) or wanted
    for check in CHECKS:
        if check.code == wanted:
            return page(check.page)
    row = CODES.get(wanted)
    if row is None:
        raise UsageError(f"`{code}` is no code; see `execpolicy lint --list`")
    return f"# {row.code} `{row.name}`\n\n{row.summary[0].upper()}{row.summary[1:]}.\n"


def _index(written: dict[str, str]) -> str:
    lines = [
        "# Codes",
        "",
        "EP0xx language · EP1xx wrong · EP2xx pointless · EP3xx style · EP4xx risky · EP9xx a bug of execpolicy",
        "",
        "| Code | Name | Severity | |",
        "|---|---|---|---|",
    ]
    for row in CODES.values():
        code = f"[{row.code}]({row.code}.md)" if f"{row.code}.md" in written else row.code
        lines.append(f"| {code} | `{row.name}` | {row.severity} | {row.summary} |")
    return "\n".join(lines) + "\n"
