"""Golden lint cases: ``NAME.rules``, what is found in it, and its text after safe and after unsafe fixes."""

from pathlib import Path

from execpolicy.diagnostics.model import Applicability
from execpolicy.lint.config import Settings
from execpolicy.lint.fixes import same_decisions
from execpolicy.lint.lint_run import fixed, lint, load_project
from execpolicy.source import Source

FOLDER = Path(__file__).parents[2] / "data/lint"
CASES = sorted(FOLDER.glob("*.rules"))
TRUST: dict[str, frozenset[Applicability]] = {"safe": frozenset(("safe",)), "unsafe": frozenset(("safe", "unsafe"))}


def settings_of(case: Path) -> Settings:
    """A case about one check (``ep201_….rules``) only looks at that one."""
    code = case.stem.split("_")[0].upper()
    return Settings(select=(code,)) if code.startswith("EP") and code != "EP009" else Settings()


def source_of(case: Path) -> Source:
    return Source(case.name, case.read_bytes().decode("utf-8"))


def findings_text(case: Path) -> str:
    """One finding a block: code, severity, place, the underlined text, message, help and fix."""
    lines: list[str] = []
    for found in lint(load_project([(None, source_of(case))]), settings_of(case)):
        lines.append(f"{found.line}:{found.column} {found.code} {found.severity}: {found.message}")
        if found.span is not None and found.source is not None:
            lines.append(f"    at   {found.source.snippet(found.span)!r}")
        if found.help is not None:
            lines.append(f"    help {found.help}")
        if found.fix is not None:
            lines.append(f"    fix  {found.fix.title} ({found.fix.applicability})")
    return "\n".join(lines) + "\n" if lines else ""


def fixed_text(case: Path, kind: str) -> str:
    """The text after the fixes of ``kind``."""
    (after,) = fixed([(None, source_of(case))], settings_of(case), TRUST[kind])
    return after.text


def safe_fixes_change_no_decision(case: Path) -> bool:
    return same_decisions(source_of(case), Source(case.name, fixed_text(case, "safe")), [])
