"""``execpolicy allow`` on a real terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest

pytestmark = pytest.mark.slow


def spawn(tmp_path: Path, *arguments: str) -> pexpect.spawn[str]:
    environment = {**os.environ, "HOME": str(tmp_path), "CODEX_HOME": str(tmp_path / "codex"), "TERM": "dumb"}
    environment["EXECPOLICY_HOME"] = str(tmp_path / "own")
    command = ["-c", "import sys; from execpolicy.cli.main import main; sys.exit(main())", "allow", *arguments]
    return pexpect.spawn(
        sys.executable, command, env=environment, cwd=str(tmp_path), encoding="utf-8", timeout=120, dimensions=(50, 300)
    )


def rules(tmp_path: Path) -> str:
    paths = [tmp_path / home / "rules" / "default.rules" for home in ("codex", "own")]
    return "".join([path.read_text() for path in paths if path.exists()])


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("y", 'prefix_rule(pattern=["git", "push", "origin"], decision="allow", unless=["*"])\n'),
        ("p", 'prefix_rule(pattern=["git", "push"], decision="allow")\n'),
        ("n", ""),
        ("", ""),
    ],
)
def test_it_shows_what_is_covered_and_saves_what_is_agreed_to(tmp_path: Path, reply: str, expected: str) -> None:
    child = spawn(tmp_path, "--", "git", "push", "origin")
    child.expect_exact("  allows: git push origin · ")
    child.expect_exact("  still asks: ")
    child.expect_exact("p = every command that starts with `git push`:")
    child.expect("save it")
    child.sendline(reply)
    child.expect(pexpect.EOF)
    child.close()
    assert rules(tmp_path) == expected
    assert child.exitstatus == (0 if expected else 1)


def test_each_command_of_a_script_is_asked_about_by_itself(tmp_path: Path) -> None:
    child = spawn(tmp_path, "--script", "foo a && bar b")
    child.expect("save it")
    child.sendline("n")
    child.expect_exact("nothing was saved for `foo a`")
    assert "no rule for" not in (child.before or "")
    child.expect("save it")
    child.sendline("y")
    child.expect_exact("still not allowed")
    child.expect(pexpect.EOF)
    child.close()
    assert rules(tmp_path) == 'prefix_rule(pattern=["bar", "b"], decision="allow", unless=["*"])\n'
    assert child.exitstatus == 1


def test_interrupting_saves_nothing(tmp_path: Path) -> None:
    child = spawn(tmp_path, "--", "foo")
    child.expect("save it")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert rules(tmp_path) == ""
    assert child.exitstatus == 130
