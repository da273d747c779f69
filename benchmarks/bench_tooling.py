"""Linting and formatting a folder of 10,000 rules: processor seconds of the command, median of five.

Usage: python benchmarks/bench_tooling.py

Targets: 3 seconds each.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RULES = 10_000
RUNS = 5


def write(folder: Path) -> None:
    """Half of the rules as approvals write them, half by hand: wrapped, with reasons, examples and comments."""
    rng = random.Random(1)
    words = [f"word{number}" for number in range(300)]
    amendments = [
        f'prefix_rule(pattern=["git", "{rng.choice(words)}", "{rng.choice(words)}", "x{number}"], decision="allow")\n'
        for number in range(RULES // 2)
    ]
    by_hand = [
        "prefix_rule(\n"
        f"    # rule {number}\n"
        f'    pattern = ["tool{number % 900}", ["{rng.choice(words)}", "y{number}"]],\n'
        '    decision = "prompt",\n'
        f'    justification = "reason {number}",\n'
        f'    match = ["tool{number % 900} y{number}"],\n'
        ")\n"
        for number in range(RULES // 2)
    ]
    (folder / "default.rules").write_text("".join(amendments), "utf-8")
    (folder / "team.rules").write_text("".join(by_hand), "utf-8")


def processor_seconds(arguments: list[str]) -> float:
    """What one run of the command costs, children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "execpolicy", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        for arguments in (["lint", name], ["fmt", "--check", name]):
            seconds = statistics.median(processor_seconds(arguments) for _ in range(RUNS))
            print(f"{arguments[0]:<5} {RULES:,} rules: {seconds:.2f} s")


if __name__ == "__main__":
    main()
