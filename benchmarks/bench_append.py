"""Appending rules: one process alone, and eight at once on one file. Prints appends per second and the time of one.

    python benchmarks/bench_append.py [FOLDER]

FOLDER decides about the disk, and so about the cost of `fsync`; the default is the folder for temporary files.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

APPENDS = 500
WRITER = """
import sys
from execpolicy.amend.append import append_lines
from execpolicy.lang.render import render_prefix_rule
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.read()
for number in range(count):
    append_lines(path, (render_prefix_rule([name, str(number)]),), timeout=600.0)
"""


def measure(path: Path, writers: int) -> float:
    """Seconds for ``writers`` processes to append ``APPENDS`` rules each, without starting them."""
    path.unlink(missing_ok=True)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), f"p{number}", str(APPENDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number in range(writers)
    ]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    start = time.perf_counter()
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    for process in processes:
        process.wait()
    elapsed = time.perf_counter() - start
    assert path.read_bytes().count(b"\n") == writers * APPENDS, "a rule was lost or doubled"
    return elapsed


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        for writers in (1, 2, 8):
            elapsed = measure(Path(folder) / "default.rules", writers)
            total = writers * APPENDS
            print(f"{writers} writers: {total / elapsed:8.0f} appends/s  {elapsed / total * 1e3:6.2f} ms each")


if __name__ == "__main__":
    main()
