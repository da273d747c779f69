"""Rule files that a process of its own evaluates are evaluated whatever this one inherited."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.lang import evaluate
from execpolicy.lang.file_limits import DEFAULT

TEXT = '[prefix_rule(pattern = ["p%d" % i], decision = "forbidden") for i in range(3)]\n'
CHECK = [sys.executable, "-m", "execpolicy", "check", "--exit-code", "-r", "my.rules", "--", "p1"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "my.rules").write_text(TEXT)
    return tmp_path


def test_a_child_signal_that_was_inherited_as_ignored(place: Path) -> None:
    done = subprocess.run(["bash", "-c", 'trap "" CHLD; exec "$@"', "_", *CHECK], cwd=place, check=False, timeout=60)
    assert done.returncode == 4


def test_more_descriptors_than_select_knows(place: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2_000), hard))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_200)]
    try:
        recording, _ = evaluate.evaluate(TEXT, DEFAULT)
    finally:
        for each in opened:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (len(recording.calls), recording.failure) == (3, None)


def test_a_killed_process_is_named_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "_CHILD", "import os; os.kill(os.getpid(), 9)")
    recording, _ = evaluate.evaluate(TEXT, DEFAULT)
    assert recording.failure is not None
    assert f"ended by {signal.SIGKILL.name}" in recording.failure.message
