"""What arbitration costs: one decision through two pipes, many at once, and output that passes through.

    python benchmarks/arbiter.py [--flood BYTES]

The child is ``tests/e2e/protocol/reference_child.py`` without its ceremony: it measures from its own side, with the
real ``execpolicy arbiter`` around it. Targets: a round trip of at most 1 ms (median), 5,000 decisions a second
pipelined, 200 MB a second of output with flat memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

PROGRAM = [sys.executable, "-c", "import sys; from execpolicy.cli.main import main; sys.exit(main())", "arbiter"]

ROUND_TRIPS = """
import json, os, sys, time
line = lambda n: json.dumps({"v": 1, "ts": 0, "type": "tool.request", "id": f"t{n}", "tool": "shell",
    "args": {"command": f"build part{n % 50}"}, "requires_policy": True}).encode() + b"\\n"
sys.stdin.buffer.readline()
times = []
for n in range(1000):
    started = time.perf_counter()
    os.write(1, line(n))
    sys.stdin.buffer.readline()
    times.append(time.perf_counter() - started)
times = sorted(times[100:])
sys.stderr.write(json.dumps({"median_ms": times[len(times) // 2] * 1e3, "p99_ms": times[int(len(times) * .99)] * 1e3}))
"""

PIPELINED = """
import json, os, sys, threading, time
count = 20000
sys.stdin.buffer.readline()
lines = [json.dumps({"v": 1, "ts": 0, "type": "tool.request", "id": f"t{n}", "tool": "shell",
    "args": {"command": f"build part{n % 50}"}, "requires_policy": True}) + "\\n" for n in range(count)]
started = time.perf_counter()
def write():
    for at in range(0, count, 500):
        os.write(1, "".join(lines[at:at + 500]).encode())
threading.Thread(target=write, daemon=True).start()
for n in range(count):
    sys.stdin.buffer.readline()
sys.stderr.write(json.dumps({"decisions_per_s": count / (time.perf_counter() - started)}))
sys.stderr.flush()
os._exit(0)
"""

FLOOD = """
import os, sys
chunk = memoryview((b"x" * 79 + b"\\n") * 13000)
left = int(sys.argv[1])
while left > 0:
    left -= os.write(1, chunk[:left])
"""


def arbitrate(rules: str, *child: str, audit: str | None = None) -> tuple[str, float, float]:
    """Standard error, seconds, and peak memory in MB of all children so far."""
    options = ["--audit", audit] if audit is not None else []
    started = time.perf_counter()
    done = subprocess.run(
        [*PROGRAM, "--ignore-rules", "-r", rules, *options, "--", sys.executable, "-S", "-c", *child],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
    )
    seconds = time.perf_counter() - started
    return done.stderr.decode(), seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the arbiter.")
    parser.add_argument("--flood", type=int, default=1_000_000_000, help="bytes of output")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "bench.rules")
        with open(rules, "w") as file:
            file.write('prefix_rule(pattern=["build"], decision="allow")\n')
        trips = json.loads(arbitrate(rules, ROUND_TRIPS)[0])
        print(f"round trip: median {trips['median_ms']:.3f} ms, 99th percentile {trips['p99_ms']:.3f} ms")
        rate = json.loads(arbitrate(rules, PIPELINED)[0])
        print(f"pipelined: {rate['decisions_per_s']:,.0f} decisions a second")
        audited = json.loads(arbitrate(rules, PIPELINED, audit=os.path.join(folder, "audit.jsonl"))[0])
        print(f"pipelined, with an audit trail: {audited['decisions_per_s']:,.0f} decisions a second")
        small = arbitrate(rules, FLOOD, "1000")
        for name, sink in (("a pipe", subprocess.PIPE), ("/dev/null", subprocess.DEVNULL)):
            if sink == subprocess.PIPE:
                seconds, peak = through_pipe(rules, options.flood)
            else:
                _, seconds, peak = arbitrate(rules, FLOOD, str(options.flood))
            speed = options.flood / max(seconds - small[1], 0.001) / 1e6
            print(f"pass-through to {name}: {options.flood / 1e6:,.0f} MB at {speed:,.0f} MB/s")
            print(f"  peak memory {peak:.0f} MB, with nearly no output {small[2]:.0f} MB")


def through_pipe(rules: str, size: int) -> tuple[float, float]:
    """The same with somebody reading the other end, who counts."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [*PROGRAM, "--ignore-rules", "-r", rules, "--", sys.executable, "-S", "-c", FLOOD, str(size)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    seen = 0
    while chunk := os.read(process.stdout.fileno(), 1 << 20):
        seen += len(chunk)
    process.wait()
    if seen != size:
        raise SystemExit(f"{size} bytes went in, {seen} came out")
    return time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


if __name__ == "__main__":
    main()
