"""``execpolicy test --watch``: runs again when a file changes, and survives one that is broken or gone."""

import os
import sys
from pathlib import Path

import pexpect


def test_each_change_is_tested(tmp_path: Path) -> None:
    rules, cases = tmp_path / "a.rules", tmp_path / "a.cases"
    rules.write_text('prefix_rule(pattern=["foo"], decision="forbidden")\n')
    cases.write_text("forbidden: foo a\nprompt: bar\n")
    command = [sys.executable, "-m", "execpolicy", "test", "--watch", "--run", "foo", str(tmp_path)]
    child = pexpect.spawn(command[0], command[1:], timeout=60, env=dict(os.environ, HOME=str(tmp_path)))
    child.expect_exact("1 passed, 0 failed")
    for text, told in (
        ("allow: foo a\n", "expected allow, got forbidden"),
        ("what: foo\n", "not a case"),
        ("forbidden: foo a\nforbidden: foo b\n", "2 passed, 0 failed"),
    ):
        cases.write_text(text)
        os.utime(cases, ns=(0, os.stat(cases).st_mtime_ns + 1_000_000))
        child.expect_exact(told)
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
