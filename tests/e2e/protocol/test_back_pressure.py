"""Who asks without reading the answers waits, in bounded memory, and nothing is lost when it reads after all."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.e2e.protocol.arbiter_program import PROGRAM, RULES, Arbitration

pytestmark = pytest.mark.slow

REQUESTS = 16_000
"""With answers so long that not all can wait between the two."""
MOST_MEMORY = 250
"""MB, of which an idle arbiter needs 60. Without bounds ten seconds of questions took 500."""
ASKING = """
import json, sys
number = 0
while number < int(sys.argv[1]):
    number += 1
    print(json.dumps({"v": 1, "type": "tool.request", "ts": 0, "id": str(number), "tool": "shell",
                      "args": {"command": "build"}, "requires_policy": True}))
if len(sys.argv) > 2:
    sys.stdout.flush()
    sys.stderr.write(f"answers {sum('policy.decision' in sys.stdin.readline() for _ in range(number))}\\n")
"""


def memory(pid: int) -> int:
    """MB at most so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024


def test_a_host_that_does_not_read(tmp_path: Path) -> None:
    (tmp_path / "test.rules").write_text(RULES)
    serving = subprocess.Popen(
        [*PROGRAM, "serve", "-r", "test.rules"],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    asked = 0

    def ask() -> None:
        nonlocal asked
        assert serving.stdin is not None
        for number in range(REQUESTS):
            args = {"command": "build"}
            line = {"v": 1, "type": "tool.request", "ts": 0, "id": f"{number:0>500}", "tool": "shell", "args": args}
            serving.stdin.write(json.dumps({**line, "requires_policy": True}).encode() + b"\n")
            asked += 1
        serving.stdin.close()

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    before = -1
    while before != asked:
        before = asked
        time.sleep(1.5)
    assert asked < REQUESTS
    assert memory(serving.pid) < MOST_MEMORY
    assert serving.stdout is not None
    answered = {json.loads(line)["id"] for line in serving.stdout}
    asking.join(60)
    assert len(answered) == REQUESTS
    assert serving.wait(120) == 0
    serving.stdout.close()


def test_an_agent_that_does_not_read(tmp_path: Path) -> None:
    arbitration = Arbitration(tmp_path)
    argv = arbitration.argv("--no-ping", child=[sys.executable, "-S", "-c", ASKING, "100000000"])
    running = subprocess.Popen(
        argv, cwd=tmp_path, env=arbitration.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(8)
    assert memory(running.pid) < MOST_MEMORY
    running.terminate()
    assert running.wait(120) == 143


def test_an_agent_that_reads_late_gets_every_answer(tmp_path: Path) -> None:
    arbitration = Arbitration(tmp_path)
    argv = arbitration.argv("--no-ping", child=[sys.executable, "-S", "-c", ASKING, "5000", "late"])
    done = subprocess.run(
        argv, cwd=tmp_path, env=arbitration.environment(), capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert b"answers 5000\n" in done.stderr
