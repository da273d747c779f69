"""A manager whose process lacks something keeps what it knows, gets stricter, and recovers by itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.running import run_captured

pytestmark = pytest.mark.slow

PROGRAM = """
import os, resource, sys, threading, time
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
home, what, named = sys.argv[1:]
path = home + "/rules/default.rules"
given = {"files": (path,), "mode": "strict"} if named else {"codex_home": home, "project": False}
manager = PolicyManager(LayerOptions(cwd="/", **given))

def until(closed, argv, decision):
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        now = manager.current()
        found = now.policy.check(argv).decision
        if now.rulebook.fail_closed is closed and (found and found.word) == decision:
            return
        time.sleep(0.01)
    raise SystemExit(f"not reached: {closed} {argv} {decision}, but {now.rulebook.fail_closed} {found}")

resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
with open(path, "a", buffering=1) as writer, manager.watching(interval=0.02):
    until(False, ["a"], "forbidden")
    held = []
    if what == "descriptors":
        try:
            while True:
                held.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            pass
    else:
        from execpolicy.lang import limited_process
        child, limited_process._CHILD = limited_process._CHILD, "import os; os.kill(os.getpid(), 9)"
    writer.write('[prefix_rule(pattern = [name], decision = "forbidden") for name in ["b"]]\\n')
    until(True, ["a"], "forbidden")
    until(True, ["b"], None)
    for each in held:
        os.close(each)
    if what == "killed":
        limited_process._CHILD = child
    until(False, ["b"], "forbidden")
    until(False, ["a"], "forbidden")
print("recovered")
"""


@pytest.mark.parametrize("named", ["", "named"], ids=["found", "named"])
@pytest.mark.parametrize("what", ["descriptors", "killed"])
def test_it_recovers_without_any_change_of_a_file(tmp_path: Path, what: str, named: str) -> None:
    rules = tmp_path / "rules/default.rules"
    rules.parent.mkdir()
    rules.write_text('prefix_rule(pattern=["a"], decision="forbidden")\n')
    done = run_captured([sys.executable, "-c", PROGRAM, str(tmp_path), what, named], timeout=120)
    assert (done.returncode, done.stdout) == (0, "recovered\n"), done.stderr
