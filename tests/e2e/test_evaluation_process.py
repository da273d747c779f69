"""Rule files that a process of its own evaluates are evaluated whatever this one inherited."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.lang import limited_process
from execpolicy.lang.evaluate import evaluate
from execpolicy.lang.file_limits import DEFAULT, MEBIBYTE, FileLimits
from tests.support.running import run_captured

TEXT = '[prefix_rule(pattern = ["p%d" % i], decision = "forbidden") for i in range(3)]\n'
CHECK = [sys.executable, "-m", "execpolicy", "check", "--exit-code", "-r", "my.rules", "--", "p1"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXECPOLICY_CACHE", "")  # or what another test had evaluated would be found again
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
        recording, _ = evaluate(TEXT, DEFAULT)
    finally:
        for each in opened:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (len(recording.calls), recording.failure) == (3, None)


def test_a_killed_process_is_named_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_process, "_CHILD", "import os; os.kill(os.getpid(), 9)")
    recording, _ = evaluate(TEXT, DEFAULT)
    assert recording.failure is not None
    assert f"ended by {signal.SIGKILL.name}" in recording.failure.message


def test_a_process_that_is_killed_once_is_started_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    once = f"import os; p = {str(mark)!r}\nif not os.path.exists(p):\n    open(p, 'w'); os.kill(os.getpid(), 9)\n"
    monkeypatch.setattr(limited_process, "_CHILD", once + limited_process._CHILD)
    recording, _ = evaluate(TEXT, DEFAULT)
    assert (len(recording.calls), recording.failure, mark.exists()) == (3, None, True)


@pytest.mark.parametrize("trap", ["", "trap '' CHLD;"])
def test_a_killed_process_is_not_blamed_on_memory_alone(place: Path, trap: str) -> None:
    program = (
        "import sys; from execpolicy.lang import limited_process; from execpolicy.lang.evaluate import evaluate\n"
        "from execpolicy.lang.file_limits import DEFAULT\n"
        "limited_process._CHILD = 'import os; os.write(1, bytes(3)); os.kill(os.getpid(), 9)'\n"
        "print(evaluate(open('my.rules').read(), DEFAULT)[0].failure.message)\n"
    )
    command = ["bash", "-c", f'{trap} exec "$@"', "_", sys.executable, "-c", program]
    done = run_captured(command, cwd=place, check=True, timeout=60)
    expected = "gave no answer: it was ended, or evaluation needed" if trap else "was ended by SIGKILL, twice"
    assert expected in done.stdout


def limited(which: int, most: int) -> list[str]:
    """What runs a command line under this limit, which it cannot raise."""
    program = "import os, resource, sys; w, m = map(int, sys.argv[1:3]); resource.setrlimit(w, (m, m))"
    command = [sys.executable, "-c", f"{program}; os.execvp(sys.argv[3], sys.argv[3:])", str(which), str(most)]
    return [*command, *(["setpriv", "--bounding-set=-sys_resource"] if os.geteuid() == 0 else [])]


@pytest.mark.parametrize("limit", [(resource.RLIMIT_AS, 1024 * MEBIBYTE), (resource.RLIMIT_CPU, 4)])
def test_a_limit_below_ours_that_was_inherited_holds_and_nothing_fails(place: Path, limit: tuple[int, int]) -> None:
    done = run_captured([*limited(*limit), *CHECK], cwd=place, timeout=60)
    assert (done.returncode, done.stderr) == (4, "")


def test_little_memory_is_enough_for_many_rules() -> None:
    """With an arena of its own, the thread that evaluates would find no room for one at each allocation."""
    text = "".join([f'prefix_rule(pattern = ["p{i}", "a" + "b"], decision = "forbidden")\n' for i in range(5_000)])
    recording, _ = evaluate(text, FileLimits(memory=150 * MEBIBYTE))
    assert (len(recording.calls), recording.failure) == (5_000, None)


@pytest.mark.parametrize("megabytes", [56, 58, 60, 64])
@pytest.mark.parametrize("trusted", [True, False])
def test_without_memory_it_is_said_and_nothing_hangs(trusted: bool, megabytes: int) -> None:
    """Where Starlark finds no memory, it aborts, or waits for itself for good and hears no signal."""
    program = (
        "from execpolicy.lang.evaluate import evaluate; from execpolicy.lang.file_limits import DEFAULT\n"
        f"print(evaluate({TEXT!r}, DEFAULT, trusted={trusted})[0].failure.message)\n"
    )
    argv = [*limited(resource.RLIMIT_AS, megabytes * MEBIBYTE), sys.executable, "-c", program]
    done = run_captured(argv, timeout=60, check=True)
    assert done.stdout == f"evaluation needs at least 96 MiB of memory, and the limit is {megabytes} MiB\n"


@pytest.mark.parametrize(
    "command",
    [
        ["serve", "-r", "my.rules"],
        ["arbiter", "-r", "my.rules", "--no-ask", "--", "true"],
        ["check", "-r", "my.rules", "--exit-code", "--", "p1"],
        ["explain", "-r", "my.rules", "--", "p1"],
        ["list", "-r", "my.rules"],
    ],
    ids=lambda command: command[0],
)
def test_nor_do_the_commands(place: Path, command: list[str]) -> None:
    argv = [*limited(resource.RLIMIT_AS, 60 * MEBIBYTE), sys.executable, "-m", "execpolicy", *command]
    environment = {**os.environ, "HOME": str(place)}
    done = run_captured(argv, cwd=place, env=environment, timeout=60, input="")
    assert done.returncode not in (0, -signal.SIGABRT), done
    assert "Traceback" not in done.stderr
    assert "needs at least 96 MiB of memory" in done.stderr
