"""Files that Codex reads too: no finding advises what weakens its decisions."""

import pytest

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.lint.config import Settings
from execpolicy.lint.lint_run import lint, load_project
from execpolicy.source import Source

OURS = "/home/me/.config/execpolicy/rules/a.rules"
CODEX = "/home/me/project/.codex/rules/a.rules"
BY_MEANING = (
    'prefix_rule(pattern=["git", "push", "--force"], decision="forbidden")\n'
    'prefix_rule(pattern=["git", "push", "origin", "-uf"], decision="forbidden")\n'
)
SCRIPT = 'prefix_rule(pattern=["zsh", "-lc", "git status"], decision="allow")\n'
PATH = 'prefix_rule(pattern=["/opt/git", "push"], decision="forbidden")\n'


def found(code: str, path: str, text: str) -> list[Diagnostic]:
    return lint(load_project([(path, Source(path, text))]), Settings(select=(code,)))


@pytest.mark.parametrize(("path", "count"), [(OURS, 1), (CODEX, 0)])
def test_a_rule_that_is_covered_by_meaning_stays_for_codex(path: str, count: int) -> None:
    assert len(found("EP202", path, BY_MEANING)) == count


def test_a_rule_for_a_whole_script_is_a_note_without_a_fix() -> None:
    (ours,), (codex,) = found("EP402", OURS, SCRIPT), found("EP402", CODEX, SCRIPT)
    assert (ours.severity, ours.fix is None) == ("warning", False)
    assert (codex.severity, codex.fix is None) == ("info", True)


def test_a_rule_for_a_path_gets_a_twin() -> None:
    (one,) = found("EP105", CODEX, PATH)
    assert one.help == "add the same rule for `git`"
    assert found("EP105", CODEX, PATH + PATH.replace("/opt/git", "git")) == []
