"""``execpolicy run`` with a person at a real pseudo-terminal."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pexpect
import pytest

from tests.support.running import run_captured

pytestmark = pytest.mark.slow

_RUN = ["-m", "execpolicy", "run", "--sandbox", "danger-full-access"]
_SECONDS = 60


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    (home / ".codex").mkdir(parents=True)
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "dumb", "EXECPOLICY_SESSION": "test", "LANG": "C.UTF-8"}


def _start(env: dict[str, str], cwd: Path, *arguments: str) -> pexpect.spawn:
    return pexpect.spawn(
        sys.executable, [*_RUN, *arguments], env=env, cwd=str(cwd), encoding="utf-8", timeout=_SECONDS, echo=False
    )


def _finish(child: pexpect.spawn) -> tuple[str, int]:
    """What was still printed, and the exit status."""
    child.expect(pexpect.EOF)
    child.close()
    return child.before or "", child.exitstatus


def _answer(child: pexpect.spawn, *lines: str) -> tuple[str, int]:
    child.expect("answer: ")
    for line in lines:
        child.sendline(line)
    return _finish(child)


def test_once(env: dict[str, str], tmp_path: Path) -> None:
    for _ in range(2):
        child = _start(env, tmp_path, "--", "touch", "made")
        child.expect("may this run")
        child.expect("touch made")
        assert _answer(child, "y")[1] == 0
        assert (tmp_path / "made").exists()


def test_for_the_session(env: dict[str, str], tmp_path: Path) -> None:
    assert _answer(_start(env, tmp_path, "--", "touch", "made"), "s")[1] == 0
    assert _finish(_start(env, tmp_path, "--", "touch", "made")) == ("", 0)
    assert _answer(_start(env, tmp_path, "--", "touch", "other"), "n", "")[1] == 126
    assert _answer(_start({**env, "EXECPOLICY_SESSION": "x"}, tmp_path, "--", "touch", "made"), "n", "")[1] == 126


def test_save_a_prefix(env: dict[str, str], tmp_path: Path) -> None:
    said, status = _answer(_start(env, tmp_path, "--", "cargo-like", "build", "x"), "p 9", "p 2")
    rules = Path(env["HOME"]) / ".codex" / "rules" / "default.rules"
    assert rules.read_text() == 'prefix_rule(pattern=["cargo-like", "build"], decision="allow")\n'
    assert "write `p`, or `p N` with N from 1 to 3" in said
    assert 'Approved command prefix saved:\\n- ["cargo-like", "build"]'.replace("\\n", " ") in " ".join(said.split())
    assert status == 126  # there is no such program; the point is that nobody is asked the next time
    said, status = _finish(_start(env, tmp_path, "--", "cargo-like", "build", "y"))
    assert "may this run" not in said
    assert "no such program" in said


@pytest.mark.parametrize("nothing", ["no", "n", ""])
def test_deny_with_a_message(env: dict[str, str], tmp_path: Path, nothing: str) -> None:
    said, status = _answer(_start(env, tmp_path, "--", "touch", "made"), "n use make instead")
    assert (status, "not run: use make instead" in said) == (126, True)
    child = _start(env, tmp_path, "--", "touch", "made")
    child.expect("answer: ")
    child.sendline(nothing)
    said, status = _finish(child)
    assert (status, "not run: rejected by user" in said) == (126, True)
    assert not (tmp_path / "made").exists()


def test_stop_and_nonsense(env: dict[str, str], tmp_path: Path) -> None:
    said, status = _answer(_start(env, tmp_path, "--", "touch", "made"), "perhaps", "y but", "q")
    assert said.count("please answer with one of the letters") == 2
    assert (status, "stopped" in said) == (130, True)
    child = _start(env, tmp_path, "--", "touch", "made")
    child.expect("answer: ")
    child.sendeof()
    assert _finish(child)[1] == 130
    assert not (tmp_path / "made").exists()


def test_interrupt_at_the_question(env: dict[str, str], tmp_path: Path) -> None:
    child = _start(env, tmp_path, "--", "touch", "made")
    child.expect("answer: ")
    child.sendintr()
    assert _finish(child)[1] == 130
    assert not (tmp_path / "made").exists()


def test_interrupt_while_it_runs(env: dict[str, str], tmp_path: Path) -> None:
    child = _start(env, tmp_path, "--script", "touch made && echo pid $$ && sleep 600")
    child.expect("answer: ")
    child.sendline("y")
    child.expect(r"pid (\d+)")
    pid = int(child.match.group(1))
    child.sendintr()
    assert _finish(child)[1] == 130
    assert _is_gone(pid)


def _is_gone(pid: int) -> bool:
    """The kernel needs a moment to take a killed process away; one that was not killed would stay for minutes."""
    for _ in range(1000):
        if not os.path.exists(f"/proc/{pid}"):
            return True
        time.sleep(0.01)
    return False


def test_what_is_shown_cannot_move_the_cursor(env: dict[str, str], tmp_path: Path) -> None:
    child = _start(env, tmp_path, "-m", "why\x1b]0;x\x07", "--script", "evil \x1b[2K\rls \u202egnp\n  y  yes, once")
    child.expect("answer: ")
    shown = child.before or ""
    assert "\x1b" not in shown.replace("\x1b[?2004", "")
    assert "\u202e" not in shown
    assert "evil \\e[2K\\rls \\u{202e}gnp" in shown
    assert "│   y  yes, once" in shown
    assert "? the agent says: why\\e]0;x\\u{7}" in shown
    child.sendline("q")
    assert _finish(child)[1] == 130


def test_standard_input_belongs_to_the_command(env: dict[str, str], tmp_path: Path) -> None:
    command = f"printf 'y\\nhello\\n' | {sys.executable} -m execpolicy run --sandbox danger-full-access -- tee out"
    child = pexpect.spawn(
        "sh", ["-c", command], env=env, cwd=str(tmp_path), encoding="utf-8", timeout=_SECONDS, echo=False
    )
    assert _answer(child, "y")[1] == 0
    assert (tmp_path / "out").read_text() == "y\nhello\n"


def test_no_terminal_is_a_denial_with_a_reason(env: dict[str, str], tmp_path: Path) -> None:
    done = run_captured(
        [sys.executable, *_RUN, "--", "touch", "made"], env=env, cwd=tmp_path, input="y\n", start_new_session=True
    )
    assert done.returncode == 126
    said = "execpolicy: not run: approval is needed, and there is no terminal to ask on (`touch made` needs approval: "
    assert done.stderr.startswith(said)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "give a command behind `--`, or a script"),
        (["--script", "ls", "--", "ls"], 2, "give a command behind `--`, or a script"),
        (["--approval", "never", "--script", "exit 7"], 7, ""),
        (["--approval", "never", "--", "./dies"], 137, ""),
        (["--approval", "never", "--timeout", "0.2", "--", "sleep", "600"], 124, "killed after 0.2 seconds"),
        (["--approval", "never", "--escalate", "--", "ls"], 126, "you cannot ask for escalated permissions"),
        (
            ["--approval", "never", "--cwd", "/missing", "--", "ls"],
            2,
            "`/missing` is not a folder: give one that exists to --cwd",
        ),
    ],
)
def test_statuses(env: dict[str, str], tmp_path: Path, arguments: list[str], status: int, said: str) -> None:
    (tmp_path / "dies").write_text("#!/bin/sh\nkill -9 $$\n")
    (tmp_path / "dies").chmod(0o755)
    done = run_captured([sys.executable, *_RUN, *arguments], env=env, cwd=tmp_path, start_new_session=True)
    assert (done.returncode, said in done.stderr) == (status, True), done.stderr
