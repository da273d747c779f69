"""What people see at 80 columns, with and without colour, in golden files."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from execpolicy.cli.main import main
from tests.support.command_line import make_command_line
from tests.support.golden import assert_golden

RULES = """\
prefix_rule(pattern=["ship", "release"], decision="forbidden", justification="releases are made elsewhere")
prefix_rule(pattern=["ship", "plan"], match=["ship plan"])
prefix_rule(pattern=["ship", "plan", "-v"])
prefix_rule(pattern=["bash", "-c"])
prefix_rule(pattern=["a"], justification="")
prefix_rule(pattern=["b" "c"])
"""
FORMS: dict[str, tuple[list[str], ...]] = {
    "lint": (
        ["lint", "--ignore", "EP3", "my.rules"],
        ["lint", "--ignore", "EP3", "good.rules", "my.rules"],
        ["lint", "--ignore", "EP3", "good.rules"],
        ["lint", "--statistics", "--ignore", "EP3", "my.rules"],
        ["lint", "--diff", "--ignore", "EP3", "fixable.rules"],
    ),
    "explain": (
        ["explain", "-r", "good.rules", "--script", "ship plan && sudo ship release"],
        ["explain", "-r", "good.rules", "--script", "ship plan > out.txt"],
        ["explain", "-r", "good.rules", "--", "ship", "status"],
    ),
    "test": (["test", "good.rules", "good.cases"], ["test", "--cov", "good.rules", "bad.cases"]),
    "split": (["split", 'cd src && x=1 cat "$1" > out'],),
    "diff": (["diff", "good.rules", "fixable.rules"],),
}


class _Stream(io.TextIOWrapper):
    terminal = False

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_text_at_80_columns(
    form: str, color: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    make_command_line(tmp_path, monkeypatch, capfd)
    for name, value in (("COLUMNS", "80"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    good = "".join(RULES.splitlines(keepends=True)[:2])
    for name, text in (
        ("my.rules", RULES),
        ("good.rules", good),
        ("fixable.rules", 'prefix_rule(pattern=["ls"])\nprefix_rule(pattern=["ls", "-l"])\n'),
        ("good.cases", "allow: ship plan\nforbidden: sudo ship release\n"),
        ("bad.cases", "allow: ship release\n"),
    ):
        Path(name).write_text(text)
    seen = ""
    for arguments in FORMS[form]:
        raw = io.BytesIO()
        stream = _Stream(raw, encoding="utf-8", write_through=True)
        stream.terminal = color
        monkeypatch.setattr(sys, "stdout", stream)
        status = main(arguments)
        stream.flush()
        seen += f"$ execpolicy {' '.join(arguments)}\n{raw.getvalue().decode()}[{status}]\n\n"
    assert ("\x1b[" in seen) is (color and form != "split")
    assert_golden(f"{form}-color" if color else form, seen)
