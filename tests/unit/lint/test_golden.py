"""Four promises for every lint case: the findings, the fixed text, fixing twice and looking change nothing."""

from pathlib import Path

import pytest

from execpolicy.cli.main import main
from execpolicy.lint.lint_run import CHECKS
from tests.unit.lint.cases import CASES, findings_text, fixed_text, safe_fixes_change_no_decision

ALL = pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
KINDS = pytest.mark.parametrize("kind", ["safe", "unsafe"])


def expected(case: Path, kind: str) -> str:
    path = case.with_suffix(f".{kind}")
    return (path if path.exists() else case).read_bytes().decode("utf-8")


@ALL
def test_findings(case: Path) -> None:
    assert findings_text(case) == case.with_suffix(".findings").read_text("utf-8")


@ALL
@KINDS
def test_fixed_text(case: Path, kind: str) -> None:
    assert fixed_text(case, kind) == expected(case, kind)


@ALL
@KINDS
def test_fixing_twice_changes_nothing(case: Path, kind: str, tmp_path: Path) -> None:
    again = tmp_path / case.name
    again.write_text(fixed_text(case, kind), "utf-8", newline="")
    assert fixed_text(again, kind) == fixed_text(case, kind)


@ALL
def test_safe_fixes_change_no_decision(case: Path) -> None:
    if fixed_text(case, "safe") != case.read_bytes().decode("utf-8"):
        assert safe_fixes_change_no_decision(case)


@ALL
def test_looking_changes_nothing(case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / case.name
    copy.write_bytes(case.read_bytes())
    before = copy.stat().st_mtime_ns
    main(["lint", str(copy)])
    assert copy.stat().st_mtime_ns == before
    assert copy.read_bytes() == case.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [case.name]


def test_every_check_has_a_case_with_a_finding() -> None:
    found = "".join(case.with_suffix(".findings").read_text("utf-8") for case in CASES)
    assert [check.code for check in CHECKS if f" {check.code} " not in found and check.code != "EP106"] == []
