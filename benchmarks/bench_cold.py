"""Cold start: one process per check, side by side with ``codex execpolicy check`` when its binary is given.

Runs alternate, so that a noisy moment hurts everybody alike; medians and ratios are what counts. Measure an installed
wheel: an editable install may measure the compiler.

    python benchmarks/bench_cold.py [--codex PATH] [--python PATH] [--runs 15] [--sizes 1,100,1000,10000]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def rules(count: int) -> str:
    """``count`` rules of the shape that amendments write."""
    return "".join(f'prefix_rule(pattern=["prog{at}", "sub"], decision="allow")\n' for at in range(count))


def timed(command: list[str], environment: dict[str, str]) -> float:
    """Milliseconds of one run."""
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    elapsed = (time.perf_counter() - start) * 1e3
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr.decode()[:500]}")
    return elapsed


def peak(command: list[str], environment: dict[str, str]) -> float:
    """Peak resident mebibytes of one run, measured by a process of its own."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
        "stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], env=environment, capture_output=True, check=True)
    return int(done.stdout) / 1024


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--codex", help="the codex binary to compare with")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of an environment with execpolicy")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--sizes", default="1,100,1000,10000")
    arguments = parser.parse_args()
    program = str(Path(arguments.python).parent / "execpolicy")
    with tempfile.TemporaryDirectory() as folder:
        base = {"PATH": os.environ["PATH"], "HOME": folder}
        cached = {**base, "EXECPOLICY_CACHE": folder + "/cache"}
        uncached = {**base, "EXECPOLICY_CACHE": ""}
        cases: dict[str, tuple[list[str], dict[str, str]]] = {
            "python3 -c pass": ([arguments.python, "-c", "pass"], base),
            "check argv, all layers, cached": ([program, "check", "--", "git", "status"], cached),
            "check script, all layers, cached": (
                [program, "check", "--script", "git status && ls -la 2>&1 | head -5"],
                cached,
            ),
            "check script, all layers, no cache": (
                [program, "check", "--script", "git status && ls -la 2>&1 | head -5"],
                uncached,
            ),
        }
        for size in map(int, arguments.sizes.split(",")):
            path = f"{folder}/{size}.rules"
            Path(path).write_text(rules(size))
            tail = ["-r", path, "--", f"prog{size // 2}", "sub"]
            if arguments.codex:
                cases[f"codex, {size} rules"] = ([arguments.codex, "execpolicy", "check", *tail], base)
            compat = [program, "check", "--compat", "codex-0.169", *tail]
            cases[f"compat, {size} rules, no cache"] = (compat, uncached)
            cases[f"compat, {size} rules, cached"] = (compat, cached)
            cases[f"check -r, {size} rules, no cache"] = ([program, "check", *tail], uncached)
            cases[f"check -r, {size} rules, cached"] = ([program, "check", *tail], cached)
        times: dict[str, list[float]] = {name: [] for name in cases}
        for name, (command, environment) in cases.items():
            timed(command, environment)
            del name
        for _ in range(arguments.runs):
            for name, (command, environment) in cases.items():
                times[name].append(timed(command, environment))
        floor = statistics.median(times["python3 -c pass"])
        print(f"{'case':<40} {'median ms':>10} {'min ms':>8} {'x python':>9} {'x codex':>8} {'peak MiB':>9}")
        for name, found in times.items():
            median = statistics.median(found)
            size = name.split(", ")[1] if "rules" in name else None
            rival = times.get(f"codex, {size}") if size else None
            ratio = f"{median / statistics.median(rival):8.2f}" if rival else " " * 8
            memory = peak(*cases[name])
            print(f"{name:<40} {median:10.1f} {min(found):8.1f} {median / floor:9.2f} {ratio} {memory:9.1f}")


if __name__ == "__main__":
    main()
