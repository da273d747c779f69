"""Rule files of an untrusted project delay no refusal, and never use up the time of a hook."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.running import run_captured

pytestmark = pytest.mark.slow

ENDLESS = "def f():\n  for i in range(2000000000):\n    for j in range(2000000000):\n      pass\nf()\n"
HUGE = "x = [[[k for k in range(10000)] for j in range(10000)] for i in range(10000)]\n"
GROWING = 'x = "a" * 100000000\ny = [x.replace("a", "bb") for i in range(100)]\n'
BROKEN = "x = 1\n" * 170_000 + "prefix_rule(\n"
RULES = """\
prefix_rule(pattern=["rm"], decision="forbidden", justification="never")
prefix_rule(pattern=["touch"], decision="allow")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "home/.codex/rules").mkdir(parents=True)
    (tmp_path / "home/.codex/rules/my.rules").write_text(RULES)
    (tmp_path / "project/.git").mkdir(parents=True)
    (tmp_path / "project/.codex/rules").mkdir(parents=True)
    return tmp_path / "project"


def answer(project: Path, command: str, cache: str, *options: str) -> tuple[str, str]:
    """The decision of the hook, and its reason."""
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    home = str(project.parent / "home")
    done = run_captured(
        [sys.executable, "-m", "execpolicy", "hook", "claude", *options],
        env={"PATH": os.environ["PATH"], "HOME": home, "EXECPOLICY_CACHE": cache},
        input=json.dumps({**call, "cwd": str(project)}),
    )
    said = json.loads(done.stdout)["hookSpecificOutput"]
    return said["permissionDecision"], said["permissionDecisionReason"]


@pytest.mark.parametrize("text", [ENDLESS, HUGE, GROWING, BROKEN], ids=["endless", "huge", "growing", "broken"])
@pytest.mark.parametrize("cached", [True, False])
def test_ten_files_that_take_long(project: Path, text: str, cached: bool) -> None:
    for number in range(10):
        (project / f".codex/rules/{number}.rules").write_text(f"{text}# {number}\n")
    cache = str(project.parent / "cache") if cached else ""
    word, reason = answer(project, "rm x", cache)
    assert (word, "is forbidden: never" in reason) == ("deny", True)
    assert answer(project, "touch x", cache, "--deadline", "60")[0] == "allow"
    for command in ("ls", "frobnicate"):
        word, reason = answer(project, command, cache, "--deadline", "60")
        assert (word, "a rule file is broken" in reason) == ("ask", True), command


def test_the_files_of_the_project_come_last(project: Path) -> None:
    (project / ".codex/rules/a.rules").write_text(ENDLESS)
    word, reason = answer(project, "echo $(rm x)", "", "--strict")
    assert (word, "is forbidden: never" in reason) == ("deny", True)


def test_a_file_that_failed_is_not_evaluated_again(project: Path) -> None:
    for number in range(2):
        (project / f".codex/rules/{number}.rules").write_text(f"{ENDLESS}# {number}\n")
    (project / ".codex/rules/z.rules").write_text('prefix_rule(pattern=["zap"], decision="forbidden")\n')
    cache = str(project.parent / "cache")
    for _ in range(2):
        assert answer(project, "zap", cache, "--deadline", "60")[0] == "ask"
    word, _ = answer(project, "zap", cache, "--deadline", "60")
    assert word == "deny"
    word, reason = answer(project, "ls", cache)
    assert (word, "0.rules: evaluation took longer than 1 s" in reason) == ("ask", True)
