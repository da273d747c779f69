"""Applies the linter's fixes to their files, and shows changes of files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import unified_diff

from execpolicy.cli.rule_targets import rewrite
from execpolicy.diagnostics.model import Applicability
from execpolicy.errors import RuleStoreError
from execpolicy.lint.config import Settings
from execpolicy.lint.lint_run import fixed
from execpolicy.source import Source


def difference(old: str, new: str, name: str) -> str:
    """The change of the text of ``name`` as a unified diff."""
    lines = unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), name, name)
    return "".join([line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines])


def write_fixes(
    sources: Sequence[tuple[str | None, Source]], settings: Settings, trusted: frozenset[Applicability]
) -> tuple[list[tuple[str | None, Source]], list[str]]:
    """The sources with every trusted fix applied, and the files that were written.

    Raises:
        RuleStoreError: a file cannot be written, or was changed meanwhile; it then keeps its text.
    """
    result: list[tuple[str | None, Source]] = []
    written: list[str] = []
    for (path, old), new in zip(sources, fixed(sources, settings, trusted), strict=True):
        if path is not None and new.text != old.text:
            if not rewrite(path, _if_unchanged(old.text, new.text)):
                raise RuleStoreError(f"{path} was changed by another program while it was being fixed; run lint again")
            written.append(path)
        result.append((path, new))
    return result, written


def _if_unchanged(old: str, new: str) -> Callable[[str], str]:
    return lambda now: new if now == old else now
