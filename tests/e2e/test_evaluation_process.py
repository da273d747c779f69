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
from tests.support.running import run_captured

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


def test_a_process_that_is_killed_once_is_started_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    once = f"import os; p = {str(mark)!r}\nif not os.path.exists(p):\n    open(p, 'w'); os.kill(os.getpid(), 9)\n"
    monkeypatch.setattr(evaluate, "_CHILD", once + evaluate._CHILD)
    recording, _ = evaluate.evaluate(TEXT, DEFAULT)
    assert (len(recording.calls), recording.failure, mark.exists()) == (3, None, True)


@pytest.mark.parametrize("trap", ["", "trap '' CHLD;"])
def test_a_killed_process_is_not_blamed_on_memory_alone(place: Path, trap: str) -> None:
    program = (
        "import sys; from execpolicy.lang import evaluate; from execpolicy.lang.file_limits import DEFAULT\n"
        "evaluate._CHILD = 'import os; os.write(1, bytes(3)); os.kill(os.getpid(), 9)'\n"
        "print(evaluate.evaluate(open('my.rules').read(), DEFAULT)[0].failure.message)\n"
    )
    command = ["bash", "-c", f'{trap} exec "$@"', "_", sys.executable, "-c", program]
    done = run_captured(command, cwd=place, check=True, timeout=60)
    expected = "gave no answer: it was ended, or evaluation needed" if trap else "was ended by SIGKILL, twice"
    assert expected in done.stdout
