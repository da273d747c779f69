"""``run`` and ``arbiter`` ask the same question about the same command, in the same way, with the same keys."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pexpect
import pytest

EXECPOLICY = [sys.executable, "-m", "execpolicy"]

RULES = """
prefix_rule(pattern=["deploy"], decision="prompt", justification="look first")
prefix_rule(pattern=["ship"], decision="prompt")
"""
PERMISSIONS = {"permission": {"bash": {"echo *": "ask"}}}

SCRIPTS = {
    "nothing is said about it": "touch made",
    "several commands": "touch made; make all",
    "a rule with a reason": "deploy x",
    "a rule without": "ship x",
    "dangerous": "rm -rf build",
    "it hides something": 'touch made; eval "$x"',
    "it writes": "echo-it hi > f",
    "a permission asks": "echo hi",
    "of several lines": "touch a\ntouch b",
}


def _asked(tmp_path: Path, *arguments: str) -> list[str]:
    """The lines of the question; it is answered with no."""
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8", "EXECPOLICY_SESSION": "t"}
    child = pexpect.spawn(
        EXECPOLICY[0], [*EXECPOLICY[1:], *arguments], env=env, cwd=str(tmp_path), encoding="utf-8", timeout=60,
        echo=False, dimensions=(40, 100),
    )  # fmt: skip
    child.expect("answer: ")
    text = child.before or ""
    child.sendline("n")
    child.expect(pexpect.EOF)
    return [line for line in re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r", "").split("\n") if line]


@pytest.mark.slow
@pytest.mark.parametrize("what", sorted(SCRIPTS))
def test_the_same_question_with_the_same_keys(tmp_path: Path, what: str) -> None:
    (tmp_path / "my.rules").write_text(RULES)
    (tmp_path / "permissions.json").write_text(json.dumps(PERMISSIONS))
    policy = ["-r", "my.rules", "--permissions", "permissions.json"]
    request = {
        "v": 1, "type": "tool.request", "ts": 0, "id": "1", "tool": "shell", "requires_policy": True,
        "args": {"script": SCRIPTS[what]},
    }  # fmt: skip
    agent = ["sh", "-c", 'printf "%s\\n" "$0"; read answer', json.dumps(request)]
    ran = _asked(tmp_path, "run", "--sandbox", "danger-full-access", *policy, "--script", SCRIPTS[what])
    arbitrated = _asked(tmp_path, "arbiter", "--no-ping", *policy, "--", *agent)
    shell, sandbox = "  · bash -c", "  · it runs WITHOUT a sandbox"
    assert [line for line in ran if line not in (shell, sandbox)] == [
        line for line in arbitrated if line != "  · shell"
    ]
    assert {shell, sandbox} <= set(ran)
    assert "  · shell" in arbitrated
