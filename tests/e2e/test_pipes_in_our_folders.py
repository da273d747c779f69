"""What stands in the places of our own files, put there by whoever can: nothing waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.running import run_captured

EXECPOLICY = [sys.executable, "-m", "execpolicy"]


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_captured(
        [*EXECPOLICY, *arguments], env={"PATH": "/usr/bin:/bin", "HOME": str(home)}, cwd=home, timeout=120
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    rules = tmp_path / ".codex" / "rules"
    rules.mkdir(parents=True)
    (rules / "default.rules").write_text('prefix_rule(pattern=["touch"], decision="forbidden")\n')
    return tmp_path


def test_pipes_in_the_cache_are_passed_over(home: Path) -> None:
    assert run(home, "check", "--exit-code", "--", "touch", "x").returncode == 4
    kept = list((home / ".cache" / "execpolicy").iterdir())
    assert kept
    for each in kept:
        each.unlink()
        os.mkfifo(each, 0o600)
    assert run(home, "check", "--exit-code", "--", "touch", "x").returncode == 4


@pytest.mark.parametrize("what", ["pipe", "endless"])
def test_a_journal_that_is_no_file_is_named(home: Path, what: str) -> None:
    own = home / ".config" / "execpolicy"
    own.mkdir(parents=True)
    journal = own / "amendments.jsonl"
    if what == "pipe":
        os.mkfifo(journal)
    else:
        journal.symlink_to("/dev/zero")
    done = run(home, "undo")
    assert done.returncode == 1
    assert "amendments.jsonl" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_of_the_kernel_that_has_nothing_to_say_is_named(home: Path) -> None:
    """`/proc/kmsg` looks like a regular file; without the right to it, it cannot be opened at all."""
    done = run(home, "fmt", "/proc/kmsg")
    assert done.returncode == 1
    assert "/proc/kmsg" in done.stderr
    assert "Traceback" not in done.stderr
