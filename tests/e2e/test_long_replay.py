"""A replay that takes long: what it shows meanwhile, and that it goes on after it was killed at any write."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from execpolicy.insight import checkpoint
from execpolicy.insight.history import read_history
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import replay
from execpolicy.insight.tally import History
from execpolicy.judge.situation import Situation
from tests.support.killing import killed_at_every_call

pytestmark = pytest.mark.slow

RULES = 'prefix_rule(["git", "push"], decision="forbidden")\nprefix_rule(["make"])\n'
CHILD = """
import os, sys
from execpolicy.insight import checkpoint
from execpolicy.insight.history import read_history
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import replay
from execpolicy.judge.situation import Situation
rules, state, *files = sys.argv[1:]
checkpoint._PAUSE_S, checkpoint._PIECE = 0, 2
policy = PortablePolicy.of(rules, situation=Situation("/"))
os.write(1, b"ready")
with checkpoint.Checkpoint(state, [policy]) as kept:
    replay(read_history(files, checkpoint=kept), policy, checkpoint=kept)
"""

SHORT_LIVED = """
import os, signal, sys
from execpolicy.insight.checkpoint import Checkpoint
from execpolicy.insight.history import read_history
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.workers import decide_all
from execpolicy.judge.situation import Situation
rules, state, *files = sys.argv[1:]
policy = PortablePolicy.of(rules, situation=Situation("/"))
left = [2, 100]
def one(which):
    left[which] -= 1
    if left[which] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
def read(path):
    one(0)
    return read_history([path])
def decide(commands):
    for command in commands:
        one(1)
    return decide_all(commands, [policy])
with Checkpoint(state, [policy]) as kept:
    commands = [command for path in files for command in kept.history_of(path, read).counts]
    kept.decisions_of(commands, decide)
"""
"""It lives until it has counted two files and decided a hundred commands: a fraction of a second."""


def test_always_killed_after_a_moment_it_comes_further_each_time(tmp_path: Path) -> None:
    files = [tmp_path / f"{at}.txt" for at in range(6)]
    for at, path in enumerate(files):
        path.write_text("".join([f"make {at}-{target}\n" for target in range(50)]))
    command = [sys.executable, "-c", SHORT_LIVED, RULES, str(tmp_path / "state"), *map(str, files)]
    starts = 1
    while (status := subprocess.run(command, check=False, timeout=60).returncode) == -9:
        starts += 1
        assert starts <= 6 + 5, "a start did not come further"  # a file each, and 64 of 300 commands each
    assert status == 0
    assert starts > 3


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing, which stops at each call")
def test_killed_at_any_write_it_goes_on_with_the_same_totals(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("a.txt", "b.txt")]
    Path(files[0]).write_text("make all\ngit push\nmake all\n")
    Path(files[1]).write_text("git push\nls\nrm -rf /\n")
    policy = PortablePolicy.of(RULES, situation=Situation("/"))
    fresh = replay(read_history(files), policy).to_json()
    state = tmp_path / "state"

    def put_back() -> None:
        for path in tmp_path.glob("state*"):
            path.unlink()

    def resumed() -> tuple[Any, int]:
        """The report, and how many files had to be read."""
        read: list[str] = []
        with checkpoint.Checkpoint(str(state), [policy]) as kept:
            history = History()
            for path in files:
                history.add(kept.history_of(path, lambda name: read.append(name) or read_history([name])))
            return replay(history, policy, checkpoint=kept).to_json(), len(read)

    left = set()
    for call in killed_at_every_call(
        CHILD, [RULES, str(state), *files], put_back, calls=("pwrite64", "fdatasync", "unlink"), env=dict(os.environ)
    ):
        report, read = resumed()
        assert report == fresh, call
        left.add(read)
    assert left == {0, 1, 2}


def test_bars_are_for_terminals_and_answers_for_programs(tmp_path: Path) -> None:
    path = tmp_path / "h.txt"
    path.write_text("".join([f"make target-{at % 2500}\n" for at in range(300_000)]))
    words = [sys.executable, "-m", "execpolicy", "replay", "--format", "json", "--suggest", "0"]
    words += ["--resume", str(tmp_path / "state"), str(path)]
    first, second = pty.openpty()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=second, cwd=tmp_path) as run:
        os.close(second)
        shown = b""
        while b"\n" not in shown[shown.find(b"deciding") :] or b"deciding" not in shown:
            shown += os.read(first, 4096)
        assert run.stdout is not None
        answer = json.loads(run.stdout.read())
    os.close(first)
    assert b"reading" in shown
    assert shown.count(b"100%") >= 2
    again = subprocess.run(words, capture_output=True, cwd=tmp_path, check=True)
    assert again.stderr == b""
    assert json.loads(again.stdout) == answer
    assert (answer["commands"], sum(answer["distinct"].values())) == (300_000, 2500)
