"""``execpolicy diff`` of rules as they stand in revisions of git."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, make_command_line
from tests.support.running import run_captured

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is missing")


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    """A repository with two commits: the second forbids ``ls``, which the first allowed."""
    cli = make_command_line(tmp_path, monkeypatch, capfd)
    for folder in (".codex/rules", "rules"):
        Path(folder).mkdir(parents=True, exist_ok=True)
    Path("rules/b.rules").write_text('prefix_rule(pattern=["cat"])\n')
    Path(".codex/rules/a.rules").write_text('prefix_rule(pattern=["ls"])\n')
    Path(".codex/rules/link.rules").symlink_to("a.rules")
    _git("init", "-q", ".")
    _commit()
    Path(".codex/rules/a.rules").write_text('prefix_rule(pattern=["ls"], decision="forbidden")\n')
    _commit()
    return cli


def _git(*arguments: str) -> None:
    run_captured(["git", "-c", "user.name=me", "-c", "user.email=me@example.com", *arguments], check=True)


def _commit() -> None:
    _git("add", "-A")
    _git("commit", "-qm", "rules")


def test_a_revision_is_compared_with_the_working_directory(changed: CommandLine) -> None:
    assert changed.run("diff", "HEAD~1")[1].splitlines() == [
        "stricter  allow → forbidden  ls  (.codex/rules/a.rules:1)",
        "1 stricter, 0 laxer, 0 other changes",
    ]
    assert changed.run("diff", "HEAD")[1] == "0 stricter, 0 laxer, 0 other changes\n"


def test_two_revisions_and_paths_are_compared(changed: CommandLine) -> None:
    assert "(HEAD:.codex/rules/a.rules:1)" in changed.run("diff", "HEAD~1", "HEAD")[1]
    assert "laxer  forbidden → allow  ls  " in changed.run("diff", "HEAD", "HEAD~1")[1]
    assert changed.run("diff", "HEAD:rules/b.rules", "rules")[1] == "0 stricter, 0 laxer, 0 other changes\n"
    assert changed.run("diff", "HEAD~1:rules/")[1] == "0 stricter, 0 laxer, 0 other changes\n"


def test_a_file_goes_before_a_revision(changed: CommandLine) -> None:
    Path("HEAD").write_text('prefix_rule(pattern=["cat"])\n')
    assert changed.run("diff", "HEAD", "rules")[1] == "0 stricter, 0 laxer, 0 other changes\n"


def test_what_is_no_revision_is_said(changed: CommandLine) -> None:
    for arguments, words in (
        (["nope"], "`nope` is no revision of git: give B, the rules to compare with"),
        (["rules"], "`rules` is no revision of git: give B, the rules to compare with"),
        (["HEAD:none", "rules"], "`HEAD` holds no rule file (*.rules) in `none`"),
        (["--", "--output=x", "rules"], "--output=x"),
    ):
        status, _, error = changed.run("diff", *arguments)
        assert status in (1, 2)
        assert words in error
    assert not Path("x").exists()
